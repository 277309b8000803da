package meter

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/insight"
	"signalbox/engine/machine"
	"signalbox/engine/runtime"
)

// Archive keeps what was counted.
type Archive interface {
	// SaveRollups writes rows, or writes them again: a row has all that its
	// process counted in its interval so far.
	SaveRollups(ctx context.Context, rows []insight.Row) error
}

// How rollups are counted and kept.
const (
	slotLength = 10 * time.Second // the finest tier
	tickLength = time.Second
	asleepMax  = 5 * time.Second // between two ticks; more is a process that stood still, and measured nothing
	keysMax    = 5_000           // in one slot; what comes beyond is not rolled up, and that is said
	unsavedMax = 100_000         // rows that wait for the database; beyond, the oldest are given up
	saveMax    = 10 * time.Second
	lookMax    = 3 * time.Second
)

// RollupConfig is all that rollups need.
type RollupConfig struct {
	Archive Archive
	Owned   func() bool                          // whether this process works on any runs; nil: always
	Look    func(context.Context) []insight.Look // at the infrastructure, each slot; nil: at nothing
	Log     *slog.Logger
	Now     func() time.Time // nil: time.Now
}

// Rollups count what happens in intervals. The shards only add to the slot of
// now; a goroutine of its own makes rows of it for every tier and saves them. A
// process that is killed loses what it counted since it last saved: up to ten
// seconds.
type Rollups struct {
	cfg    RollupConfig
	server uuid.UUID

	mu     sync.Mutex
	at     time.Time // of the slot
	slot   map[insight.Key]*insight.Sum
	closed []slot
	full   bool

	saving sync.Mutex // what follows belongs to who saves
	rows   map[rowKey]*insight.Sum
	dirty  map[rowKey]bool
	ticked time.Time
	looked time.Time
}

type slot struct {
	at   time.Time
	sums map[insight.Key]*insight.Sum
}

type rowKey struct {
	insight.Key
	step int
	at   int64 // seconds
}

// NewRollups makes them; Run saves them.
func NewRollups(cfg RollupConfig) *Rollups {
	if cfg.Now == nil {
		cfg.Now = time.Now //nolint:forbidigo // the one place where this clock comes from
	}
	return &Rollups{
		cfg: cfg, server: uuid.New(), slot: map[insight.Key]*insight.Sum{},
		rows: map[rowKey]*insight.Sum{}, dirty: map[rowKey]bool{},
	}
}

// rolling adds to the slot of now while it is locked; the zero one adds to
// nothing.
type rolling struct {
	r   *Rollups
	key insight.Key
}

// of begins to count events of a run. Call done.
func (r *Rollups) of(run *runtime.NewRun) rolling {
	if r == nil {
		return rolling{}
	}
	r.mu.Lock()
	r.turnOver()
	return rolling{r, insight.Key{Workspace: run.Workspace, Workflow: run.Workflow, Version: run.Version}}
}

func (o rolling) done() {
	if o.r != nil {
		o.r.mu.Unlock()
	}
}

// turn counts one turn.
func (r *Rollups) turn(inputs int, commit time.Duration) {
	if r == nil {
		return
	}
	o := r.of(&runtime.NewRun{})
	defer o.done()
	o.time(insight.Turn, "", commit.Seconds())
	o.count(insight.Inputs, "", int64(inputs))
}

// turnOver closes the slot when its time is over. The caller has the lock.
func (r *Rollups) turnOver() {
	at := r.cfg.Now().Truncate(slotLength)
	if at.Equal(r.at) {
		return
	}
	if len(r.slot) > 0 {
		r.closed = append(r.closed, slot{r.at, r.slot})
		r.slot = make(map[insight.Key]*insight.Sum, len(r.slot))
	}
	r.at, r.full = at, false
}

