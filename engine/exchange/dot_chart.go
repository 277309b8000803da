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
	g.line(1, "compound=true; rankdir=LR; fontname=\"sans-serif\";")
	g.line(1, "node [shape=box, style=rounded, fontname=\"sans-serif\"]; edge [fontname=\"sans-serif\", fontsize=10];")
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

func (g *dotChart) body(s *state, depth int) {
	if begin := s.child(s.Initial); begin != nil && s.Kind == chart.KindCompound {
		g.line(depth, "%s [shape=point, width=0.15];", dotText(s.id+" begin"))
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

// edges draws transitions. What leads from or to a cluster is drawn from or to
// a state in it and cut at the border.
func (g *dotChart) edges(s *state) {
	if begin := s.child(s.Initial); begin != nil && s.Kind == chart.KindCompound {
		g.edge(dotText(s.id+" begin"), leaf(begin).id, "", "", clusterOf(begin))
	}
	whole := s.parent == nil && len(s.children) > 0
	for i, a := range s.arrows(g.byID) {
		if whole && i == 0 {
			g.line(1, "%s [label=\"in any state\", shape=plaintext];", dotText(s.id+" any"))
		}
		to := a.to
		if to == nil {
			to, a.text = s, a.text+" (stays)"
		}
		if whole {
			g.edge(dotText(s.id+" any"), map[bool]string{true: s.id + " any", false: leaf(to).id}[to == s], a.text, "", clusterOf(to))
			continue
		}
		tail, head := clusterOf(s), clusterOf(to)
		if s == to || s.inside(to) || to.inside(s) {
			tail, head = "", "" // Graphviz cannot cut an arrow that stays inside
		}
		g.edge(dotText(leaf(s).id), leaf(to).id, a.text, tail, head)
	}
	for _, c := range s.children {
		g.edges(c)
	}
}

func (g *dotChart) edge(from, to, text, tail, head string) {
	attrs := []string{}
	for _, p := range [][2]string{{"label", strings.TrimSpace(text)}, {"ltail", tail}, {"lhead", head}} {
		if p[1] != "" {
			attrs = append(attrs, p[0]+"="+dotText(p[1]))
		}
	}
	line := from + " -> " + dotText(to)
	if len(attrs) > 0 {
		line += " [" + strings.Join(attrs, ", ") + "]"
	}
	g.line(1, "%s;", line)
}

// leaf is a state without others in it: s, or the first one inside.
func leaf(s *state) *state {
	for len(s.children) > 0 {
		next := s.children[0]
		if begin := s.child(s.Initial); begin != nil {
			next = begin
		}
		s = next
	}
	return s
}

// clusterOf is the cluster that a state is drawn as, if it is.
func clusterOf(s *state) string {
	if len(s.children) == 0 || s.parent == nil {
		return ""
	}
	return "cluster_" + s.id
}

// dotText quotes a text for Graphviz.
func dotText(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", " ").Replace(text) + `"`
}
