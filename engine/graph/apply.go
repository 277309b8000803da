package graph

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"

	"signalbox/engine/problem"
)

// OpsMax is the number of operations in one batch.
const OpsMax = 20_000

// ApplyAll applies a batch to a copy and returns it with the batch that undoes
// it. On an error (a *problem.Problem that names the operation) the graph is
// as before.
func (g *Graph) ApplyAll(ops []Op) (Graph, []Op, error) {
	if len(ops) > OpsMax {
		return *g, nil, problem.New(problem.TooLarge, "A batch may have %d operations; this one has %d.", OpsMax, len(ops))
	}
	c := g.Clone()
	var inverse []Op
	for i, op := range ops {
		inv, err := c.Apply(op)
		if err != nil {
			return *g, nil, inOp(i, err)
		}
		inverse = append(inv, inverse...)
	}
	if p := c.checkShape(); p != nil {
		return *g, nil, p
	}
	return c, inverse, nil
}

func inOp(i int, err error) error {
	p := problem.Of(err)
	if p == nil {
		return err
	}
	at := "/ops/" + strconv.Itoa(i)
	if len(p.Fields) == 0 {
		_ = p.At(at, p.Detail, "") // p itself
	}
	for j := range p.Fields {
		p.Fields[j].Location = at + p.Fields[j].Location
	}
	return p
}

// Apply changes the graph in place and returns the operations that undo the
// change, in the order in which to apply them. On an error nothing changed.
func (g *Graph) Apply(op Op) ([]Op, error) {
	switch op.Op {
	case "node.add":
		return g.addNode(op)
	case "node.set":
		return g.setNode(op)
	case "node.move":
		return g.moveNode(op)
	case "node.size":
		return g.sizeNode(op)
	case "node.del":
		return g.delNode(op)
	case "edge.add":
		return g.addEdge(op)
	case "edge.set":
		return g.setEdge(op)
	case "edge.del":
		return g.delEdge(op)
	case "note.add", "note.set", "note.del":
		return g.applyNote(op)
	case "graph.set":
		return g.setGraph(op)
	default:
		return nil, problem.New(problem.Invalid, "There is no operation %.40q.", op.Op).At("/op", "unknown operation", "node.add, node.set, node.move, node.size, node.del, edge.add, edge.set, edge.del, note.add, note.set, note.del or graph.set")
	}
}

func (g *Graph) addNode(op Op) ([]Op, error) {
	var doc NodeDoc
	if err := decodeStrict(op.Value, &doc); err != nil {
		return nil, err
	}
	doc.ID = op.ID
	if p := checkNode("/value", doc.Node); p != nil {
		return nil, p
	}
	for _, n := range g.Nodes {
		if n.ID == doc.ID {
			return nil, problem.New(problem.Conflict, "There is already a node with the id %q.", doc.ID).At("/id", "duplicate id", "an id of its own")
		}
		if n.Key == doc.Key {
			return nil, problem.New(problem.Conflict, "There is already a node with the key %q.", doc.Key).At("/value/key", "duplicate key", "a key of its own")
		}
	}
	if p := g.holds("/value/in", doc.Node); p != nil {
		return nil, p
	}
	g.Nodes = append(g.Nodes, doc.Node)
	g.layout(doc.ID, NodeLayout{X: doc.X, Y: doc.Y, Title: doc.Title, W: doc.W, H: doc.H, Folded: doc.Folded, Notes: doc.Notes, Pin: doc.Pin})
	return []Op{{Op: "node.del", ID: doc.ID}}, nil
}

func (g *Graph) layout(id string, l NodeLayout) {
	if g.Layout.Nodes == nil {
		g.Layout.Nodes = map[string]NodeLayout{}
	}
	g.Layout.Nodes[id] = l
}

func (g *Graph) moveNode(op Op) ([]Op, error) {
	if _, err := g.find(op.ID); err != nil {
		return nil, err
	}
	var to struct {
		X int `json:"x"`
		Y int `json:"y"`
	}
	if err := decodeStrict(op.Value, &to); err != nil {
		return nil, err
	}
	l := g.Layout.Nodes[op.ID]
	undo := Op{Op: "node.move", ID: op.ID, Value: json.RawMessage(fmt.Sprintf(`{"x":%d,"y":%d}`, l.X, l.Y))}
	l.X, l.Y = to.X, to.Y
	g.layout(op.ID, l)
	return []Op{undo}, nil
}

func (g *Graph) sizeNode(op Op) ([]Op, error) {
	if _, err := g.find(op.ID); err != nil {
		return nil, err
	}
	type size struct {
		W      int  `json:"w,omitempty"`
		H      int  `json:"h,omitempty"`
		Folded bool `json:"folded,omitempty"`
	}
	var to size
	if err := decodeStrict(op.Value, &to); err != nil {
		return nil, err
	}
	l := g.Layout.Nodes[op.ID]
	was, err := json.Marshal(size{l.W, l.H, l.Folded})
	if err != nil {
		return nil, fmt.Errorf("encode size: %w", err)
	}
	l.W, l.H, l.Folded = to.W, to.H, to.Folded
	g.layout(op.ID, l)
	return []Op{{Op: "node.size", ID: op.ID, Value: was}}, nil
}

