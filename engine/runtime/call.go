package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/event"
	"signalbox/engine/machine"
	"signalbox/engine/problem"
)

// DepthMax is how many runs may have called each other in a row.
const DepthMax = 32

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

// placed is a call, or the end of one, that follows from a turn.
type placed struct {
	of      *live
	command machine.Command
}

// callers start the runs that other runs call and tell what became of them.
// Each open call is one goroutine that waits; after a crash the calling run's
// events say which calls are open, and they are placed again.
type callers struct {
	engine *Engine
	mu     sync.Mutex
	ctx    context.Context //nolint:containedctx // of Run: calls are placed by turns, which have none of their own
	open   map[string]bool // by key
	wg     sync.WaitGroup
}

// place begins a call unless it is open already.
func (c *callers) place(row NewRun, command machine.Command) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ctx == nil || c.ctx.Err() != nil {
		return
	}
	switch command := command.(type) {
	case machine.Call:
		if c.open[command.Key] {
			return
		}
		c.open[command.Key] = true
		c.wg.Go(func() {
			c.call(row, command)
			c.mu.Lock()
			defer c.mu.Unlock()
			delete(c.open, command.Key)
		})
	case machine.CancelCall:
		c.wg.Go(func() { c.cancel(row, command) })
	default:
	}
}

// begin lets calls be placed until the context ends. It comes before any shard
// is owned: what a shard finds owed when it starts is placed at once.
func (c *callers) begin(ctx context.Context) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ctx = ctx
}

func (c *callers) call(row NewRun, call machine.Call) {
	said := machine.Called{Scope: call.Scope, Node: call.Node, Visit: call.Visit}
	r, err := c.request(row, call)
	if err == nil {
		err = c.persist(func(ctx context.Context) error {
			started, err := c.engine.Start(ctx, r)
			said.Child = started.Run.String()
			return err
		})
	}
	if err == nil && (call.Child == "" || call.Detached) {
		err = c.tell(row, said)
	}
	if err == nil && !call.Detached {
		r.Wait = WaitEnd
		err = c.persist(func(ctx context.Context) error {
			started, err := c.engine.Start(ctx, r)
			if err == nil {
				said = ended(said, started.Answer)
			}
			return err
		})
		if err == nil {
			err = c.tell(row, said)
		}
	}
	if p := problem.Of(err); p != nil {
		said.Error = &event.Error{Class: "invalid_input", Message: p.Detail}
		err = c.tell(row, said)
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		c.engine.cfg.Log.Error("a call is left open", "run", row.Run, "node", call.Node, "err", err)
	}
}

// ended adds what the other run gave.
func ended(said machine.Called, a *Answer) machine.Called {
	said.Over = true
	switch {
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
}

func (c *callers) request(row NewRun, call machine.Call) (StartRequest, error) {
	r := StartRequest{Workspace: row.Workspace, Source: "call", Key: call.Key, Test: row.Test}
	var above ancestry
	if len(row.Attributes) > 0 {
		_ = json.Unmarshal(row.Attributes, &above) // others' attributes may be anything
	}
	if above.Depth+1 > DepthMax {
		return r, problem.New(problem.Invalid, "Workflows called each other %d deep, which is the limit.", DepthMax)
	}
	if c.engine.cfg.Callees == nil {
		return r, problem.New(problem.Invalid, "Other workflows cannot be called here.")
	}
	attributes, err := json.Marshal(ancestry{row.Run.String(), above.Depth + 1})
	if err != nil {
		return r, fmt.Errorf("write attributes: %w", err)
	}
	r.Attributes = attributes
	err = c.persist(func(ctx context.Context) error {
		t, err := c.engine.cfg.Callees.Callee(ctx, row.Workspace, call.Workflow, call.Version)
		r.Workflow, r.Version, r.Trigger = t.Workflow, t.Version, t.Trigger
		return err
	})
	if err != nil {
		return r, err
	}
	r.Input = call.Input.Inline
	if ref := call.Input.Payload; ref != nil {
		err = c.persist(func(ctx context.Context) error {
			r.Input, err = c.engine.cfg.Store.Payload(ctx, row.Workspace, ref.Digest)
			return err
		})
	}
	return r, err
}

func (c *callers) tell(row NewRun, said machine.Called) error {
	return c.persist(func(ctx context.Context) error {
		_, err := c.engine.Tell(ctx, row.Workspace, row.Run, said)
		if final(err) {
			return nil // the run that called is gone: nobody wants to know
		}
		return err
	})
}

func (c *callers) cancel(row NewRun, command machine.CancelCall) {
	child, err := uuid.Parse(command.Child)
	if err != nil {
		return
	}
	_ = c.persist(func(ctx context.Context) error {
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
// stops or loses its shards: their next owner finds what is owed.
func (c *callers) persist(do func(context.Context) error) error {
	for wait := 50 * time.Millisecond; ; wait = min(2*wait, 5*time.Second) {
		err := do(c.ctx)
		if err == nil || final(err) || c.ctx.Err() != nil {
			return err
		}
		if problem.Of(err) != nil && !c.engine.Owned() {
			return context.Canceled
		}
		select {
		case <-time.After(wait): //nolint:forbidigo // a back-off, not a decision
		case <-c.ctx.Done():
			return c.ctx.Err()
		}
	}
}
