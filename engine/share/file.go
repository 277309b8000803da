package share

import (
	"encoding/json"
	"slices"

	"signalbox/engine/graph"
	"signalbox/engine/kind"
)

// File builds what a guest may take along: a workflow file that works once its
// credentials are filled in. Of a configuration it has the fields that the
// kind knows, without those that open something: credentials, headers, the
// address of a webhook. It has no pinned data, no sample input and no notes
// that people wrote for each other.
func File(g graph.Graph) graph.Graph {
	out := graph.Graph{
		Format: graph.Format, Name: g.Name, Description: g.Description, Transaction: g.Transaction,
		Nodes: make([]graph.Node, 0, len(g.Nodes)), Edges: slices.Clone(g.Edges),
		Layout: graph.Layout{Nodes: map[string]graph.NodeLayout{}, Notes: map[string]graph.Note{}},
	}
	for _, n := range g.Nodes {
		taken := graph.Node{
			ID: n.ID, Key: n.Key, Kind: n.Kind, Config: configOf(n), In: n.In, Join: n.Join, Retry: n.Retry, Timeout: n.Timeout,
			Task: n.Task, MaxVisits: n.MaxVisits, Disabled: n.Disabled, Pivot: n.Pivot,
		}
		out.Nodes = append(out.Nodes, taken)
		l := g.Layout.Nodes[n.ID]
		out.Layout.Nodes[n.ID] = graph.NodeLayout{X: l.X, Y: l.Y, Title: l.Title, W: l.W, H: l.H, Folded: l.Folded}
	}
	for id, n := range g.Layout.Notes {
		out.Layout.Notes[id] = graph.Note{X: n.X, Y: n.Y, W: n.W, H: n.H, Text: n.Text}
	}
	return out
}

// private are the fields that open something, or often hold what does.
func private(spec kind.Spec, field kind.Property) bool {
	switch field.Schema.UI {
	case "credential", "secret":
		return true
	}
	return field.Name == "headers" || spec.Name == "webhook" && field.Name == "path"
}

func configOf(n graph.Node) json.RawMessage {
	spec, known := kind.Find(n.Kind)
	var config map[string]json.RawMessage
	if !known || json.Unmarshal(n.Config, &config) != nil {
		return nil
	}
	taken := map[string]json.RawMessage{}
	for _, field := range spec.Config.Properties {
		if value, there := config[field.Name]; there && !private(spec, field) {
			taken[field.Name] = value
		}
	}
	if len(taken) == 0 {
		return nil
	}
	raw, err := json.Marshal(taken) // members in order of their names: the same file each time
	if err != nil {
		return nil
	}
	return raw
}
