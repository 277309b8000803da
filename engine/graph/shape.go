package graph

import (
	"fmt"
	"regexp"
	"strconv"
	"unicode"
	"unicode/utf8"

	"signalbox/engine/problem"
)

var (
	idRule  = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)
	keyRule = regexp.MustCompile(`^[a-z][a-z0-9_]{0,39}$`)
)

// reserved words have a meaning of their own in expressions.
func reserved(key string) bool {
	switch key {
	case "input", "inputs", "nodes", "trigger", "run", "vars", "item", "index", "secrets",
		"true", "false", "null", "in", "as", "break", "const", "continue", "else", "for",
		"function", "if", "import", "let", "loop", "package", "namespace", "return", "var", "void", "while":
		return true
	}
	return false
}

// GoodKey reports whether a key may name a node.
func GoodKey(key string) bool { return keyRule.MatchString(key) && !reserved(key) }

// checkShape finds what makes a drawing impossible, as opposed to wrong: such
// a graph is never stored. The first fault is returned.
func (g *Graph) checkShape() *problem.Problem {
	if len(g.Nodes) > NodesMax {
		return problem.New(problem.TooLarge, "A workflow may have %d nodes; this one has %d.", NodesMax, len(g.Nodes)).
			At("/nodes", strconv.Itoa(len(g.Nodes))+" nodes", "at most "+strconv.Itoa(NodesMax))
	}
	if most := EdgesPerNode * max(1, len(g.Nodes)); len(g.Edges) > most {
		return problem.New(problem.TooLarge, "A workflow may have %d edges for each node; this one has %d edges for %d nodes.", EdgesPerNode, len(g.Edges), len(g.Nodes)).
			At("/edges", strconv.Itoa(len(g.Edges))+" edges", "at most "+strconv.Itoa(most))
	}
	if p := checkText("/name", g.Name, TitleLengthMax); p != nil {
		return p
	}
	if p := checkText("/description", g.Description, NotesLengthMax); p != nil {
		return p
	}
	if p := g.checkNodes(); p != nil {
		return p
	}
	if p := g.checkEdges(); p != nil {
		return p
	}
	return g.checkLayout()
}

func (g *Graph) checkNodes() *problem.Problem {
	ids, keys := map[string]int{}, map[string]int{}
	for i, n := range g.Nodes {
		at := "/nodes/" + strconv.Itoa(i)
		if p := checkNode(at, n); p != nil {
			return p
		}
		if j, twice := ids[n.ID]; twice {
			return problem.New(problem.Invalid, "Two nodes have the id %q: number %d and number %d.", n.ID, j+1, i+1).At(at+"/id", "duplicate id", "an id of its own")
		}
		if j, twice := keys[n.Key]; twice {
			return problem.New(problem.Invalid, "Two nodes have the key %q: number %d and number %d.", n.Key, j+1, i+1).At(at+"/key", "duplicate key", "a key of its own")
		}
		ids[n.ID], keys[n.Key] = i, i
	}
	for i, n := range g.Nodes {
		if n.In == "" {
			continue
		}
		if p := g.holds("/nodes/"+strconv.Itoa(i)+"/in", n); p != nil {
			return p
		}
	}
	return nil
}

func checkNode(at string, n Node) *problem.Problem {
	switch {
	case !idRule.MatchString(n.ID):
		return problem.New(problem.Invalid, "A node has no usable id.").At(at+"/id", fmt.Sprintf("%.80q", n.ID), "1 to 64 letters, digits, _ or -")
	case !keyRule.MatchString(n.Key):
		return problem.New(problem.Invalid, "A node has no usable key.").At(at+"/key", fmt.Sprintf("%.80q", n.Key), "a small letter, then small letters, digits or _, at most 40")
	case reserved(n.Key):
		return problem.New(problem.Invalid, "%q cannot be a node's key: the word has a meaning in expressions.", n.Key).At(at+"/key", "reserved word", "another word")
	case n.Kind == "" || len(n.Kind) > 80:
		return problem.New(problem.Invalid, "A node has no kind.").At(at+"/kind", fmt.Sprintf("%.80q", n.Kind), "the name of a kind, for example http")
	case len(n.Config) > ConfigSizeMax:
		return problem.New(problem.TooLarge, "The configuration of %q is larger than %d bytes.", n.Key, ConfigSizeMax).At(at+"/config", strconv.Itoa(len(n.Config))+" bytes", "at most "+strconv.Itoa(ConfigSizeMax))
	case len(n.Config) > 0 && n.Config[0] != '{':
		return problem.New(problem.Invalid, "The configuration of %q is not an object.", n.Key).At(at+"/config", "not an object", "{…}")
	case n.MaxVisits < 0 || n.MaxVisits > 1_000_000:
		return problem.New(problem.Invalid, "The most visits of %q are out of range.", n.Key).At(at+"/max_visits", strconv.Itoa(n.MaxVisits), "1 to 1,000,000, or 0 for 1,000")
	}
	return nil
}

