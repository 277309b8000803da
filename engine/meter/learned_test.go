package meter_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/event"
	"signalbox/engine/learn"
	"signalbox/engine/machine"
	"signalbox/engine/meter"
	"signalbox/engine/queue"
	"signalbox/engine/route"
	"signalbox/engine/routing"
	"signalbox/engine/runtime"
)

// shelf keeps tables and figures in memory, by the clock of the test.
type shelf struct {
	mu      sync.Mutex
	now     time.Time
	changes int64
	table   routing.Table
	own     []routing.Table // of workflows
	queues  []routing.Queue
	known   map[routing.Subject]learn.Table
	at      map[routing.Subject]time.Time
	away    bool
}

var errAway = errors.New("the store is away")

func (s *shelf) clock() time.Time { return s.now }

func (s *shelf) Changes(context.Context) (int64, error) { return s.changes, nil }

func (s *shelf) Everything(context.Context) ([]routing.Table, []routing.Queue, error) {
	return append([]routing.Table{s.table}, s.own...), s.queues, nil
}

func (s *shelf) PutTable(_ context.Context, t routing.Table) (bool, error) {
	if s.changes++; t.Workflow != uuid.Nil {
		s.own = append(s.own, t)
		return true, nil
	}
	s.table = t
	return true, nil
}

func (s *shelf) DropTable(context.Context, string, uuid.UUID, int) (bool, error) { return false, nil }

func (s *shelf) PutQueue(_ context.Context, q routing.Queue) (bool, error) {
	s.queues = append(s.queues, q)
	s.changes++
	return true, nil
}

func (s *shelf) AddKnown(_ context.Context, since []routing.Known) ([]routing.Known, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.away {
		return nil, errAway
	}
	var stored []routing.Known
	for _, k := range since {
		passed := time.Duration(0)
		if at, ok := s.at[k.Subject]; ok {
			passed = s.now.Sub(at)
		}
		s.known[k.Subject], s.at[k.Subject] = learn.Merge(s.known[k.Subject], k.Table, passed), s.now
		stored = append(stored, routing.Known{Subject: k.Subject, Table: s.known[k.Subject]})
	}
	return stored, nil
}

func (s *shelf) KnownSince(_ context.Context, since time.Time) ([]routing.Known, time.Time, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []routing.Known
	for subject, table := range s.known {
		if !s.at[subject].Before(since) {
			list = append(list, routing.Known{Subject: subject, Table: maps.Clone(table)})
		}
	}
	return list, s.now, nil
}

func (s *shelf) DropKnown(_ context.Context, workspace, rule string) error {
	maps.DeleteFunc(s.known, func(k routing.Subject, _ learn.Table) bool { return k.Workspace == workspace && k.Rule == rule })
	return nil
}

func (s *shelf) SweepKnown(context.Context, time.Duration) error { return nil }

// bench is one server that routes and measures.
type bench struct {
	t       *testing.T
	shelf   *shelf
	routing *routing.Service
	meter   meter.Learned
}

func newShelf() *shelf {
	return &shelf{now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), known: map[routing.Subject]learn.Table{}, at: map[routing.Subject]time.Time{}}
}

func newBench(t *testing.T, s *shelf) *bench {
	t.Helper()
	b := &bench{t: t, shelf: s, routing: routing.New(s, slog.New(slog.DiscardHandler), s.clock)}
	b.meter = meter.NewLearned(b.routing)
	b.tick()
	return b
}

func (b *bench) tick() {
	b.t.Helper()
	if err := b.routing.Load(b.t.Context()); err != nil {
		b.t.Fatal(err)
	}
	if err := b.routing.LearnNow(b.t.Context()); err != nil && !errors.Is(err, errAway) {
		b.t.Fatal(err)
	}
}

