package sim

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/graph"
	"signalbox/engine/machine"
	"signalbox/engine/reference"
	"signalbox/engine/reference/play"
	"signalbox/engine/runtime"
	"signalbox/engine/task"
)

// book is what the world knows of one run from what was committed, and from
// nothing else. The world's lock holds for what changes.
type book struct {
	w        *world
	number   int
	id       uuid.UUID
	drawing  int
	g        graph.Graph
	m        *machine.Machine
	calm     bool // the drawing is
	meddled  bool // a person did something to the run
	version  uuid.UUID
	start    reference.Start
	outcomes reference.Outcomes

	log       []machine.Event
	s         *machine.Snapshot
	row       runtime.RunState // as it is on disk
	reading   *play.Reading
	broken    bool           // the log cannot be read on
	scheduled map[place]bool // and committed
	keys      map[place]string
	visits    map[string]place // by key
	open      map[place]string // waits for a message or a person
	trouble   map[place]int    // compensations that a person has to decide about
	heard     map[string]int   // signals, by the sender's id
	paused    bool
	pausedAt  time.Time // the last time
	answers   []runtime.Answer

	// Of a run that another one started.
	parent   *book // nil: somebody outside did
	link     link
	path     string // as the reference names it
	depth    int
	detached bool      // nobody waits for its end
	left     time.Time // since when nobody does any more; zero: somebody does

	// Of runs that it started.
	callings map[place]*calling
	crowds   map[place]*crowd
	calls    int // of a run that somebody outside started: the runs below it
}

func (b *book) reset() {
	b.s, b.reading = b.m.New(b.id.String()), play.ReadAt(judge{b}, b.m, b.path)
	b.s.Inside = b.w.plan.Inside
	b.callings, b.crowds = map[place]*calling{}, map[place]*crowd{}
	b.reading.Blobs = b.w.payloads
	b.scheduled, b.keys, b.visits = map[place]bool{}, map[place]string{}, map[string]place{}
	b.open, b.trouble, b.heard = map[place]string{}, map[place]int{}, map[string]int{}
}

func (b *book) began() bool { return len(b.log) > 0 }
func (b *book) over() bool  { return b.s.Status.Over() }

// judge hears what a log contradicts (play.Judge).
type judge struct{ b *book }

type unreadable struct{}

// Errorf implements play.Judge.
func (j judge) Errorf(format string, args ...any) {
	j.b.w.accuse("reading", j.b.number, format, args...)
}

// Fatalf implements play.Judge.
func (j judge) Fatalf(format string, args ...any) {
	j.Errorf(format, args...)
	panic(unreadable{})
}

// committed takes in a turn that is on disk; the lock is held.
func (w *world) committed(s *server, t *runtime.Turn) {
	var order []*book
	from := map[*book]int{}
	for i := range t.New {
		if w.byRun[t.New[i].Run] == nil {
			w.child(&t.New[i])
		}
	}
	for _, row := range t.Events {
		b := w.byRun[row.Run]
		if b == nil {
			w.accuse("runs", -1, "run %s was never asked for", row.Run)
			return
		}
		if _, known := from[b]; !known {
			from[b] = len(b.log)
			order = append(order, b)
		}
		e, err := machine.Decode(row.Event)
		if err != nil {
			w.accuse("fold", b.number, "%v", err)
			return
		}
		b.log = append(b.log, e)
	}
	for _, r := range t.New {
		if b := w.byRun[r.Run]; b != nil {
			b.row = r.RunState
		}
	}
	for _, r := range t.Changed {
		w.byRun[r.Run].row = r.RunState
	}
	for _, b := range order {
		b.take(b.log[from[b]:])
		b.rowed()
		if b.over() {
			s.notices[b.id] = true
		}
	}
}

// rowed checks that the row says after every turn what the events say: it is
// all that the next owner looks at.
func (b *book) rowed() {
	if b.broken {
		return
	}
	last := b.log[len(b.log)-1].At
	if more, err := b.m.Settle(b.s, last); err != nil || len(more) > 0 { // no step here is so long that it pauses
		b.w.accuse("row", b.number, "event %d ends a turn, and %d more follow from it: %v", b.s.Seq, len(more), err)
		b.broken = true
		return
	}
	want, have := runtime.RowOf(b.m, b.s, last), b.row
	have.Seq = want.Seq // is not written for every event
	if have != want {
		b.w.accuse("row", b.number, "after event %d the row says %+v, the events say %+v", want.Seq, have, want)
	}
}

