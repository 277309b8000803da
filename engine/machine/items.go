package machine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"signalbox/engine/event"
	"signalbox/engine/expr"
	"signalbox/engine/mutant"
)

// The items of a large map are runs of their own (ADR 0023). Of them the map's
// run knows which are open, which have a result, and where the results are.

// Limits of items that are runs.
const (
	ItemRunsMax    = 1_000_000 // items of one map
	ItemResultsMax = 64 << 20  // bytes of all results of one map
	ItemBatchMax   = 256       // items whose end one input tells
	resultsInline  = 1_000     // bytes of a batch's results that are written into its event
)

// Item says of which item of a map a run is.
type Item struct {
	Index  int         `json:"index"`
	Around event.Value `json:"around"` // what the body sees of the outside
}

// crowd is what a map keeps of items that are runs.
type crowd struct {
	items  event.Value
	around event.Value
	open   []openItem // by index
	kept   bits       // items that have a result
	parts  []event.Value
	bytes  int // of the parts
}

// openItem is an item whose run goes on.
type openItem struct {
	index int
	at    time.Time // of the event that opened it
}

func (w *crowd) find(index int) (int, bool) {
	return slices.BinarySearchFunc(w.open, index, func(o openItem, index int) int { return o.index - index })
}

func newCrowd(items, around event.Value, count int) *crowd {
	return &crowd{items: items, around: around, kept: newBits(count)}
}

// inside is how many items of a map are done inside its run.
func (s *Snapshot) inside() int {
	if s.Inside > 0 {
		return s.Inside
	}
	return ItemsMax
}

// startItems says how a map's items are done.
func (st *step) startItems(f *ContainerStarted, raw json.RawMessage, count int, sc *view) error {
	f.Count = count
	if count <= st.s.inside() {
		f.Items = st.value(raw)
		return nil
	}
	if count > ItemRunsMax {
		return &expr.Failure{Class: "limit", Message: fmt.Sprintf("a map takes %d items at most, these are %d; split them before", ItemRunsMax, count)}
	}
	if why := st.staysInside(sc.node); why != "" {
		return &expr.Failure{Class: "limit", Message: fmt.Sprintf("these are %d items; above %d each would be a run of its own, which cannot be: %s", count, st.s.inside(), why)}
	}
	around, err := st.outside(sc)
	if err != nil {
		return err
	}
	f.Runs, f.Items, f.Around = true, st.stored(raw), st.stored(around)
	return nil
}

// stored makes an event's value that no expression of this run reads.
func (st *step) stored(raw json.RawMessage) event.Value {
	v := event.Value{Inline: raw}
	if len(raw) > resultsInline {
		var large []byte
		v, large = event.Apart(raw)
		st.s.fresh[v.Payload.Digest] = large
	}
	return v
}

// staysInside says why the items of a map cannot be runs of their own.
func (st *step) staysInside(node int) string {
	r := st.s.rig
	for i := range st.m.Nodes {
		n := &st.m.Nodes[i]
		if i == node || !st.m.standsUnder(i, node) {
			continue
		}
		switch {
		case n.Undo > 0:
			return n.Key + " can be undone, and only its own run could do that"
		case n.Op == OpRespond:
			return n.Key + " answers whoever started this run"
		case n.Op == OpSignal, n.Op == OpChart:
			return n.Key + " takes messages that are sent to this run"
		case r != nil && (r.step || r.breaks.has(i) || r.stop == i+1 || r.pin(i) != nil):
			return "this test run holds, stops or has an output pinned at " + n.Key
		}
	}
	return ""
}

// standsUnder reports whether a node stands in a container, at any depth.
func (m *Machine) standsUnder(node, container int) bool {
	for at := node; at >= 0; at = m.Nodes[at].In - 1 {
		if at == container {
			return true
		}
	}
	return false
}

