package pg

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"signalbox/engine/event"
	"signalbox/engine/history"
	"signalbox/engine/machine"
	"signalbox/engine/runtime"
	"signalbox/engine/runtime/brief"
)

// resolve puts large values in the place of their references.
func (h *History) resolve(ctx context.Context, workspace string, data json.RawMessage) (json.RawMessage, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		return nil, fmt.Errorf("read event: %w", err)
	}
	for _, name := range []string{"input", "output", "config"} {
		var v event.Value
		if len(fields[name]) == 0 || json.Unmarshal(fields[name], &v) != nil {
			continue
		}
		whole, err := h.whole(ctx, workspace, v)
		if err != nil {
			return nil, err
		}
		fields[name] = whole
	}
	raw, err := json.Marshal(fields)
	if err != nil {
		return nil, fmt.Errorf("write event: %w", err)
	}
	return raw, nil
}

// whole is a value without the mark that data may wear on disk. One that is
// too large to be shown stays a reference with a preview.
func (h *History) whole(ctx context.Context, workspace string, v event.Value) (json.RawMessage, error) {
	switch {
	case v.Payload == nil:
		return v.Inline, nil
	case v.Payload.Size > resolveMax:
		raw, err := json.Marshal(v)
		if err != nil {
			return nil, fmt.Errorf("write reference: %w", err)
		}
		return raw, nil
	default:
		return h.store.Payload(ctx, workspace, v.Payload.Digest)
	}
}

// Result returns what a run that succeeded ended with, as a reference where it
// is too large to be shown; nil: nothing yet, or nothing that can be shown.
func (h *History) Result(ctx context.Context, workspace string, run uuid.UUID) (json.RawMessage, error) {
	if err := h.Exists(ctx, workspace, run); err != nil {
		return nil, err
	}
	rows, err := h.store.pool.Query(ctx, `select seq, at, node, type, data, hash from workflow_events where run_id = $1 order by seq desc limit 1`, run)
	if err != nil {
		return nil, fmt.Errorf("read result: %w", err)
	}
	last, err := pgx.CollectExactlyOneRow(rows, scanEvent)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read result: %w", err)
	}
	e, err := machine.Decode(last)
	if newer := (*machine.UnknownError)(nil); errors.As(err, &newer) {
		return nil, nil // of a newer program: it cannot be shown
	}
	if err != nil {
		return nil, fmt.Errorf("read result: %w", err)
	}
	end, ok := e.Fact.(*machine.RunSucceeded)
	if !ok {
		return nil, nil
	}
	values, err := h.named(ctx, run, end.Results)
	if err != nil {
		return nil, err
	}
	if values == nil {
		return h.rebuilt(ctx, run)
	}
	return h.compose(ctx, workspace, end, values)
}

// named are the outputs that the end of a run names, in its order; nil when
// one of them is not in the event itself, or the end could not name them all.
func (h *History) named(ctx context.Context, run uuid.UUID, refs []machine.ResultRef) ([]event.Value, error) {
	seqs := make([]int, len(refs))
	for i, r := range refs {
		seqs[i] = r.Seq
	}
	rows, err := h.store.pool.Query(ctx, `select e.seq, e.at, e.node, e.type, e.data, e.hash from unnest($2::int[]) with ordinality n(seq, i)
		join workflow_events e on e.run_id = $1 and e.seq = n.seq order by n.i`, run, seqs)
	if err != nil {
		return nil, fmt.Errorf("read result: %w", err)
	}
	stored, err := pgx.CollectRows(rows, scanEvent)
	if err != nil {
		return nil, fmt.Errorf("read result: %w", err)
	}
	if len(stored) == 0 || len(stored) != len(refs) {
		return nil, nil
	}
	values := make([]event.Value, len(stored))
	for i := range stored {
		e, err := machine.Decode(stored[i])
		if err != nil {
			return nil, fmt.Errorf("read result: %w", err)
		}
		switch f := e.Fact.(type) {
		case *machine.NodeCompleted:
			values[i] = f.Output
		case *machine.TaskCompleted:
			values[i] = f.Output
		case *machine.Responded:
			values[i] = f.Output
		case *machine.ContainerCompleted:
			values[i] = f.Output
		default: // it passed on what it took, or made a failure of it
		}
		if values[i].IsZero() {
			return nil, nil
		}
	}
	return values, nil
}