// put stores a table with one learned rule and returns the rule's id.
func (b *bench) put(l route.Learn) string {
	b.t.Helper()
	t, err := b.routing.Table(b.t.Context(), "main", uuid.Nil)
	if err != nil {
		b.t.Fatal(err)
	}
	t.Rules = route.Table{Default: "rest", Rules: []route.Rule{{Learn: &l, When: []route.Condition{{Attribute: "kind", Op: "is", Value: "llm"}}}}}
	if t, err = b.routing.PutTable(b.t.Context(), t); err != nil {
		b.t.Fatal(err)
	}
	b.tick()
	return t.Rules.Rules[0].Learn.ID
}

// task is one task in one run.
type task struct {
	run  runtime.NewRun
	sent machine.TaskScheduled
}

func (b *bench) send(i int) task { return b.sendOf("llm", i) }

func (b *bench) sendOf(kind string, i int) task {
	run := runtime.NewRun{Run: uuid.NewSHA1(uuid.Nil, fmt.Append(nil, i)), Workspace: "main"}
	d := b.routing.Choose(route.Attributes{Workspace: "main", Kind: kind, Priority: 2, ID: route.Attempt{Run: run.Run.String(), Node: "ask", Visit: 1}})
	one := task{run, machine.TaskScheduled{Node: "ask", Visit: 1, Attempt: 1, Queue: d.Queue, Learned: d.Learned}}
	b.tell(&one, &one.sent)
	return one
}

func (b *bench) tell(one *task, facts ...machine.Fact) {
	events := make([]machine.Event, len(facts))
	for i, f := range facts {
		events[i] = machine.Event{At: b.shelf.now, Fact: f}
	}
	b.meter.Events(&one.run, nil, events)
}

// work sends tasks one after the other, each of which takes as long as its
// queue does.
func (b *bench) work(from, n int, took map[string]time.Duration) (went map[string]int) {
	went = map[string]int{}
	for i := range n {
		one := b.send(from + i)
		went[one.sent.Queue]++
		b.shelf.now = b.shelf.now.Add(took[one.sent.Queue])
		b.tell(&one, &machine.TaskCompleted{Node: "ask", Visit: 1, Attempt: 1, Port: "success"}, &machine.RunSucceeded{})
		if i%2 == 0 {
			b.tick()
		}
	}
	b.tick()
	return went
}

var ab = map[string]time.Duration{"a": time.Second, "b": 9 * time.Second}

func learnAB() route.Learn {
	return route.Learn{Among: []route.Among{{Queue: "a"}, {Queue: "b"}}, Goal: learn.Fastest}
}

// What one server measures moves the choices of all, outlives a restart, and is
// gone when it is forgotten.
func TestWhatIsLearnedIsSharedKeptAndForgotten(t *testing.T) {
	t.Parallel()
	s := newShelf()
	first, second := newBench(t, s), newBench(t, s)
	id := first.put(learnAB())
	first.work(0, 100, ab)
	if went := first.work(100, 200, ab); went["a"] < 190 {
		t.Errorf("after a hundred tasks they went to %v", went)
	}
	if first.routing.Following() {
		t.Error("attempts that are over are followed")
	}
	second.tick()
	for title, b := range map[string]*bench{"another server": second, "a restart": newBench(t, s)} {
		one := b.send(9_999)
		if f := one.sent.Learned; f.Among[0].N < 100 || f.Among[0].Share < 0.95 || f.Rule != id {
			t.Errorf("%s sees %+v", title, f)
		}
	}
	rules, err := first.routing.LearnedRules(t.Context(), "main", uuid.Nil)
	if err != nil || len(rules) != 1 || rules[0].Parts[0].Queues[1].Time.N == 0 || rules[0].Parts[0].Queues[0].Share < 0.95 || !rules[0].Went.Known() || !rules[0].Fixed[0].Known() {
		t.Errorf("the page has %+v, %v", rules, err)
	}
	if _, err := second.routing.Forget(t.Context(), "main", uuid.Nil, id, "Ada"); err != nil {
		t.Fatal(err)
	}
	for title, b := range map[string]*bench{"who forgot": second, "the other": first} {
		b.tick()
		if f := b.send(20_000).sent.Learned; f.Why != route.WhyUnknown || f.Among[0].N != 0 || f.Rule == id {
			t.Errorf("%s still knows %+v", title, f)
		}
	}
	if len(s.known) != 0 {
		t.Errorf("stored is still %v", s.known)
	}
	if _, err := first.routing.Forget(t.Context(), "main", uuid.Nil, id, "Ada"); err == nil {
		t.Error("a rule that is not there was forgotten")
	}
}

