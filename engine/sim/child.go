package sim

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"signalbox/engine/event"
	"signalbox/engine/machine"
	"signalbox/engine/reference/play"
	"signalbox/engine/runtime"
)

// How long after the end of the faults, or of a run that waited, nothing may
// begin any more in what it had started.
const (
	graceQuiet = 10 * time.Second // no process, no store and no line between servers ever failed
	graceRough = time.Minute      // leases end, processes start again, questions are asked again
	pauseMin   = graceQuiet + 2*time.Second
)

// link names what a run was started for, as its key says it.
type link struct {
	parent  string
	at      place // the visit in the parent
	attempt int   // of a map
	index   int   // of an item; -1: a call
}

// linkOf reads the key of a call, run/node/visit, and /scope of a body; that of
// an item has ~attempt.index behind it.
func linkOf(key string) (l link, ok bool) {
	l.index = -1
	key, item, isItem := strings.Cut(key, "~")
	parts := strings.Split(key, "/")
	if len(parts) < 3 {
		return l, false
	}
	numbers := append(append([]string{}, parts[2:]...), "0")
	l.parent, l.at.node = parts[0], parts[1]
	l.at.visit, _ = strconv.Atoi(numbers[0])
	l.at.scope, _ = strconv.Atoi(numbers[1])
	if isItem {
		attempt, index, _ := strings.Cut(item, ".")
		l.attempt, _ = strconv.Atoi(attempt)
		l.index, _ = strconv.Atoi(index)
	}
	return l, true
}

// calling is a visit that is another run.
type calling struct {
	detached bool
	child    *book
	over     bool // the visit has ended
}

// crowd is a visit whose items are runs.
type crowd struct {
	attempt int
	open    map[int]bool
	items   map[int]*book // of this attempt, by index
	started map[int]bool
}

// child makes the book of a run that another one started; the lock is held.
func (w *world) child(row *runtime.NewRun) *book {
	var says struct {
		Parent string `json:"parent"`
		Depth  int    `json:"depth"`
		Call   string `json:"call"`
	}
	if row.Source != "call" || json.Unmarshal(row.Attributes, &says) != nil {
		return nil
	}
	key := cmp.Or(says.Call, w.claims[row.Run])
	l, ok := linkOf(key)
	parent := w.byName[l.parent]
	if !ok || parent == nil || says.Parent != l.parent {
		return nil
	}
	b := &book{
		w: w, number: len(w.books), id: row.Run, parent: parent, link: l, depth: parent.depth + 1, detached: says.Call == "",
		drawing: parent.drawing, g: parent.g, m: parent.m, version: parent.version, outcomes: parent.outcomes, meddled: parent.meddled,
	}
	root := b.root()
	path := parent.reading.Path(l.at.scope, l.at.node, l.at.visit) + "()"
	if l.index < 0 {
		for _, o := range w.others {
			if o.version == row.Version {
				b.g, b.m, b.version, b.drawing = o.g, o.m, o.version, o.drawing
			}
		}
		w.called(b)
	} else {
		path = parent.reading.Item(l.at.scope, l.at.node, l.at.visit, l.index)
		w.itemBegan(b)
	}
	if b.version != row.Version || says.Depth != b.depth {
		w.accuse("calls", b.number, "run %s was started with version %s at depth %d, and not with version %s at depth %d", key, row.Version, says.Depth, b.version, b.depth)
	}
	b.path = path
	b.reset()
	w.add(b)
	root.calls++
	w.born = append(w.born, b)
	return b
}

func (b *book) root() *book {
	for b.parent != nil {
		b = b.parent
	}
	return b
}

// called checks a run against the call that it is to be.
func (w *world) called(b *book) {
	c := b.parent.callings[b.link.at]
	switch {
	case c == nil:
		w.accuse("calls", b.parent.number, "visit %d of %s was started before its call was on disk", b.link.at.visit, b.link.at.node)
		return
	case c.child != nil:
		w.accuse("calls", b.parent.number, "visit %d of %s is a second run", b.link.at.visit, b.link.at.node)
	case c.detached != b.detached:
		w.accuse("calls", b.parent.number, "visit %d of %s says detached: %t, and its run %t", b.link.at.visit, b.link.at.node, c.detached, b.detached)
	}
	c.child = b
}

// itemBegan checks a run against the item that it is to be, and that no more of
// them go on than may.
func (w *world) itemBegan(b *book) {
	l := b.link
	c := b.parent.crowds[l.at]
	if c == nil || l.attempt > c.attempt || l.attempt == c.attempt && !c.started[l.index] {
		w.accuse("items", b.parent.number, "item %d of %s was started before it was on disk", l.index, l.at.node)
		return
	}
	if l.attempt < c.attempt {
		return // the map began anew meanwhile: it is ended at once
	}
	if c.items[l.index] != nil {
		w.accuse("items", b.parent.number, "item %d of %s is a second run", l.index, l.at.node)
	}
	c.items[l.index] = b
	going := 0
	for _, o := range c.items {
		if o == b || !o.over() {
			going++
		}
	}
	if most := b.parent.concurrency(l.at.node); going > most {
		w.accuse("items", b.parent.number, "%d items of %s go on at once, of %d", going, l.at.node, most)
	}
}