func (h *History) compose(ctx context.Context, workspace string, end *machine.RunSucceeded, values []event.Value) (json.RawMessage, error) {
	if !end.Keyed {
		return h.whole(ctx, workspace, values[0])
	}
	var out bytes.Buffer
	out.WriteByte('{')
	for i, v := range values {
		raw, err := h.whole(ctx, workspace, v)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			out.WriteByte(',')
		}
		fmt.Fprintf(&out, "%q:%s", end.Results[i].Node, raw) // keys are [a-z0-9_]
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// rebuilt is the result from the state of the run.
func (h *History) rebuilt(ctx context.Context, run uuid.UUID) (json.RawMessage, error) {
	r, err := runtime.Rebuild(ctx, h.store, run)
	if err != nil {
		return nil, fmt.Errorf("read result: %w", err)
	}
	raw, err := r.State.Result(r.Machine)
	if err != nil { // for one reason only: values that are too large to be loaded
		return nil, nil //nolint:nilerr // nothing that can be shown
	}
	return raw, nil
}

// Seen returns the last outputs of a workflow's nodes, by key, from its newest
// runs. Very long runs are passed over.
func (h *History) Seen(ctx context.Context, workspace string, workflow uuid.UUID) (history.Seen, error) {
	seen := history.Seen{Nodes: map[string]history.Output{}}
	rows, err := h.store.pool.Query(ctx, `
		select r.id from (select id from runs where workspace_id = $1 and workflow_id = $2 order by id desc limit $3) r
		where not exists (select from workflow_events e where e.run_id = r.id and e.seq = $4)
		order by r.id desc limit $5`, workspace, workflow, seenAmong, seenEvents+1, seenRuns)
	if err != nil {
		return seen, fmt.Errorf("find runs: %w", err)
	}
	runs, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	if err != nil {
		return seen, fmt.Errorf("find runs: %w", err)
	}
	passed := map[[2]string]int{}
	for i, run := range runs {
		r, err := runtime.Rebuild(ctx, h.store, run)
		if err != nil {
			return seen, fmt.Errorf("read outputs: %w", err)
		}
		if i == 0 {
			seen.Last = trafficOf(r.Record)
		}
		for key, o := range r.State.Outputs(r.Machine) {
			for _, port := range portsOf(r.Record.Events[o.Seq-1]) {
				if at := [2]string{key, port}; passed[at] < passedMost {
					passed[at]++
					seen.Passed = append(seen.Passed, history.Passage{Node: key, Port: port, Output: o.Value, At: r.Record.Events[o.Seq-1].At, Run: run})
				}
			}
			if _, there := seen.Nodes[key]; !there {
				seen.Nodes[key] = history.Output{Output: o.Value, At: r.Record.Events[o.Seq-1].At, Run: run}
			}
			if key == r.Record.Trigger && seen.Trigger == nil {
				seen.Trigger = o.Value
			}
		}
		if i+1 >= passedMost && len(seen.Nodes) == len(r.Machine.Nodes) {
			break // nothing older can add to that
		}
	}
	slices.SortFunc(seen.Passed, func(a, b history.Passage) int {
		return cmp.Or(b.At.Compare(a.At), strings.Compare(a.Node, b.Node), strings.Compare(a.Port, b.Port))
	})
	return seen, nil
}

// trafficOf counts the tokens of a run by the ways that they took.
func trafficOf(r *runtime.Record) *history.Traffic {
	n := map[[2]string]int{}
	for _, e := range r.Events {
		for _, port := range portsOf(e) {
			n[[2]string{e.Node, port}]++
		}
	}
	t := &history.Traffic{Run: r.Run, At: r.CreatedAt, Ways: make([]history.Way, 0, len(n))}
	for way, count := range n {
		t.Ways = append(t.Ways, history.Way{Node: way[0], Port: way[1], N: count})
	}
	slices.SortFunc(t.Ways, func(a, b history.Way) int {
		return cmp.Or(strings.Compare(a.Node, b.Node), strings.Compare(a.Port, b.Port))
	})
	return t
}

// portsOf are the ways by which an event lets a node's output go.
func portsOf(e event.Event) []string {
	b := brief.Read(e)
	if b.Port != "" {
		return []string{b.Port}
	}
	return b.Ports
}
