package exchange

import (
	"fmt"
	"strings"

	"signalbox/engine/chart"
)

// DotChart draws a statechart for Graphviz: what holds states is a cluster.
func DotChart(d chart.Def) string {
	root, byID := outline(d)
	g := dotChart{byID: byID}
	g.line(0, "digraph %s {", dotText(root.id))
	g.line(1, "newrank=true; rankdir=LR; fontname=\"Helvetica\";")
	g.line(1, "node [shape=box, style=rounded, fontname=\"Helvetica\"]; edge [fontname=\"Helvetica\", fontsize=10];")
	if len(root.children) > 0 {
		g.body(root, 1)
	} else {
		g.state(root, 1)
	}
	g.edges(root)
	g.line(0, "}")
	return g.b.String()
}

type dotChart struct {
	b    strings.Builder
	byID map[string]*state
}

func (g *dotChart) line(depth int, format string, args ...any) {
	g.b.WriteString(strings.Repeat("  ", depth) + fmt.Sprintf(format, args...) + "\n")
}

// body writes what a state holds, with a dot where it begins and, if it has
// transitions of its own, a node for all of its states.
func (g *dotChart) body(s *state, depth int) {
	g.line(depth, "%s [shape=point, width=0.15];", dotText(s.id+" begin"))
	if len(s.arrows(g.byID)) > 0 {
		g.line(depth, "%s [label=\"in any state\", shape=plaintext];", dotText(s.id+" any"))
	}
	for _, c := range s.children {
		g.state(c, depth)
	}
}

func (g *dotChart) state(s *state, depth int) {
	if len(s.children) > 0 {
		g.line(depth, "subgraph %s {", dotText("cluster_"+s.id))
		style := "rounded"
		if s.parent != nil && s.parent.Kind == chart.KindParallel {
			style = "rounded,dashed"
		}
		g.line(depth+1, "label=%s; style=%s;", dotText(strings.Join(g.rows(s), "\n")), dotText(style))
		g.body(s, depth+1)
		g.line(depth, "}")
		return
	}
	switch s.Kind {
	case chart.KindFinal:
		g.line(depth, "%s [label=%s, peripheries=2];", dotText(s.id), dotText(strings.Join(g.rows(s), "\n")))
	case chart.KindHistory:
		g.line(depth, "%s [label=%s, shape=circle];", dotText(s.id), dotText(map[bool]string{true: "H*", false: "H"}[s.Deep]))
	default:
		g.line(depth, "%s [label=%s];", dotText(s.id), dotText(strings.Join(g.rows(s), "\n")))
	}
}

// rows are the lines of text in a state.
func (g *dotChart) rows(s *state) []string {
	rows := []string{s.label()}
	if len(s.Entry) > 0 {
		rows = append(rows, "entry / "+actionsText(s.Entry))
	}
	if len(s.Exit) > 0 {
		rows = append(rows, "exit / "+actionsText(s.Exit))
	}
	for _, v := range s.Invoke {
		rows = append(rows, "runs "+v.Source)
	}
	return rows
}

// edges draws transitions: from a state that holds others they start at the
// node for all of them, to it they lead to the dot where it begins. (Graphviz
// can cut an arrow at the border of a cluster instead, but stumbles over many.)
func (g *dotChart) edges(s *state) {
	from := s.id
	if len(s.children) > 0 {
		from = s.id + " any"
		for _, c := range s.children {
			if s.Kind == chart.KindParallel && c.Kind != chart.KindHistory || c.Key == s.Initial {
				g.edge(s.id+" begin", entrance(c), "")
			}
		}
	}
	for _, a := range s.arrows(g.byID) {
		if a.to == nil {
			g.edge(from, from, a.text+" (stays)")
		} else {
			g.edge(from, entrance(a.to), a.text)
		}
	}
	for _, c := range s.children {
		g.edges(c)
	}
}

func (g *dotChart) edge(from, to, text string) {
	line := dotText(from) + " -> " + dotText(to)
	if text = strings.TrimSpace(text); text != "" {
		line += " [label=" + dotText(text) + "]"
	}
	g.line(1, "%s;", line)
}

// entrance is the node to which an arrow to a state leads.
func entrance(s *state) string {
	if len(s.children) > 0 {
		return s.id + " begin"
	}
	return s.id
}

// dotText quotes a text for Graphviz.
func dotText(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", " ").Replace(text) + `"`
}
