package soundness_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"signalbox/engine/machine"
	"signalbox/engine/soundness"
)

// TestCounterExamplesLeadThere plays the choices of every finding in the
// oracle's world.
func TestCounterExamplesLeadThere(t *testing.T) {
	t.Parallel()
	for k, f := range flavors() {
		if f.fails || f.loose {
			continue // what a fail node cuts short has no end to look at; what may not be cannot be played
		}
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			played := 0
			for seed := 0; seed < 200; seed++ {
				s := scribble(rand.New(rand.NewPCG(uint64(seed), uint64(k)+100)), f)
				m := s.build(t)
				found := f.prove(m)
				if absorbsInLoop(found) {
					continue
				}
				for _, one := range found {
					if len(one.Example) == 0 || one.Code == soundness.GrowsWithoutEnd || one.Code == soundness.RunsTwice && f.cancel {
						continue
					}
					played++
					if !leads(s, m, one) {
						t.Errorf("seed %d: the example of %s leads elsewhere:\n%s%s", seed, one.Code, s, say(m, []soundness.Finding{one}))
					}
				}
			}
			if played == 0 {
				t.Error("nothing was found that could be played")
			}
		})
	}
}

// leads follows the choices and reports whether what the finding says is there.
// To see two visits of one node, the last two are not ended.
func leads(s sketch, m *machine.Machine, f soundness.Finding) bool {
	o := &oracle{sketch: s, v: verdict{stuck: map[int]bool{}, ran: map[int]bool{}, twice: map[int]bool{}}}
	start := moment{tokens: make([]int, len(s.wires)), gave: make([]bool, len(s.wires)), live: make([]int, len(s.boxes))}
	start.live[0] = 1
	all := []moment{start}
	ends := 0 // of the node that runs twice, before the two visits that overlap
	for _, c := range f.Example {
		if c.Node == f.Node && !c.More {
			ends++
		}
	}
	ends -= 2
	for i := 0; i < len(f.Example); i++ {
		c := f.Example[i]
		ports := []string{c.Port}
		for i+1 < len(f.Example) && f.Example[i+1].More {
			i++
			ports = append(ports, f.Example[i].Port)
		}
		if f.Code == soundness.RunsTwice && c.Node == f.Node {
			if ends--; ends < 0 {
				continue
			}
		}
		all = o.follow(all, m, c.Node, ports)
	}
	return slices.ContainsFunc(all, func(at moment) bool { return o.is(at, f) })
}

// is reports whether the moment is one of which the finding speaks.
func (o *oracle) is(at moment, f soundness.Finding) bool {
	o.v.stuck, o.v.cycle = map[int]bool{}, false
	switch f.Code {
	case soundness.RunsTwice:
		return at.live[f.Node] > 1
	case soundness.JoinStuck:
		if !o.hopeless(at) {
			o.quiet(at)
		}
		return o.v.stuck[f.Node]
	case soundness.JoinCycle:
		o.quiet(at)
		return o.v.cycle && !slices.ContainsFunc(at.live, func(n int) bool { return n > 0 })
	}
	return true
}

// follow ends a visit of the box on the ports, or lets its deadline pass, in
// every moment; a moment in which it does not run stays.
func (o *oracle) follow(all []moment, m *machine.Machine, box int, ports []string) []moment {
	var edges []int
	for _, p := range ports {
		for e, w := range o.wires {
			if w.from == box && o.port(m, e) == p {
				edges = append(edges, e)
			}
		}
	}
	var next []moment
	for _, at := range all {
		n := at.clone()
		switch {
		case ports[0] == machine.PortTimeout && len(o.full(at, box)) > 0:
			for _, w := range o.full(at, box) {
				n.tokens[w]--
				n.gave[w] = true
			}
		case ports[0] != machine.PortTimeout && at.live[box] > 0:
			n.live[box]--
		default:
			next = append(next, at)
			continue
		}
		next = append(next, o.emit(n, edges)...)
	}
	return next
}

// port names the port of a wire, as build does.
func (o *oracle) port(m *machine.Machine, wire int) string {
	b := o.boxes[o.wires[wire].from]
	if slices.Contains(b.late, wire) {
		return machine.PortTimeout
	}
	ways := b.ways
	if b.every {
		ways = b.rules
	}
	for k, w := range ways {
		if slices.Contains(w, wire) {
			return m.Nodes[o.wires[wire].from].Ports[k]
		}
	}
	return strings.Repeat("?", wire)
}