// delNode removes a node with its edges. A container goes with everything that
// is drawn in it.
func (g *Graph) delNode(op Op) ([]Op, error) {
	n, err := g.find(op.ID)
	if err != nil {
		return nil, err
	}
	if held := g.Held(op.ID); len(held) > 0 {
		return g.delHeld(op, held)
	}
	l := g.Layout.Nodes[op.ID]
	doc, err := json.Marshal(NodeDoc{Node: *n, X: l.X, Y: l.Y, Title: l.Title, W: l.W, H: l.H, Folded: l.Folded, Notes: l.Notes, Pin: l.Pin})
	if err != nil {
		return nil, fmt.Errorf("encode node %s: %w", n.Key, err)
	}
	inverse := []Op{{Op: "node.add", ID: op.ID, Value: doc}}
	for _, e := range g.Edges {
		if e.From == op.ID || e.To == op.ID {
			inverse = append(inverse, addEdgeOp(e))
		}
	}
	g.Edges = slices.DeleteFunc(g.Edges, func(e Edge) bool { return e.From == op.ID || e.To == op.ID })
	g.Nodes = slices.DeleteFunc(g.Nodes, func(m Node) bool { return m.ID == op.ID })
	delete(g.Layout.Nodes, op.ID)
	return inverse, nil
}

func (g *Graph) find(id string) (*Node, error) {
	if n := g.Node(id); n != nil {
		return n, nil
	}
	return nil, problem.New(problem.Conflict, "The node is not there any more.").At("/id", fmt.Sprintf("%.80q", id), "the id of a node")
}

// edgeEnds is the value of edge.add.
type edgeEnds struct {
	From string `json:"from"`
	Port string `json:"port"`
	To   string `json:"to"`

	Label string `json:"label,omitempty"`
}

func addEdgeOp(e Edge) Op {
	ends, err := json.Marshal(edgeEnds{e.From, e.Port, e.To, e.Label})
	if err != nil {
		panic(err) //nolint:forbidigo // three strings always encode
	}
	return Op{Op: "edge.add", ID: e.ID, Value: ends}
}

func (g *Graph) addEdge(op Op) ([]Op, error) {
	var ends edgeEnds
	if err := decodeStrict(op.Value, &ends); err != nil {
		return nil, err
	}
	e := Edge{ID: op.ID, From: ends.From, Port: ends.Port, To: ends.To, Label: ends.Label}
	if err := g.fits(e, ""); err != nil {
		return nil, err
	}
	g.Edges = append(g.Edges, e)
	return []Op{{Op: "edge.del", ID: op.ID}}, nil
}

// fits checks an edge against the graph; self is the id of the edge that it
// replaces.
func (g *Graph) fits(e Edge, self string) error {
	if !idRule.MatchString(e.ID) {
		return problem.New(problem.Invalid, "An edge has no usable id.").At("/id", fmt.Sprintf("%.80q", e.ID), "1 to 64 letters, digits, _ or -")
	}
	if !keyRule.MatchString(e.Port) {
		return problem.New(problem.Invalid, "An edge starts at a port without a usable name.").At("/value/port", fmt.Sprintf("%.80q", e.Port), "a port name")
	}
	if utf8.RuneCountInString(e.Label) > LabelLengthMax {
		return problem.New(problem.Invalid, "The label of an edge is too long.").At("/value/label", "length", fmt.Sprintf("at most %d characters", LabelLengthMax))
	}
	for _, end := range []struct{ at, id string }{{"/value/from", e.From}, {"/value/to", e.To}} {
		if g.Node(end.id) == nil {
			return problem.New(problem.Conflict, "An edge needs a node that is not there.").At(end.at, fmt.Sprintf("%.80q", end.id), "the id of a node")
		}
	}
	for _, o := range g.Edges {
		if o.ID == self {
			continue
		}
		if o.ID == e.ID {
			return problem.New(problem.Conflict, "There is already an edge with the id %q.", e.ID).At("/id", "duplicate id", "an id of its own")
		}
		if o.From == e.From && o.Port == e.Port && o.To == e.To {
			return problem.New(problem.Conflict, "These two are already connected.").At("/value", "duplicate edge", "one edge from a port to a node")
		}
	}
	return nil
}

func (g *Graph) setEdge(op Op) ([]Op, error) {
	i := slices.IndexFunc(g.Edges, func(e Edge) bool { return e.ID == op.ID })
	if i < 0 {
		return nil, problem.New(problem.Conflict, "The edge is not there any more.").At("/id", fmt.Sprintf("%.80q", op.ID), "the id of an edge")
	}
	var to string
	if err := decodeStrict(op.Value, &to); err != nil {
		return nil, err
	}
	e := g.Edges[i]
	var was string
	switch op.Path {
	case "/from":
		was, e.From = e.From, to
	case "/port":
		was, e.Port = e.Port, to
	case "/to":
		was, e.To = e.To, to
	case "/label":
		was, e.Label = e.Label, to
	default:
		return nil, badPath(op.Path, "/from, /port, /to or /label")
	}
	if err := g.fits(e, e.ID); err != nil {
		return nil, err
	}
	g.Edges[i] = e
	return []Op{{Op: "edge.set", ID: op.ID, Path: op.Path, Value: quote(was)}}, nil
}

func (g *Graph) delEdge(op Op) ([]Op, error) {
	i := slices.IndexFunc(g.Edges, func(e Edge) bool { return e.ID == op.ID })
	if i < 0 {
		return nil, problem.New(problem.Conflict, "The edge is not there any more.").At("/id", fmt.Sprintf("%.80q", op.ID), "the id of an edge")
	}
	inverse := addEdgeOp(g.Edges[i])
	g.Edges = slices.Delete(g.Edges, i, i+1)
	return []Op{inverse}, nil
}

func quote(s string) json.RawMessage {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) //nolint:forbidigo // a string always encodes
	}
	return b
}

func badPath(path, want string) error {
	return problem.New(problem.Invalid, "There is nothing to set at %.80q.", path).At("/path", fmt.Sprintf("%.80q", path), want)
}