// concurrency is what the drawing says of a map.
func (b *book) concurrency(node string) int {
	var c struct{ Concurrency int }
	_ = json.Unmarshal(b.g.Node("id-"+node).Config, &c) // the compiler read it
	return c.Concurrency
}

// isItem reports whether the run is an item of a map.
func (b *book) isItem() bool { return b.parent != nil && b.link.index >= 0 }

// unwanted reports whether whoever started a run does not wait for it any more.
func (b *book) unwanted() (since time.Time, is bool) {
	if b.parent == nil || b.detached {
		return since, false
	}
	return b.left, !b.left.IsZero()
}

// leave notes that nobody waits any more for a run that was started.
func (b *book) leave(at time.Time) {
	if b != nil && b.left.IsZero() && !b.over() {
		b.left = at
	}
}

// leaveAll does so for all that a run waited for.
func (b *book) leaveAll(at time.Time) {
	for _, c := range b.callings {
		if !c.detached {
			c.child.leave(at)
		}
	}
	for _, c := range b.crowds {
		for _, o := range c.items {
			o.leave(at)
		}
	}
}

// noteChild keeps what a log says of runs that it started, and compares.
func (b *book) noteChild(e machine.Event) {
	at := func(scope int, node string, visit int) place { return place{"", scope, node, visit, 0} }
	switch f := e.Fact.(type) {
	case *machine.CallStarted:
		b.callings[at(f.Scope, f.Node, f.Visit)] = &calling{detached: f.Detached}
	case *machine.CallAnswered:
		if c := b.callings[at(f.Scope, f.Node, f.Visit)]; c == nil || c.child == nil || c.child.id.String() != f.Child {
			b.w.accuse("calls", b.number, "visit %d of %s waits for run %s, which was not started for it", f.Visit, f.Node, f.Child)
		}
	case *machine.WaitCompleted:
		if c := b.callings[at(f.Scope, f.Node, f.Visit)]; c != nil {
			b.callOver(c, f.Node, f.Visit, f.Output, nil)
		}
	case *machine.NodeFailed:
		if c := b.callings[at(f.Scope, f.Node, f.Visit)]; c != nil {
			b.callOver(c, f.Node, f.Visit, event.Value{}, &f.Error)
		}
	case *machine.VisitCanceled:
		p := at(f.Scope, f.Node, f.Visit)
		if c := b.callings[p]; c != nil && !c.detached {
			c.child.leave(e.At)
			c.over = true
		}
		if c := b.crowds[p]; c != nil {
			for _, o := range c.items {
				o.leave(e.At)
			}
		}
	case *machine.RunSucceeded, *machine.RunFailed, *machine.RunCanceled, *machine.RunCompensated:
		b.leaveAll(e.At)
	default:
		b.noteItems(e)
	}
	if since, is := b.unwanted(); is && begins(e.Fact) {
		from := since
		grace := graceQuiet
		if b.w.plan.rough() {
			grace = graceRough
			if horizon := b.w.began.Add(b.w.plan.Horizon); from.Before(horizon) {
				from = horizon
			}
		}
		if b.w.now().Sub(from) > grace {
			typ, node := machine.Name(e.Fact)
			b.w.accuse("orphans", b.number, "event %d (%s %s) begins something, and since %s nobody waits for the run", e.Seq, typ, node, since.Sub(b.w.began))
		}
	}
}

// begins reports whether a fact begins something new, and undoes nothing.
func begins(f machine.Fact) bool {
	switch f := f.(type) {
	case *machine.TaskScheduled:
		return f.Undoes == nil && f.Attempt == 1
	case *machine.NodeCompleted, *machine.WaitStarted, *machine.CallStarted, *machine.ContainerStarted:
		return true
	}
	return false
}

// callOver compares what a log says of a call with what became of its run.
func (b *book) callOver(c *calling, node string, visit int, output event.Value, failure *event.Error) {
	switch {
	case c.over:
		b.w.accuse("calls", b.number, "visit %d of %s ends twice", visit, node)
	case c.child == nil:
		b.w.accuse("calls", b.number, "visit %d of %s ended without a run", visit, node)
	case c.detached:
		if failure != nil {
			b.w.accuse("calls", b.number, "visit %d of %s does not wait, and failed: %s", visit, node, failure.Message)
		}
	default:
		b.sameEnd(c.child, node, visit, b.value(output), failure)
	}
	c.over = true
}

