package runtime

import (
	"context"
	"encoding/json"

	"github.com/google/uuid"

	"signalbox/engine/machine"
	"signalbox/engine/problem"
)

// disownPage is how many called runs are looked at in one page.
const disownPage = 500

// disown ends the runs whose caller does not wait for them any more. A run
// that ended, or went on without a call, cancels what it had called; when its
// owner died in between, nobody would, for the caller owes nothing then. So a
// new owner of a shard asks of every run that was called from it.
func (s *shard) disown(ctx context.Context) error {
	for after := uuid.Nil; ; {
		var list []Calling
		err := s.callers.persist(ctx, func() (err error) {
			list, err = s.cfg.Store.Called(ctx, s.n, s.cfg.Shards, after, disownPage)
			return err
		})
		if err != nil {
			return nil //nolint:nilerr // the time as owner is over
		}
		for _, c := range list {
			after = c.Run
			if s.unwanted(ctx, c) {
				s.callers.place(ctx, placed{row: NewRun{Run: parentOf(c), Workspace: c.Workspace}, epoch: s.epoch, command: machine.CancelCall{Child: c.Run.String()}})
			}
		}
		if len(list) < disownPage {
			return nil
		}
	}
}

func parentOf(c Calling) uuid.UUID {
	var of ancestry
	_ = json.Unmarshal(c.Attributes, &of) // of a run that was called: ours
	id, _ := uuid.Parse(of.Parent)
	return id
}

// unwanted reports whether the run that called waits no longer.
func (s *shard) unwanted(ctx context.Context, c Calling) bool {
	var of ancestry
	if json.Unmarshal(c.Attributes, &of) != nil || of.Call == "" {
		return false // it goes on by itself
	}
	waits := false
	j := &job{run: parentOf(c), workspace: c.Workspace, reply: make(chan reply, 1), look: func(l *live) {
		if l.s.Status.Over() {
			return
		}
		for _, command := range l.m.Pending(l.s) {
			switch c := command.(type) {
			case machine.Call:
				waits = waits || c.Key == of.Call
			case machine.StartItem:
				waits = waits || c.Key == of.Call
			}
		}
	}}
	select {
	case s.inbox <- j:
	case <-ctx.Done():
		return false
	}
	select {
	case r := <-j.reply:
		gone := problem.Of(r.err) != nil && problem.Of(r.err).Code == problem.NotFound
		return r.err == nil && !waits || gone
	case <-ctx.Done():
		return false
	}
}
