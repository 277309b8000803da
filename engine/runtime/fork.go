package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/event"
	"signalbox/engine/machine"
	"signalbox/engine/problem"
)

// sharedMax is how many events a new run may share with the one it began as.
const sharedMax = 100_000

// ForkRequest asks for a new run that begins as another one did: it shares
// the recorded results up to an event, calls nothing of it again, and goes on.
type ForkRequest struct {
	Workspace string
	Run       uuid.UUID       // the one that is forked
	At        int             // the last event that is shared; 0: the one before the failure that ended the run
	Output    json.RawMessage // instead of what that event put out; nil: as it was
	Source    string
	Key       string // idempotency key; empty: none
}

// Fork starts the new run and returns when it is committed.
func (e *Engine) Fork(ctx context.Context, r ForkRequest) (Started, error) {
	run, err := uuid.NewV7()
	if err != nil {
		return Started{}, fmt.Errorf("make a run id: %w", err)
	}
	if r.Key != "" {
		if e.cfg.Ledger == nil {
			return Started{}, problem.New(problem.Invalid, "Idempotency keys are not kept here.")
		}
		winner, err := e.cfg.Ledger.ClaimStart(ctx, r.Workspace, "fork/"+r.Run.String(), r.Key, run)
		if err != nil {
			return Started{}, fmt.Errorf("claim idempotency key: %w", err)
		}
		if winner != run {
			return Started{Run: winner, Existing: true}, nil
		}
	}
	b, err := e.branch(ctx, r)
	if err != nil {
		return Started{}, err
	}
	if err := e.grow(ctx, b, run); err != nil {
		return Started{}, err
	}
	// The run is on disk, so its shard has to hear of it even when the caller
	// is gone by now; after a crash the next owner finds what it owes.
	j := &job{run: run, workspace: r.Workspace, input: machine.Wake{}, revive: true, reply: make(chan reply, 1)}
	told := make(chan error, 1)
	go func() {
		late, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*ownerWait)
		defer cancel()
		_, err := e.submit(late, j)
		told <- err
	}()
	select {
	case err := <-told:
		return Started{Run: run}, err
	case <-ctx.Done():
		return Started{Run: run}, ctx.Err()
	}
}

// branch is the beginning of a run that another one will repeat.
type branch struct {
	ForkRequest
	source *Record
	m      *machine.Machine
	log    []event.Event   // what is shared
	facts  []machine.Event // the same, the last one perhaps changed
	whole  []machine.Event // what the source has beyond them as well
	large  map[string][]byte
}

// branch reads the shared part of a log and makes sure that it can be cut
// there.
func (e *Engine) branch(ctx context.Context, r ForkRequest) (*branch, error) {
	rec, err := e.cfg.Store.Load(ctx, r.Run)
	if errors.Is(err, ErrNotFound) || err == nil && rec.Workspace != r.Workspace {
		return nil, problem.New(problem.NotFound, "There is no such run.")
	}
	if err != nil {
		return nil, fmt.Errorf("load run %s: %w", r.Run, err)
	}
	b := &branch{ForkRequest: r, source: rec, large: map[string][]byte{}}
	if b.m, err = e.machines.get(ctx, rec.Version); err != nil {
		return nil, refusal(err)
	}
	if b.log, err = e.cfg.Store.Beginning(ctx, r.Run, sharedMax+1); err != nil {
		return nil, fmt.Errorf("read the beginning of run %s: %w", r.Run, err)
	}
	for _, stored := range b.log {
		f, err := machine.Decode(stored)
		if err != nil {
			return nil, refusal(fmt.Errorf("read run %s: %w", r.Run, err))
		}
		b.facts = append(b.facts, f)
	}
	if r.At == 0 {
		b.At, err = beforeFailure(b.facts)
	} else {
		err = canCut(b.facts, r.At)
	}
	if err != nil {
		return nil, err
	}
	b.whole = slices.Clone(b.facts)
	b.log, b.facts = b.log[:b.At], b.facts[:b.At]
	if len(r.Output) > 0 {
		err = b.edit()
	}
	return b, err
}

