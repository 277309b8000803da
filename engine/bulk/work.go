package bulk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/account"
	"signalbox/engine/history"
	"signalbox/engine/machine"
	"signalbox/engine/problem"
	"signalbox/engine/runtime"
)

// Acts is what a job does to one run.
type Acts struct {
	// Run reads a run. A problem: there is none.
	Run    func(ctx context.Context, workspace string, id uuid.UUID) (history.Run, error)
	Engine interface {
		Cancel(ctx context.Context, workspace string, run uuid.UUID, by, reason string) error
		Tell(ctx context.Context, workspace string, run uuid.UUID, in machine.Input) (bool, error)
		Fork(ctx context.Context, r runtime.ForkRequest) (runtime.Started, error)
	}
	// Discard puts the open dead letters of a run aside and counts them.
	Discard func(ctx context.Context, workspace string, run uuid.UUID, by string) (int, error)
	// Keep makes a case of a run.
	Keep func(ctx context.Context, workspace string, run uuid.UUID, name, by string) error
}

// Run works jobs off until the context ends. Several servers may do so: each
// job is one server's at a time, as long as its lease.
func (s *Service) Run(ctx context.Context) error {
	for {
		j, err := s.Store.Claim(ctx, s.Now(), lease)
		switch {
		case ctx.Err() != nil:
			return nil //nolint:nilerr // the end was asked for
		case err == nil:
			err = s.work(ctx, j)
		}
		if err == nil {
			continue
		}
		if !errors.Is(err, ErrNotFound) && ctx.Err() == nil {
			s.Log.WarnContext(ctx, "a job stands still for a moment", "err", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-s.wake:
		case <-time.After(every):
		}
	}
}

// work goes through the runs of a job, some at a time.
func (s *Service) work(ctx context.Context, j Job) error {
	for {
		left, err := s.Store.Left(ctx, j.ID, together)
		if err != nil {
			return fmt.Errorf("read a job: %w", err)
		}
		if len(left) == 0 {
			if err := s.Store.Finish(ctx, j.ID, s.Now()); err != nil {
				return fmt.Errorf("end a job: %w", err)
			}
			return nil
		}
		role, err := s.Role(ctx, j.Workspace, j.By)
		if err != nil && !errors.Is(err, account.ErrNotFound) {
			return fmt.Errorf("ask who began a job: %w", err)
		}
		results := make([]Result, len(left))
		var wg sync.WaitGroup
		for i, run := range left {
			wg.Go(func() { results[i] = s.settled(ctx, j, role, run) })
		}
		wg.Wait()
		if ctx.Err() != nil {
			return nil //nolint:nilerr // another server, or this one later, goes on
		}
		if err := s.Store.Settle(ctx, j.ID, results, s.Now().Add(lease)); err != nil {
			return fmt.Errorf("note what a job did: %w", err)
		}
	}
}

// settled does the act to one run and says what came of it.
func (s *Service) settled(ctx context.Context, j Job, role account.Role, run uuid.UUID) Result {
	out := Result{Run: run, State: Skipped}
	if !role.AtLeast(Needs(j.Act)) {
		out.Reason = "Whoever began this may not do it any more."
		return out
	}
	ctx, cancel := context.WithTimeout(ctx, oneWithin)
	defer cancel()
	fresh, err := s.do(ctx, j, run)
	switch p := problem.Of(err); {
	case err == nil:
		out.State, out.NewRun = Done, fresh
	case p != nil:
		out.Reason = p.Detail
	case errors.Is(err, context.DeadlineExceeded):
		out.Reason = "The engine did not take it in time."
	default:
		out.Reason = "Something went wrong on the server."
		if ctx.Err() == nil {
			s.Log.ErrorContext(ctx, "a run of a job failed", "job", j.ID, "run", run, "err", err)
		}
	}
	return out
}

// do does the act to one run.
func (s *Service) do(ctx context.Context, j Job, id uuid.UUID) (fresh uuid.UUID, err error) {
	run, err := s.Acts.Run(ctx, j.Workspace, id)
	if err != nil {
		return uuid.Nil, err
	}
	over := !run.EndedAt.IsZero()
	tell := func(in machine.Input, otherwise string) error {
		changed, err := s.Acts.Engine.Tell(ctx, j.Workspace, id, in)
		if err == nil && !changed {
			err = problem.New(problem.Conflict, "%s", otherwise)
		}
		return err
	}
	switch j.Act {
	case ActCancel:
		if over {
			return uuid.Nil, problem.New(problem.Conflict, "The run is over already.")
		}
		return uuid.Nil, s.Acts.Engine.Cancel(ctx, j.Workspace, id, j.ByName, "")
	case ActPause:
		return uuid.Nil, tell(machine.Pause{By: j.ByName}, "The run is paused already, or over.")
	case ActResume:
		return uuid.Nil, tell(machine.Resume{By: j.ByName}, "The run is not paused.")
	case ActRetry:
		if run.Status != runtime.StatusFailed {
			return uuid.Nil, problem.New(problem.Conflict, "The run has not failed.")
		}
		started, err := s.Acts.Engine.Fork(ctx, runtime.ForkRequest{Workspace: j.Workspace, Run: id, Source: "retry", Key: "bulk/" + j.ID.String()})
		return started.Run, err
	case ActDiscard:
		n, err := s.Acts.Discard(ctx, j.Workspace, id, j.ByName)
		if err == nil && n == 0 {
			err = problem.New(problem.Conflict, "The run has no open dead letter.")
		}
		return uuid.Nil, err
	case ActCase:
		return uuid.Nil, s.Acts.Keep(ctx, j.Workspace, id, j.Word+" "+shortRun(id), j.ByName)
	default:
		return uuid.Nil, s.label(ctx, j, id)
	}
}

func shortRun(id uuid.UUID) string {
	text := id.String()
	return text[len(text)-6:]
}

func (s *Service) label(ctx context.Context, j Job, run uuid.UUID) error {
	changed, err := s.Store.Label(ctx, j.Workspace, run, j.Word, j.Act == ActLabel)
	switch {
	case err != nil:
		return fmt.Errorf("label run %s: %w", run, err)
	case !changed && j.Act == ActLabel:
		return problem.New(problem.Conflict, "The run has this label already, or as many as a run may have.")
	case !changed:
		return problem.New(problem.Conflict, "The run has no such label.")
	default:
		return nil
	}
}

// Chosen is how runs were chosen, for people: the filter as it stands in an
// address, or how many were named.
func Chosen(filter map[string]string, ids int) string {
	if len(filter) == 0 {
		return fmt.Sprintf("%d chosen", ids)
	}
	raw, err := json.Marshal(filter)
	if err != nil {
		return "a filter"
	}
	return string(raw)
}
