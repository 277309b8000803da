package runtime

import (
	"context"
	"encoding/json"

	"github.com/google/uuid"

	"signalbox/engine/machine"
	"signalbox/engine/mutant"
	"signalbox/engine/problem"
)

// disownPage is how many called runs are looked at in one page.
const disownPage = 500

// disown ends the runs whose caller does not wait for them any more. A run
// that ended, or went on without a call, cancels what it had called; when its
// owner died in between, nobody would, for the caller owes nothing then. So a
// new owner of a shard asks of every run that was called from it.
func (s *shard) disown(ctx context.Context) error {
	if mutant.On(mutant.NotDisowned) {
		return nil
	}
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
	waits, known := s.waits(ctx, c.Workspace, parentOf(c), of.Call)
	return known && !waits
}

// waits reports whether a run of this shard waits for what it started under a
// key. Not known: the time as owner is over, or the run cannot be read now.
func (s *shard) waits(ctx context.Context, workspace string, run uuid.UUID, key string) (waits, known bool) {
	j := &job{run: run, workspace: workspace, reply: make(chan reply, 1), look: func(l *live) {
		if l.s.Status.Over() {
			return
		}
		for _, command := range l.m.Pending(l.s) {
			switch c := command.(type) {
			case machine.Call:
				waits = waits || c.Key == key
			case machine.StartItem:
				waits = waits || c.Key == key
			}
		}
	}}
	if ctx.Err() != nil {
		return false, false
	}
	select {
	case s.inbox <- j:
	case <-ctx.Done():
		return false, false
	}
	select {
	case r := <-j.reply:
		gone := problem.Of(r.err) != nil && problem.Of(r.err).Code == problem.NotFound
		return waits && !gone, r.err == nil || gone
	case <-ctx.Done():
		return false, false
	}
}