// edit replaces what the last shared event put out.
func (b *branch) edit() error {
	v, large := event.NewValue(b.Output)
	last := &b.facts[len(b.facts)-1]
	changed, ok := machine.WithOutput(last.Fact, v)
	if !ok {
		return problem.New(problem.Invalid, "Event %d puts nothing out that could be changed.", b.At).At("/output", "not possible here", "an event that carries an output")
	}
	last.Fact = changed
	if large != nil {
		b.large[v.Payload.Digest] = large
	}
	return nil
}

// grow folds the shared part, lets the machine go on from there, and writes
// all of it as a new run.
func (e *Engine) grow(ctx context.Context, b *branch, run uuid.UUID) error {
	l := &live{m: b.m, row: b.source.NewRun}
	l.row.Run, l.row.Source = run, b.Source
	l.s = l.m.New(run.String())
	l.equip(&e.cfg)
	if err := l.m.Fold(l.s, b.facts...); err != nil {
		return fmt.Errorf("repeat the beginning of run %s: %w", b.Run, err)
	}
	if err := e.supplyFork(ctx, b, l); err != nil {
		return err
	}
	now := e.cfg.Now().UTC().Truncate(time.Microsecond)
	more, err := l.m.Settle(l.s, later(l.s.Clock(now), b.facts[len(b.facts)-1].At))
	if err != nil {
		return fmt.Errorf("carry on the fork of run %s: %w", b.Run, err)
	}
	for digest, data := range l.s.Fresh() {
		b.large[digest] = data
	}
	for digest, data := range b.large { // first, so that no event names a value that is not there
		if err := e.cfg.Store.PutPayload(ctx, l.row.Workspace, digest, data); err != nil {
			return fmt.Errorf("store a large value: %w", err)
		}
	}
	f := &Fork{Shard: ShardOf(run, len(e.shards)), At: now, From: b.Run, Point: b.At, Shared: b.At}
	own := more
	if len(b.Output) > 0 {
		f.Shared--
		own = append([]machine.Event{b.facts[b.At-1]}, more...)
	}
	if f.Events, err = chained(b.log[:f.Shared], own); err != nil {
		return err
	}
	for i := range more {
		f.Dead = appendDead(f.Dead, l, more[i:])
	}
	l.row.RunState = RowOf(l.m, l.s, lastOf(b.facts, more))
	f.New = l.row
	if err := e.cfg.Store.Fork(ctx, f); err != nil {
		return fmt.Errorf("write the fork of run %s: %w", b.Run, err)
	}
	return nil
}

func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

// lastOf is the time of the last event.
func lastOf(lists ...[]machine.Event) time.Time {
	var at time.Time
	for _, list := range lists {
		if len(list) > 0 {
			at = list[len(list)-1].At
		}
	}
	return at
}

// supplyFork loads the large values that expressions may read.
func (e *Engine) supplyFork(ctx context.Context, b *branch, l *live) error {
	for _, digest := range l.s.Needs() {
		data := b.large[digest]
		if data == nil {
			var err error
			if data, err = e.cfg.Store.Payload(ctx, l.row.Workspace, digest); err != nil {
				return fmt.Errorf("load a large value of run %s: %w", b.Run, err)
			}
		}
		l.s.Supply(digest, data)
	}
	return nil
}

// chained encodes events and chains them behind those before them.
func chained(before []event.Event, own []machine.Event) ([]event.Event, error) {
	var hash [32]byte
	if len(before) > 0 {
		hash = before[len(before)-1].Hash
	}
	list := make([]event.Event, 0, len(own))
	for _, e := range own {
		stored, err := machine.Encode(e)
		if err != nil {
			return nil, fmt.Errorf("fork a run: %w", err)
		}
		hash = event.Chain(hash, &stored)
		stored.Hash = hash
		list = append(list, stored)
	}
	return list, nil
}
