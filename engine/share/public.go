package share

import (
	"encoding/json"

	"signalbox/engine/graph"
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
		public := graph.Node{ID: n.ID, Key: n.Key, Kind: n.Kind, Config: portsOnly(n.Config), Disabled: n.Disabled}
		if n.Join != nil {
			public.Join = &graph.Join{Mode: n.Join.Mode}
		}
		out.Nodes = append(out.Nodes, public)
		l := g.Layout.Nodes[n.ID]
		out.Layout.Nodes[n.ID] = graph.NodeLayout{X: l.X, Y: l.Y, Title: l.Title}
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
func portsOnly(config json.RawMessage) json.RawMessage {
	var c struct {
		Rules []struct {
			Port string `json:"port"`
		} `json:"rules,omitempty"`
	}
	if json.Unmarshal(config, &c) != nil || len(c.Rules) == 0 {
		return nil
	}
	raw, err := json.Marshal(c)
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
