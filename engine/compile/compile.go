// Package compile turns a drawing into a machine, or into findings that say
// what stands in the way: resolve (kinds, ports, keys), check (configuration,
// expressions, structure), follow (what values look like along the edges), lower
// (defaults filled in), link, prove (package soundness).
//
// It is pure: the same drawing always gives the same bytes.
package compile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"signalbox/engine/chart"
	"signalbox/engine/expr"
	"signalbox/engine/graph"
	"signalbox/engine/kind"
	"signalbox/engine/machine"
)

// compiler is one call of Compile.
type compiler struct {
	g      *graph.Graph
	node   map[string]*graph.Node // by id
	key    map[string]*graph.Node // by key
	specs  map[string]kind.Spec   // by node id; only of nodes with a known kind
	in     map[string][]graph.Edge
	out    map[string][]graph.Edge
	charts map[string]chart.Def             // by node id: statecharts
	tasks  []invoked                        // that states of these start
	trees  map[string]map[string]*expr.Tree // by node id and field: what could be parsed
	issues []graph.Issue
}

// Compile returns the machine of a drawing and everything found on the way,
// errors first. With errors the machine is nil.
func Compile(g graph.Graph) (*machine.Machine, []graph.Issue) {
	c := newCompiler(g)
	c.resolve()
	c.check()
	f := newFlows(c, World{})
	f.follow()
	f.judge()
	if graph.Errors(c.issues) {
		return nil, c.sorted()
	}
	m := c.lower()
	if err := m.Link(); err != nil {
		c.add(graph.Issue{Code: "internal", Severity: graph.SeverityError, Message: "This drawing cannot be linked: " + err.Error() + "."})
		return nil, c.sorted()
	}
	c.prove(m)
	if graph.Errors(c.issues) {
		return nil, c.sorted()
	}
	return m, c.sorted()
}

func newCompiler(g graph.Graph) *compiler {
	c := &compiler{
		g: &g, charts: map[string]chart.Def{}, specs: map[string]kind.Spec{}, node: map[string]*graph.Node{}, key: map[string]*graph.Node{},
		in: map[string][]graph.Edge{}, out: map[string][]graph.Edge{}, trees: map[string]map[string]*expr.Tree{},
	}
	for i := range g.Nodes {
		c.node[g.Nodes[i].ID], c.key[g.Nodes[i].Key] = &g.Nodes[i], &g.Nodes[i]
	}
	for _, e := range g.Edges {
		c.in[e.To] = append(c.in[e.To], e)
		c.out[e.From] = append(c.out[e.From], e)
	}
	return c
}

// EdgeIDs lists the ids of the drawing's edges by their position in the
// machine. Edges to compensations, which no token takes, are not among them.
func EdgeIDs(g graph.Graph) []string {
	keys := keysOf(&g)
	edges := sortedEdges(flow(&g), keys)
	ids := make([]string, len(edges))
	for i, e := range edges {
		ids[i] = e.ID
	}
	return ids
}

func keysOf(g *graph.Graph) map[string]string {
	keys := make(map[string]string, len(g.Nodes))
	for _, n := range g.Nodes {
		keys[n.ID] = n.Key
	}
	return keys
}

func sortedEdges(edges []graph.Edge, keys map[string]string) []graph.Edge {
	edges = slices.Clone(edges)
	slices.SortFunc(edges, func(a, b graph.Edge) int {
		return cmp.Or(strings.Compare(keys[a.From], keys[b.From]), strings.Compare(a.Port, b.Port), strings.Compare(keys[a.To], keys[b.To]))
	})
	return edges
}

func (c *compiler) add(i graph.Issue) { c.issues = append(c.issues, i) }

func (c *compiler) fail(code string, n graph.Node, field, format string, args ...any) {
	c.add(graph.Issue{Code: code, Severity: graph.SeverityError, Node: n.ID, Field: field, Message: fmt.Sprintf(format, args...)})
}

func (c *compiler) warn(code string, n graph.Node, field, format string, args ...any) {
	c.add(graph.Issue{Code: code, Severity: graph.SeverityWarning, Node: n.ID, Field: field, Message: fmt.Sprintf(format, args...)})
}

// title is how a sentence names a node.
func (c *compiler) title(id string) string {
	if t := c.g.Layout.Nodes[id].Title; t != "" {
		return t
	}
	if n := c.node[id]; n != nil {
		return n.Key
	}
	return id
}

// sorted puts errors first and keeps the order of discovery otherwise.
func (c *compiler) sorted() []graph.Issue {
	slices.SortStableFunc(c.issues, func(a, b graph.Issue) int { return strings.Compare(a.Severity, b.Severity) })
	if c.issues == nil {
		return []graph.Issue{}
	}
	return c.issues
}
