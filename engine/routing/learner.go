package routing

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/learn"
	"signalbox/engine/route"
)

// Subject is what figures are kept for: a learned rule, and the values that it
// learns apart.
type Subject struct {
	Workspace string
	Rule      string // id
	For       string
}

// Known is what was measured for a subject.
type Known struct {
	Subject
	Table learn.Table
}

// Figures keeps what was learned, for all processes.
type Figures interface {
	// AddKnown merges what was measured since with what is stored, and returns
	// what is stored then.
	AddKnown(ctx context.Context, since []Known) ([]Known, error)
	// KnownSince lists what has changed since a moment, and names the moment to
	// ask from next time. Both are of the store's clock; zero: everything.
	KnownSince(ctx context.Context, since time.Time) ([]Known, time.Time, error)
	// DropKnown forgets what was measured for a rule.
	DropKnown(ctx context.Context, workspace, rule string) error
	// SweepKnown forgets what nothing was added to for a long time.
	SweepKnown(ctx context.Context, age time.Duration) error
}

// How learning keeps up.
const (
	learnEvery = 2 * time.Second // measured is saved, what others measured is read
	learnMax   = 5 * time.Second // that may take
	sweepEvery = time.Hour       // for what is long forgotten
	knownOld   = 90 * 24 * time.Hour
	trackMax   = 65_536         // attempts that are followed at a time; what comes beyond is not measured
	trackOld   = 24 * time.Hour // after that one is given up
	stallLeast = time.Minute    // nothing comes back from a queue for so long, or
	stallTimes = 5              // for so many times of what is usual: it stalls
	stallMost  = time.Hour      // after that the queue is tried again: the answer may have come to another process
	saveMax    = 100            // subjects that are saved in one transaction
	subjectMax = 5_000          // beyond, new subjects are not learned
)

// Visit names a visit of a run.
type Visit struct {
	Scope, Number int
	Node          string
}

// tracked is an attempt whose queue was learned and that is not over.
type tracked struct {
	subject Subject
	queue   string
	share   float64
	since   time.Time // zero: it failed and is tried again later
	seen    time.Time
}

// spot is a queue of a rule.
type spot struct{ workspace, rule, queue string }

// learner measures what becomes of attempts whose queue was learned, and turns
// that into what choices need. The shards only add in memory; everything else
// happens aside.
type learner struct {
	open    atomic.Int64 // attempts that are followed
	plans   atomic.Pointer[map[Subject][]route.Figure]
	stalled atomic.Pointer[map[spot]bool]

	mu    sync.Mutex
	runs  map[uuid.UUID]map[Visit]*tracked
	since map[Subject]learn.Table // measured, and not saved yet
	back  map[spot]time.Time      // when something last came back
	known map[Subject]learn.Table

	ticking sync.Mutex // what follows belongs to the tick
	asked   time.Time  // by the store's clock
	swept   time.Time
	planned *held // whose rules the plans are for
}

func newLearner() *learner {
	l := &learner{
		runs: map[uuid.UUID]map[Visit]*tracked{}, since: map[Subject]learn.Table{},
		back: map[spot]time.Time{}, known: map[Subject]learn.Table{},
	}
	l.plans.Store(&map[Subject][]route.Figure{})
	l.stalled.Store(&map[spot]bool{})
	return l
}

// settle makes the choice that a learned rule leaves open.
func (s *Service) settle(h *held, d route.Decision, a *route.Attributes) route.Decision {
	rule := d.Learn
	stalled := *s.learner.stalled.Load()
	known := (*s.learner.plans.Load())[Subject{a.Workspace, rule.ID, rule.For(a)}]
	return d.Settle(a, known, func(queue string) string {
		switch {
		case h.queues[name{a.Workspace, queue}].Settings.Paused:
			return route.OffPaused
		case stalled[spot{a.Workspace, rule.ID, queue}]:
			return route.OffStalled
		}
		return ""
	})
}

// Following reports whether any attempt is followed. Where nothing learns,
// nothing is, and nothing else need be told.
func (s *Service) Following() bool { return s.learner.open.Load() > 0 }

// Sent follows an attempt whose queue was learned.
func (s *Service) Sent(run uuid.UUID, v Visit, workspace, queue string, by *route.Learned, at time.Time) {
	l := s.learner
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open.Load() >= trackMax {
		return
	}
	if l.runs[run] == nil {
		l.runs[run] = map[Visit]*tracked{}
	}
	if l.runs[run][v] == nil {
		l.open.Add(1)
	}
	l.runs[run][v] = &tracked{Subject{workspace, by.Rule, by.For}, queue, by.ShareOf(queue), at, at}
}