// take folds events and reads them as somebody would who knows nothing of the
// machine but the names of its events.
func (b *book) take(events []machine.Event) {
	if b.broken {
		return
	}
	defer func() {
		switch p := recover().(type) {
		case nil:
		case unreadable:
			b.broken = true
		default:
			b.broken = true
			b.w.accuse("reading", b.number, "the log cannot be read on: %v", p)
		}
	}()
	for _, e := range events {
		if b.over() {
			b.w.accuse("end", b.number, "event %d follows the end", e.Seq)
		}
		if err := b.m.Fold(b.s, e); err != nil {
			b.w.accuse("fold", b.number, "event %d: %v", e.Seq, err)
			panic(unreadable{})
		}
		b.reading.Read(e)
		b.note(e)
		b.noteChild(e)
	}
	for _, c := range b.m.Commands(b.s, events) {
		if k, is := c.(machine.Dispatch); is && k.Attempt == 1 {
			b.reading.Told(k)
		}
	}
}

// note keeps what other rules ask for.
func (b *book) note(e machine.Event) {
	if typ, _ := machine.Name(e.Fact); b.paused && (strings.HasSuffix(typ, "Scheduled") || typ == "WaitStarted" || typ == "ContainerStarted" || typ == "NodeCompleted") {
		b.w.accuse("pause", b.number, "event %d (%s) starts something while the run is paused", e.Seq, typ)
	}
	switch f := e.Fact.(type) {
	case *machine.RunStarted:
		if e.Seq != 1 {
			b.w.accuse("starts", b.number, "event %d starts the run again", e.Seq)
		}
	case *machine.RunPaused:
		b.paused, b.pausedAt = true, e.At
	case *machine.RunResumed:
		b.itemsHeld(e.At)
		b.paused = false
	case *machine.SignalReceived:
		if b.heard[f.ID]++; f.ID != "" && b.heard[f.ID] > 1 {
			b.w.accuse("signals", b.number, "the signal %s counted twice", f.ID)
		}
	case *machine.TaskScheduled:
		p := place{b.id.String(), f.Scope, f.Node, f.Visit, f.Attempt}
		if b.scheduled[p] {
			b.w.accuse("attempts", b.number, "attempt %d of visit %d of %s was scheduled twice", f.Attempt, f.Visit, f.Node)
		}
		b.scheduled[p] = true
	case *machine.TaskCompleted:
		b.sent(f.Scope, f.Node, f.Visit, f.Attempt, "", f)
	case *machine.TaskFailed:
		if !f.Late {
			b.sent(f.Scope, f.Node, f.Visit, f.Attempt, f.Error.Class, nil)
		}
	case *machine.WaitStarted:
		if f.For != "" {
			b.open[place{"", f.Scope, f.Node, f.Visit, 0}] = f.For
		}
	case *machine.WaitCompleted:
		delete(b.open, place{"", f.Scope, f.Node, f.Visit, 0})
	case *machine.VisitCanceled:
		delete(b.open, place{"", f.Scope, f.Node, f.Visit, 0})
	case *machine.AttentionNeeded:
		b.trouble[place{"", f.Scope, f.Node, f.Visit, 0}]++
	case *machine.AttentionResolved:
		delete(b.trouble, place{"", f.Scope, f.Node, f.Visit, 0})
	}
}

// sent compares a stored result with what the worker sent.
func (b *book) sent(scope int, node string, visit, attempt int, class string, done *machine.TaskCompleted) {
	o := b.outcomes(b.reading.Place(machine.Dispatch{Scope: scope, Node: node, Visit: visit, Attempt: attempt}))
	was := ""
	if o.Error != nil {
		was = o.Error.Class
	}
	if was != class {
		b.w.accuse("results", b.number, "attempt %d of visit %d of %s is stored as %q, its worker said %q", attempt, visit, node, class, was)
		return
	}
	if done == nil {
		return
	}
	raw := []byte(done.Output.Inline)
	if p := done.Output.Payload; p != nil {
		raw = b.w.payloads[p.Digest]
	}
	if len(raw) == 0 {
		b.w.accuse("results", b.number, "the output of visit %d of %s is not stored", visit, node)
		return
	}
	if got, want := play.Text(play.Parse(raw)), play.Text(o.Output); got != want {
		b.w.accuse("results", b.number, "the output of visit %d of %s is stored as %.80s, its worker sent %.80s", visit, node, got, want)
	}
}

