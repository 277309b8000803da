package casebook

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"signalbox/engine/event"
	"signalbox/engine/machine"
	"signalbox/engine/problem"
	"signalbox/engine/rehearsal"
)

// Draft is what is rehearsed.
type Draft struct {
	Machine *machine.Machine
	Pins    map[string]json.RawMessage // outputs by node key
}

// Report is what the cases of a workflow came to.
type Report struct {
	Outcomes []Outcome
	Guarded  bool
}

// Outcome is what one case came to.
type Outcome struct {
	Case    Case
	Verdict rehearsal.Verdict
	Stop    *rehearsal.Stop
	Pinned  []string // steps that gave what is pinned to them
	Was     Ending
	Now     Ending
	Digest  string
}

// Ending is how a run ends.
type Ending struct {
	Status string
	Result json.RawMessage // of one that succeeded
	Error  *event.Error
}

// OK reports whether the case does the same, or what a person has accepted.
func (o Outcome) OK() bool { return o.Verdict.Says == rehearsal.Same || o.Accepted() }

// Accepted reports whether a person has accepted this very difference.
func (o Outcome) Accepted() bool {
	return o.Verdict.Says != rehearsal.Same && o.Case.Accepted.Digest != "" && o.Case.Accepted.Digest == o.Digest
}

// OK reports whether all cases do the same.
func (r Report) OK() bool { return r.Faults() == 0 }

// Faults counts the cases that do not.
func (r Report) Faults() int {
	n := 0
	for _, o := range r.Outcomes {
		if !o.OK() {
			n++
		}
	}
	return n
}

// Rehearse plays a drawing on the cases of a workflow: in memory, on a clock
// that jumps, and without calling anything.
func (s *Service) Rehearse(ctx context.Context, workspace string, workflow uuid.UUID, d Draft) (Report, error) {
	list, guarded, err := s.List(ctx, workspace, workflow)
	if err != nil || len(list) == 0 {
		return Report{Guarded: guarded}, err
	}
	free, err := s.enter(ctx)
	if err != nil {
		return Report{}, err
	}
	defer free()
	within, cancel := context.WithTimeout(ctx, Within)
	defer cancel()
	r := Report{Guarded: guarded}
	for _, c := range list {
		o := Outcome{Case: c, Stop: &rehearsal.Stop{Why: rehearsal.StopTooLong}, Verdict: rehearsal.Verdict{Says: rehearsal.Stopped}}
		if within.Err() == nil {
			if o, _, err = s.one(within, c, d); err != nil && within.Err() == nil {
				return Report{}, err
			}
			if err != nil {
				o = Outcome{Case: c, Stop: &rehearsal.Stop{Why: rehearsal.StopTooLong}, Verdict: rehearsal.Verdict{Says: rehearsal.Stopped}}
			}
		}
		r.Outcomes = append(r.Outcomes, o)
	}
	return r, ctx.Err() //nolint:wrapcheck // the caller's own
}

// Look rehearses one case and shows all of it.
func (s *Service) Look(ctx context.Context, workspace string, id uuid.UUID, d Draft) (Outcome, *rehearsal.Played, error) {
	c, err := s.Case(ctx, workspace, id)
	if err != nil {
		return Outcome{}, nil, err
	}
	free, err := s.enter(ctx)
	if err != nil {
		return Outcome{}, nil, err
	}
	defer free()
	return s.one(ctx, c, d)
}

// enter waits for a free place.
func (s *Service) enter(ctx context.Context) (free func(), err error) {
	select {
	case s.slots <- struct{}{}:
		return func() { <-s.slots }, nil
	case <-ctx.Done():
		return nil, problem.New(problem.Unavailable, "Others are rehearsing just now. Try again in a moment.")
	}
}

func (s *Service) one(ctx context.Context, c Case, d Draft) (Outcome, *rehearsal.Played, error) {
	rec, err := s.store.Record(ctx, c.Workspace, c.Run)
	if err != nil {
		return Outcome{}, nil, fmt.Errorf("read the case %s: %w", c.ID, err)
	}
	was, err := s.recorded(ctx, c.Run, rec)
	if err != nil {
		return Outcome{}, nil, err
	}
	p, err := s.play(ctx, was, d.Machine, d.Pins)
	if err != nil {
		return Outcome{}, nil, err
	}
	o := Outcome{Case: c, Verdict: p.Verdict, Stop: p.Stop, Pinned: p.Pinned, Was: endingOf(p.before), Now: endingOf(p.Played)}
	o.Digest, err = digestOf(p.Verdict, p.Played)
	return o, p.Played, err
}

func endingOf(p *rehearsal.Played) Ending {
	return Ending{Status: string(p.Status), Result: p.Result, Error: p.Error}
}

// recorded prepares a stored run to be rehearsed.
func (s *Service) recorded(ctx context.Context, run uuid.UUID, rec Record) (*rehearsal.Recorded, error) {
	m, err := machine.Load(rec.Machine)
	if err != nil {
		return nil, fmt.Errorf("load the machine of run %s: %w", run, err)
	}
	return &rehearsal.Recorded{
		Run: run.String(), Machine: m, Log: rec.Log, Workspace: rec.Workspace, Workflow: rec.Workflow.String(), Version: rec.Version.String(),
		Value: func(digest string) ([]byte, error) { return s.store.Payload(ctx, rec.Workspace, digest) },
	}, nil
}

// judged is a play with its verdict.
type judged struct {
	*rehearsal.Played
	before  *rehearsal.Played
	Verdict rehearsal.Verdict
}

func (s *Service) play(ctx context.Context, was *rehearsal.Recorded, m *machine.Machine, pins map[string]json.RawMessage) (judged, error) {
	before, err := rehearsal.Ended(was)
	if err != nil {
		return judged{}, err //nolint:wrapcheck // it names the run
	}
	each, cancel := context.WithTimeout(ctx, EachMax)
	defer cancel()
	p, err := rehearsal.Play(was, m, pins, each.Err)
	if err != nil {
		return judged{}, err //nolint:wrapcheck // it names the run
	}
	return judged{p, before, rehearsal.Judge(was, before, p, m)}, nil
}