// outsideView is what the body of a map sees of what is around it.
type outsideView struct {
	Run     json.RawMessage            `json:"run"`
	Trigger json.RawMessage            `json:"trigger,omitempty"`
	Nodes   map[string]json.RawMessage `json:"nodes,omitempty"`
}

// outside puts together what the items of a map see of the outside.
func (st *step) outside(sc *view) (json.RawMessage, error) {
	o := outsideView{Nodes: map[string]json.RawMessage{}}
	run, _ := sc.Lookup("run")
	var err error
	if o.Run, err = json.Marshal(run); err != nil {
		return nil, fmt.Errorf("write what a body sees: %w", err)
	}
	for i := range st.m.Nodes {
		if i == sc.node || !st.m.standsUnder(i, sc.node) {
			continue
		}
		l := &st.m.links[i]
		if l.trigger && o.Trigger == nil {
			if o.Trigger, err = expr.Marshal(sc.trigger()); err != nil {
				return nil, err
			}
		}
		for _, key := range l.refs {
			b := st.m.outputAround(sc.c, key)
			if b == nil || o.Nodes[key] != nil {
				continue
			}
			if o.Nodes[key], err = b.raw(); err != nil {
				return nil, err
			}
		}
		if err := st.further(&o, sc, l); err != nil {
			return nil, err
		}
	}
	if sc.err != nil {
		return nil, sc.err
	}
	raw, err := json.Marshal(o)
	if err != nil {
		return nil, fmt.Errorf("write what a body sees: %w", err)
	}
	return raw, nil
}

// further hands on what an item's run itself only knows from outside.
func (st *step) further(o *outsideView, sc *view, l *link) error {
	for key, v := range sc.beyond().nodes() {
		if !slices.Contains(l.refs, key) || o.Nodes[key] != nil {
			continue
		}
		raw, err := expr.Marshal(v)
		if err != nil {
			return err
		}
		o.Nodes[key] = raw
	}
	return nil
}

// outputAround is what a node gave last, in a scope or those around it.
func (m *Machine) outputAround(c *scope, key string) *box {
	n := m.Index(key)
	for ; n >= 0 && c != nil; c = c.up {
		if m.Nodes[n].In == c.body && c.outputs[m.local[n]].seq > 0 {
			return c.outputs[m.local[n]].box
		}
	}
	return nil
}

// advanceItems opens the next items of a map whose items are runs. The map is
// over when their results are put together.
func (st *step) advanceItems(c *scope, v *visit) (bool, error) {
	p := v.body
	free := st.m.links[v.node].box.Concurrency - len(p.crowd.open)
	if mutant.On(mutant.ItemsTooWide) {
		free++
	}
	if p.next < p.count && free > 0 {
		return true, st.openItems(c.id, v, min(free, p.count-p.next))
	}
	if p.gathers() && len(p.crowd.parts) == 0 {
		return true, st.emit(st.itemsCompleted(c.id, v, event.Value{Inline: json.RawMessage("[]")}))
	}
	return false, nil
}

// gathers reports whether every item is over.
func (p *progress) gathers() bool {
	return p.crowd != nil && p.next == p.count && len(p.crowd.open) == 0
}

func (st *step) openItems(scope int, v *visit, count int) error {
	return st.emit(&ItemsStarted{Node: st.m.Nodes[v.node].Key, Scope: scope, Visit: v.number, From: v.body.next, Count: count})
}

func (st *step) itemsCompleted(scope int, v *visit, list event.Value) Fact {
	return &ContainerCompleted{
		Node: st.m.Nodes[v.node].Key, Scope: scope, Visit: v.number, Port: PortSuccess,
		Bodies: v.body.next, Failed: v.body.failed, Output: list,
	}
}

// crowdOf finds the map that an input about its items speaks of; nil: it is over,
// or began anew.
func (st *step) crowdOf(scope int, node string, number, attempt int) *visit {
	if !st.s.alive() {
		return nil
	}
	v := st.m.live(st.s, scope, node, number)
	if v == nil || v.body == nil || v.body.crowd == nil || v.attempt != attempt || v.state != visitOpen {
		return nil
	}
	return v
}

