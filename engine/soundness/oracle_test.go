package soundness_test

import (
	"fmt"
	"slices"
	"sort"
	"strings"
)

// The oracle says what docs/semantics.md says, in the dumbest way: every
// interleaving of every choice, one visit's end at a time, states compared as
// text. It shares nothing with the package that it judges.

// sketch is a small drawing as the oracle reads it.
type sketch struct {
	boxes []box
	wires []wire
}

// box is a node: its join and the ways in which a visit ends, each a list of
// wires.
type box struct {
	join     string
	n        int
	cancel   bool
	deadline bool
	fails    bool // a fail node
	ways     [][]int
	every    bool    // it takes every rule that matches: ways are what they emit together
	rules    [][]int // then: what each emits
	late     []int   // wires of port timeout
}

type wire struct{ from, to int }

// verdict is what a drawing can do.
type verdict struct {
	stuck  map[int]bool // joins without hope, or the first that waits
	cycle  bool
	ran    map[int]bool
	twice  map[int]bool
	grows  bool
	trap   bool // a state from which the run can never end
	states int
}

// moment is one state.
type moment struct {
	tokens []int  // per wire
	gave   []bool // per wire: gave in the open round
	live   []int  // per box
	failed bool
}

// key names a moment.
func (m moment) key() string {
	b := make([]byte, 0, 64)
	for _, k := range append(slices.Clone(m.tokens), m.live...) {
		b = append(b, byte(k))
	}
	for _, g := range append(slices.Clone(m.gave), m.failed) {
		if g {
			b = append(b, 1)
		} else {
			b = append(b, 0)
		}
	}
	return string(b)
}

func (m moment) clone() moment {
	return moment{slices.Clone(m.tokens), slices.Clone(m.gave), slices.Clone(m.live), m.failed}
}

// statesMax is how much the oracle looks at.
const statesMax = 1_500

// tokensMax is how many tokens on one wire, or visits of one box, the oracle
// takes for a pile that grows.
const tokensMax = 8

type oracle struct {
	sketch
	v     verdict
	known map[string]bool
	queue []moment
	next  map[string][]string
	over  map[string]bool
}

// judge explores everything; ok is false when that is too much.
func judge(s sketch) (v verdict, ok bool) {
	o := &oracle{sketch: s, v: verdict{stuck: map[int]bool{}, ran: map[int]bool{}, twice: map[int]bool{}}, known: map[string]bool{}, next: map[string][]string{}, over: map[string]bool{}}
	start := moment{tokens: make([]int, len(s.wires)), gave: make([]bool, len(s.wires)), live: make([]int, len(s.boxes))}
	start.live[0] = 1
	o.v.ran[0] = true
	o.push(start)
	for len(o.queue) > 0 {
		m := o.queue[0]
		o.queue = o.queue[1:]
		if len(o.known) > statesMax {
			return o.v, false
		}
		o.expand(m)
	}
	o.v.states = len(o.known)
	o.v.trap = o.trapped()
	return o.v, true
}

func (o *oracle) push(m moment) string {
	key := m.key()
	if !o.known[key] {
		o.known[key] = true
		o.queue = append(o.queue, m)
	}
	return key
}

func (o *oracle) expand(m moment) {
	key := m.key()
	if m.failed {
		o.over[key] = true
		return
	}
	for i, k := range append(slices.Clone(m.live), m.tokens...) {
		if i < len(o.boxes) && k > 1 {
			o.v.twice[i] = true
		}
		if k > tokensMax {
			o.v.grows = true
			o.over[key] = true
			return
		}
	}
	o.hopeless(m)
	followers := []moment{}
	for b := range o.boxes {
		if m.live[b] > 0 {
			for _, w := range o.boxes[b].ways {
				n := m.clone()
				n.live[b]--
				followers = append(followers, o.emit(n, w)...)
			}
		}
		if o.boxes[b].deadline && o.joins(b) && !o.open(m, b) && len(o.full(m, b)) > 0 {
			n := m.clone()
			o.v.ran[b] = true
			for _, w := range o.full(m, b) {
				n.tokens[w]--
				n.gave[w] = true
			}
			followers = append(followers, o.emit(n, o.boxes[b].late)...)
		}
	}
	if len(followers) == 0 {
		o.over[key] = true
		o.quiet(m)
	}
	for _, f := range followers {
		o.next[key] = append(o.next[key], o.push(f))
	}
}

// emit puts tokens and lets everything start that can.
func (o *oracle) emit(m moment, wires []int) []moment {
	for _, w := range wires {
		m.tokens[w]++
	}
	return o.settle(m)
}

func (o *oracle) settle(m moment) []moment {
	for w, wi := range o.wires {
		for m.tokens[w] > 0 && !o.joins(wi.to) {
			m.tokens[w]--
			m.live[wi.to]++
			o.v.ran[wi.to] = true
			if o.boxes[wi.to].fails {
				m.live[wi.to]--
				m.failed = true
			}
		}
	}
	if m.failed {
		return []moment{m}
	}
	for again := true; again; {
		again = false
		for b := range o.boxes {
			again = o.absorb(m, b) || again
		}
	}
	ready := []int{}
	for b := range o.boxes {
		if o.joins(b) && o.ready(m, b) {
			ready = append(ready, b)
		}
	}
	if len(ready) == 0 {
		return []moment{m}
	}
	all := []moment{}
	for _, b := range ready {
		all = append(all, o.settle(o.fire(m.clone(), b))...)
	}
	return all
}

