package draw

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"signalbox/engine/chart"
	"signalbox/engine/graph"
)

// Codes of the issues of a drawn chart.
const (
	CodeConfig = "bad_config" // a configuration cannot be read
	CodeChart  = "bad_chart"  // the chart cannot run
	CodeEdge   = "crosses_scope"
)

// FromGraph reads the chart that a container holds. With an error among the
// issues the chart is not usable.
func FromGraph(g graph.Graph, container string) (chart.Def, []graph.Issue) {
	r := reader{g: g, boxes: map[string]*box{}, names: map[string]*box{}, out: map[[2]string][]string{}}
	n := g.Node(container)
	if n == nil || n.Kind != KindStates {
		return chart.Def{}, []graph.Issue{{Code: CodeChart, Severity: graph.SeverityError, Node: container, Message: "There is no container of states here."}}
	}
	top := r.collect(*n, nil)
	for _, e := range g.Edges {
		r.follow(e)
	}
	for _, b := range r.boxes {
		for _, x := range b.config.Exits {
			if from := r.names[x.From]; from != nil {
				r.out[[2]string{from.key, x.By}] = append(r.out[[2]string{from.key, x.By}], r.out[[2]string{b.key, x.Port}]...)
			}
		}
	}
	d := chart.Def{
		Node: r.node(top), Context: top.config.Context, Guards: top.config.Guards, Actions: top.config.Actions, Delays: top.config.Delays,
	}
	d.Key, d.ID = "", top.id
	r.check(d, container)
	return d, r.issues
}

// States tells which node each state of a container's chart is drawn as, by
// the state's id.
func States(g graph.Graph, container string) map[string]string {
	r := reader{g: g, boxes: map[string]*box{}, names: map[string]*box{}, out: map[[2]string][]string{}}
	if n := g.Node(container); n != nil {
		r.collect(*n, nil)
	}
	nodes := make(map[string]string, len(r.boxes))
	for id, b := range r.boxes {
		nodes[b.id] = id
	}
	return nodes
}

type reader struct {
	g      graph.Graph
	boxes  map[string]*box // by node id
	names  map[string]*box // by key, histories by "container.name"
	out    map[[2]string][]string
	issues []graph.Issue
}

func (r *reader) fail(node, code, format string, args ...any) {
	r.issues = append(r.issues, graph.Issue{Code: code, Severity: graph.SeverityError, Node: node, Message: fmt.Sprintf(format, args...)})
}

// collect reads the configurations of a container and all that it holds.
func (r *reader) collect(n graph.Node, parent *box) *box {
	b := &box{key: n.Key, parent: parent}
	if len(n.Config) > 0 {
		dec := json.NewDecoder(bytes.NewReader(n.Config))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&b.config); err != nil {
			r.fail(n.ID, CodeConfig, "The configuration of the state “%s” cannot be read: %s.", n.Key, strings.TrimPrefix(err.Error(), "json: "))
		}
	}
	name := cmp.Or(b.config.Name, n.Key)
	b.def.Key, b.id = name, b.config.ID
	switch {
	case b.id != "":
	case parent == nil:
		b.id = n.Key
	default:
		b.id = parent.id + "." + name
	}
	r.boxes[n.ID], r.names[n.Key] = b, b
	for _, h := range b.config.Histories {
		past := &box{key: n.Key + "." + h.Name, parent: b, id: cmp.Or(h.ID, b.id+"."+h.Name), def: chart.Node{Key: h.Name, ID: h.ID, Kind: chart.KindHistory, Deep: h.Deep}}
		r.names[past.key] = past
		b.children = append(b.children, past)
	}
	var held []graph.Node
	for _, k := range r.g.Nodes {
		switch {
		case k.In != n.ID || k.ID == n.ID:
		case k.Kind == KindState || k.Kind == KindStates:
			held = append(held, k)
		default:
			r.fail(k.ID, CodeChart, "“%s” is no state; only states stand in a container of states.", r.g.Title(k.ID))
		}
	}
	slices.SortFunc(held, func(a, b graph.Node) int { return strings.Compare(a.Key, b.Key) })
	for _, k := range held {
		if r.boxes[k.ID] == nil {
			b.children = append(b.children, r.collect(k, b))
		}
	}
	place := func(c *box) int {
		if i := slices.Index(b.config.Order, c.def.Key); i >= 0 {
			return i
		}
		return len(b.config.Order)
	}
	slices.SortStableFunc(b.children, func(x, y *box) int { return place(x) - place(y) })
	return b
}

