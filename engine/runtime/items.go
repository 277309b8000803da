package runtime

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/event"
	"signalbox/engine/machine"
	"signalbox/engine/mutant"
	"signalbox/engine/problem"
)

// Limits of items that are runs of their own (ADR 0023).
const (
	endsBytes = 1 << 20               // results that one input tells together, unless one alone is larger
	listsKept = 8                     // lists of items that are kept split
	unbornFor = 20 * time.Millisecond // until a run that is being started is asked again
)

// crowd names the visit of a map whose items are runs, and the time that this
// server owns it.
type crowd struct {
	run     uuid.UUID
	epoch   int64
	scope   int
	node    string
	visit   int
	attempt int
}

// itemRuns are the runs of items that maps of this server wait for.
type itemRuns struct {
	callers *callers
	mu      sync.Mutex
	open    map[uuid.UUID]*itemRun // by run
	tallies map[crowd]*tally
	lists   []*itemList // the latest last
}

// itemRun is the run of one item, as long as its map waits for it.
type itemRun struct {
	of        crowd
	index     int
	run       uuid.UUID
	workspace string
	over      chan struct{} // closed when it is not waited for any more
	unwanted  bool          // its map does not want to hear of it
	paused    bool          // wanted
	told      *bool         // nil: not known
	telling   bool          // somebody is at it, and looks again at what is wanted
}

// tally is what is to be told of a map's items.
type tally struct {
	ends    []machine.ItemEnd
	runs    []*itemRun
	telling bool
}

// itemID is the id of an item's run: that of the time when it was opened, and
// else of its name.
func itemID(key string, at time.Time) uuid.UUID {
	sum := sha256.Sum256([]byte(key))
	var id uuid.UUID
	binary.BigEndian.PutUint64(id[:8], uint64(max(0, at.UnixMilli()))<<16) //nolint:gosec // not negative
	copy(id[6:], sum[:])
	id[6], id[8] = 0x70|id[6]&0x0f, 0x80|id[8]&0x3f
	return id
}

// place starts the run of an item unless it is waited for already.
func (i *itemRuns) place(ctx context.Context, p *placed, c machine.StartItem) {
	r := &itemRun{
		of: crowd{p.row.Run, p.epoch, c.Scope, c.Node, c.Visit, c.Attempt}, index: c.Index, run: itemID(c.Key, c.At),
		workspace: p.row.Workspace, over: make(chan struct{}), paused: c.Paused,
	}
	if mutant.On(mutant.ItemAgain) {
		r.run = itemID(c.Key+strconv.FormatInt(p.epoch, 10), c.At)
	}
	if p.first {
		r.told = new(bool)
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if was := i.open[r.run]; was != nil && was.of == r.of {
		return
	}
	i.open[r.run] = r
	row, first := p.row, p.first
	i.callers.wg.Go(func() { i.wait(ctx, row, r, c, first) })
	if r.told == nil || r.paused {
		i.callers.wg.Go(func() { i.hold(ctx, r) })
	}
}

// wait starts the run of an item and waits for its end.
func (i *itemRuns) wait(ctx context.Context, row NewRun, r *itemRun, c machine.StartItem, first bool) {
	end := machine.ItemEnd{Index: c.Index}
	request, err := i.request(ctx, row, r, c)
	if err == nil {
		request.first = first
		err = i.callers.persist(ctx, func() error {
			started, err := i.callers.engine.Start(ctx, request)
			request.first = false // it may be there by now
			if err == nil {
				said := ended(machine.Called{}, started.Answer)
				end.Output, end.Error = said.Output, said.Error
			}
			return err
		})
	}
	if p := problem.Of(err); p != nil && final(err) {
		end.Error, err = &event.Error{Class: "invalid_input", Message: p.Detail}, nil
	}
	if err != nil {
		i.leave(r)
		if !errors.Is(err, context.Canceled) && ctx.Err() == nil {
			i.callers.engine.cfg.Log.ErrorContext(ctx, "an item is left open", "run", row.Run, "node", c.Node, "item", c.Index, "err", err)
		}
		return
	}
	i.callers.engine.errand(ctx, r.run, func() string { return "over" })
	i.count(ctx, row, r, end)
}

func (i *itemRuns) leave(r *itemRun) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.open[r.run] == r {
		delete(i.open, r.run)
	}
	close(r.over)
}

