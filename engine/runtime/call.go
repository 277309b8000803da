package runtime

import (
	"context"
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

// DepthMax is how many runs may have called each other in a row.
const DepthMax = 32

// sourceCall is the source of runs that other runs call.
const sourceCall = "call"

// Target is what a call runs.
type Target struct {
	Workflow uuid.UUID
	Version  uuid.UUID
	Trigger  string // node key
}

// Callees finds what a call names: a workflow by id or name, and a version by
// id, else the active one. What is not there is a *problem.Problem.
type Callees interface {
	Callee(ctx context.Context, workspace, workflow, version string) (Target, error)
}

// placed is what follows from a turn, or is still owed, about other runs: a
// call, an item of a map, or the end of one.
type placed struct {
	row     NewRun
	epoch   int64
	command machine.Command
	first   bool // asked for the first time, by the turn that wanted it
}

// callers start the runs that other runs call and tell what became of them.
// Each open call is one goroutine that waits as long as this server owns the
// calling run; the next owner finds in the run's events which calls are open,
// and they are placed again.
type callers struct {
	engine *Engine
	mu     sync.Mutex
	open   map[string]bool // by key and epoch
	items  itemRuns
	wg     sync.WaitGroup
}

func (c *callers) init(e *Engine) {
	c.engine, c.open = e, map[string]bool{}
	c.items.callers, c.items.open, c.items.tallies = c, map[uuid.UUID]*itemRun{}, map[crowd]*tally{}
}

// place begins a call unless it is open already; the context is the shard's
// time with this owner.
func (c *callers) place(ctx context.Context, p placed) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if ctx.Err() != nil {
		return
	}
	switch command := p.command.(type) {
	case machine.Call:
		if mutant.On(mutant.CallAgain) {
			command.Key += "/0/" + strconv.FormatInt(p.epoch, 10)
		}
		c.once(command.Key, &p, func() { c.call(ctx, p.row, command) })
	case machine.CancelCall:
		if mutant.On(mutant.CancelStays) {
			return
		}
		c.wg.Go(func() { c.cancel(ctx, p.row, command) })
	case machine.StartItem:
		c.items.place(ctx, &p, command)
	case machine.CancelItems:
		c.items.cancel(ctx, &p, command)
	case machine.HoldItems:
		c.items.holdAll(ctx, &p, command.Paused)
	case machine.Gather:
		key := fmt.Sprintf("%s/%s/%d/%d~%d", p.row.Run, command.Node, command.Visit, command.Scope, command.Attempt)
		c.once(key, &p, func() { c.items.gather(ctx, p.row, command) })
	default:
	}
}

// once does something unless it is being done for this owner.
func (c *callers) once(key string, p *placed, do func()) {
	name := key + "@" + strconv.FormatInt(p.epoch, 10)
	if c.open[name] {
		return
	}
	c.open[name] = true
	c.wg.Go(func() {
		do()
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.open, name)
	})
}

func (c *callers) call(ctx context.Context, row NewRun, call machine.Call) {
	said := machine.Called{Scope: call.Scope, Node: call.Node, Visit: call.Visit}
	r, err := c.request(ctx, row, call)
	if err == nil {
		err = c.persist(ctx, func() error {
			started, err := c.engine.Start(ctx, r)
			said.Child = started.Run.String()
			return err
		})
	}
	heard := true
	if err == nil && (call.Child == "" || call.Detached) {
		heard, err = c.tell(ctx, row, said)
	}
	if err == nil && !heard && !mutant.On(mutant.BirthForgotten) && !call.Detached && c.forgotten(ctx, row, call) {
		c.cancel(ctx, row, machine.CancelCall{Child: said.Child})
		return
	}
	if err == nil && !call.Detached {
		r.Wait = WaitEnd
		err = c.persist(ctx, func() error {
			started, err := c.engine.Start(ctx, r)
			if err == nil {
				said = ended(said, started.Answer)
			}
			return err
		})
		if err == nil && !(mutant.On(mutant.CallEndUntold) && said.Error != nil) {
			_, err = c.tell(ctx, row, said)
		}
	}
	if p := problem.Of(err); p != nil && final(err) {
		said.Error = &event.Error{Class: "invalid_input", Message: p.Detail}
		_, err = c.tell(ctx, row, said)
	}
	if err != nil && !errors.Is(err, context.Canceled) && ctx.Err() == nil {
		c.engine.cfg.Log.ErrorContext(ctx, "a call is left open", "run", row.Run, "node", call.Node, "err", err)
	}
}

