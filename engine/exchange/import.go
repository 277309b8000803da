package exchange

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"signalbox/engine/chart"
	"signalbox/engine/chart/draw"
	"signalbox/engine/graph"
	"signalbox/engine/problem"
)

// ImportMax is how many bytes a file may have to be read.
const ImportMax = 4_000_000

// ImportForms lists what files are read, as Imported names it.
func ImportForms() []string { return []string{"n8n", "scxml", "signalbox", "xstate"} }

// Import reads a file of another tool, or of ours, and knows which it is by
// what is in it. The graph that comes out can be saved as it is; whether it is
// sound is for the checks to say.
func Import(raw []byte, answers map[string]string) (Imported, error) {
	if len(raw) > ImportMax {
		return Imported{}, problem.New(problem.TooLarge, "A file may have %d bytes to be read; this one has %d.", ImportMax, len(raw))
	}
	raw = bytes.TrimSpace(bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf")))
	im, err := importAs(raw, answers)
	if err != nil {
		return Imported{}, err
	}
	text, err := im.Graph.Encode()
	if err != nil {
		return Imported{}, problem.New(problem.Invalid, "What was read cannot be written as a workflow.")
	}
	// The same reader that guards every door: what it refuses is never offered.
	if im.Graph, err = graph.Decode(text); err != nil {
		return Imported{}, err //nolint:wrapcheck // a *problem.Problem
	}
	return im, nil
}

func importAs(raw []byte, answers map[string]string) (Imported, error) {
	form, err := formOf(raw)
	if err != nil {
		return Imported{}, err
	}
	switch form {
	case "scxml":
		d, losses, err := FromSCXML(raw)
		if err != nil {
			return Imported{}, err
		}
		return chartImported(form, d, losses), nil
	case "signalbox":
		g, err := graph.Decode(raw)
		if err != nil {
			return Imported{}, err //nolint:wrapcheck // a *problem.Problem
		}
		return ownImported(g), nil
	case "n8n":
		return FromN8n(raw, answers)
	}
	d, losses, err := FromXState(raw)
	if err != nil {
		return Imported{}, err
	}
	return chartImported(form, d, losses), nil
}

// formOf tells by its content what a file is.
func formOf(raw []byte) (string, error) {
	unknown := problem.New(problem.Invalid, "This is none of the files that can be read here.").
		At("", "not known", "a workflow of ours or of n8n as JSON, the configuration of an XState machine as JSON, or SCXML")
	switch {
	case len(raw) == 0:
		return "", unknown
	case raw[0] == '<':
		return "scxml", nil
	case raw[0] != '{':
		if bytes.Contains(raw, []byte("createMachine(")) {
			return "", problem.New(problem.Invalid, "This is a program. Give the configuration of the machine itself, as JSON.").At("", "a program", "the object that createMachine gets, as JSON")
		}
		return "", unknown
	}
	if p := graph.CheckJSON(raw, graph.DepthMax); p != nil {
		return "", p
	}
	var top map[string]json.RawMessage
	if err := json.Unmarshal(raw, &top); err != nil {
		return "", unknown
	}
	has := func(name string, first byte) bool { return len(top[name]) > 0 && top[name][0] == first }
	switch {
	case top["signalbox"] != nil && has("nodes", '['):
		return "signalbox", nil
	case has("nodes", '[') && (has("connections", '{') || packaged(top["nodes"])):
		return "n8n", nil
	case has("states", '{') || top["initial"] != nil && has("on", '{'):
		return "xstate", nil
	}
	return "", unknown
}

// packaged reports whether nodes are n8n's: their types have a package in front.
func packaged(raw json.RawMessage) bool {
	var nodes []struct {
		Type string `json:"type"`
	}
	return json.Unmarshal(raw, &nodes) == nil && len(nodes) > 0 && strings.Contains(nodes[0].Type, ".")
}

// ownImported is a workflow of ours: every node is exact.
func ownImported(g graph.Graph) Imported {
	im := Imported{Form: "signalbox", Graph: g, Parts: []Carried{}, Dangling: []string{}, Questions: []Question{}, Credentials: []string{}}
	for _, n := range g.Nodes {
		var r reasons
		im.Parts = append(im.Parts, r.carried(g.Title(n.ID), n.Kind, n.ID))
		var c struct {
			Credential string `json:"credential"`
		}
		if json.Unmarshal(n.Config, &c) == nil && c.Credential != "" && !slices.Contains(im.Credentials, c.Credential) {
			im.Credentials = append(im.Credentials, c.Credential)
		}
	}
	return im
}

// chartImported draws a statechart into a workflow that starts it by hand.
func chartImported(form string, d chart.Def, losses []Loss) Imported {
	im := Imported{Form: form, Parts: []Carried{}, Dangling: []string{}, Questions: []Question{}, Credentials: []string{}}
	nodes, edges := draw.ToGraph(d)
	g := graph.Graph{Format: graph.Format, Name: clipText(d.ID, graph.TitleLengthMax), Nodes: nodes, Edges: edges, Layout: graph.Layout{Nodes: draw.Place(nodes, 360, 0)}}
	if g.Edges == nil {
		g.Edges = []graph.Edge{}
	}
	byState := lossesByState(losses)
	for _, n := range nodes {
		name := n.Key
		if l := g.Layout.Nodes[n.ID]; l.Title != "" {
			name = l.Title
		}
		r := reasons{}
		said := byState[name]
		delete(byState, name)
		if n.In == "" {
			said = append(said, byState[""]...)
			delete(byState, "")
		}
		for _, l := range said {
			r.say(howLost(l), "“"+clipText(l.What, 80)+"”: "+l.Message)
		}
		im.Parts = append(im.Parts, r.carried(name, n.Kind, n.ID))
	}
	for _, l := range losses {
		name := stateOf(l.Path)
		if _, left := byState[name]; left {
			r := reasons{}
			r.say(howLost(l), l.Message)
			im.Parts = append(im.Parts, r.carried(strings.TrimSpace(name), l.What, ""))
		}
	}
	if top := topOf(nodes); top != "" {
		key := "start"
		for slices.ContainsFunc(nodes, func(n graph.Node) bool { return n.Key == key || n.ID == key }) {
			key += "_1"
		}
		g.Nodes = append([]graph.Node{{ID: key, Key: key, Kind: "manual"}}, g.Nodes...)
		g.Edges = append(g.Edges, graph.Edge{ID: "begin", From: key, Port: "success", To: top})
		g.Layout.Nodes[key] = graph.NodeLayout{X: 0, Y: 40}
	}
	im.Graph = g
	return im
}

func topOf(nodes []graph.Node) string {
	for _, n := range nodes {
		if n.In == "" {
			return n.ID
		}
	}
	return ""
}

// howLost tells a difference from what is missing.
func howLost(l Loss) Fidelity {
	if slices.Contains([]string{"version", "types", "schemas", "options", "meta", "initial", "datamodel"}, l.What) {
		return Approximated
	}
	return Unsupported
}

func lossesByState(losses []Loss) map[string][]Loss {
	out := map[string][]Loss{}
	for _, l := range losses {
		out[stateOf(l.Path)] = append(out[stateOf(l.Path)], l)
	}
	return out
}

// stateOf is the name of the state that a place of a file belongs to.
func stateOf(path string) string {
	if !strings.HasPrefix(path, "/") {
		return path
	}
	parts, name := strings.Split(path, "/")[1:], ""
	for i := 0; i+1 < len(parts) && parts[i] == "states"; i += 2 {
		name = strings.NewReplacer("~1", "/", "~0", "~").Replace(parts[i+1])
	}
	return name
}