func (o *oracle) fire(m moment, b int) moment {
	some := o.boxes[b].join == "n" || o.boxes[b].join == "first"
	for _, w := range o.full(m, b) {
		m.tokens[w]--
		if some && !o.boxes[b].cancel {
			m.gave[w] = true
		}
	}
	if some && o.boxes[b].cancel {
		for w, wi := range o.wires {
			if wi.to == b || o.leadsTo(wi.to, b) {
				m.tokens[w] = 0
			}
		}
		for x := range o.boxes {
			if o.leadsTo(x, b) {
				m.live[x] = 0
			}
		}
	}
	m.live[b]++
	o.v.ran[b] = true
	if o.boxes[b].fails {
		m.failed = true
	}
	return m
}

func (o *oracle) absorb(m moment, b int) bool {
	if !o.open(m, b) {
		return false
	}
	did, all := false, true
	for _, w := range o.into(b) {
		if m.tokens[w] > 0 && !m.gave[w] {
			m.tokens[w]--
			m.gave[w] = true
			did = true
		}
	}
	hope := false
	for _, w := range o.into(b) {
		all = all && m.gave[w]
		hope = hope || !m.gave[w] && o.comes(m, b, w)
	}
	if all || !hope {
		for _, w := range o.into(b) {
			m.gave[w] = false
		}
		return true
	}
	return did
}

func (o *oracle) ready(m moment, b int) bool {
	full, all := len(o.full(m, b)), len(o.into(b))
	if full == 0 || o.open(m, b) {
		return false
	}
	switch o.boxes[b].join {
	case "all":
		return full == all
	case "n", "first":
		return full >= o.needs(b)
	}
	for _, w := range o.into(b) {
		if m.tokens[w] == 0 && o.comes(m, b, w) {
			return false
		}
	}
	return true
}

func (o *oracle) needs(b int) int {
	switch o.boxes[b].join {
	case "first":
		return 1
	case "n":
		return o.boxes[b].n
	}
	return len(o.into(b))
}

func (o *oracle) hopeless(m moment) bool {
	found := false
	for b := range o.boxes {
		if !o.joins(b) || o.boxes[b].deadline || o.boxes[b].join == "inclusive" || o.open(m, b) || len(o.full(m, b)) == 0 {
			continue
		}
		can := len(o.full(m, b))
		for _, w := range o.into(b) {
			if m.tokens[w] == 0 && o.comes(m, b, w) {
				can++
			}
		}
		if can < o.needs(b) {
			o.v.stuck[b] = true
			found = true
		}
	}
	return found
}

func (o *oracle) quiet(m moment) {
	if o.hopeless(m) {
		return
	}
	waits := false
	for b := range o.boxes {
		if len(o.full(m, b)) == 0 {
			continue
		}
		waits = true
		if o.boxes[b].join != "inclusive" {
			o.v.stuck[b] = true
			return
		}
	}
	o.v.cycle = o.v.cycle || waits
}

// trapped: there is a state from which none that is over can be reached.
func (o *oracle) trapped() bool {
	before := map[string][]string{}
	for from, to := range o.next {
		for _, t := range to {
			before[t] = append(before[t], from)
		}
	}
	queue := []string{}
	for k := range o.over {
		queue = append(queue, k)
	}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		for _, b := range before[at] {
			if !o.over[b] {
				o.over[b] = true
				queue = append(queue, b)
			}
		}
	}
	return len(o.over) < len(o.known)
}

func (o *oracle) into(b int) []int {
	var in []int
	for w, wi := range o.wires {
		if wi.to == b {
			in = append(in, w)
		}
	}
	return in
}

func (o *oracle) joins(b int) bool { return len(o.into(b)) > 1 && o.boxes[b].join != "each" }

func (o *oracle) full(m moment, b int) []int {
	var full []int
	for _, w := range o.into(b) {
		if m.tokens[w] > 0 {
			full = append(full, w)
		}
	}
	return full
}

func (o *oracle) open(m moment, b int) bool {
	return slices.ContainsFunc(o.into(b), func(w int) bool { return m.gave[w] })
}

// comes: a token or live visit can put a token on the wire without passing the
// join.
func (o *oracle) comes(m moment, join, target int) bool {
	for b, k := range m.live {
		if k > 0 && o.way(b, join, target) {
			return true
		}
	}
	for w, k := range m.tokens {
		if k > 0 && o.wires[w].to != join && o.way(o.wires[w].to, join, target) {
			return true
		}
	}
	return false
}

// way: from the box onward, not through the join, over the wire.
func (o *oracle) way(box, join, target int) bool {
	seen := map[int]bool{}
	var walk func(int) bool
	walk = func(b int) bool {
		for w, wi := range o.wires {
			if wi.from != b {
				continue
			}
			if w == target {
				return true
			}
			if wi.to != join && !seen[wi.to] {
				seen[wi.to] = true
				if walk(wi.to) {
					return true
				}
			}
		}
		return false
	}
	return walk(box)
}

func (o *oracle) leadsTo(box, join int) bool {
	for _, w := range o.into(join) {
		if o.way(box, join, w) {
			return true
		}
	}
	return false
}

// String shows a sketch, to repeat it by hand.
func (s sketch) String() string {
	var b strings.Builder
	for i, x := range s.boxes {
		fmt.Fprintf(&b, "%d %s", i, x.join)
		if x.join == "n" {
			fmt.Fprint(&b, x.n)
		}
		for flag, on := range map[string]bool{"!": x.cancel, "@": x.deadline, " fails": x.fails} {
			if on {
				b.WriteString(flag)
			}
		}
		for _, w := range x.ways {
			b.WriteString(" [")
			for _, e := range w {
				fmt.Fprintf(&b, " %d", s.wires[e].to)
			}
			b.WriteString(" ]")
		}
		if len(x.late) > 0 {
			fmt.Fprintf(&b, " late %d", s.wires[x.late[0]].to)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func keys(m map[int]bool) []int {
	list := []int{}
	for k := range m {
		list = append(list, k)
	}
	sort.Ints(list)
	return list
}