// SentAgain follows the next attempt of a visit, which goes where the first one
// went.
func (s *Service) SentAgain(run uuid.UUID, v Visit, at time.Time) {
	s.learner.mu.Lock()
	defer s.learner.mu.Unlock()
	if one := s.learner.runs[run][v]; one != nil {
		one.since, one.seen = at, at
	}
}

// Ended counts what became of an attempt. Again: another one follows.
func (s *Service) Ended(run uuid.UUID, v Visit, ok, again bool, at time.Time) {
	l := s.learner
	l.mu.Lock()
	defer l.mu.Unlock()
	one := l.runs[run][v]
	if one == nil {
		return
	}
	if !one.since.IsZero() {
		if l.since[one.subject] == nil {
			l.since[one.subject] = learn.Table{}
		}
		// A clock that was set must not make one attempt outweigh all others.
		l.since[one.subject].Add(one.queue, ok, min(at.Sub(one.since), trackOld), one.share)
		l.back[spot{one.subject.Workspace, one.subject.Rule, one.queue}] = at
	}
	if one.since, one.seen = (time.Time{}), at; !again {
		l.drop(run, v)
	}
}

// Gone stops following a visit that says no more, or all of a run: nothing is
// learned from what somebody took back.
func (s *Service) Gone(run uuid.UUID, v *Visit) {
	l := s.learner
	l.mu.Lock()
	defer l.mu.Unlock()
	if v != nil {
		l.drop(run, *v)
		return
	}
	l.open.Add(-int64(len(l.runs[run])))
	delete(l.runs, run)
}

func (l *learner) drop(run uuid.UUID, v Visit) {
	visits := l.runs[run]
	if visits[v] == nil {
		return
	}
	l.open.Add(-1)
	if delete(visits, v); len(visits) == 0 {
		delete(l.runs, run)
	}
}

// Learn keeps what is known up to date until the context ends, and then saves
// what was measured last.
func (s *Service) Learn(ctx context.Context) error {
	tick := time.NewTicker(learnEvery) //nolint:forbidigo // a look, not a decision
	defer tick.Stop()
	for {
		changed := s.Changed()
		select {
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), learnEvery)
			defer cancel()
			s.report(last, s.LearnNow(last))
			return nil
		case <-changed:
		case <-tick.C:
		}
		s.report(ctx, s.LearnNow(ctx))
	}
}

func (s *Service) report(ctx context.Context, err error) {
	if err != nil && ctx.Err() == nil {
		s.log.WarnContext(ctx, "what routing learns is not shared now", "err", err)
	}
}

// LearnNow saves what was measured, reads what others have, and turns both into
// shares. What could not be saved is kept for the next time.
func (s *Service) LearnNow(ctx context.Context) error {
	l := s.learner
	l.ticking.Lock()
	defer l.ticking.Unlock()
	h := s.held.Load()
	var changed []Known
	var err error
	if store, ok := s.store.(Figures); ok && len(h.learned) > 0 {
		within, cancel := context.WithTimeout(ctx, learnMax)
		changed, err = s.exchange(within, store, h)
		cancel()
	}
	l.mu.Lock()
	for _, k := range changed {
		was, there := l.known[k.Subject]
		for queue, f := range k.Table {
			if there && f.Long.N > was[queue].Long.N { // another process may have heard from it
				l.back[spot{k.Workspace, k.Rule, queue}] = s.now()
			}
		}
		if there || len(l.known) < subjectMax {
			l.known[k.Subject] = k.Table
		}
	}
	l.forget(h, s.now())
	stalled := l.stalls(s.now())
	if l.planned != h { // other rules: all plans may be other ones
		changed = changed[:0]
		for subject, table := range l.known {
			changed = append(changed, Known{subject, table})
		}
	}
	l.mu.Unlock()
	l.stalled.Store(&stalled)
	l.plan(h, changed)
	return err
}

