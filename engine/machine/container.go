package machine

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"signalbox/engine/event"
	"signalbox/engine/expr"
	"signalbox/engine/mutant"
)

// Limits of containers.
const (
	ItemsMax       = 10_000 // items of one map that are done inside its run; more are runs of their own
	ConcurrencyMax = 1_000  // bodies of one map at a time
)

// containerConfig is what group, map and loop keep in their configuration.
type containerConfig struct {
	Transaction bool   `json:"transaction"`
	Compensate  string `json:"compensate"`    // reverse, parallel
	Concurrency int    `json:"concurrency"`   // map
	OnItemError string `json:"on_item_error"` // map: stop, skip, collect
	MaxFailures int    `json:"max_failures"`  // map: more stop it; 0 is any number
	Condition   string `json:"condition"`     // loop
	Check       string `json:"check"`         // loop: before, after
	Max         int    `json:"max"`           // loop

	Items json.RawMessage `json:"items"` // map
	items []string        // their path, when they are only handed on
}

// startContainer begins the visit of a container; its bodies open when the
// scope advances.
func (st *step) startContainer(n *Node, l *link, sc *view, id visitID) (Fact, error) {
	f := &ContainerStarted{Node: n.Key, Scope: id.scope, Visit: id.number, Took: id.took}
	if n.Op != OpMap {
		return f, nil
	}
	raw, count, err := itemsOf(l, sc)
	if err != nil {
		return nil, err
	}
	return f, st.startItems(f, raw, count, sc)
}

// itemsOf is the list of a map. One that is only handed on may be longer than
// what an expression may make.
func itemsOf(l *link, sc *view) (json.RawMessage, int, error) {
	if list, ok := sc.handedOn(l.box.items); ok {
		raw, err := expr.Marshal(list)
		return raw, len(list), err
	}
	fields, err := evalFields(l, sc)
	if err != nil {
		return nil, 0, err
	}
	var items []json.RawMessage
	if err := json.Unmarshal(fields["items"], &items); err != nil || items == nil {
		return nil, 0, &expr.Failure{Class: "invalid_input", Message: "the items are not a list"}
	}
	return fields["items"], len(items), nil
}

// handedOn finds the list that a path of names leads to.
func (c *view) handedOn(path []string) ([]any, bool) {
	if len(path) == 0 {
		return nil, false
	}
	v, ok := c.Lookup(path[0])
	for _, name := range path[1:] {
		if !ok {
			return nil, false
		}
		var m map[string]any
		m, _ = v.(map[string]any)
		v, ok = m[name]
	}
	list, is := v.([]any)
	return list, ok && is
}

var plainPath = regexp.MustCompile(`^=\s*([A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*)\s*$`) //nolint:gochecknoglobals // a constant

// pathOf are the names of an expression that only hands a value on.
func pathOf(raw json.RawMessage) []string {
	var source string
	if json.Unmarshal(raw, &source) != nil {
		return nil
	}
	if m := plainPath.FindStringSubmatch(source); m != nil {
		return strings.Split(m[1], ".")
	}
	return nil
}

// advance opens the next bodies of the scope's containers and ends those that
// are through. It reports whether something happened.
func (st *step) advance(c *scope) (bool, error) {
	for i := range c.visits {
		v := &c.visits[i]
		if v.state != visitOpen {
			continue
		}
		if did, err := st.advanceOne(c, v); did || err != nil {
			return did, err
		}
	}
	return false, nil
}

