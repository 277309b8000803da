package chart

import "slices"

// none stands where there is no state: as the parent of the root, and as the
// domain of a transition that leaves the root itself.
const none = -1

func (c *Chart) atomic(i int) bool {
	return c.nodes[i].kind == KindAtomic || c.nodes[i].kind == KindFinal
}

func (c *Chart) history(i int) bool { return c.nodes[i].kind == KindHistory }

// ancestors lists the states around i, the nearest first, up to but without
// top.
func (c *Chart) ancestors(i, top int) []int {
	if i == top {
		return nil
	}
	var list []int
	for p := c.nodes[i].parent; p != none && p != top; p = c.nodes[p].parent {
		list = append(list, p)
	}
	return list
}

// inside reports whether i stands inside of outer; everything stands inside
// of none.
func (c *Chart) inside(i, outer int) bool {
	for c.nodes[i].parent != none && c.nodes[i].parent != outer {
		i = c.nodes[i].parent
	}
	return c.nodes[i].parent == outer
}

// common is the innermost state with all of them inside, or none.
func (c *Chart) common(list []int) int {
	for _, a := range c.ancestors(list[0], none) {
		if !slices.ContainsFunc(list[1:], func(i int) bool { return !c.inside(i, a) }) {
			return a
		}
	}
	return none
}

// beginning lists i and what becomes active with it when nothing else is
// said.
func (c *Chart) beginning(i int) *set {
	s := newSet()
	c.begin(s, i)
	return s
}

func (c *Chart) begin(s *set, i int) {
	if s.has(i) {
		return
	}
	s.add(i)
	switch c.nodes[i].kind {
	case KindCompound:
		c.begin(s, c.nodes[i].initial)
	case KindParallel:
		for _, child := range c.nodes[i].children {
			c.begin(s, child)
		}
	default: // nothing stands inside
	}
}

// whole completes a set of states: with the states in which a compound one
// begins and the regions of a parallel one, then with all that stand around.
func (c *Chart) whole(active []int) *set {
	s := newSet(active...)
	held := map[int]bool{}
	for _, i := range active {
		held[c.nodes[i].parent] = true
	}
	for k := 0; k < len(s.list); k++ { // it grows on the way
		switch i := s.list[k]; {
		case c.nodes[i].kind == KindCompound && !held[i]:
			for _, d := range c.beginning(i).list {
				s.add(d)
			}
		case c.nodes[i].kind == KindParallel:
			for _, child := range c.nodes[i].children {
				if !s.has(child) {
					for _, d := range c.beginning(child).list {
						s.add(d)
					}
				}
			}
		}
	}
	for k := 0; k < len(s.list); k++ {
		if p := c.nodes[s.list[k]].parent; p != none {
			s.add(p)
		}
	}
	return s
}

// finished reports whether a state has reached its end.
func (c *Chart) finished(active *set, i int) bool {
	switch n := c.nodes[i]; n.kind {
	case KindCompound:
		return slices.ContainsFunc(n.children, func(k int) bool { return c.nodes[k].kind == KindFinal && active.has(k) })
	case KindParallel:
		return !slices.ContainsFunc(n.children, func(k int) bool { return !c.finished(active, k) })
	default:
		return n.kind == KindFinal
	}
}
