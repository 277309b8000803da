package share

import (
	"encoding/json"

	"signalbox/engine/graph"
	"signalbox/engine/kind"
	"signalbox/engine/runtime/brief"
)

// Public builds what a guest may see of a drawing. A field that is not copied
// here does not leave: no configuration (headers, addresses, webhook paths,
// expressions), no pinned data, no sample input.
func Public(g graph.Graph) graph.Graph {
	out := graph.Graph{
		Format: graph.Format, Name: g.Name, Description: g.Description,
		Nodes: make([]graph.Node, 0, len(g.Nodes)), Edges: make([]graph.Edge, 0, len(g.Edges)),
		Layout: graph.Layout{Nodes: map[string]graph.NodeLayout{}, Notes: map[string]graph.Note{}},
	}
	for _, n := range g.Nodes {
		public := graph.Node{ID: n.ID, Key: n.Key, Kind: n.Kind, In: n.In, Config: portsOnly(n), Disabled: n.Disabled}
		if n.Join != nil {
			public.Join = &graph.Join{Mode: n.Join.Mode}
		}
		out.Nodes = append(out.Nodes, public)
		l := g.Layout.Nodes[n.ID]
		out.Layout.Nodes[n.ID] = graph.NodeLayout{X: l.X, Y: l.Y, Title: l.Title, W: l.W, H: l.H, Folded: l.Folded}
	}
	for _, e := range g.Edges {
		out.Edges = append(out.Edges, graph.Edge{ID: e.ID, From: e.From, Port: e.Port, To: e.To})
	}
	for id, n := range g.Layout.Notes {
		out.Layout.Notes[id] = graph.Note{X: n.X, Y: n.Y, W: n.W, H: n.H, Text: n.Text}
	}
	return out
}

// portsOnly keeps the names of the ports that a configuration makes, without
// which the edges could not be drawn.
func portsOnly(n graph.Node) json.RawMessage {
	spec, known := kind.Find(n.Kind)
	if !known || spec.PortsOf == nil {
		return nil
	}
	var config map[string]json.RawMessage
	if json.Unmarshal(n.Config, &config) != nil {
		return nil
	}
	public := map[string][]map[string]string{}
	for _, from := range append([]kind.PortsOf{*spec.PortsOf}, spec.MorePorts...) {
		var items []map[string]json.RawMessage
		if json.Unmarshal(config[from.Field], &items) != nil {
			continue
		}
		for _, item := range items {
			var port string
			if json.Unmarshal(item[from.Name], &port) == nil && port != "" {
				public[from.Field] = append(public[from.Field], map[string]string{from.Name: port})
			}
		}
	}
	if len(public) == 0 {
		return nil
	}
	raw, err := json.Marshal(public)
	if err != nil {
		return nil
	}
	return raw
}

// PublicBrief builds what a guest may see of an event: where the run is, never
// what it carries. An error shows its class; its message may quote data.
func PublicBrief(b brief.Brief) brief.Brief {
	out := brief.Brief{
		Seq: b.Seq, At: b.At, Type: b.Type, Node: b.Node, Scope: b.Scope, Visit: b.Visit, Attempt: b.Attempt,
		Count: b.Count, Index: b.Index, Opens: b.Opens, Closes: b.Closes, Undoes: b.Undoes, For: b.For,
		Port: b.Port, Ports: b.Ports, Took: b.Took, Queue: b.Queue, Priority: b.Priority, Until: b.Until, RetryAt: b.RetryAt,
		Began: b.Began, Size: b.Size, Handled: b.Handled, Trigger: b.Trigger,
	}
	if b.Error != nil {
		out.Error = &brief.Error{Class: b.Error.Class}
	}
	return out
}
