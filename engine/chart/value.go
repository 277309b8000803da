package chart

import "slices"

// branch is a state and the active states directly in it: what XState calls
// the state value.
type branch struct {
	at       int
	children []branch
}

// branches gives the active states as a tree, in the order in which they came.
func (c *Chart) branches(active []int) branch {
	held := map[int][]int{}
	for _, i := range c.whole(active).list {
		held[c.nodes[i].parent] = append(held[c.nodes[i].parent], i)
	}
	return c.branch(0, held)
}

func (c *Chart) branch(i int, held map[int][]int) branch {
	b := branch{at: i}
	children := held[i]
	if c.nodes[i].kind == KindCompound && len(children) > 1 && c.atomic(children[0]) {
		children = children[:1] // several targets in one compound state: XState goes on with the first
	}
	for _, k := range children {
		b.children = append(b.children, c.branch(k, held))
	}
	return b
}

// Value tells where a chart stands: the key of the active state, or an object
// from the key of each active state to what is active in it.
func (c *Chart) Value(s State) any {
	return c.valueOf(c.branches(c.numbers(s.Active)))
}

func (c *Chart) valueOf(b branch) any {
	if c.nodes[b.at].kind == KindCompound && len(b.children) > 0 && c.atomic(b.children[0].at) {
		return c.nodes[b.children[0].at].key
	}
	v := map[string]any{}
	for _, child := range b.children {
		v[c.nodes[child.at].key] = c.valueOf(child)
	}
	return v
}

// Tags lists the tags of all active states, sorted.
func (c *Chart) Tags(s State) []string {
	tags := []string{}
	for _, i := range c.numbers(s.Active) {
		tags = append(tags, c.nodes[i].tags...)
	}
	slices.Sort(tags)
	return slices.Compact(tags)
}

// numbers turns ids into numbers. An id that is not there is left out: the
// state is of another chart.
func (c *Chart) numbers(ids []string) []int {
	list := make([]int, 0, len(ids))
	for _, id := range ids {
		if i, ok := c.byID[id]; ok {
			list = append(list, i)
		}
	}
	return list
}

func (c *Chart) ids(list []int) []string {
	ids := make([]string, len(list))
	for k, i := range list {
		ids[k] = c.nodes[i].id
	}
	return ids
}
