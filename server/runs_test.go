package server_test

import (
	"context"
	"encoding/json"
	"reflect"
	"sync"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/compare"
	"signalbox/engine/machine"
	"signalbox/engine/problem"
	"signalbox/engine/runtime"
	"signalbox/engine/runtime/brief"
	"signalbox/server"
)

// runs is an engine whose events a test writes by hand, so that it decides
// when one comes, and whether the live copy gets lost.
type runs struct {
	mu       sync.Mutex
	list     map[uuid.UUID]*run
	keys     map[string]uuid.UUID
	starts   []runtime.StartRequest
	answer   *runtime.Answer // of every run that is waited for
	silent   bool            // never answers
	watchers map[uuid.UUID]map[chan []brief.Brief]bool
}

type run struct {
	server.Run
	workspace string
	events    []brief.Brief
	told      []machine.Input
}

func newRuns() *runs {
	return &runs{list: map[uuid.UUID]*run{}, keys: map[string]uuid.UUID{}, watchers: map[uuid.UUID]map[chan []brief.Brief]bool{}}
}

func (r *runs) Start(ctx context.Context, req runtime.StartRequest) (runtime.Started, error) {
	r.mu.Lock()
	out := runtime.Started{Run: uuid.Must(uuid.NewV7())}
	if old, ok := r.keys[req.Workflow.String()+req.Key]; ok && req.Key != "" {
		out.Run, out.Existing = old, true
	} else {
		r.keys[req.Workflow.String()+req.Key] = out.Run
		r.starts = append(r.starts, req)
		r.list[out.Run] = &run{workspace: req.Workspace, Run: server.Run{
			ID: out.Run, Workflow: req.Workflow, Version: req.Version, Status: runtime.StatusRunning, Trigger: req.Trigger,
			Source: req.Source, Test: req.Test, CreatedAt: time.Now(), Attributes: req.Attributes,
		}}
	}
	silent := r.silent
	if req.Wait != runtime.WaitNone {
		out.Answer = r.answer
	}
	r.mu.Unlock()
	if silent {
		<-ctx.Done()
		return runtime.Started{Run: out.Run}, ctx.Err()
	}
	return out, nil
}

func (r *runs) Fork(_ context.Context, req runtime.ForkRequest) (runtime.Started, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	from := r.list[req.Run]
	if from == nil || from.workspace != req.Workspace {
		return runtime.Started{}, problem.New(problem.NotFound, "There is no such run.")
	}
	to := from.Run
	to.ID, to.Source, to.ForkedFrom, to.ForkedAt = uuid.Must(uuid.NewV7()), req.Source, req.Run, req.At
	r.list[to.ID] = &run{workspace: req.Workspace, Run: to, events: from.events[:min(req.At, len(from.events))]}
	return runtime.Started{Run: to.ID}, nil
}

// Sandbox plays nothing: the real engine's own tests do.
func (r *runs) Sandbox(_ context.Context, req runtime.ForkRequest) (runtime.Sandboxed, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	from := r.list[req.Run]
	if from == nil || from.workspace != req.Workspace {
		return runtime.Sandboxed{}, problem.New(problem.NotFound, "There is no such run.")
	}
	shared := from.events[:min(req.At, len(from.events))]
	return runtime.Sandboxed{Events: shared, Shared: len(shared), Status: from.Status, Stopped: &runtime.Stop{Node: "work", Why: runtime.StopNoResult}}, nil
}

func (r *runs) Compare(ctx context.Context, workspace string, a, b uuid.UUID) ([]compare.Row, bool, error) {
	for _, id := range []uuid.UUID{a, b} {
		if err := r.Exists(ctx, workspace, id); err != nil {
			return nil, false, err
		}
	}
	at := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	v := &compare.Visit{First: 1, Last: 2, Began: at, Ended: at.Add(time.Second), Outcome: compare.Done, Attempts: 1, Ports: []string{"success"}}
	return []compare.Row{{Node: "work", Visit: 1, A: v, B: v}, {Node: "extra", Visit: 1, B: v}}, true, nil
}

func (*runs) StuckCount(context.Context, string, uuid.UUID) (int, error) { return 0, nil }

