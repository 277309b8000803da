package soundness

import (
	"slices"

	"signalbox/engine/graph"
	"signalbox/engine/machine"
)

// explorer walks the states of one scope from one way to open it.
type explorer struct {
	*net
	states pool
	steps  []step // per state: how it was reached
	arcs   [][2]int32
	ended  []bool // per state: nothing more happens, or it was not followed
	found  []Finding
	budget *int // what may still be looked at, in tokens
	began  int  // what it was
	floor  int  // it goes no deeper

	todo     []int32 // states not followed yet, from head on
	head     int
	expanded int  // states followed
	last     int  // how many may be
	replays  bool // it repeats another's moves and reports nothing
	pasts    pool
	marks    pool      // the states without pasts
	alike    [][]int32 // per such: the states
	mark     int       // the one last looked at
	bare     []uint64
	apart    bool // as in prover
	extra    words
	lacks    words
	back     bool   // the move under way closed a loop
	trail    []move // since the state that is followed
	from     int    // that state; -1 at the start
	first    []uint64
	set      []uint64 // room for what is under way
	bits     []int
	branch   []move
	next     []move
	work     []uint64
}

// step is how a state was reached.
type step struct {
	parent  int32
	choice  int32 // of the parent's moves
	loop    int32 // nearest state before it, or itself, that closed a loop; -1: none
	other   int32 // state that was melded in; -1: none
	instead int32 // state that stands for it and is followed instead; -1: none
	done    bool  // followed
	grown   bool  // tokens pile up on the way to it: not followed
}

func newExplorer(n *net, budget *int) *explorer {
	x := &explorer{net: n, budget: budget, began: *budget, last: StatesMax}
	x.pasts.put(nil)
	return x
}

// run explores from a token at each of the entries.
func (x *explorer) run(entries []int) {
	x.first, x.from = nil, -1
	for _, e := range entries {
		x.first = x.add(x.first, x.start[e], 0)
	}
	x.follow(slices.Clone(x.first), -1, 0)
	for x.expanded < x.last && *x.budget > x.floor {
		at, ok := x.pick()
		if !ok {
			break
		}
		x.expand(at)
		if *x.budget > 0 {
			x.expanded++
			x.steps[at].done = true
		}
	}
	x.endless()
}

// pick takes the next state to follow: at first the oldest, which gives short
// counter-examples, later the newest, which soon gives one at all.
func (x *explorer) pick() (int, bool) {
	last := len(x.todo) - 1
	switch {
	case x.head > last:
		return 0, false
	case x.expanded < broadMax && x.began-*x.budget < broadLook:
		x.head++
		return int(x.todo[x.head-1]), true
	default:
		at := x.todo[last]
		x.todo = x.todo[:last]
		return int(at), true
	}
}

// soon lets the exploration end before long.
func (x *explorer) soon() {
	x.last = min(x.last, x.expanded+moreMax)
	if x.floor == 0 {
		x.floor = max(0, *x.budget-moreLook)
	}
}

// truncated reports whether it stopped at its bounds.
func (x *explorer) truncated() bool { return x.expanded < x.states.len() }

// expand follows a state in every way.
func (x *explorer) expand(at int) {
	if x.steps[at].grown {
		x.ended[at] = true
		x.hopeless(at)
		x.mayRun(at)
		return
	}
	if to := x.steps[at].instead; to >= 0 && int(to) < x.states.len() {
		x.arcs = append(x.arcs, [2]int32{int32(at), to}) //nolint:gosec // below StatesMax
		return
	}
	s := x.states.get(at) // its memory may move, but stays as it is
	x.from, x.trail = at, x.trail[:0]
	moves := x.moves(x.branch[:0], s)
	x.branch = moves
	if x.hasty(s, moves) {
		x.hopeless(at)
	}
	if len(moves) == 0 {
		x.ended[at] = true
		x.final(at)
		return
	}
	for k, m := range moves {
		x.trail, x.back = x.trail[:0], false
		x.follow(x.apply(append(x.work[:0], s...), m), at, k)
	}
}

// follow goes on from a state while there is one way to go, and keeps the
// state it comes to.
func (x *explorer) follow(s []uint64, parent, choice int) {
	s = x.same(x.advance(s))
	x.store(s, parent, choice)
	x.work = s
}

func (x *explorer) advance(s []uint64) []uint64 {
	for !x.back {
		*x.budget -= 1 + len(s)
		moves := x.moves(x.next[:0], s)
		x.next = moves
		if len(moves) != 1 || *x.budget <= 0 || x.hasty(s, moves) {
			break
		}
		s = x.apply(s, moves[0])
	}
	return s
}

