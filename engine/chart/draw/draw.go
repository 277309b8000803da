package draw

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"signalbox/engine/chart"
	"signalbox/engine/graph"
)

// box is a state with the node that it is drawn as.
type box struct {
	def      chart.Node
	id       string // of the state
	key      string // of the node; of a history "container.name"
	parent   *box
	children []*box
	config   Config
	ports    map[string]bool
}

// ToGraph draws a chart. The first node is the outermost container; ids of
// nodes are their keys. Nothing is placed: the layout is for others.
func ToGraph(d chart.Def) ([]graph.Node, []graph.Edge) {
	root := d.Node
	if root.ID == "" {
		root.ID = "chart"
	}
	w := writer{byID: map[string]*box{}, keys: map[string]bool{}}
	top := w.box(root, nil)
	top.config.Context, top.config.Guards, top.config.Actions, top.config.Delays = d.Context, d.Guards, d.Actions, d.Delays
	top.config.ID = d.ID
	w.fill(top)
	var nodes []graph.Node
	w.nodes(top, &nodes)
	return nodes, w.edges
}

type writer struct {
	byID  map[string]*box
	keys  map[string]bool
	edges []graph.Edge
}

// box gives every state its place and its node's key.
func (w *writer) box(n chart.Node, parent *box) *box {
	b := &box{def: n, id: n.ID, parent: parent, ports: map[string]bool{"success": true, "failure": true, graph.PortCompensate: true}}
	if b.id == "" {
		b.id = parent.id + "." + n.Key
	}
	if n.Kind == chart.KindHistory {
		b.key = parent.key + "." + n.Key
	} else {
		name := n.Key
		if parent == nil {
			name = b.id
		}
		b.key = w.free(name)
	}
	w.byID[b.id] = b
	for _, c := range n.States {
		b.children = append(b.children, w.box(c, b))
	}
	return b
}

// free makes a key that no other node has.
func (w *writer) free(name string) string {
	base := plain(name, "s_")
	key := base
	for i := 2; w.keys[key] || !graph.GoodKey(key); i++ {
		tail := "_" + strconv.Itoa(i)
		key = base[:min(len(base), graph.KeyLengthMax-len(tail))] + tail
	}
	w.keys[key] = true
	return key
}

// plain turns any text into small letters, digits and _, a letter first.
func plain(text, prefix string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '_':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return '_'
	}, strings.ReplaceAll(text, "*", "any"))
	if text == "" || text[0] < 'a' || text[0] > 'z' {
		text = prefix + text
	}
	return text[:min(len(text), graph.KeyLengthMax)]
}

// fill writes the configuration of a state and draws its transitions.
func (w *writer) fill(b *box) {
	n, c := b.def, &b.config
	if n.Key != b.key && b.parent != nil {
		c.Name = n.Key
	}
	if b.parent != nil {
		c.ID = n.ID
	}
	c.Description, c.Meta, c.Tags, c.Output = n.Description, n.Meta, n.Tags, n.Output
	c.Entry, c.Exit, c.Initial, c.InitialDo = n.Entry, n.Exit, n.Initial, n.InitialDo
	c.Final, c.Parallel = n.Kind == chart.KindFinal, n.Kind == chart.KindParallel
	for _, t := range n.On {
		c.On = append(c.On, w.move(b, "on_"+t.Event, t))
	}
	for _, t := range n.After {
		c.After = append(c.After, w.move(b, "after_"+t.Delay, t))
	}
	for _, t := range n.Always {
		c.Always = append(c.Always, w.move(b, "always", t))
	}
	for _, t := range n.Done {
		c.Done = append(c.Done, w.move(b, "done", t))
	}
	for _, v := range n.Invoke {
		task := Invoke{ID: v.ID, Source: v.Source, Input: v.Input}
		for _, t := range v.Done {
			task.Done = append(task.Done, w.move(b, "done_"+v.Source, t))
		}
		for _, t := range v.Error {
			task.Error = append(task.Error, w.move(b, "error_"+v.Source, t))
		}
		c.Invoke = append(c.Invoke, task)
	}
	for _, k := range b.children {
		c.Order = append(c.Order, k.def.Key)
		if k.def.Kind == chart.KindHistory {
			h := History{Name: k.def.Key, ID: k.def.ID, Deep: k.def.Deep}
			for _, t := range k.def.Targets {
				h.Default = append(h.Default, w.key(t))
			}
			c.Histories = append(c.Histories, h)
			continue
		}
		w.fill(k)
	}
}