func (i *itemRuns) request(ctx context.Context, row NewRun, r *itemRun, c machine.StartItem) (StartRequest, error) {
	q := StartRequest{
		Workspace: row.Workspace, Workflow: row.Workflow, Version: row.Version, Trigger: c.Node, Source: sourceCall,
		Test: row.Test, Rig: c.Rig, Wait: WaitEnd, Item: &machine.Item{Index: c.Index, Around: c.Around}, run: r.run,
	}
	of, err := below(row)
	if err != nil {
		return q, err
	}
	of.Call, of.Of, of.Item = c.Key, c.Node, strconv.Itoa(c.Index)
	if q.Attributes, err = json.Marshal(of); err != nil {
		return q, fmt.Errorf("write attributes: %w", err)
	}
	list, err := i.list(ctx, row.Workspace, c.Items)
	if err == nil && c.Index >= len(list) {
		err = fmt.Errorf("the list has no item %d", c.Index)
	}
	if err == nil {
		q.Input = list[c.Index]
	}
	return q, err
}

// itemList is a list of items, split once.
type itemList struct {
	digest string
	turn   chan struct{} // of one: whoever loads it
	items  []json.RawMessage
}

// list loads the items of a map.
func (i *itemRuns) list(ctx context.Context, workspace string, v event.Value) (items []json.RawMessage, err error) {
	if v.Payload == nil {
		return items, json.Unmarshal(v.Inline, &items) //nolint:wrapcheck // the machine wrote it
	}
	i.mu.Lock()
	var l *itemList
	for _, o := range i.lists {
		if o.digest == workspace+"/"+v.Payload.Digest {
			l = o
		}
	}
	if l == nil {
		l = &itemList{digest: workspace + "/" + v.Payload.Digest, turn: make(chan struct{}, 1)}
		i.lists = append(i.lists[max(0, len(i.lists)-listsKept+1):], l)
	}
	i.mu.Unlock()
	select {
	case l.turn <- struct{}{}:
		defer func() { <-l.turn }()
	case <-ctx.Done():
		return nil, ctx.Err() //nolint:wrapcheck // asked for by the caller
	}
	if l.items != nil {
		return l.items, nil
	}
	raw, err := i.load(ctx, workspace, v)
	if err == nil {
		err = json.Unmarshal(raw, &l.items)
	}
	return l.items, err
}

func (i *itemRuns) load(ctx context.Context, workspace string, v event.Value) (raw json.RawMessage, err error) {
	if v.Payload == nil {
		return v.Inline, nil
	}
	err = i.callers.persist(ctx, func() error {
		raw, err = i.callers.engine.cfg.Store.Payload(ctx, workspace, v.Payload.Digest)
		if errors.Is(err, ErrNotFound) {
			return problem.New(problem.Conflict, "A large value that the run named is not stored any more.")
		}
		return err
	})
	return raw, err
}

// count tells the map that an item is over. What else ends while it is told of
// others is told with the next.
func (i *itemRuns) count(ctx context.Context, row NewRun, r *itemRun, end machine.ItemEnd) {
	i.mu.Lock()
	t := i.tallies[r.of]
	if t == nil {
		t = &tally{}
		i.tallies[r.of] = t
	}
	if r.unwanted {
		i.mu.Unlock()
		i.leave(r)
		return
	}
	if mutant.On(mutant.EndsLost) && t.telling {
		i.mu.Unlock()
		return
	}
	t.ends, t.runs = append(t.ends, end), append(t.runs, r)
	alone := !t.telling
	t.telling = true
	i.mu.Unlock()
	for alone {
		ends, runs := i.next(r.of, t)
		if len(ends) == 0 {
			return
		}
		err := i.tell(ctx, row, machine.ItemsOver{Scope: r.of.scope, Node: r.of.node, Visit: r.of.visit, Attempt: r.of.attempt, Ends: ends})
		for _, o := range runs {
			i.leave(o)
		}
		if err != nil {
			i.callers.engine.cfg.Log.DebugContext(ctx, "ends of items were not told", "run", row.Run, "err", err)
		}
	}
}

// next takes what is told together.
func (i *itemRuns) next(of crowd, t *tally) ([]machine.ItemEnd, []*itemRun) {
	i.mu.Lock()
	defer i.mu.Unlock()
	n, size := 0, 0
	for n < len(t.ends) && n < machine.ItemBatchMax && (n == 0 || size+len(t.ends[n].Output) <= endsBytes) {
		size += len(t.ends[n].Output)
		n++
	}
	ends, runs := t.ends[:n:n], t.runs[:n:n]
	t.ends, t.runs = t.ends[n:], t.runs[n:]
	if n == 0 {
		delete(i.tallies, of)
	}
	return ends, runs
}

// tell hands an input about a map's items to its run, until it is taken.
func (i *itemRuns) tell(ctx context.Context, row NewRun, in machine.Input) error {
	return i.callers.persist(ctx, func() error {
		_, err := i.callers.engine.Tell(ctx, row.Workspace, row.Run, in)
		if final(err) {
			return nil // the map's run is gone: nobody wants to know
		}
		return err
	})
}

