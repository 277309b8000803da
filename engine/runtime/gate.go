package runtime

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/machine"
	"signalbox/engine/queue"
	"signalbox/engine/task"
)

// Limits of the gate.
const (
	pickMax   = 64                     // attempts that ask for slots at once
	gateEvery = 250 * time.Millisecond // it looks at backlogs, and for slots of other processes
	takeWait  = 5 * time.Second
)

// gate stands between the turns and the channel. What no limit touches passes
// at once, after the commit like ever; the rest waits for its slots. It forgets
// everything with the process: what waits is owed, and comes again.
type gate struct {
	cfg  *Config
	kick chan struct{}

	// back is held while slots are given back outside of a turn, and while an
	// owner asks which there are: else one could be given back that the owner
	// has just found.
	back sync.Mutex

	mu     sync.Mutex
	g      *queue.Gate
	shards map[int]*shard // owned
	epochs map[int]int64
	found  map[int]map[task.ID][]string // slots that a shard's earlier owner took
	again  []Want                       // slots to give back outside of a turn

	held  map[string]bool // queues of the channel: whether they are held back there
	stale bool            // an earlier process may have left queues of the channel held back
	anew  bool            // the channel was made anew

	full atomic.Pointer[map[string]fullness] // workspaces that take no new runs
	shed atomic.Uint64
}

// fullness is why a workspace takes no new runs.
type fullness struct {
	queue          string
	backlog, limit int
}

func newGate(cfg *Config) *gate {
	g := &gate{cfg: cfg, kick: make(chan struct{}, 1), shards: map[int]*shard{}, epochs: map[int]int64{}, held: map[string]bool{}, stale: true, found: map[int]map[task.ID][]string{}}
	g.g = queue.NewGate(cfg.Queues.Settings)
	return g
}

// own begins a shard: nothing of it is known but the slots that it has.
func (g *gate) own(ctx context.Context, s *shard) error {
	g.back.Lock()
	defer g.back.Unlock()
	found := map[task.ID][]string{}
	if g.cfg.Slots != nil {
		var err error
		if found, err = g.cfg.Slots.Taken(ctx, s.n); err != nil {
			return err
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.g.Forget(s.n)
	g.shards[s.n], g.epochs[s.n], g.found[s.n] = s, s.epoch, found
	return nil
}

// settle gives back the slots of attempts that are over: every attempt that is
// not has been handed to the gate by now.
func (g *gate) settle(s *shard) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for id := range g.found[s.n] {
		if !g.g.Known(id) {
			g.giveLater(s.n, id)
		}
	}
	delete(g.found, s.n)
	g.poke()
}

// leave ends a shard.
func (g *gate) leave(s *shard) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.g.Forget(s.n)
	delete(g.shards, s.n)
	delete(g.epochs, s.n)
	delete(g.found, s.n)
}

// entry is a task as the gate keeps it.
func entryOf(t *task.Task, d *machine.Dispatch, at time.Time) queue.Entry {
	e := queue.Entry{Task: *t, Queue: d.Queue, Labels: d.Labels, At: at}
	l := d.Limits
	if l == nil {
		return e
	}
	node := "node/" + t.Workflow + "/" + t.Node
	if l.Concurrency > 0 {
		e.Needs = append(e.Needs, queue.Need{Name: node + "/" + d.ConcurrencyKey, Slots: l.Concurrency})
	}
	if l.Rate > 0 {
		e.Needs = append(e.Needs, queue.Need{Name: node + "/rate/" + d.RateKey, Rate: l.Rate, Per: l.Per})
	}
	if l.Threshold > 0 {
		e.Trip = &queue.Trip{Name: node, Threshold: l.Threshold, Cooldown: l.Cooldown}
	}
	return e
}

// admit takes committed attempts in and returns those that may go out now.
func (g *gate) admit(list []queue.Entry) []task.Task {
	if len(list) == 0 {
		return nil
	}
	free := make([]task.Task, 0, len(list))
	g.mu.Lock()
	defer g.mu.Unlock()
	for i := range list {
		e := &list[i]
		settings := g.cfg.Queues.Settings(e.Task.Workspace, e.Queue)
		wait := len(e.Needs) > 0 || e.Trip != nil || settings.Gated()
		if found := g.found[e.Task.Shard]; wait && found != nil {
			if limits := found[e.Task.ID()]; limits != nil {
				g.g.Took(*e, limits)
			}
		}
		if g.g.Add(*e, wait) {
			free = append(free, e.Task)
		}
	}
	if g.g.Waiting() > 0 {
		g.poke()
	}
	return free
}

