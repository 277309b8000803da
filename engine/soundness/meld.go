package soundness

// Two states with the same tokens on the same places go on alike, whatever the
// pasts are; a past only tells, for each node by itself, where it can overlap
// itself. So of two such states one can stand for both, if for every node one
// of them says no less than the other: for that node it is that one. Without
// this, each choice in a loop would double what is carried on beside it.

// meld looks for a state that stands for s, or makes one of s and another that
// stands for both. same is the number of a state that already stands for s, or
// -1; other is the state that was melded in, or -1.
func (x *explorer) meld(s []uint64) (_ []uint64, same, other int) {
	x.bare = x.bare[:0]
	for _, t := range s {
		x.bare = append(x.bare, t>>pastBits)
	}
	id, fresh := x.marks.put(x.bare)
	if fresh {
		x.alike = append(x.alike, nil)
	}
	x.mark = id
	if x.apart {
		return s, -1, -1
	}
	for _, a := range x.alike[id] {
		old := x.states.get(int(a))
		more, less := x.differ(old, s)
		switch {
		case !less.any():
			return s, int(a), -1
		case !more.any():
			x.supersede(int(a))
			return s, -1, -1
		case !more.meets(less):
			x.supersede(int(a))
			for i := range s {
				s[i] = token(int(s[i]>>pastBits), x.union(pastOf(old[i]), pastOf(s[i])))
			}
			return s, -1, int(a)
		}
	}
	return s, -1, -1
}

func pastOf(t uint64) int { return int(t & (1<<pastBits - 1)) }

// words is a set of nodes of a part, by bit.
type words []uint64

func (w words) any() bool {
	for _, k := range w {
		if k != 0 {
			return true
		}
	}
	return false
}

func (w words) meets(o words) bool {
	for i := range min(len(w), len(o)) {
		if w[i]&o[i] != 0 {
			return true
		}
	}
	return false
}

// differ returns the nodes of which some token of a has more in its past than
// the same token of b, and those of which it has less.
func (x *explorer) differ(a, b []uint64) (more, less words) {
	more, less = x.extra[:0], x.lacks[:0]
	for i := range a {
		if a[i] == b[i] {
			continue
		}
		p, q := x.pasts.get(pastOf(a[i])), x.pasts.get(pastOf(b[i]))
		for k := range max(len(p), len(q)) {
			var v, w uint64
			if k < len(p) {
				v = p[k]
			}
			if k < len(q) {
				w = q[k]
			}
			if k == len(more) {
				more, less = append(more, 0), append(less, 0)
			}
			more[k] |= v &^ w
			less[k] |= w &^ v
		}
	}
	x.extra, x.lacks = more, less
	return more, less
}

func (x *explorer) union(a, b int) int {
	out := append(x.set[:0], x.pasts.get(a)...)
	for i, w := range x.pasts.get(b) {
		if i == len(out) {
			out = append(out, 0)
		}
		out[i] |= w
	}
	return x.keep(out)
}

// supersede drops a state that was not followed yet: the one that is stored
// next stands for it.
func (x *explorer) supersede(old int) {
	if !x.steps[old].done {
		x.steps[old].instead = int32(x.states.len()) //nolint:gosec // below StatesMax
	}
}

// origin returns the state from which what s knows of a node came: s itself,
// or one that was melded into it.
func (x *explorer) origin(at, node int) int {
	for node >= 0 && x.steps[at].other >= 0 && x.alikeFor(int(x.steps[at].other), at, x.bit[node]) {
		at = int(x.steps[at].other)
	}
	return at
}

// alikeFor reports whether two states with the same marks say the same of a
// node.
func (x *explorer) alikeFor(a, b, bit int) bool {
	s, o := x.states.get(a), x.states.get(b)
	for i := range s {
		if x.in(pastOf(s[i]), bit) != x.in(pastOf(o[i]), bit) {
			return false
		}
	}
	return true
}