// ended adds what the other run gave.
func ended(said machine.Called, a *Answer) machine.Called {
	said.Over = true
	switch {
	case mutant.On(mutant.CallErrorForgiven) && a != nil:
		said.Output = a.Body
	case a == nil:
		said.Error = &event.Error{Class: "internal", Message: "the called run did not say how it ended"}
	case a.Run == string(machine.StatusSucceeded):
		said.Output = a.Body
	case a.Error != nil:
		e := *a.Error
		said.Error = &e
	default:
		said.Error = &event.Error{Class: "canceled", Message: "the called run was " + a.Run}
	}
	return said
}

// ancestry is what a called run's attributes say of where it comes from.
type ancestry struct {
	Parent string `json:"parent"`
	Depth  int    `json:"depth"`
	Call   string `json:"call,omitempty"` // key of the call that the run ends with; empty: it goes on by itself
	Of     string `json:"map,omitempty"`  // of an item: key of its map
	Item   string `json:"item,omitempty"` // its number
}

// below is where a run stands that another one starts.
func below(row NewRun) (ancestry, error) {
	var above ancestry
	if len(row.Attributes) > 0 {
		_ = json.Unmarshal(row.Attributes, &above) // others' attributes may be anything
	}
	if above.Depth+1 > DepthMax {
		return above, problem.New(problem.Invalid, "Workflows called each other %d deep, which is the limit.", DepthMax)
	}
	return ancestry{Parent: row.Run.String(), Depth: above.Depth + 1}, nil
}

func (c *callers) request(ctx context.Context, row NewRun, call machine.Call) (StartRequest, error) {
	r := StartRequest{Workspace: row.Workspace, Source: sourceCall, Key: call.Key, Test: row.Test, Rig: call.Rig}
	of, err := below(row)
	if err != nil {
		return r, err
	}
	if c.engine.cfg.Callees == nil {
		return r, problem.New(problem.Invalid, "Other workflows cannot be called here.")
	}
	if !call.Detached {
		of.Call = call.Key
	}
	attributes, err := json.Marshal(of)
	if err != nil {
		return r, fmt.Errorf("write attributes: %w", err)
	}
	r.Attributes = attributes
	err = c.persist(ctx, func() error {
		t, err := c.engine.cfg.Callees.Callee(ctx, row.Workspace, call.Workflow, call.Version)
		r.Workflow, r.Version, r.Trigger = t.Workflow, t.Version, t.Trigger
		return err
	})
	if err != nil {
		return r, err
	}
	r.Input = call.Input.Inline
	if ref := call.Input.Payload; ref != nil {
		err = c.persist(ctx, func() error {
			r.Input, err = c.engine.cfg.Store.Payload(ctx, row.Workspace, ref.Digest)
			return err
		})
	}
	return r, err
}

// tell hands what became of a call to the run that called, and says whether
// that was news there.
func (c *callers) tell(ctx context.Context, row NewRun, said machine.Called) (heard bool, err error) {
	err = c.persist(ctx, func() (err error) {
		heard, err = c.engine.Tell(ctx, row.Workspace, row.Run, said)
		if final(err) {
			return nil // the run that called is gone: nobody wants to know
		}
		return err
	})
	return heard, err
}

// forgotten reports whether a call is not waited for any more. When it ended
// while its run was being started, nobody knew yet which run to cancel.
func (c *callers) forgotten(ctx context.Context, row NewRun, call machine.Call) bool {
	s := c.engine.shards[ShardOf(row.Run, len(c.engine.shards))]
	waits, known := s.waits(ctx, row.Workspace, row.Run, call.Key)
	return known && !waits
}

func (c *callers) cancel(ctx context.Context, row NewRun, command machine.CancelCall) {
	child, err := uuid.Parse(command.Child)
	if err != nil {
		return
	}
	_ = c.persist(ctx, func() error {
		err := c.engine.Cancel(ctx, row.Workspace, child, "run "+row.Run.String(), "the run that called it ended")
		if final(err) {
			return nil // it is gone
		}
		return err
	})
}

// final reports whether asking again would bring the same answer.
func final(err error) bool {
	p := problem.Of(err)
	return p != nil && p.Code != problem.Unavailable
}

// persist repeats what fails for a reason that may pass, until the program
// stops or loses the shard: its next owner finds what is owed.
func (c *callers) persist(ctx context.Context, do func() error) error {
	for wait := 50 * time.Millisecond; ; wait = min(2*wait, 5*time.Second) {
		err := do()
		if err == nil || final(err) || ctx.Err() != nil {
			return err
		}
		select {
		case <-time.After(wait): //nolint:forbidigo // a back-off, not a decision
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