// What is best for one kind of step need not be for another.
func TestKindsAreLearnedApart(t *testing.T) {
	t.Parallel()
	b := newBench(t, newShelf())
	l := learnAB()
	l.By = []string{"kind"}
	table, err := b.routing.Table(t.Context(), "main", uuid.Nil)
	if err != nil {
		t.Fatal(err)
	}
	table.Rules = route.Table{Default: "rest", Rules: []route.Rule{{Learn: &l, When: []route.Condition{{Attribute: "kind", Op: "is_not", Value: "wait"}}}}}
	if _, err := b.routing.PutTable(t.Context(), table); err != nil {
		t.Fatal(err)
	}
	b.tick()
	took := map[string]time.Duration{"llm a": time.Second, "llm b": 5 * time.Second, "http a": 5 * time.Second, "http b": time.Second}
	best := map[string]int{}
	for i := range 600 {
		kind := []string{"llm", "http"}[i%2]
		one := b.sendOf(kind, i)
		b.shelf.now = b.shelf.now.Add(took[kind+" "+one.sent.Queue])
		b.tell(&one, &machine.TaskCompleted{Node: "ask", Visit: 1, Attempt: 1})
		b.tick()
		if i >= 200 && took[kind+" "+one.sent.Queue] == time.Second {
			best[kind]++
		}
	}
	if best["llm"] < 185 || best["http"] < 185 {
		t.Errorf("of 200 of each kind so many went to its best queue: %v", best)
	}
	rules, err := b.routing.LearnedRules(t.Context(), "main", uuid.Nil)
	if err != nil || len(rules) != 1 || len(rules[0].Parts) != 2 || rules[0].Parts[0].For != "kind=http" {
		t.Fatalf("the page has %+v, %v", rules, err)
	}
	if all := rules[0].All.Queues; all[0].Share < 0.3 || all[0].Share > 0.7 || all[0].N == 0 {
		t.Errorf("together they are %+v", all)
	}
}

func TestPinnedRulesGoWhereTheyArePinned(t *testing.T) {
	t.Parallel()
	b := newBench(t, newShelf())
	id := b.put(learnAB())
	if _, err := b.routing.Pin(t.Context(), "main", uuid.Nil, id, "c", "Ada"); err == nil {
		t.Error("pinned to a queue that is not among them")
	}
	if _, err := b.routing.Pin(t.Context(), "main", uuid.Nil, id, "b", "Ada"); err != nil {
		t.Fatal(err)
	}
	if went := b.work(0, 50, ab); went["b"] != 50 {
		t.Errorf("they went to %v", went)
	}
	if _, err := b.routing.Pin(t.Context(), "main", uuid.Nil, id, "", "Ada"); err != nil {
		t.Fatal(err)
	}
	if went := b.work(100, 100, ab); went["a"] < 80 {
		t.Errorf("let go again, they went to %v", went)
	}
}

