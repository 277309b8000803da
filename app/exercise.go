package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"signalbox/engine/event"
	"signalbox/engine/machine"
	"signalbox/engine/runtime"
)

// Exercise publishes a chain of tasks and returns a function that starts one
// run of it and returns when the start is on disk. Fault tests drive the
// program with it.
func (a *App) Exercise(ctx context.Context, steps int) (start func(context.Context) (uuid.UUID, error), err error) {
	b := &bench{app: a}
	p, err := b.publish(ctx, chainGraph(steps, "mock"))
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (uuid.UUID, error) {
		s, err := a.engine.Start(ctx, runtime.StartRequest{
			Workspace: mainWorkspace, Workflow: p.workflow, Version: p.version, Trigger: "start",
			Input: json.RawMessage(`{"n":1}`), Source: "bench",
		})
		return s.Run, err
	}, nil
}

// OpenRuns counts the runs that are not over.
func (a *App) OpenRuns(ctx context.Context) (int, error) {
	var n int
	err := a.base.db.Pool().QueryRow(ctx, `select count(*) from runs where ended_at is null`).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("count open runs: %w", err)
	}
	return n, nil
}

// Audit checks one run that is over: it succeeded, its numbers are dense, its
// chain holds, no attempt ended twice, its row says what its events say, and
// no token is left.
func (a *App) Audit(ctx context.Context, run uuid.UUID) error {
	r, err := runtime.Rebuild(ctx, a.store, run)
	if err != nil {
		return err
	}
	var faults []error
	if err := event.Verify(r.Record.Events); err != nil {
		faults = append(faults, err)
	}
	if r.State.Status != machine.StatusSucceeded || r.Record.Status != string(r.State.Status) {
		faults = append(faults, fmt.Errorf("the events say %s, the row says %s", r.State.Status, r.Record.Status))
	}
	if n := r.State.Tokens(); n != 0 {
		faults = append(faults, fmt.Errorf("%d tokens are left", n))
	}
	ended := map[string]bool{}
	for _, e := range r.Record.Events {
		if e.Type != "TaskCompleted" && e.Type != "TaskFailed" {
			continue
		}
		var at struct{ Visit, Attempt int }
		if err := json.Unmarshal(e.Data, &at); err != nil {
			return fmt.Errorf("read event %d: %w", e.Seq, err)
		}
		name := fmt.Sprintf("%s/%d/%d", e.Node, at.Visit, at.Attempt)
		if ended[name] {
			faults = append(faults, fmt.Errorf("attempt %s ended twice", name))
		}
		ended[name] = true
	}
	return errors.Join(faults...)
}