// cancel ends the runs of items that are not wanted any more.
func (i *itemRuns) cancel(ctx context.Context, p *placed, c machine.CancelItems) {
	if mutant.On(mutant.ItemsStay) {
		return
	}
	of := crowd{p.row.Run, p.epoch, c.Scope, c.Node, c.Visit, c.Attempt}
	wanted := make(map[int]bool, len(c.Items))
	for _, index := range c.Items {
		wanted[index] = true
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, r := range i.open {
		if r.of != of || !wanted[r.index] {
			continue
		}
		r.unwanted = true
		i.callers.wg.Go(func() {
			_ = i.ask(ctx, r, func() error {
				return i.callers.engine.Cancel(ctx, r.workspace, r.run, "run "+of.run.String(), "its map ended")
			})
		})
	}
}

// holdAll pauses the runs of a run's items, or lets them go on.
func (i *itemRuns) holdAll(ctx context.Context, p *placed, paused bool) {
	if mutant.On(mutant.ItemsNotHeld) {
		return
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, r := range i.open {
		if r.of.run != p.row.Run || r.of.epoch != p.epoch {
			continue
		}
		r.paused = paused
		i.callers.wg.Go(func() { i.hold(ctx, r) })
	}
}

// hold tells the run of an item whether it is paused, until it is what is
// wanted.
func (i *itemRuns) hold(ctx context.Context, r *itemRun) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if r.telling {
		return
	}
	r.telling = true
	defer func() { r.telling = false }()
	for r.told == nil || *r.told != r.paused {
		want := r.paused
		i.mu.Unlock()
		var in machine.Input = machine.Resume{By: "run " + r.of.run.String()}
		if want {
			in = machine.Pause{By: "run " + r.of.run.String()}
		}
		err := i.ask(ctx, r, func() error {
			_, err := i.callers.engine.Tell(ctx, r.workspace, r.run, in)
			return err
		})
		i.mu.Lock()
		if err != nil {
			return
		}
		r.told = &want
	}
}

// ask asks the run of an item for something, also when it is only being born.
func (i *itemRuns) ask(ctx context.Context, r *itemRun, do func() error) error {
	for {
		err := i.callers.persist(ctx, do)
		if p := problem.Of(err); p == nil || p.Code != problem.NotFound {
			return err
		}
		select {
		case <-r.over:
			return err
		case <-ctx.Done():
			return ctx.Err() //nolint:wrapcheck // asked for by the caller
		case <-time.After(unbornFor): //nolint:forbidigo // a back-off, not a decision
		}
	}
}

// gather puts the results of a map's items together.
func (i *itemRuns) gather(ctx context.Context, row NewRun, c machine.Gather) {
	said := machine.Gathered{Scope: c.Scope, Node: c.Node, Visit: c.Visit, Attempt: c.Attempt}
	list, err := i.assemble(ctx, row.Workspace, c.Results)
	switch p := problem.Of(err); {
	case p != nil && final(err):
		said.Error, err = &event.Error{Class: "internal", Message: p.Detail}, nil
	case err != nil:
	case len(list) <= machine.LoadedMax:
		said.List = list
	default:
		v, _ := event.Apart(list)
		said.Ref = v.Payload
		err = i.callers.persist(ctx, func() error {
			return i.callers.engine.cfg.Store.PutPayload(ctx, row.Workspace, v.Payload.Digest, list)
		})
	}
	if err == nil {
		err = i.tell(ctx, row, said)
	}
	if err != nil && !errors.Is(err, context.Canceled) && ctx.Err() == nil {
		i.callers.engine.cfg.Log.ErrorContext(ctx, "the results of a map are left apart", "run", row.Run, "node", c.Node, "err", err)
	}
}

// assemble is the list of the results, in the order of the items.
func (i *itemRuns) assemble(ctx context.Context, workspace string, results *machine.ItemParts) (json.RawMessage, error) {
	values := make([]json.RawMessage, results.Count)
	for _, part := range results.Parts {
		raw, err := i.load(ctx, workspace, part)
		if err != nil {
			return nil, err
		}
		var some map[string]json.RawMessage
		if err := json.Unmarshal(raw, &some); err != nil {
			return nil, fmt.Errorf("read the results of items: %w", err)
		}
		for name, value := range some {
			index, err := strconv.Atoi(name)
			if mutant.On(mutant.GatherMixed) {
				index = results.Count - 1 - index
			}
			if err == nil && index >= 0 && index < len(values) {
				values[index] = value
			}
		}
	}
	var out bytes.Buffer
	out.WriteByte('[')
	for index, value := range values {
		if !results.Has(index) {
			continue
		}
		if out.Len() > 1 {
			out.WriteByte(',')
		}
		if value == nil {
			return nil, problem.New(problem.Conflict, "The result of item %d is not stored any more.", index)
		}
		out.Write(value)
	}
	out.WriteByte(']')
	return out.Bytes(), nil
}