// wanted leaves those out that are over by now: an attempt that was let out
// twice, by a shard that was read again, must not go once more when its slots
// belong to another one.
func (g *gate) wanted(tasks []task.Task) []task.Task {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.DeleteFunc(tasks, func(t task.Task) bool { return !g.g.Known(t.ID()) })
}

// over is an attempt that a turn ends.
type over struct {
	shard int
	id    task.ID // of a whole run: only Run is set
	class string
	ok    bool
	freed bool // the turn gives its slots back
}

// ends lists the attempts that events end.
func ends(shard int, l *live, events []machine.Event, list []over) []over {
	run := l.row.Run.String()
	for _, e := range events {
		switch f := e.Fact.(type) {
		case *machine.TaskCompleted:
			list = append(list, over{shard: shard, id: task.ID{Run: run, Scope: f.Scope, Node: f.Node, Visit: f.Visit, Attempt: f.Attempt}, ok: true})
		case *machine.TaskFailed:
			list = append(list, over{shard: shard, id: task.ID{Run: run, Scope: f.Scope, Node: f.Node, Visit: f.Visit, Attempt: f.Attempt}, class: f.Error.Class})
		case *machine.VisitCanceled:
			if f.Attempt > 0 && f.Keeps == 0 {
				list = append(list, over{shard: shard, id: task.ID{Run: run, Scope: f.Scope, Node: f.Node, Visit: f.Visit, Attempt: f.Attempt}, class: "canceled"})
			}
		case *machine.RunSucceeded, *machine.RunFailed, *machine.RunCanceled, *machine.RunCompensated:
			list = append(list, over{shard: shard, id: task.ID{Run: run}})
		}
	}
	return list
}

// freed marks those that have slots, for the turn to give back.
func (g *gate) freed(list []over, freed []task.ID) []task.ID {
	if len(list) == 0 {
		return freed
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for i := range list {
		o := &list[i]
		switch {
		case o.id.Node == "":
			freed = append(freed, g.g.HeldBy(o.id.Run)...)
		case g.g.Holds(o.id):
			o.freed = true
			freed = append(freed, o.id)
		}
	}
	return freed
}

// end takes what a turn on disk has ended.
func (g *gate) end(list []over) {
	if len(list) == 0 {
		return
	}
	now := g.cfg.Now()
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, o := range list {
		if o.id.Node == "" {
			for _, id := range g.g.EndRun(o.id.Run) {
				g.giveLater(o.shard, id)
			}
		} else if g.g.End(o.id, o.class, o.ok, now) && !o.freed {
			g.giveLater(o.shard, o.id) // it was let out while the turn was written
		}
	}
	if g.g.Waiting() > 0 || len(g.again) > 0 {
		g.poke()
	}
}

// lost says that the channel may have been made anew: what it held back, it
// does not know any more.
func (g *gate) lost() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.anew = true
	g.poke()
}

func (g *gate) poke() {
	select {
	case g.kick <- struct{}{}:
	default:
	}
}

// run lets out what may go, until the context ends.
func (g *gate) run(ctx context.Context) {
	clock := time.NewTimer(gateEvery) //nolint:forbidigo // set to the next moment at which something may go
	defer clock.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-g.kick:
		case <-clock.C:
		case <-g.cfg.Queues.Changed():
			g.mu.Lock()
			g.g.Resort()
			g.mu.Unlock()
		}
		for ctx.Err() == nil && g.round(ctx) {
		}
		g.giveBack(ctx)
		g.holds(ctx)
		g.look()
		clock.Reset(g.next())
	}
}

func (g *gate) next() time.Duration {
	now := g.cfg.Now()
	g.mu.Lock()
	defer g.mu.Unlock()
	if at := g.g.Next(now); !at.IsZero() {
		return min(max(at.Sub(now), time.Millisecond), gateEvery)
	}
	return gateEvery
}

// round picks, asks for slots and lets out. It reports whether there may be
// more to pick.
func (g *gate) round(ctx context.Context) bool {
	now := g.cfg.Now()
	g.mu.Lock()
	list := g.g.Pick(now, pickMax)
	wants := make([]Want, 0, len(list))
	asks := make([]int, 0, len(list)) // positions of those who need slots
	for i, e := range list {
		if needs := e.Asked(); len(needs) > 0 {
			asks = append(asks, i)
			wants = append(wants, Want{Shard: e.Task.Shard, Epoch: g.epochs[e.Task.Shard], ID: e.Task.ID(), Needs: needs})
		}
	}
	g.mu.Unlock()
	if len(list) == 0 {
		return false
	}
	grants, err := g.take(ctx, wants)
	answers := make([]answer, len(list))
	for i := range answers {
		answers[i].OK = true
	}
	for i, at := range asks {
		if err == nil {
			answers[at] = answer{grants[i], &wants[i]}
		} else {
			answers[at] = answer{Grant{Limit: wants[i].Needs[0].Name, Until: now.Add(backoffMax)}, &wants[i]}
		}
	}
	if err != nil && ctx.Err() == nil {
		g.cfg.Log.WarnContext(ctx, "no slots to be had, asking again", "count", len(wants), "err", err)
	}
	return g.let(ctx, list, answers)
}