// key is how a state is called in Into. An id that is not there stays: the
// chart has a fault that reading it again will tell.
func (w *writer) key(id string) string {
	if b := w.byID[id]; b != nil {
		return b.key
	}
	return id
}

// port makes a port that the box does not have yet.
func (b *box) port(name string) string {
	base := plain(name, "p_")
	port := base
	for i := 2; b.ports[port]; i++ {
		tail := "_" + strconv.Itoa(i)
		port = base[:min(len(base), graph.KeyLengthMax-len(tail))] + tail
	}
	b.ports[port] = true
	return port
}

// move draws a transition.
func (w *writer) move(b *box, port string, t chart.Transition) Move {
	m := Move{Port: b.port(port), Event: t.Event, Delay: t.Delay, Guard: t.Guard, Actions: t.Actions, Reenter: t.Reenter, Description: t.Description}
	explicit := len(t.Targets) > 1
	for _, id := range t.Targets {
		to := w.byID[id]
		if to == nil || !w.edge(b, m.Port, to) {
			explicit = true
		}
	}
	if explicit {
		for _, id := range t.Targets {
			m.Into = append(m.Into, w.key(id))
		}
	}
	return m
}

// edge draws a transition between the two boxes in the container that holds
// both of its ends, and reports whether they are the ends.
func (w *writer) edge(from *box, port string, to *box) bool {
	box := to
	if to.def.Kind == chart.KindHistory {
		box = to.parent // a history is no box
	}
	a, in := from, from.parent
	for in != nil && !box.inside(in) {
		a, in = in, in.parent
	}
	if in == nil {
		return false // it starts or ends at the chart itself, which the workflow around does not see
	}
	end := box
	for end.parent != in {
		end = end.parent
	}
	if a != from {
		port = a.exit(from.key, port)
	}
	if !slices.ContainsFunc(w.edges, func(e graph.Edge) bool { return e.From == a.key && e.Port == port && e.To == end.key }) {
		w.edges = append(w.edges, graph.Edge{ID: "move-" + strconv.Itoa(len(w.edges)+1), From: a.key, Port: port, To: end.key})
	}
	return end == to
}

// exit is the generated port of a container for a transition of a state
// inside.
func (b *box) exit(from, by string) string {
	for _, e := range b.config.Exits {
		if e.From == from && e.By == by {
			return e.Port
		}
	}
	port := b.port("out_" + from + "_" + by)
	b.config.Exits = append(b.config.Exits, Exit{Port: port, From: from, By: by})
	return port
}

func (b *box) inside(outer *box) bool {
	for p := b.parent; p != nil; p = p.parent {
		if p == outer {
			return true
		}
	}
	return false
}

// nodes lists the boxes, the outer ones first.
func (w *writer) nodes(b *box, list *[]graph.Node) {
	n := graph.Node{ID: b.key, Key: b.key, Kind: KindState}
	if b.parent == nil || len(b.children) > 0 || b.config.Parallel {
		n.Kind = KindStates
	}
	if b.parent != nil {
		n.In = b.parent.key
	}
	if raw, err := json.Marshal(b.config); err == nil {
		n.Config = raw
	}
	*list = append(*list, n)
	for _, c := range b.children {
		if c.def.Kind != chart.KindHistory {
			w.nodes(c, list)
		}
	}
}
