package machine

import (
	"time"
)

// scope is what the expressions of one visit see (docs/semantics.md, Data).
type scope struct {
	m     *Machine
	s     *Snapshot
	node  int
	input *box
	keyed map[string]any // inputs, made when first asked for
	edges []int
	err   error // a value that could not be read
}

// Lookup returns the value of a variable, made only when an expression names
// it.
func (c *scope) Lookup(name string) (any, bool) {
	switch name {
	case "input":
		return c.read(c.input), true
	case "inputs":
		return c.inputs(), true
	case "trigger":
		return c.read(c.s.began), true
	case "nodes":
		return c.nodes(), true
	case "run":
		return map[string]any{
			"id": c.s.Run, "workflow": c.s.Workflow, "version": c.s.Version,
			"started_at": c.s.Started.Format(time.RFC3339Nano),
		}, true
	}
	return nil, false
}

func (c *scope) read(b *box) any {
	v, err := b.any()
	if err != nil {
		c.err = err
	}
	return v
}

func (c *scope) inputs() any {
	if c.keyed != nil {
		return c.keyed
	}
	c.keyed = map[string]any{}
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

// nodes gives the latest output of every node that completed, and only of
// those: an expression can ask has(nodes.x).
func (c *scope) nodes() any {
	all := make(map[string]any, len(c.m.Nodes))
	for i, o := range c.s.outputs {
		if o.seq > 0 && c.m.links[c.node].reads(c.m.Nodes[i].Key) {
			all[c.m.Nodes[i].Key] = map[string]any{"output": c.read(o.box)}
		}
	}
	return all
}