// exchange gives the store what was measured, and takes what it has.
func (s *Service) exchange(ctx context.Context, store Figures, h *held) ([]Known, error) {
	l := s.learner
	l.mu.Lock()
	var add []Known
	for subject, table := range l.since {
		if _, ok := h.learned[subject.rule()]; ok { // else nobody asks any more
			add = append(add, Known{subject, table})
		}
	}
	l.since = map[Subject]learn.Table{}
	l.mu.Unlock()
	slices.SortFunc(add, func(a, b Known) int { return a.compare(b.Subject) }) // one order for all processes
	var changed []Known
	for len(add) > 0 { // what is saved stays so if the time is over before the end
		n := min(len(add), saveMax)
		stored, err := store.AddKnown(ctx, add[:n])
		if err != nil {
			s.restore(add)
			return changed, fmt.Errorf("save what was measured: %w", err)
		}
		changed, add = append(changed, stored...), add[n:]
	}
	list, asked, err := store.KnownSince(ctx, l.asked)
	if err != nil {
		return changed, fmt.Errorf("read what was measured: %w", err)
	}
	l.asked = asked
	if now := s.now(); now.Sub(l.swept) > sweepEvery {
		l.swept = now
		err = store.SweepKnown(ctx, knownOld)
	}
	return append(changed, list...), err
}

// restore keeps what could not be saved.
func (s *Service) restore(list []Known) {
	l := s.learner
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, k := range list {
		table := l.since[k.Subject]
		if table == nil {
			table = learn.Table{}
			l.since[k.Subject] = table
		}
		for queue, f := range k.Table {
			table[queue] = table[queue].Plus(f)
		}
	}
}

// forget drops what no rule asks for, and attempts that nothing is heard of.
func (l *learner) forget(h *held, now time.Time) {
	maps.DeleteFunc(l.known, func(s Subject, _ learn.Table) bool { _, ok := h.learned[s.rule()]; return !ok })
	maps.DeleteFunc(l.back, func(s spot, _ time.Time) bool { _, ok := h.learned[name{s.workspace, s.rule}]; return !ok })
	for run, visits := range l.runs {
		for v, one := range visits {
			if now.Sub(one.seen) > trackOld {
				l.drop(run, v)
			}
		}
	}
}

// stalls lists the queues that something has waited in for far longer than is
// usual while nothing came back.
func (l *learner) stalls(now time.Time) map[spot]bool {
	oldest := map[spot]time.Time{}
	usual := map[spot]time.Duration{}
	for _, visits := range l.runs {
		for _, one := range visits {
			takes := l.usual(one.subject, one.queue)
			if one.since.IsZero() || now.Sub(one.since) > max(stallMost, 2*stallTimes*takes) {
				continue
			}
			at := spot{one.subject.Workspace, one.subject.Rule, one.queue}
			if was, ok := oldest[at]; !ok || one.since.Before(was) {
				oldest[at] = one.since
			}
			usual[at] = max(usual[at], takes)
		}
	}
	list := map[spot]bool{}
	for at, since := range oldest {
		if back := l.back[at]; back.After(since) {
			since = back
		}
		list[at] = now.Sub(since) > max(stallLeast, stallTimes*usual[at])
	}
	maps.DeleteFunc(list, func(_ spot, is bool) bool { return !is })
	return list
}

// usual is how long an attempt takes in a queue; where it is not known, in any
// queue of the rule.
func (l *learner) usual(of Subject, queue string) time.Duration {
	table := l.known[of]
	if e := table[queue].Lately.Time(); e.N >= 1 {
		return time.Duration(e.Value * float64(time.Second))
	}
	longest := 0.0
	for _, f := range table {
		longest = max(longest, f.Lately.Time().Value)
	}
	return time.Duration(longest * float64(time.Second))
}

// plan makes figures for what has changed.
func (l *learner) plan(h *held, changed []Known) {
	was := *l.plans.Load()
	if len(changed) == 0 && l.planned == h {
		return
	}
	next := map[Subject][]route.Figure{}
	for subject, figures := range was {
		if _, ok := h.learned[subject.rule()]; ok {
			next[subject] = figures
		}
	}
	for _, k := range changed {
		if rule, ok := h.learned[k.rule()]; ok {
			next[k.Subject] = rule.Figures(k.Table)
		}
	}
	l.planned = h
	l.plans.Store(&next)
}

// rule is where a subject's rule stands in held.
func (s Subject) rule() name { return name{s.Workspace, s.Rule} }

func (s Subject) compare(o Subject) int {
	return slices.Compare([]string{s.Workspace, s.Rule, s.For}, []string{o.Workspace, o.Rule, o.For})
}

// learnedRules finds the rules that learn.
func learnedRules(tables map[key]Table) map[name]*route.Learn {
	all := map[name]*route.Learn{}
	for k, t := range tables {
		for i := range t.Rules.Rules {
			if l := t.Rules.Rules[i].Learn; l != nil {
				all[name{k.workspace, l.ID}] = l
			}
		}
	}
	return all
}

// newID names what a rule learns from now on.
func newID() string { return strings.ReplaceAll(uuid.NewString(), "-", "")[:12] }