// answer is what became of one that was picked.
type answer struct {
	Grant
	asked *Want // nil: it needed nothing
}

func (g *gate) take(ctx context.Context, wants []Want) ([]Grant, error) {
	if len(wants) == 0 {
		return nil, nil
	}
	if g.cfg.Slots == nil { // limits hold within this process: the gate has counted
		grants := make([]Grant, len(wants))
		for i := range grants {
			grants[i].OK = true
		}
		return grants, nil
	}
	ctx, cancel := context.WithTimeout(ctx, takeWait)
	defer cancel()
	return g.cfg.Slots.Take(ctx, wants)
}

// let sends out what was granted, by shard.
func (g *gate) let(ctx context.Context, list []*queue.Entry, answers []answer) (more bool) {
	now := g.cfg.Now()
	out := map[*shard][]task.Task{}
	g.mu.Lock()
	for i, e := range list {
		a := answers[i]
		if !a.OK {
			g.g.Refuse(e, a.Limit, a.Until, now)
			continue
		}
		more = true
		s := g.shards[e.Task.Shard]
		switch {
		case !g.g.Let(e):
			if a.asked != nil { // with the epoch that they were taken in: it may be read again just now
				g.again = append(g.again, *a.asked)
			}
		case s != nil:
			out[s] = append(out[s], e.Task)
		}
	}
	g.mu.Unlock()
	for s, tasks := range out {
		s.post(ctx, outgoing{tasks: tasks})
	}
	return more
}

// giveLater notes slots to be given back.
func (g *gate) giveLater(shard int, id task.ID) {
	if epoch, owned := g.epochs[shard]; owned { // else the next owner finds them
		g.again = append(g.again, Want{Shard: shard, Epoch: epoch, ID: id})
	}
}

// giveBack frees slots outside of a turn.
func (g *gate) giveBack(ctx context.Context) {
	g.back.Lock()
	defer g.back.Unlock()
	g.mu.Lock()
	has := slices.DeleteFunc(g.again, func(w Want) bool {
		_, found := g.found[w.Shard][w.ID]
		return found || g.g.Holds(w.ID) // the shard was read again: it has them once more
	})
	g.again = nil
	g.mu.Unlock()
	if len(has) == 0 || g.cfg.Slots == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, takeWait)
	defer cancel()
	if err := g.cfg.Slots.Free(ctx, has); err != nil {
		g.cfg.Log.WarnContext(ctx, "slots not given back yet", "count", len(has), "err", err)
		g.mu.Lock()
		g.again = append(g.again, has...)
		g.mu.Unlock()
	}
}

// look finds backlogs that have grown too long: first no run is started any
// more, then the least urgent of what waits is failed.
func (g *gate) look() {
	g.mu.Lock()
	full := map[string]fullness{}
	for _, w := range g.g.Workspaces() {
		if q, backlog, limit := g.g.Full(w); q != "" {
			full[w] = fullness{q, backlog, limit}
		}
	}
	var drop []task.ID
	shards := map[int]*shard{}
	if len(full) > 0 {
		drop = g.g.Shed()
		for n, s := range g.shards {
			shards[n] = s
		}
	}
	g.mu.Unlock()
	if len(full) == 0 {
		if g.full.Load() != nil {
			g.full.Store(nil)
		}
		return
	}
	g.full.Store(&full)
	var sent []task.ID
	for _, id := range drop {
		run, err := uuid.Parse(id.Run)
		if err != nil || len(shards) == 0 {
			continue
		}
		s := shards[ShardOf(run, g.cfg.Shards)]
		if s == nil {
			continue
		}
		select {
		case s.inbox <- shedJob(run, id):
			g.shed.Add(1)
			sent = append(sent, id)
		default: // the next look comes soon
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.g.Shedding(sent)
}

// Overload is what the engine does when more comes than goes.
func (e *Engine) Overload() (refused, shed uint64) {
	return e.refused.Load(), e.gate.shed.Load()
}

// QueueLooks lists what this process sees of its queues.
func (e *Engine) QueueLooks() []queue.Look {
	e.gate.mu.Lock()
	defer e.gate.mu.Unlock()
	return e.gate.g.Look()
}