// outcome is what a task gives.
func (b *book) outcome(t task.Task) reference.Outcome {
	return b.outcomes(b.reading.Place(machine.Dispatch{Scope: t.Scope, Node: t.Node, Visit: t.Visit, Attempt: t.Attempt}))
}

// dispatched checks a task that an engine hands out; the lock is held.
func (w *world) dispatched(t task.Task) {
	b := w.byRun[uuid.MustParse(t.Run)]
	p := placeOf(t)
	if b == nil || !b.scheduled[p] {
		w.accuse("effects", -1, "attempt %d of visit %d of %s was handed out before it was on disk", t.Attempt, t.Visit, t.Node)
		return
	}
	of := p
	of.attempt = 0
	if key, known := b.keys[of]; known && key != t.Key {
		w.accuse("keys", b.number, "visit %d of %s has the key %q, and had %q", t.Visit, t.Node, t.Key, key)
	}
	if other, taken := b.visits[t.Key]; taken && other != of {
		w.accuse("keys", b.number, "visit %d of %s and visit %d of %s have the same key", t.Visit, t.Node, other.visit, other.node)
	}
	b.keys[of], b.visits[t.Key] = t.Key, of
}

// mustBeOver checks that a result that an engine calls settled is on disk, or
// is not wanted; the lock is held.
func (w *world) mustBeOver(p place) {
	b := w.byRun[uuid.MustParse(p.run)]
	for _, c := range b.m.Pending(b.s) {
		if k, is := c.(machine.Dispatch); is && (place{p.run, k.Scope, k.Node, k.Visit, k.Attempt}) == p {
			w.accuse("acknowledged", b.number, "the result of attempt %d of visit %d of %s was acknowledged and is not on disk", p.attempt, p.visit, p.node)
		}
	}
}

// traced checks that nobody is shown what is not on disk; the lock is held.
func (w *world) traced(run uuid.UUID, briefs []byte) {
	var list []struct{ Seq int }
	b := w.byRun[run]
	if err := json.Unmarshal(briefs, &list); err != nil || b == nil {
		w.accuse("traces", -1, "a trace cannot be read: %v", err)
		return
	}
	for _, e := range list {
		if e.Seq > len(b.log) {
			w.accuse("traces", b.number, "event %d was shown and is not on disk", e.Seq)
		}
	}
}

// wanted lists what a run waits for that only somebody outside can give.
func (b *book) wanted() (list []machine.Input) {
	b.w.mu.Lock()
	defer b.w.mu.Unlock()
	if !b.began() || b.over() {
		return nil
	}
	_, unwanted := b.unwanted() // nobody comes for one that is to end
	if b.s.Paused() {
		if b.isItem() || unwanted || b.w.now().Sub(b.pausedAt) < pauseMin { // it goes on with its map, or later
			return nil
		}
		return []machine.Input{machine.Resume{By: "Ada"}}
	}
	for _, p := range sorted(b.open) {
		if unwanted {
			break
		}
		if b.open[p] == machine.ForSignal {
			list = append(list, machine.Signal{Name: "go", ID: fmt.Sprintf("%s/%d/%d@%d", p.node, p.scope, p.visit, b.w.order), Value: json.RawMessage(`{"r":2}`)})
		} else {
			list = append(list, machine.Decide{Scope: p.scope, Node: p.node, Visit: p.visit, Port: "success", Value: json.RawMessage(`{"r":3}`)})
		}
	}
	for _, p := range sorted(b.trouble) {
		what := machine.ActionComplete
		if len(b.log)%2 == 0 {
			what = machine.ActionRetry
		}
		if b.w.now().Sub(b.w.began) > b.w.plan.Horizon+patience/2 {
			what = machine.ActionSkip
		}
		list = append(list, machine.Resolve{Scope: p.scope, Node: p.node, Visit: p.visit, Action: what, By: "Ada"})
	}
	return list
}

// stuck says what is known of a run that does not end.
func (b *book) stuck() string {
	last := "it never began"
	if n := len(b.log); n > 0 {
		typ, node := machine.Name(b.log[n-1].Fact)
		last = fmt.Sprintf("its last event is %d (%s %s) at %s", n, typ, node, b.log[n-1].At.Sub(b.w.began))
	}
	return fmt.Sprintf("nothing failed for %s, and the run goes on: %s; owed %v, wakes at %s", patience, last, b.s.Owed(), b.m.WakeAt(b.s).Format(time.RFC3339Nano))
}