func (o rolling) sum(measure, label string) *insight.Sum {
	key := o.key
	key.Measure, key.Label = measure, label
	s := o.r.slot[key]
	if s != nil {
		return s
	}
	if len(o.r.slot) >= keysMax {
		if !o.r.full {
			o.r.full = true
			o.r.cfg.Log.LogAttrs(context.Background(), slog.LevelWarn, "too much to roll up in one interval, some is left out", slog.Int("limit", keysMax))
		}
		return &insight.Sum{}
	}
	s = &insight.Sum{}
	o.r.slot[key] = s
	return s
}

func (o rolling) count(measure, label string, n int64) {
	if o.r != nil {
		o.sum(measure, label).N += n
	}
}

func (o rolling) time(measure, label string, seconds float64) {
	if o.r == nil {
		return
	}
	s := o.sum(measure, label)
	s.N++
	s.Total += seconds
	s.High = max(s.High, seconds)
	s.Spread = s.Spread.Put(seconds)
}

// failed counts a visit that failed for good. A container that fails because a
// node in it did is the same failure on its way up, and is not counted again.
func (o rolling) failed(m *machine.Machine, node, kind string, handled bool) {
	if i := m.Index(node); i >= 0 {
		switch m.Nodes[i].Op {
		case machine.OpGroup, machine.OpMap, machine.OpLoop:
			return
		default:
		}
	}
	o.count(insight.Failure, kind, 1)
	if !handled {
		o.count(insight.Dead, kind, 1)
	}
}

func (o rolling) saga(f machine.Fact) {
	switch f.(type) {
	case *machine.CompensationStarted:
		o.count(insight.Saga, insight.SagaBegun, 1)
	case *machine.CompensationCompleted:
		o.count(insight.Saga, insight.SagaUndone, 1)
	case *machine.AttentionNeeded:
		o.count(insight.Saga, insight.SagaStuck, 1)
	case *machine.AttentionResolved:
		o.count(insight.Saga, insight.SagaResolved, 1)
	default: // counted elsewhere
	}
}

// Run saves what was counted until the context ends, and then the rest.
func (r *Rollups) Run(ctx context.Context) error {
	tick := time.NewTicker(tickLength)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			r.Tick(ctx)
		}
	}
}

// Tick notes that this process measured until now, and once a slot is over
// looks at the infrastructure and saves.
func (r *Rollups) Tick(ctx context.Context) {
	r.saving.Lock()
	defer r.saving.Unlock()
	now := r.cfg.Now()
	if d := now.Sub(r.ticked); !r.ticked.IsZero() && d > 0 && d < asleepMax && (r.cfg.Owned == nil || r.cfg.Owned()) {
		r.cover(r.ticked, now)
	}
	r.ticked = now
	if now.Truncate(slotLength).Equal(r.looked) {
		return
	}
	r.looked = now.Truncate(slotLength)
	if r.cfg.Look != nil {
		looking, cancel := context.WithTimeout(ctx, lookMax)
		for _, l := range r.cfg.Look(looking) {
			r.put(now, insight.Key{Measure: l.Measure, Label: l.Label}, &insight.Sum{N: 1, Total: l.Value, High: l.Value})
		}
		cancel()
	}
	r.save(ctx)
}

// Flush saves everything that was counted, also in the slot of now.
func (r *Rollups) Flush(ctx context.Context) {
	r.saving.Lock()
	defer r.saving.Unlock()
	r.save(ctx)
}

// cover notes that this process measured between two moments, second by second.
func (r *Rollups) cover(from, to time.Time) {
	for from.Before(to) {
		end := from.Truncate(time.Second).Add(time.Second)
		if end.After(to) {
			end = to
		}
		ms := end.UnixMilli() - from.UnixMilli()
		for _, t := range insight.Tiers() {
			s := &insight.Sum{N: ms, Spread: insight.Spread{insight.Part(t.Step, from): ms}}
			r.add(rowKey{insight.Key{Measure: insight.Covered}, t.Step, from.Truncate(time.Duration(t.Step) * time.Second).Unix()}, s)
		}
		from = end
	}
}