// itemsOver takes the ends of items. One that the map does not keep ends it;
// what came before is kept.
func (st *step) itemsOver(in ItemsOver) error {
	v := st.crowdOf(in.Scope, in.Node, in.Visit, in.Attempt)
	if v == nil {
		return nil
	}
	box := &st.m.links[v.node].box
	f := &ItemsEnded{Node: in.Node, Scope: in.Scope, Visit: in.Visit}
	b := batch{values: map[int]json.RawMessage{}}
	for _, end := range in.Ends {
		if _, open := v.body.crowd.find(end.Index); !open || slices.Contains(b.items, end.Index) {
			continue
		}
		switch {
		case end.Error == nil:
			b.values[end.Index] = orNull(end.Output)
		case box.OnItemError != "stop" && (box.MaxFailures == 0 || v.body.failed+len(b.failed) < box.MaxFailures):
			b.failed, f.Kept = append(b.failed, end.Index), box.OnItemError
			if f.Kept == "collect" {
				b.values[end.Index] = boxError(*end.Error).value.Inline
			}
		default:
			if err := st.itemsEnded(f, &b); err != nil {
				return err
			}
			return st.itemFails(in, end)
		}
		b.items = append(b.items, end.Index)
	}
	if err := st.itemsEnded(f, &b); err != nil {
		return err
	}
	if v.body.crowd.bytes > ItemResultsMax {
		err := event.Error{Class: "limit", Node: in.Node, Attempts: v.attempt, Message: fmt.Sprintf("the results of the items are larger than %d bytes together", ItemResultsMax)}
		return st.containerFails(st.s.scope(in.Scope), v, err)
	}
	return nil
}

// batch is what is kept of ends that came together.
type batch struct {
	items, failed []int
	values        map[int]json.RawMessage
}

func (st *step) itemsEnded(f *ItemsEnded, b *batch) error {
	if len(b.items) == 0 {
		return nil
	}
	slices.Sort(b.items)
	slices.Sort(b.failed)
	f.Items, f.Failed = MakeEdges(b.items), MakeEdges(b.failed)
	if len(b.values) > 0 {
		f.Results = st.stored(b.raw())
	}
	return st.emit(f)
}

// raw is the object of the results, by item.
func (b *batch) raw() json.RawMessage {
	var out bytes.Buffer
	for _, i := range b.items {
		value, there := b.values[i]
		if !there {
			continue
		}
		sep := byte(',')
		if out.Len() == 0 {
			sep = '{'
		}
		out.WriteByte(sep)
		out.WriteString(strconv.Quote(strconv.Itoa(i)))
		out.WriteByte(':')
		out.Write(value)
	}
	out.WriteByte('}')
	return out.Bytes()
}

// itemFails ends a map by the failure of an item, or lets it begin anew.
func (st *step) itemFails(in ItemsOver, end ItemEnd) error {
	c := st.s.scope(in.Scope)
	v := &c.visits[c.find(st.m.Index(in.Node), in.Visit)]
	err := *end.Error
	err.Class, err.Message = clip(err.Class, 60), clip(err.Message, 2_000)
	f := &ItemFailed{Node: in.Node, Scope: in.Scope, Visit: in.Visit, Index: end.Index, Error: err}
	f.RetryAt = st.retryAt(v, Fail{Scope: in.Scope, Node: in.Node, Visit: in.Visit, Attempt: v.attempt, Error: err})
	if !f.RetryAt.IsZero() {
		if e := st.cancelItems(c, v, "the container begins anew", end.Index); e != nil {
			return e
		}
		return st.emit(f)
	}
	if e := st.emit(f); e != nil {
		return e
	}
	return st.containerFails(c, &c.visits[c.find(st.m.Index(in.Node), in.Visit)], err)
}

