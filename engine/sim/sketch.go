package sim

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"signalbox/engine/graph"
	"signalbox/engine/reference"
	"signalbox/engine/reference/play"
)

// sketch is what a seed draws before anything happens.
type sketch struct {
	plan     plan
	failing  uint64 // percent of attempts
	drawings []graph.Graph
	calm     []bool        // the drawing means the same in whatever order things happen
	others   []graph.Graph // that the drawings call, by name; each calls those before it
}

// names of the workflows that are called.
var names = []string{"inner", "outer"} //nolint:gochecknoglobals // a constant

func sketchOf(seed uint64, r *rand.Rand) sketch {
	s := sketch{plan: draft(r), failing: []uint64{0, 10, 40}[r.IntN(3)]}
	allCalm := !s.plan.Exact && r.IntN(2) == 0
	if s.plan.Calls {
		for i := range names {
			s.others = append(s.others, s.draw(r, allCalm, names[:i]))
		}
	}
	for range 1 + r.IntN(2) {
		calm := allCalm || !s.plan.Exact && !s.plan.Calls && r.IntN(2) == 0
		g := s.draw(r, calm, names[:len(s.others)])
		s.drawings, s.calm = append(s.drawings, g), append(s.calm, calm)
	}
	return s
}

// draw makes a drawing that may call others.
func (s *sketch) draw(r *rand.Rand, calm bool, calls []string) graph.Graph {
	if s.plan.Nursery && r.IntN(3) > 0 {
		return s.nursery(r, calls)
	}
	g := play.Draw(r)
	for i := 0; i < 8 && s.plan.Inside > 0 && !has(g, "map") || i < 4 && len(calls) > 0 && !has(g, "mock"); i++ {
		g = play.Draw(r)
	}
	if len(calls) > 0 {
		play.Call(r, &g, 2, calls...)
	}
	if calm {
		play.Calm(&g)
		play.Steady(&g)
	}
	if s.plan.Waits {
		people(&g, r)
	}
	return g
}

func has(g graph.Graph, kind string) bool {
	return slices.ContainsFunc(g.Nodes, func(n graph.Node) bool { return n.Kind == kind })
}

// people makes some waits wait for a signal or a person.
func people(g *graph.Graph, r *rand.Rand) {
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if n.Kind != "wait" {
			continue
		}
		switch r.IntN(3) {
		case 0:
			n.Kind, n.Config = "signal", json.RawMessage(`{"name":"go"}`)
		case 1:
			n.Kind, n.Config = "human", json.RawMessage(`{"title":"?","decisions":[{"port":"success"}]}`)
		}
	}
}

// Without leaves nodes out of a drawing, with their edges and what is in them:
// a seed that fails is made smaller so.
func Without(drawing int, keys ...string) Option {
	return func(s *sketch) {
		g := &s.drawings[drawing]
		gone := map[string]bool{}
		for _, k := range keys {
			gone["id-"+k] = true
		}
		for range g.Nodes { // what is in a container that is gone
			for _, n := range g.Nodes {
				if gone[n.In] {
					gone[n.ID] = true
				}
			}
		}
		g.Nodes = slices.DeleteFunc(slices.Clone(g.Nodes), func(n graph.Node) bool { return gone[n.ID] })
		g.Edges = slices.DeleteFunc(slices.Clone(g.Edges), func(e graph.Edge) bool { return gone[e.From] || gone[e.To] })
		for i := range g.Nodes {
			n := &g.Nodes[i]
			into := 0
			for _, e := range g.Edges {
				if e.To == n.ID {
					into++
				}
			}
			if n.Join != nil && n.Join.N > into {
				j := *n.Join
				j.N = max(1, into)
				n.Join = &j
			}
		}
	}
}

// keys lists the nodes of a drawing that can be left out.
func (s *sketch) keys(drawing int) []string {
	var list []string
	for _, n := range s.drawings[drawing].Nodes[1:] {
		list = append(list, n.Key)
	}
	return list
}

// outcomes says what the tasks of a run give, some of it larger than an event.
func (s *sketch) outcomes(seed uint64) reference.Outcomes {
	base, large := play.Chance(seed, s.failing), s.plan.Large
	return func(p reference.Place) reference.Outcome {
		o := base(p)
		if v, is := o.Output.(map[string]any); is && float64((o.After/time.Microsecond)%1_000) < 1_000*large {
			v["pad"] = fmt.Sprintf("%09000d", len(p.Node))
		}
		return o
	}
}

// readable reports whether a machine can be made of every drawing.
func readable(seed uint64, options []Option) (ok bool) {
	defer func() { ok = recover() == nil }()
	s := sketchOf(seed, rand.New(rand.NewPCG(seed, 21)))
	for _, o := range options {
		o(&s)
	}
	for _, g := range append(s.others, s.drawings...) {
		play.Lower(g)
	}
	return true
}