func (x *explorer) store(s []uint64, parent, choice int) {
	s, id, other := x.meld(s)
	fresh := id < 0
	if fresh {
		id, fresh = x.states.put(s)
	}
	if parent >= 0 {
		x.arcs = append(x.arcs, [2]int32{int32(parent), int32(id)}) //nolint:gosec // below StatesMax
	}
	if !fresh {
		return
	}
	x.alike[x.mark] = append(x.alike[x.mark], int32(id))                                                 //nolint:gosec // as above
	st := step{parent: int32(parent), choice: int32(choice), loop: -1, other: int32(other), instead: -1} //nolint:gosec // as above
	if parent >= 0 {
		st.loop = x.steps[parent].loop
	}
	x.steps, x.ended, x.todo = append(x.steps, st), append(x.ended, false), append(x.todo, int32(id)) //nolint:gosec // as above
	if x.back {
		x.grows(id)
		x.steps[id].loop = int32(id) //nolint:gosec // as above
	}
}

// grows reports tokens that pile up: a loop came back with all the tokens that
// it had, and more.
func (x *explorer) grows(id int) {
	s := x.states.get(id)
	for a := int(x.steps[id].loop); a >= 0; {
		if place := x.more(x.states.get(a), s); place >= 0 && x.tokens(s, place) > TokensMax {
			x.steps[id].grown = true
			x.soon() // there is no end to see
			x.from, x.trail = id, x.trail[:0]
			x.report(Finding{Code: GrowsWithoutEnd, Severity: graph.SeverityWarning, Node: x.places[place].node})
			return
		}
		up := int(x.steps[a].parent)
		*x.budget--
		if up < 0 {
			return
		}
		a = int(x.steps[up].loop)
	}
}

// more returns a place on which b has more tokens than a, if b has all that a
// has; else -1.
func (x *explorer) more(a, b []uint64) int {
	if len(b) <= len(a) {
		return -1
	}
	place, i := -1, 0
	for _, t := range b {
		at := int(t >> pastBits)
		switch {
		case i < len(a) && int(a[i]>>pastBits) == at:
			i++
		case x.places[at].sort == onEdge || x.places[at].sort == isLive:
			place = at
		}
	}
	if i < len(a) {
		return -1
	}
	return place
}

func (x *explorer) tokens(s []uint64, place int) int {
	i, j := x.span(s, place)
	return j - i
}

// same rewrites a state as the one that stands for all like it: tokens at a
// join outside of loops, on edges that can get no more, can change places.
func (x *explorer) same(s []uint64) []uint64 {
	if len(s) == 0 {
		return s
	}
	done := x.comp[x.at(s[0]).node]
	for i := 0; i < len(s); {
		node := x.at(s[i]).node
		j := x.group(s, i)
		if x.join[node] == "" && len(x.into[node]) > 1 || x.join[node] != "" {
			if !x.unordered(node) && !x.loop[x.comp[node]] {
				s, j = x.line(s, i, j, done)
			}
		}
		i = j
	}
	return s
}

// line moves the tokens of a join at i..j to the first of its edges whose
// sources are done.
func (x *explorer) line(s []uint64, i, j, done int) ([]uint64, int) {
	var places, counts []int
	for _, k := range x.into[x.at(s[i]).node] {
		if x.comp[x.m.Edges[x.places[k].edge].From] < done {
			places, counts = append(places, k), append(counts, 0)
		}
	}
	for _, t := range s[i:j] {
		if pastOf(t) != 0 || x.at(t).sort != onEdge {
			return s, j
		}
		if k, ok := slices.BinarySearch(places, int(t>>pastBits)); ok {
			counts[k]++
		}
	}
	total, most := 0, 0
	for _, c := range counts {
		total, most = total+c, max(most, c)
	}
	node := x.at(s[i]).node
	switch {
	case len(counts) == 0:
		return s, j
	case x.join[node] == "":
		clear(counts)
		counts[0] = total
	case x.join[node] == machine.JoinInclusive, x.join[node] == machine.JoinFirst:
		clear(counts)
		counts[0] = most
	default:
		slices.SortFunc(counts, func(a, b int) int { return b - a })
	}
	out := slices.Clone(s[:i])
	at := i
	for _, k := range x.into[node] {
		n := 0
		if d, ok := slices.BinarySearch(places, k); ok {
			n = counts[d]
		} else {
			for _, t := range s[i:j] {
				if int(t>>pastBits) == k {
					n++
				}
			}
		}
		for range n {
			out = append(out, token(k, 0))
			at++
		}
	}
	return append(out, s[j:]...), at
}
