package reference

import (
	"fmt"
	"slices"

	"signalbox/engine/graph"
)

// Workflow is another drawing that can be called by its name.
type Workflow struct {
	Drawing graph.Graph
	Trigger string // key
}

// named is how a visit is written in paths.
func (v *visit) named() string {
	name := fmt.Sprintf("%s#%d", v.node.Key, v.number)
	if v.scope.path == "" {
		return name
	}
	return v.scope.path + "/" + name
}

// call runs another workflow as a run of its own. One that is not waited for
// goes on by itself, and the node goes on at once.
func (w *world) call(v *visit, config map[string]any) {
	name, _ := config["workflow"].(string)
	callee, known := w.stage.calls[name]
	if !known {
		w.failed(v, invalid("there is no such workflow"))
		return
	}
	c := &world{
		drawing: read(callee.Drawing), detached: config["wait"] == false,
		start: Start{Trigger: callee.Trigger, Input: given(config, "input", v.input), Inside: w.start.Inside},
	}
	w.child(v, v.named()+"()", c)
}

// launch starts the run.
func (w *world) launch() {
	w.start.At = w.stage.now
	if w.item != nil {
		w.openItem()
		return
	}
	trigger, err := w.drawing.check(w.start.Trigger)
	if err != nil {
		panic("reference: " + err.Error())
	}
	w.openRun(trigger)
	if w.detached && !w.parent.over && slices.Contains(w.caller.scope.live, w.caller) {
		w.parent.complete(w.caller, []string{"success"}, map[string]any{"run": w.path})
		w.parent.settle()
	}
}

// childEnded takes what a run gave that a visit waits for.
func (w *world) childEnded(v *visit, c *world) {
	if !slices.Contains(v.scope.live, v) {
		return
	}
	v.children = slices.DeleteFunc(v.children, func(o *world) bool { return o == c })
	failure := c.report.Error
	switch {
	case c.item != nil && c.report.Status == StatusSucceeded:
		w.bodySucceeded(&scope{of: v, index: c.item.index}, c.report.Result)
	case c.item != nil:
		w.bodyFailed(&scope{of: v, index: c.item.index}, failure)
	case c.report.Status == StatusSucceeded:
		w.complete(v, []string{"success"}, c.report.Result)
	default:
		w.failed(v, &Error{Class: failure.Class, Message: failure.Message})
	}
}

// itemsInside is how many items of a map are scopes of its run. When there are
// more, each is a run of its own.
const itemsInside = 10_000

// item is what a run knows that is an item of a map.
type item struct {
	of      *visit // of the map, in the other run
	index   int
	value   any
	outside map[string]any // what the nodes around the map had given when it began
}

// crowded decides how the items of a map are done; an error says why they
// cannot be what they would have to be.
func (w *world) crowded(v *visit) *Error {
	most := w.start.Inside
	if most == 0 {
		most = itemsInside
	}
	if len(v.body.items) <= most {
		return nil
	}
	for _, n := range w.drawing.g.Nodes {
		_, undone := w.drawing.compensation(n.ID)
		inside := false
		for up := n.In; up != ""; up = w.drawing.node(up).In {
			inside = inside || up == v.node.ID
		}
		if inside && (undone || !n.Disabled && (n.Kind == "respond" || n.Kind == "signal")) {
			return &Error{Class: "limit", Message: "the items must be in one run, and are too many for that"}
		}
	}
	v.body.runs = true
	v.body.outside = environment{w: w, v: v}.nodes()
	return nil
}

// crowd starts the runs of the next items, as many as may be open at once, and
// ends the visit after the last one.
func (w *world) crowd(v *visit) {
	b := v.body
	for b.next < len(b.items) && len(v.children) < whole(b.config["concurrency"]) {
		path := fmt.Sprintf("%s[%d]", v.named(), b.next)
		b.opened[b.next]++
		if n := b.opened[b.next]; n > 1 {
			path += fmt.Sprintf("~%d", n)
		}
		start := w.start // trigger and run are those of the map's run
		start.Signals = nil
		w.child(v, path, &world{drawing: w.drawing, start: start, item: &item{v, b.next, b.items[b.next], b.outside}})
		b.next++
	}
	if b.next == len(b.items) && len(v.children) == 0 {
		w.gather(v)
	}
}

// openItem starts a run that is an item of a map: its own scope is the body.
func (w *world) openItem() {
	s := &scope{
		path: w.path, index: w.item.index, item: w.item.value, input: w.item.value, isItem: true,
		count: map[string]int{}, outputs: map[string]any{}, rounds: map[string]round{},
	}
	w.scopes = append(w.scopes, s)
	w.tick++
	for _, n := range w.drawing.entries(w.item.of.node.ID) {
		s.tokens = append(s.tokens, token{to: n.ID, value: w.item.value, born: w.tick, since: w.stage.now})
	}
	w.settle()
}
