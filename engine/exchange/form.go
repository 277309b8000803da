package exchange

import (
	"slices"
	"strings"

	"signalbox/engine/chart"
	"signalbox/engine/chart/draw"
	"signalbox/engine/graph"
	"signalbox/engine/problem"
)

// Form is something that drawings are exported as.
type Form string

// The closed list of Form.
const (
	XState  Form = "xstate"
	SCXML   Form = "scxml"
	Mermaid Form = "mermaid"
	Dot     Form = "dot"
)

// Forms lists the forms by name.
func Forms() []string { return []string{string(Dot), string(Mermaid), string(SCXML), string(XState)} }

// MediaType is what a browser is told about the text.
func (f Form) MediaType() string {
	switch f {
	case XState:
		return "text/javascript; charset=utf-8"
	case SCXML:
		return "application/scxml+xml; charset=utf-8"
	default:
		return "text/plain; charset=utf-8"
	}
}

// Extension is how names of files of the form end.
func (f Form) Extension() string {
	switch f {
	case XState:
		return ".mjs"
	case SCXML:
		return ".scxml"
	case Mermaid:
		return ".mmd"
	default:
		return ".dot"
	}
}

// Chart writes a statechart in a form.
func Chart(d chart.Def, form Form) (string, []Loss, error) {
	switch form {
	case XState:
		text, losses := ToXState(d)
		return text, losses, nil
	case SCXML:
		return ToSCXML(d)
	case Mermaid:
		text, losses := MermaidChart(d)
		return text, losses, nil
	case Dot:
		return DotChart(d), nil, nil
	}
	return "", nil, unknown(form)
}

func unknown(form Form) error {
	return problem.New(problem.Invalid, "There is no form %q.", string(form)).At("as", "not known", strings.Join(Forms(), ", "))
}

// Workflow writes a workflow in a form. XState and SCXML know statecharts
// only: of a workflow they take the one that it holds, or that the key names.
// With a key, pictures too show only that chart.
func Workflow(g graph.Graph, form Form, key string) (string, []Loss, error) {
	if !slices.Contains(Forms(), string(form)) {
		return "", nil, unknown(form)
	}
	if key == "" && form == Mermaid {
		text, losses := MermaidGraph(g)
		return text, losses, nil
	}
	if key == "" && form == Dot {
		text, losses := DotGraph(g)
		return text, losses, nil
	}
	var found []graph.Node
	for _, n := range g.Nodes {
		if n.Kind == draw.KindStates && (key == n.Key || key == "" && !inChart(g, n)) {
			found = append(found, n)
		}
	}
	switch {
	case len(found) == 0 && key != "":
		return "", nil, problem.New(problem.NotFound, "This workflow has no statechart %q.", key)
	case len(found) == 0:
		return "", nil, problem.New(problem.Invalid, "This workflow holds no statechart, and %s knows nothing else. Export it as %s or %s.", form, Mermaid, Dot)
	case len(found) > 1:
		return "", nil, problem.New(problem.Invalid, "This workflow holds %d statecharts. Say which, by its key.", len(found)).At("chart", "missing", "the key of a container of states")
	}
	d, issues := draw.FromGraph(g, found[0].ID)
	if graph.Errors(issues) {
		return "", nil, problem.New(problem.Invalid, "The statechart %q has faults. %s", found[0].Key, issues[0].Message)
	}
	return Chart(d, form)
}

// inChart reports whether a container stands inside a statechart.
func inChart(g graph.Graph, n graph.Node) bool {
	in := g.Node(n.In)
	return in != nil && in.Kind == draw.KindStates
}