// follow notes where an edge leads.
func (r *reader) follow(e graph.Edge) {
	from, to := r.boxes[e.From], r.boxes[e.To]
	switch {
	case from == nil && to == nil, from != nil && from.parent == nil, to != nil && to.parent == nil:
		return // outside of the chart
	case from == nil || to == nil || from.parent != to.parent:
		r.issues = append(r.issues, graph.Issue{
			Code: CodeEdge, Severity: graph.SeverityError, Edge: e.ID, Message: "This edge crosses the border of a container of states.",
		})
	default:
		port := [2]string{from.key, e.Port}
		r.out[port] = append(r.out[port], to.key)
	}
}

// node reads a state.
func (r *reader) node(b *box) chart.Node {
	c := b.config
	if b.def.Kind == chart.KindHistory {
		n := b.def
		for _, h := range b.parent.config.Histories {
			if h.Name == n.Key {
				n.Targets = r.ids(h.Default)
			}
		}
		return n
	}
	n := chart.Node{
		Key: b.def.Key, ID: c.ID, Description: c.Description, Meta: c.Meta, Tags: c.Tags, Output: c.Output,
		Initial: c.Initial, InitialDo: c.InitialDo, Entry: c.Entry, Exit: c.Exit,
		On: r.moves(b, c.On), After: r.moves(b, c.After), Always: r.moves(b, c.Always), Done: r.moves(b, c.Done),
	}
	switch {
	case c.Final:
		n.Kind = chart.KindFinal
	case c.Parallel:
		n.Kind = chart.KindParallel
	}
	for _, v := range c.Invoke {
		n.Invoke = append(n.Invoke, chart.Invoke{ID: v.ID, Source: v.Source, Input: v.Input, Done: r.moves(b, v.Done), Error: r.moves(b, v.Error)})
	}
	for _, k := range b.children {
		n.States = append(n.States, r.node(k))
	}
	return n
}

// moves reads transitions: their targets are what Into says, and the states
// to which an edge leads that Into does not go into.
func (r *reader) moves(b *box, list []Move) []chart.Transition {
	var out []chart.Transition
	for _, m := range list {
		t := chart.Transition{Event: m.Event, Delay: m.Delay, Guard: m.Guard, Actions: m.Actions, Reenter: m.Reenter, Description: m.Description}
		t.Targets = r.ids(m.Into)
		var drawn []string
		for _, key := range r.out[[2]string{b.key, m.Port}] {
			if !slices.ContainsFunc(m.Into, func(into string) bool { return r.leads(key, into) }) {
				drawn = append(drawn, key)
			}
		}
		slices.Sort(drawn) // the order of edges in a file means nothing
		t.Targets = append(t.Targets, r.ids(drawn)...)
		out = append(out, t)
	}
	return out
}

// leads reports whether a state is the box or stands inside of it.
func (r *reader) leads(key, into string) bool {
	outer, inner := r.names[key], r.names[into]
	return inner != nil && (outer == inner || inner.inside(outer))
}

func (r *reader) ids(keys []string) []string {
	var out []string
	for _, k := range keys {
		if b := r.names[k]; b != nil {
			out = append(out, b.id)
		} else {
			out = append(out, k)
		}
	}
	return out
}

// check compiles the chart and pins its faults to nodes.
func (r *reader) check(d chart.Def, container string) {
	_, faults := chart.Compile(d)
	for _, f := range faults {
		at := container
		for id, b := range r.boxes {
			if b.id == f.Node {
				at = id
			}
		}
		r.fail(at, CodeChart, "%s", f.Message)
	}
}