func (r *runs) Forks(_ context.Context, workspace string, id uuid.UUID) ([]server.Run, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var list []server.Run
	for _, k := range r.list {
		if k.ForkedFrom == id && k.workspace == workspace {
			list = append(list, k.Run)
		}
	}
	return list, nil
}

func (r *runs) Cancel(_ context.Context, workspace string, id uuid.UUID, by, _ string) error {
	r.write(id, brief.Brief{Type: "RunCanceled", By: by}, true)
	return r.Exists(context.Background(), workspace, id)
}

// Tell keeps what a run is told; told once, the same changes nothing.
func (r *runs) Tell(_ context.Context, _ string, id uuid.UUID, in machine.Input) (bool, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	k := r.list[id]
	for _, said := range k.told {
		if reflect.DeepEqual(said, in) {
			return false, nil
		}
	}
	k.told = append(k.told, in)
	return true, nil
}

// write adds an event to the log and, unless it is lost, to the live feed.
func (r *runs) write(id uuid.UUID, b brief.Brief, live bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	k := r.list[id]
	b.Seq, b.At = len(k.events)+1, brief.Millis(time.Now())
	k.events, k.Seq = append(k.events, b), b.Seq
	if !live {
		return
	}
	for c := range r.watchers[id] {
		select {
		case c <- []brief.Brief{b}:
		default:
		}
	}
}

func (r *runs) add(workspace string) uuid.UUID {
	r.mu.Lock()
	defer r.mu.Unlock()
	id := uuid.Must(uuid.NewV7())
	r.list[id] = &run{workspace: workspace, Run: server.Run{ID: id, Status: runtime.StatusRunning, CreatedAt: time.Now()}}
	return id
}

func (r *runs) Watch(_ string, id uuid.UUID) (<-chan []brief.Brief, func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := make(chan []brief.Brief, 1024)
	if r.watchers[id] == nil {
		r.watchers[id] = map[chan []brief.Brief]bool{}
	}
	r.watchers[id][c] = true
	return c, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.watchers[id], c)
	}
}

func (r *runs) find(workspace string, id uuid.UUID) (*run, error) {
	k := r.list[id]
	if k == nil || k.workspace != workspace {
		return nil, problem.New(problem.NotFound, "There is no such run.")
	}
	return k, nil
}

func (r *runs) Exists(_ context.Context, workspace string, id uuid.UUID) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, err := r.find(workspace, id)
	return err
}

func (r *runs) Briefs(_ context.Context, workspace string, id uuid.UUID, after, limit int) ([]brief.Brief, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	k, err := r.find(workspace, id)
	if err != nil || after >= len(k.events) {
		return nil, err
	}
	return append([]brief.Brief(nil), k.events[after:min(after+limit, len(k.events))]...), nil
}

func (r *runs) Run(_ context.Context, workspace string, id uuid.UUID) (server.Run, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	k, err := r.find(workspace, id)
	if err != nil {
		return server.Run{}, err
	}
	return k.Run, nil
}

func (r *runs) Runs(_ context.Context, workspace string, q server.RunQuery) ([]server.Run, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var list []server.Run
	for _, k := range r.list {
		if k.workspace == workspace && len(list) < q.Limit {
			list = append(list, k.Run)
		}
	}
	return list, nil
}

func (r *runs) Event(_ context.Context, workspace string, id uuid.UUID, seq int) (server.FullEvent, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	k, err := r.find(workspace, id)
	if err != nil {
		return server.FullEvent{}, err
	}
	if seq > len(k.events) {
		return server.FullEvent{}, problem.New(problem.NotFound, "There is no such event.")
	}
	return server.FullEvent{Seq: seq, Type: k.events[seq-1].Type, Data: json.RawMessage("{}")}, nil
}

func (r *runs) Result(context.Context, string, uuid.UUID) (json.RawMessage, error) {
	return json.RawMessage("null"), nil
}

func (r *runs) Seen(context.Context, string, uuid.UUID) (server.Seen, error) {
	return server.Seen{}, nil
}

// progress sends what is live only.
func (r *runs) progress(id uuid.UUID, text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for c := range r.watchers[id] {
		c <- []brief.Brief{{Type: "TaskProgress", Text: text}}
	}
}