func (st *step) advanceOne(c *scope, v *visit) (bool, error) {
	p, l := v.body, &st.m.links[v.node]
	if p.crowd != nil {
		return st.advanceItems(c, v)
	}
	switch st.m.Nodes[v.node].Op {
	case OpMap:
		if p.next < p.count {
			wide := l.box.Concurrency
			if mutant.On(mutant.MapTooWide) {
				wide++
			}
			return p.open < wide, st.openBody(c, v, p.open < wide)
		}
	case OpLoop:
		if p.open == 0 {
			more, err := st.again(c, v)
			if err != nil {
				fails := failure(err, st.m.Nodes[v.node].Key)
				fails.Attempts = v.attempt
				return true, st.containerFails(c, v, fails)
			}
			if more {
				return true, st.openBody(c, v, true)
			}
		}
	default:
		if p.next == 0 {
			return true, st.openBody(c, v, true)
		}
	}
	if p.open > 0 {
		return false, nil
	}
	return true, st.emit(&ContainerCompleted{
		Node: st.m.Nodes[v.node].Key, Scope: c.id, Visit: v.number, Port: PortSuccess, Bodies: p.next, Failed: p.failed,
	})
}

func (st *step) openBody(c *scope, v *visit, free bool) error {
	if !free {
		return nil
	}
	return st.emit(&BodyStarted{Node: st.m.Nodes[v.node].Key, Scope: c.id, Visit: v.number, Index: v.body.next, Opens: st.s.opened + 1})
}

// again asks whether a loop goes round once more.
func (st *step) again(c *scope, v *visit) (bool, error) {
	p, l := v.body, &st.m.links[v.node]
	if p.next == 0 && l.box.Check == "after" {
		return true, nil
	}
	in := p.last
	if p.next == 0 {
		in = v.input
	}
	sc := &view{m: st.m, s: st.s, c: c, node: v.node, input: in, round: &p.next}
	yes, err := truth(l.when[0], sc)
	if err != nil || !yes {
		return false, err
	}
	if p.next >= l.box.Max {
		return false, &expr.Failure{Class: "loop_limit", Message: fmt.Sprintf("the loop went round %d times, which is its limit, and its condition still holds", l.box.Max)}
	}
	return true, nil
}

// bodyFails decides what the failure of a body means for its container.
func (st *step) bodyFails(c *scope, err event.Error) error {
	up := c.up
	n, l := &st.m.Nodes[c.node], &st.m.links[c.node]
	v := &up.visits[up.find(c.node, c.visit)]
	f := &BodyFailed{Node: n.Key, Scope: up.id, Visit: c.visit, Index: c.index, Closes: c.id, Error: err}
	if n.Op == OpMap && l.box.OnItemError != "stop" && (l.box.MaxFailures == 0 || v.body.failed < l.box.MaxFailures) {
		f.Kept = l.box.OnItemError
		return st.emit(f)
	}
	if f.RetryAt = st.retryAt(v, Fail{Scope: up.id, Node: n.Key, Visit: v.number, Attempt: v.attempt, Error: err}); !f.RetryAt.IsZero() {
		for _, o := range append([]*scope{}, st.s.scopes...) {
			if o != c && o.up == up && o.node == c.node && o.visit == c.visit {
				if e := st.cancelUnder(o, "the container begins anew"); e != nil {
					return e
				}
			}
		}
		return st.emit(f)
	}
	if e := st.emit(f); e != nil {
		return e
	}
	return st.containerFails(up, &up.visits[up.find(c.node, c.visit)], err)
}

// containerFails ends the visit of a container for good.
func (st *step) containerFails(c *scope, v *visit, err event.Error) error {
	if e := st.cancelBodies(c, v, "the container failed"); e != nil {
		return e
	}
	return st.nodeFailed(c, v.node, v.number, "", err)
}

// containerLate ends a container whose time is over: a transaction is undone
// first.
func (st *step) containerLate(c *scope, v *visit) error {
	err := tidy(event.Error{Class: "timeout", Message: fmt.Sprintf("%s took longer than %s", st.m.Nodes[v.node].Key, st.m.Nodes[v.node].Timeout)}, st.m.Nodes[v.node].Key, v.attempt)
	for _, o := range st.s.scopes {
		if o.up == c && o.node == v.node && o.visit == v.number {
			if o.undoing {
				return nil // it ends by itself
			}
			if st.undoable(o) {
				return st.compensate(o, &CompensationStarted{Scope: o.id, Error: err})
			}
		}
	}
	return st.containerFails(c, v, err)
}
