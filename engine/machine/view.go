package machine

import (
	"time"

	"signalbox/engine/event"
)

// view is what the expressions of one visit see (docs/semantics.md, Data).
type view struct {
	m     *Machine
	s     *Snapshot
	c     *scope
	node  int
	input *box
	keyed map[string]any // inputs, made when first asked for
	edges []int
	round *int    // condition of a loop: rounds so far
	about *around // compensation: what was around the visit that it undoes

	reduces   bool         // the expression of a join that reduces
	acc, item any          // what it goes over
	error     *event.Error // condition of a retry
	err       error        // a value that could not be read
}

// Lookup returns the value of a variable, made only when an expression names
// it.
func (c *view) Lookup(name string) (any, bool) {
	switch name {
	case "input":
		return c.read(c.input), true
	case "inputs":
		return c.inputs(), true
	case "trigger":
		return c.trigger(), true
	case "nodes":
		return c.nodes(), true
	case "item", "index":
		return c.around(name)
	case "acc":
		return c.acc, c.reduces
	case "error":
		return c.failure()
	case "run":
		return c.run(), true
	}
	return nil, false
}

// trigger is what started the run; in an item's run, the run of its map.
func (c *view) trigger() any {
	if c.s.around != nil {
		return c.beyond().member("trigger")
	}
	return c.read(c.s.began)
}

// run is the run; in an item's run, that of its map.
func (c *view) run() any {
	if c.s.around != nil {
		return c.beyond().member("run")
	}
	return map[string]any{
		"id": c.s.Run, "workflow": c.s.Workflow, "version": c.s.Version,
		"started_at": c.s.Started.Format(time.RFC3339Nano),
	}
}

// beyond reads what an item's run knows of the outside.
func (c *view) beyond() beyond { return beyond{c} }

type beyond struct{ c *view }

func (b beyond) member(name string) any {
	v, err := b.c.s.around.member(name)
	if err != nil {
		b.c.err = err
	}
	return v
}

// nodes are what nodes of the scopes around the map gave.
func (b beyond) nodes() map[string]any {
	all, _ := b.member("nodes").(map[string]any)
	return all
}

func (c *view) read(b *box) any {
	v, err := b.any()
	if err != nil {
		c.err = err
	}
	return v
}

// around is what the containers around a visit give its expressions.
type around struct {
	item    *box // of the nearest map; without one, what the nearest loop's round got
	index   int  // of the nearest map or loop
	repeats bool // there is one
}

// around looks for the item and the index in a scope.
func (m *Machine) around(c *scope) around {
	var a around
	for o := c; o != nil && o.body > 0; o = o.up {
		op := m.Nodes[o.node].Op
		if op != OpMap && op != OpLoop {
			continue
		}
		if !a.repeats {
			a = around{item: o.item, index: o.index, repeats: true}
		}
		if op == OpMap {
			a.item = o.item
			break
		}
	}
	return a
}

// around gives the item of the nearest map and the index of the nearest map or
// loop.
func (c *view) around(name string) (any, bool) {
	switch {
	case c.reduces && name == "item":
		return c.item, true
	case c.round != nil && name == "index":
		return float64(*c.round), true
	}
	if c.about == nil {
		a := c.m.around(c.c)
		c.about = &a
	}
	switch {
	case !c.about.repeats:
		return nil, false
	case name == "index":
		return float64(c.about.index), true
	}
	return c.read(c.about.item), true
}

func (c *view) failure() (any, bool) {
	if c.error == nil {
		return nil, false
	}
	v, err := boxError(*c.error).any()
	if err != nil {
		c.err = err
	}
	m, _ := v.(map[string]any)
	return m["error"], true
}

func (c *view) inputs() any {
	if c.keyed != nil {
		return c.keyed
	}
	c.keyed = map[string]any{}
	if c.input != nil && c.input.parts == nil && c.m.joins(c.node) { // given as it is, in a test
		if given, ok := c.read(c.input).(map[string]any); ok {
			c.keyed = given
		}
		return c.keyed
	}
	if c.input != nil && c.m.joins(c.node) {
		for _, p := range c.input.parts {
			c.keyed[p.key] = c.read(p.box)
		}
		return c.keyed
	}
	for i, e := range c.m.in[c.node] {
		if len(c.edges) == 1 && e == c.edges[0] {
			c.keyed[c.m.links[c.node].keys[i]] = c.read(c.input)
		}
	}
	return c.keyed
}

// nodes gives the latest output of every node that completed in this scope or
// one around it, and only of those: an expression can ask has(nodes.x).
func (c *view) nodes() any {
	all := map[string]any{}
	for o := c.c; o != nil; o = o.up {
		for at, n := range c.m.bodies[o.body].nodes {
			out := &o.outputs[at]
			if out.seq > 0 && c.m.links[c.node].reads(c.m.Nodes[n].Key) {
				all[c.m.Nodes[n].Key] = map[string]any{"output": c.read(out.box)}
			}
		}
	}
	for key, v := range c.beyond().nodes() {
		if c.m.links[c.node].reads(key) {
			all[key] = map[string]any{"output": v}
		}
	}
	return all
}
