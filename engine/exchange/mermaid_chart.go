package exchange

import (
	"fmt"
	"strings"

	"signalbox/engine/chart"
)

// MermaidChart draws a statechart as a Mermaid state diagram. Mermaid draws
// no arrow across the border of a state that holds others: such an arrow is
// drawn between the borders and says where it leads.
func MermaidChart(d chart.Def) (string, []Loss) {
	root, byID := outline(d)
	m := mermaidChart{byID: byID, at: map[*state][]string{}}
	m.arrows(root)
	m.b.WriteString("stateDiagram-v2\n")
	if len(m.at[nil]) == 0 && len(root.Entry)+len(root.Exit)+len(root.Invoke) == 0 && len(root.children) > 0 {
		m.body(root, 1)
		return m.b.String(), m.losses
	}
	m.state(root, 1)
	m.line(1, "[*] --> %s", m.name(root))
	for _, line := range m.at[nil] {
		m.line(1, "%s", line)
	}
	return m.b.String(), m.losses
}

type mermaidChart struct {
	b      strings.Builder
	byID   map[string]*state
	names  shorten
	at     map[*state][]string // lines in a state; under nil those of the chart itself
	losses []Loss
}

func (m *mermaidChart) line(depth int, format string, args ...any) {
	m.b.WriteString(strings.Repeat("    ", depth) + fmt.Sprintf(format, args...) + "\n")
}

func (m *mermaidChart) name(s *state) string { return m.names.name(s.id, "") }

// arrows finds the body in which each arrow is drawn.
func (m *mermaidChart) arrows(s *state) {
	for _, a := range s.arrows(m.byID) {
		in, from, to, text := s.parent, s, a.to, a.text
		if to == nil {
			to, text = s, strings.TrimSpace(text+" (stays)")
		}
		for in != nil && !to.inside(in) {
			in, from = in.parent, in
		}
		for to.parent != in {
			to = to.parent
		}
		if s != from || a.to != nil && a.to != to {
			m.losses = append(m.losses, Loss{s.id, "transition", fmt.Sprintf("“%s” is drawn between the borders of “%s” and “%s”.", text, from.label(), to.label())})
			text = strings.TrimSpace(text + " (" + s.label() + " → " + a.to.label() + ")")
		}
		line := m.name(from) + " --> " + m.name(to)
		if text != "" {
			line += " : " + mermaidText(text)
		}
		m.at[in] = append(m.at[in], line)
	}
	for _, c := range s.children {
		m.arrows(c)
	}
}

// body writes what a state holds.
func (m *mermaidChart) body(s *state, depth int) {
	first := true
	for _, c := range s.children {
		if s.Kind == chart.KindParallel && c.Kind != chart.KindHistory {
			if !first {
				m.line(depth, "--")
			}
			first = false
		}
		m.state(c, depth)
	}
	if begin := s.child(s.Initial); begin != nil && s.Kind == chart.KindCompound {
		m.line(depth, "[*] --> %s", m.name(begin))
	}
	for _, line := range m.at[s] {
		m.line(depth, "%s", line)
	}
	for _, c := range s.children {
		if c.Kind == chart.KindFinal {
			m.line(depth, "%s --> [*]", m.name(c))
		}
	}
}

// state writes a state with its notes.
func (m *mermaidChart) state(s *state, depth int) {
	label := s.label()
	if s.Kind == chart.KindHistory {
		label = map[bool]string{true: "H*", false: "H"}[s.Deep]
	}
	if len(s.children) > 0 {
		m.line(depth, "state \"%s\" as %s {", mermaidText(label), m.name(s))
		m.body(s, depth+1)
		m.line(depth, "}")
	} else {
		m.line(depth, "state \"%s\" as %s", mermaidText(label), m.name(s))
	}
	for _, part := range [][2]string{{"entry", actionsText(s.Entry)}, {"exit", actionsText(s.Exit)}} {
		if part[1] != "" && len(s.children) == 0 {
			m.line(depth, "%s : %s", m.name(s), mermaidText(part[0]+" / "+part[1]))
		} else if part[1] != "" {
			m.losses = append(m.losses, Loss{s.id, part[0], "The actions of a state that holds others are not drawn."})
		}
	}
	for _, v := range s.Invoke {
		if len(s.children) == 0 {
			m.line(depth, "%s : %s", m.name(s), mermaidText("runs "+v.Source))
		}
	}
}

// mermaidText writes letters that mean something to Mermaid as numbers.
func mermaidText(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '\n' || r == '\r' || r == '\t':
			b.WriteByte(' ')
		case strings.ContainsRune("\"#;:<>{}|`\\&", r):
			fmt.Fprintf(&b, "#%d;", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