// A queue from which nothing comes back gets nothing more, until it does; one
// that is paused at once.
func TestQueuesThatTakeNothingAreLeftOut(t *testing.T) {
	t.Parallel()
	b := newBench(t, newShelf())
	b.put(learnAB())
	b.work(0, 50, map[string]time.Duration{"a": time.Second, "b": time.Second})
	var lost []task
	for i := 0; len(lost) < 3; i++ {
		if one := b.send(1_000 + i); one.sent.Queue == "a" {
			lost = append(lost, one)
		} else {
			b.tell(&one, &machine.TaskCompleted{Node: "ask", Visit: 1, Attempt: 1})
		}
	}
	b.shelf.now = b.shelf.now.Add(5 * time.Minute)
	b.tick()
	if went := b.work(2_000, 100, ab); went["a"] != 0 {
		t.Errorf("%d went to a queue that stalls", went["a"])
	}
	if f := b.send(3_000).sent.Learned.Among[0]; f.Off != route.OffStalled {
		t.Errorf("the event says %+v", f)
	}
	for i := range lost { // taken back: nothing is waited for any more
		b.tell(&lost[i], &machine.VisitCanceled{Node: "ask", Visit: 1, Attempt: 1}, &machine.RunCanceled{})
	}
	b.tick()
	if f := b.send(3_001).sent.Learned.Among[0]; f.Off != "" || f.Share == 0 {
		t.Errorf("nothing waits in it any more, and the event says %+v", f)
	}
	pause := func(name string) {
		if _, err := b.routing.PutQueue(t.Context(), routing.Queue{Workspace: "main", Name: name, Settings: queue.Settings{Paused: true}}); err != nil {
			t.Fatal(err)
		}
	}
	pause("a")
	if one := b.send(4_000); one.sent.Queue != "b" || one.sent.Learned.Among[0].Off != route.OffPaused {
		t.Errorf("a is paused, and a task went to %+v", one.sent.Learned)
	}
	pause("b")
	if one := b.send(4_001); one.sent.Queue != "rest" || one.sent.Learned.Why != route.WhyNone {
		t.Errorf("both are paused, and a task went to %s: %+v", one.sent.Queue, one.sent.Learned)
	}
}

// Each attempt counts, and what the store could not take is kept for later.
func TestEachAttemptIsMeasuredAlsoWhileTheStoreIsAway(t *testing.T) {
	t.Parallel()
	b := newBench(t, newShelf())
	id := b.put(learnAB())
	b.shelf.away = true
	one := b.send(1)
	b.shelf.now = b.shelf.now.Add(2 * time.Second)
	b.tell(&one, &machine.TaskFailed{Node: "ask", Visit: 1, Attempt: 1, Error: event.Error{Class: "timeout"}, RetryAt: b.shelf.now.Add(time.Minute)})
	b.tick()
	b.shelf.now = b.shelf.now.Add(time.Minute)
	b.tell(&one, &machine.TaskScheduled{Node: "ask", Visit: 1, Attempt: 2, Queue: one.sent.Queue})
	b.shelf.now = b.shelf.now.Add(4 * time.Second)
	b.tell(&one, &machine.TaskCompleted{Node: "ask", Visit: 1, Attempt: 2})
	test := b.send(2)
	test.run.Run, test.run.Test = uuid.New(), true
	b.tell(&test, &test.sent, &machine.TaskCompleted{Node: "ask", Visit: 1, Attempt: 1})
	b.tick()
	b.shelf.away = false
	b.tick()
	got := b.shelf.known[routing.Subject{Workspace: "main", Rule: id}][one.sent.Queue]
	if s := got.Long; s.N != 2 || s.OK != 1 || s.T != 6 {
		t.Errorf("stored is %+v", got)
	}
	if got.Each.N != 4 { // each stood for two: both queues had half of the work
		t.Errorf("stored is %+v", got)
	}
}