func (g *Graph) checkEdges() *problem.Problem {
	nodes := map[string]bool{}
	for _, n := range g.Nodes {
		nodes[n.ID] = true
	}
	ids, same := map[string]bool{}, map[[3]string]bool{}
	for i, e := range g.Edges {
		at := "/edges/" + strconv.Itoa(i)
		switch {
		case !idRule.MatchString(e.ID):
			return problem.New(problem.Invalid, "An edge has no usable id.").At(at+"/id", fmt.Sprintf("%.80q", e.ID), "1 to 64 letters, digits, _ or -")
		case ids[e.ID]:
			return problem.New(problem.Invalid, "Two edges have the id %q.", e.ID).At(at+"/id", "duplicate id", "an id of its own")
		case !nodes[e.From]:
			return problem.New(problem.Invalid, "An edge starts at a node that is not there.").At(at+"/from", fmt.Sprintf("%.80q", e.From), "the id of a node")
		case !nodes[e.To]:
			return problem.New(problem.Invalid, "An edge ends at a node that is not there.").At(at+"/to", fmt.Sprintf("%.80q", e.To), "the id of a node")
		case !keyRule.MatchString(e.Port):
			return problem.New(problem.Invalid, "An edge starts at a port without a usable name.").At(at+"/port", fmt.Sprintf("%.80q", e.Port), "a port name")
		case utf8.RuneCountInString(e.Label) > LabelLengthMax:
			return problem.New(problem.Invalid, "The label of an edge is too long.").At(at+"/label", "length", fmt.Sprintf("at most %d characters", LabelLengthMax))
		case same[[3]string{e.From, e.Port, e.To}]:
			return problem.New(problem.Invalid, "Two edges lead from the same port to the same node.").At(at, "duplicate edge", "one edge")
		}
		ids[e.ID], same[[3]string{e.From, e.Port, e.To}] = true, true
	}
	return nil
}

func (g *Graph) checkLayout() *problem.Problem {
	for id, l := range g.Layout.Nodes {
		if p := checkText("/layout/nodes/"+id+"/title", l.Title, TitleLengthMax); p != nil {
			return p
		}
		if p := checkText("/layout/nodes/"+id+"/notes", l.Notes, NotesLengthMax); p != nil {
			return p
		}
	}
	for id, n := range g.Layout.Notes {
		if !idRule.MatchString(id) {
			return problem.New(problem.Invalid, "A note has no usable id.").At("/layout/notes", fmt.Sprintf("%.80q", id), "1 to 64 letters, digits, _ or -")
		}
		if p := checkText("/layout/notes/"+id+"/text", n.Text, NotesLengthMax); p != nil {
			return p
		}
	}
	return nil
}

// checkText refuses what would deceive a reader: control characters and
// characters that turn the direction of writing.
func checkText(at, s string, limit int) *problem.Problem {
	if utf8.RuneCountInString(s) > limit {
		return problem.New(problem.TooLarge, "A text is longer than %d characters.", limit).At(at, "too long", "at most "+strconv.Itoa(limit)+" characters")
	}
	for _, r := range s {
		bidi := r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069
		if bidi || unicode.IsControl(r) && r != '\n' && r != '\t' {
			return problem.New(problem.Invalid, "A text holds a control character.").At(at, fmt.Sprintf("U+%04X", r), "plain text")
		}
	}
	return nil
}
