package exchange

import (
	"fmt"
	"slices"
	"strings"

	"signalbox/engine/graph"
)

// MermaidGraph draws a workflow as a Mermaid flowchart: containers are
// subgraphs, ways out are written on the arrows, compensations are dotted.
func MermaidGraph(g graph.Graph) (string, []Loss) {
	var b strings.Builder
	names := shorten{}
	line := func(depth int, format string, args ...any) {
		b.WriteString(strings.Repeat("    ", depth) + fmt.Sprintf(format, args...) + "\n")
	}
	b.WriteString("flowchart LR\n")
	held := holders(g)
	var body func(in string, depth int)
	body = func(in string, depth int) {
		for _, n := range held[in] {
			title := mermaidText(g.Title(n.ID))
			switch {
			case len(held[n.ID]) > 0:
				line(depth, "subgraph %s[\"%s\"]", names.name(n.Key, ""), title)
				body(n.ID, depth+1)
				line(depth, "end")
			case !slices.ContainsFunc(g.Edges, func(e graph.Edge) bool { return e.To == n.ID }):
				line(depth, "%s([\"%s\"])", names.name(n.Key, ""), title)
			default:
				line(depth, "%s[\"%s\"]", names.name(n.Key, ""), title)
			}
		}
	}
	body("", 1)
	for _, e := range inOrder(g) {
		from, to := g.Node(e.From), g.Node(e.To)
		arrow := "-->"
		if e.Port == graph.PortCompensate {
			arrow = "-.->"
		}
		line(1, "%s %s|\"%s\"| %s", names.name(from.Key, ""), arrow, mermaidText(e.Port), names.name(to.Key, ""))
	}
	return b.String(), drawingLosses(g)
}

// DotGraph draws a workflow for Graphviz.
func DotGraph(g graph.Graph) (string, []Loss) {
	var b strings.Builder
	line := func(depth int, format string, args ...any) {
		b.WriteString(strings.Repeat("  ", depth) + fmt.Sprintf(format, args...) + "\n")
	}
	line(0, "digraph %s {", dotText(g.Name))
	line(1, "newrank=true; rankdir=LR; fontname=\"Helvetica\";")
	line(1, "node [shape=box, style=rounded, fontname=\"Helvetica\"]; edge [fontname=\"Helvetica\", fontsize=10];")
	held := holders(g)
	var body func(in string, depth int)
	body = func(in string, depth int) {
		for _, n := range held[in] {
			label := dotText(g.Title(n.ID) + "\n" + n.Kind)
			if len(held[n.ID]) == 0 {
				line(depth, "%s [label=%s];", dotText(n.Key), label)
				continue
			}
			line(depth, "subgraph %s {", dotText("cluster_"+n.Key))
			line(depth+1, "label=%s; style=rounded;", label)
			line(depth+1, "%s [shape=point, width=0.15]; %s [shape=point, width=0.15];", dotText(n.Key+" in"), dotText(n.Key+" out"))
			body(n.ID, depth+1)
			line(depth, "}")
		}
	}
	body("", 1)
	// An arrow to or from a container ends at a dot at its way in or out.
	end := func(id, side string) string {
		n := g.Node(id)
		if len(held[id]) > 0 {
			return dotText(n.Key + side)
		}
		return dotText(n.Key)
	}
	for _, e := range inOrder(g) {
		attrs := "label=" + dotText(e.Port)
		if e.Port == graph.PortCompensate {
			attrs += ", style=dashed"
		}
		line(1, "%s -> %s [%s];", end(e.From, " out"), end(e.To, " in"), attrs)
	}
	line(0, "}")
	return b.String(), drawingLosses(g)
}

// holders lists nodes by the container that they stand in, in the order of
// their keys, so that the same workflow is always written the same way.
func holders(g graph.Graph) map[string][]graph.Node {
	held := map[string][]graph.Node{}
	for _, n := range g.Nodes {
		held[n.In] = append(held[n.In], n)
	}
	for _, list := range held {
		slices.SortFunc(list, func(a, b graph.Node) int { return strings.Compare(a.Key, b.Key) })
	}
	return held
}

func inOrder(g graph.Graph) []graph.Edge {
	name := func(e graph.Edge) string {
		return g.Node(e.From).Key + "\x00" + e.Port + "\x00" + g.Node(e.To).Key
	}
	edges := slices.DeleteFunc(slices.Clone(g.Edges), func(e graph.Edge) bool { return g.Node(e.From) == nil || g.Node(e.To) == nil })
	slices.SortFunc(edges, func(a, b graph.Edge) int { return strings.Compare(name(a), name(b)) })
	return edges
}

// drawingLosses says what a picture of a workflow never shows.
func drawingLosses(g graph.Graph) []Loss {
	count := 0
	for _, n := range g.Nodes {
		if len(n.Config) > 2 || n.Join != nil || n.Retry != nil || n.Timeout != nil {
			count++
		}
	}
	if count == 0 {
		return nil
	}
	return []Loss{{"", "settings", fmt.Sprintf("A picture shows no settings; %d nodes have some.", count)}}
}
