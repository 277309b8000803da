package play

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"signalbox/engine/compile"
	"signalbox/engine/expr"
	"signalbox/engine/graph"
	"signalbox/engine/machine"
)

// Lower makes the machine of a drawing without asking whether it is sound:
// what the proof refuses must still mean the same to both. The nodes are
// compiled without their edges, of which there is then nothing to prove, and
// get them afterwards.
func Lower(g graph.Graph) *machine.Machine {
	loose := g
	loose.Edges = slices.DeleteFunc(slices.Clone(g.Edges), func(e graph.Edge) bool { return e.Port != graph.PortCompensate })
	m, issues := compile.Compile(loose)
	if m == nil {
		panic(fmt.Sprint(issues, Drawn(g)))
	}
	at := func(id string) int { return m.Index(strings.TrimPrefix(id, "id-")) }
	m.Edges = nil
	for _, id := range compile.EdgeIDs(g) {
		e := g.Edges[slices.IndexFunc(g.Edges, func(e graph.Edge) bool { return e.ID == id })]
		if e.Port != graph.PortCompensate {
			m.Edges = append(m.Edges, machine.Edge{From: at(e.From), Port: e.Port, To: at(e.To)})
		}
	}
	if err := m.Link(); err != nil {
		panic(err)
	}
	return m
}

// Parse reads a JSON value.
func Parse(raw []byte) any {
	var v any
	if err := json.NewDecoder(strings.NewReader(string(raw))).Decode(&v); err != nil {
		panic(err)
	}
	return v
}

// Text writes one, always in the same way.
func Text(v any) string {
	raw, err := expr.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(raw)
}