// Shards tell what happened while figures are saved and read: nothing is lost
// or counted twice.
func TestShardsMeasureWhileFiguresAreSaved(t *testing.T) {
	t.Parallel()
	const shards, each = 4, 500
	b := newBench(t, newShelf())
	id := b.put(learnAB())
	var working sync.WaitGroup
	for shard := range shards {
		working.Go(func() {
			for i := range each {
				one := b.send(shard*each + i)
				b.tell(&one, &machine.TaskCompleted{Node: "ask", Visit: 1, Attempt: 1}, &machine.RunSucceeded{})
			}
		})
	}
	done := make(chan struct{})
	go func() { working.Wait(); close(done) }()
	for saving := true; saving; {
		select {
		case <-done:
			saving = false
		default:
		}
		if err := b.routing.LearnNow(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	n := 0.0
	for _, f := range b.shelf.known[routing.Subject{Workspace: "main", Rule: id}] {
		n += f.Long.N
	}
	if n != shards*each || b.routing.Following() {
		t.Errorf("%v of %d attempts were counted", n, shards*each)
	}
}

// An answer that never comes to this process, because another one owns the run
// by now, does not keep a queue out for a day.
func TestAnAnswerThatGoesElsewhereStallsAQueueNotForLong(t *testing.T) {
	t.Parallel()
	s := newShelf()
	b, other := newBench(t, s), newBench(t, s)
	b.put(learnAB())
	b.work(0, 50, map[string]time.Duration{"a": time.Second, "b": time.Second})
	other.tick()
	lost := b.send(1_000)
	for i := 1; lost.sent.Queue != "a"; i++ {
		lost = b.send(1_000 + i)
	}
	off := func(i int) string { return b.send(i).sent.Learned.Among[0].Off }
	s.now = s.now.Add(5 * time.Minute)
	if b.tick(); off(2_000) != route.OffStalled {
		t.Fatal("a queue from which nothing comes back is not left out")
	}
	other.work(3_000, 50, map[string]time.Duration{"a": time.Second, "b": time.Second})
	if b.tick(); off(2_001) != "" {
		t.Error("the other process hears from the queue, and this one leaves it out")
	}
	s.now = s.now.Add(5 * time.Minute)
	if b.tick(); off(2_002) != route.OffStalled {
		t.Fatal("nothing came back since")
	}
	s.now = s.now.Add(2 * time.Hour)
	if b.tick(); off(2_003) != "" {
		t.Error("after an hour it is not tried again")
	}
}

// A table that is copied from another one learns apart: the ids in it name what
// the other one learns.
func TestARuleThatWasCopiedLearnsApart(t *testing.T) {
	t.Parallel()
	b := newBench(t, newShelf())
	id := b.put(learnAB())
	l := learnAB()
	l.ID = id
	rules := route.Table{Rules: []route.Rule{{Learn: &l, When: []route.Condition{{Attribute: "kind", Op: "is", Value: "llm"}}}}}
	copied, err := b.routing.PutTable(t.Context(), routing.Table{Workspace: "main", Workflow: uuid.New(), Rules: rules})
	if err != nil {
		t.Fatal(err)
	}
	if copied.Rules.Rules[0].Learn.ID == id || copied.Rules.Rules[0].Learn.ID == "" || l.ID != id {
		t.Errorf("the copy is %q, the rule %q, what was given %q", copied.Rules.Rules[0].Learn.ID, id, l.ID)
	}
	if again := b.put(l); again != id {
		t.Errorf("the rule that was put again is %q", again)
	}
}

// A clock that was set while an attempt was under way teaches nothing absurd.
func TestOneAttemptDoesNotOutweighAllOthers(t *testing.T) {
	t.Parallel()
	b := newBench(t, newShelf())
	id := b.put(learnAB())
	one := b.send(1)
	b.shelf.now = b.shelf.now.Add(50 * 365 * 24 * time.Hour)
	b.tell(&one, &machine.TaskCompleted{Node: "ask", Visit: 1, Attempt: 1})
	b.tick()
	if s := b.shelf.known[routing.Subject{Workspace: "main", Rule: id}][one.sent.Queue].Long; s.N != 1 || s.T > 24*3_600 {
		t.Errorf("stored is %+v", s)
	}
}