// gathered ends a map whose results are put together.
func (st *step) gathered(in Gathered) error {
	v := st.crowdOf(in.Scope, in.Node, in.Visit, in.Attempt)
	if v == nil || !v.body.gathers() {
		return nil
	}
	if in.Error != nil {
		return st.containerFails(st.s.scope(in.Scope), v, tidy(*in.Error, in.Node, v.attempt))
	}
	list := event.Value{Payload: in.Ref}
	if in.Ref == nil {
		list = st.value(in.List)
	}
	return st.emit(st.itemsCompleted(in.Scope, v, list))
}

// cancelItems ends the items of a map that are open, but for one.
func (st *step) cancelItems(c *scope, v *visit, reason string, but int) error {
	if v.body == nil || v.body.crowd == nil {
		return nil
	}
	var list []int
	for _, o := range v.body.crowd.open {
		if o.index != but {
			list = append(list, o.index)
		}
	}
	if len(list) == 0 {
		return nil
	}
	return st.emit(&ItemsCanceled{Node: st.m.Nodes[v.node].Key, Scope: c.id, Visit: v.number, Attempt: v.attempt, Items: MakeEdges(list), Reason: reason})
}

// cancelItemsUnder ends the items of all maps in a scope and in those within.
func (st *step) cancelItemsUnder(c *scope, reason string) error {
	for _, o := range st.s.scopes {
		if !o.within(c) {
			continue
		}
		for i := range o.visits {
			if err := st.cancelItems(o, &o.visits[i], reason, -1); err != nil {
				return err
			}
		}
	}
	return nil
}

// owed reports whether items are open, or their results are to be put together.
func (p *progress) owed() bool {
	return p.crowd != nil && (len(p.crowd.open) > 0 || p.gathers() && len(p.crowd.parts) > 0)
}

// itemCommands lists what follows from an event about items.
func (m *Machine) itemCommands(s *Snapshot, f Fact, list []Command) []Command {
	switch f := f.(type) {
	case *ItemsStarted:
		if v := m.live(s, f.Scope, f.Node, f.Visit); v != nil && v.state == visitOpen {
			list = m.itemsOwed(s, f.Scope, v, f.From, list)
		}
	case *ItemsEnded:
		if v := m.live(s, f.Scope, f.Node, f.Visit); v != nil && v.state == visitOpen && v.body.gathers() {
			list = m.itemsOwed(s, f.Scope, v, 0, list)
		}
	case *ItemsCanceled:
		items, _ := f.Items.List() // it was folded
		list = append(list, CancelItems{f.Scope, f.Node, f.Visit, f.Attempt, items})
	case *RunPaused, *RunResumed:
		held := false
		s.eachVisit(func(_ int, v *visit) bool {
			held = v.body != nil && v.body.crowd != nil && len(v.body.crowd.open) > 0
			return !held
		})
		if held {
			list = append(list, HoldItems{s.paused})
		}
	}
	return list
}

// itemsOwed lists what a map still wants of the outside, from an item on.
func (m *Machine) itemsOwed(s *Snapshot, scope int, v *visit, from int, list []Command) []Command {
	if v.body == nil || !v.body.owed() {
		return list
	}
	w := v.body.crowd
	node := m.Nodes[v.node].Key
	if len(w.open) == 0 {
		return append(list, Gather{scope, node, v.number, v.attempt, &ItemParts{v.body.count, slices.Clone(w.parts), slices.Clone(w.kept)}})
	}
	key := m.idempotency(s, scope, v) + "~" + strconv.Itoa(v.attempt)
	first, _ := w.find(from)
	for _, o := range w.open[first:] {
		list = append(list, StartItem{
			Scope: scope, Node: node, Visit: v.number, Attempt: v.attempt, Index: o.index, Key: key + "." + strconv.Itoa(o.index),
			At: o.at, Items: w.items, Around: w.around, Paused: s.paused, Rig: s.rig.called(),
		})
	}
	return list
}