// sameEnd checks that what a run is told of another one is how that ended.
func (b *book) sameEnd(child *book, node string, visit int, output json.RawMessage, failure *event.Error) {
	switch {
	case !child.over():
		b.w.accuse("calls", b.number, "visit %d of %s ended before its run did", visit, node)
	case child.broken:
	case (failure == nil) != (child.s.Status == machine.StatusSucceeded):
		b.w.accuse("calls", b.number, "visit %d of %s took its run for %v, and it is %s", visit, node, failure, child.s.Status)
	case failure != nil && child.s.Failure != nil && failure.Class != child.s.Failure.Class:
		b.w.accuse("calls", b.number, "visit %d of %s failed with %s, and its run with %s", visit, node, failure.Class, child.s.Failure.Class)
	case failure == nil && !sameJSON(output, json.RawMessage(child.result())):
		b.w.accuse("calls", b.number, "visit %d of %s gave %.80s, and its run %.80s", visit, node, output, child.result())
	}
}

func sameJSON(a, b json.RawMessage) bool {
	return len(a) > 0 && len(b) > 0 && play.Text(play.Parse(a)) == play.Text(play.Parse(b))
}

func (b *book) value(v event.Value) json.RawMessage {
	if v.Payload != nil {
		return b.w.payloads[v.Payload.Digest]
	}
	return json.RawMessage(v.Inline)
}

// noteItems does so for items that are runs.
func (b *book) noteItems(e machine.Event) {
	switch f := e.Fact.(type) {
	case *machine.ItemsStarted:
		b.itemsStarted(f)
	case *machine.ItemsEnded:
		b.itemsEnded(f)
	case *machine.ItemFailed:
		p := place{"", f.Scope, f.Node, f.Visit, 0}
		c := b.crowds[p]
		if o := c.items[f.Index]; o != nil {
			b.sameEnd(o, f.Node, f.Visit, nil, &f.Error)
		} else {
			b.w.accuse("items", b.number, "item %d of %s ended without a run", f.Index, f.Node)
		}
		delete(c.open, f.Index)
		if !f.RetryAt.IsZero() {
			b.crowds[p] = newCrowd(c.attempt + 1)
		}
	case *machine.ItemsCanceled:
		c := b.crowds[place{"", f.Scope, f.Node, f.Visit, 0}]
		for _, i := range list(f.Items) {
			delete(c.open, i)
			c.items[i].leave(e.At)
		}
	case *machine.ContainerCompleted:
		if c := b.crowds[place{"", f.Scope, f.Node, f.Visit, 0}]; c != nil && len(c.open) > 0 {
			b.w.accuse("items", b.number, "%s is over, and %d of its items are not", f.Node, len(c.open))
		}
	}
}

// itemsHeld checks, when a run goes on that was paused for long, that its items
// were paused as well.
func (b *book) itemsHeld(at time.Time) {
	if b.w.plan.rough() || at.Sub(b.pausedAt) < graceQuiet {
		return
	}
	for p, c := range b.crowds {
		for i, o := range c.items {
			if o.began() && !o.over() && !o.pausedAt.After(b.pausedAt) && o.log[0].At.Before(b.pausedAt) {
				b.w.accuse("holds", b.number, "item %d of %s goes on while its map is paused", i, p.node)
			}
		}
	}
}

func newCrowd(attempt int) *crowd {
	return &crowd{attempt: attempt, open: map[int]bool{}, items: map[int]*book{}, started: map[int]bool{}}
}

func list(e machine.Edges) []int {
	l, err := e.List()
	if err != nil {
		panic(err) // take hears it
	}
	return l
}

func (b *book) itemsStarted(f *machine.ItemsStarted) {
	p := place{"", f.Scope, f.Node, f.Visit, 0}
	c := b.crowds[p]
	if c == nil {
		c = newCrowd(1)
		b.crowds[p] = c
	}
	for i := range f.Count {
		if c.started[f.From+i] {
			b.w.accuse("items", b.number, "item %d of %s is opened twice", f.From+i, f.Node)
		}
		c.open[f.From+i], c.started[f.From+i] = true, true
	}
	if most := b.concurrency(f.Node); len(c.open) > most {
		b.w.accuse("items", b.number, "%d items of %s are open at once, of %d", len(c.open), f.Node, most)
	}
}

func (b *book) itemsEnded(f *machine.ItemsEnded) {
	c := b.crowds[place{"", f.Scope, f.Node, f.Visit, 0}]
	values := map[string]json.RawMessage{}
	if !f.Results.IsZero() {
		if err := json.Unmarshal(b.value(f.Results), &values); err != nil {
			b.w.accuse("items", b.number, "the results of items of %s cannot be read: %v", f.Node, err)
		}
	}
	failed := map[int]bool{}
	for _, i := range list(f.Failed) {
		failed[i] = true
	}
	for _, i := range list(f.Items) {
		delete(c.open, i)
		o := c.items[i]
		if o == nil {
			b.w.accuse("items", b.number, "item %d of %s ended without a run", i, f.Node)
			continue
		}
		if !failed[i] {
			b.sameEnd(o, f.Node, f.Visit, values[strconv.Itoa(i)], nil)
		} else if !o.over() || o.s.Status == machine.StatusSucceeded {
			b.w.accuse("items", b.number, "item %d of %s counts as failed, and its run is %s", i, f.Node, o.s.Status)
		}
	}
}
