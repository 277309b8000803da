package expr

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Mode says how the texts at a place of a configuration are read.
type Mode int

// The closed list of Mode.
const (
	ModeValue    Mode = iota // "=…" is an expression, "{{ … }}" a template, else a constant
	ModeExpr                 // a bare expression
	ModeConstant             // always a constant
)

// TreeFault is a fault at a place, a JSON pointer.
type TreeFault struct {
	Pointer string
	Fault   Fault
}

// Tree is a configuration with expressions inside.
type Tree struct {
	root     node
	constant json.RawMessage // set when there is no expression in it
	refs     Refs
}

// node is a value of the tree: one of the fields is set, or it is a constant.
type node struct {
	constant any
	program  *Program
	template []piece
	list     []node
	object   map[string]node
	names    []string // of object, sorted
}

// piece is a part of a template: text, or an expression.
type piece struct {
	text    string
	program *Program
}

// ParseTree reads a configuration. With faults the tree is nil.
func ParseTree(raw json.RawMessage, mode func(pointer string) Mode) (*Tree, []TreeFault) {
	var v any
	if len(raw) == 0 {
		raw = json.RawMessage("{}")
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		return nil, []TreeFault{{"", Fault{Message: "This is not valid JSON."}}}
	}
	p := parser{mode: mode, tree: &Tree{}}
	p.tree.root = p.node(v, "", 0)
	if len(p.faults) > 0 {
		return nil, p.faults
	}
	if !p.live {
		constant, err := Marshal(v2(p.tree.root))
		if err != nil {
			return nil, []TreeFault{{"", Fault{Message: err.Error()}}}
		}
		p.tree.constant = constant
	}
	return p.tree, nil
}

// v2 is the value of a tree without expressions.
func v2(n node) any {
	v, err := n.eval(nil)
	if err != nil {
		return nil
	}
	return v
}

type parser struct {
	mode   func(pointer string) Mode
	tree   *Tree
	faults []TreeFault
	live   bool // there is an expression
}

const treeDepthMax = 128

func (p *parser) node(v any, at string, depth int) node {
	if depth > treeDepthMax {
		p.faults = append(p.faults, TreeFault{at, Fault{Message: "The configuration is nested deeper than 128 levels."}})
		return node{}
	}
	switch v := v.(type) {
	case string:
		return p.text(v, at)
	case []any:
		n := node{list: make([]node, len(v))}
		for i, e := range v {
			n.list[i] = p.node(e, at+"/"+strconv.Itoa(i), depth+1)
		}
		return n
	case map[string]any:
		n := node{object: make(map[string]node, len(v)), names: slices.Sorted(maps.Keys(v))}
		for _, k := range n.names {
			n.object[k] = p.node(v[k], at+"/"+escape(k), depth+1)
		}
		return n
	default:
		return node{constant: v}
	}
}

func escape(name string) string {
	return strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1")
}

func (p *parser) text(s, at string) node {
	switch mode := p.mode(at); {
	case mode == ModeConstant:
		return node{constant: s}
	case mode == ModeExpr:
		return node{program: p.parse(strings.TrimPrefix(s, "="), at, 0)}
	case strings.HasPrefix(s, "=="):
		return node{constant: s[1:]}
	case strings.HasPrefix(s, "="):
		return node{program: p.parse(s[1:], at, 1)}
	case strings.Contains(s, "{{"):
		return p.template(s, at)
	default:
		return node{constant: s}
	}
}

func (p *parser) parse(src, at string, shift int) *Program {
	prog, fault := Parse(src)
	if fault != nil {
		fault.Offset += shift
		p.faults = append(p.faults, TreeFault{at, *fault})
		return nil
	}
	p.live = true
	r := prog.Refs()
	t := &p.tree.refs
	t.Input, t.Trigger = t.Input || r.Input, t.Trigger || r.Trigger
	for _, n := range r.Nodes {
		t.Nodes = addOnce(t.Nodes, n)
	}
	for _, n := range r.Inputs {
		t.Inputs = addOnce(t.Inputs, n)
	}
	return prog
}

// template cuts a text at {{ and }}; brackets and quotes inside an expression
// do not end it.
func (p *parser) template(s, at string) node {
	var n node
	for pos := 0; pos < len(s); {
		open := strings.Index(s[pos:], "{{")
		if open < 0 {
			n.template = append(n.template, piece{text: s[pos:]})
			break
		}
		if open > 0 {
			n.template = append(n.template, piece{text: s[pos : pos+open]})
		}
		start := pos + open + 2
		end := closing(s[start:])
		if end < 0 {
			p.faults = append(p.faults, TreeFault{at, Fault{Message: "A {{ has no }}.", Offset: start - 2, Line: 1, Column: start - 1}})
			return node{}
		}
		n.template = append(n.template, piece{program: p.parse(s[start:start+end], at, start)})
		pos = start + end + 2
	}
	return n
}

// closing finds the }} that ends an expression.
func closing(s string) int {
	depth, quote := 0, byte(0)
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case quote != 0:
			if c == '\\' {
				i++
			} else if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '{':
			depth++
		case c == '}' && depth > 0:
			depth--
		case c == '}' && i+1 < len(s) && s[i+1] == '}':
			return i
		}
	}
	return -1
}

// Constant reports whether the tree holds no expression.
func (t *Tree) Constant() bool { return t.constant != nil }

// Refs tells what the expressions of the tree read.
func (t *Tree) Refs() Refs { return t.refs }

// Eval returns the configuration with every expression replaced by its value,
// compact and with sorted names. The error is a *Failure.
func (t *Tree) Eval(v Values) (json.RawMessage, error) {
	if t.constant != nil {
		return t.constant, nil
	}
	out, err := t.root.eval(v)
	if err != nil {
		return nil, err
	}
	return Marshal(out)
}

func (n *node) eval(v Values) (any, error) {
	switch {
	case n.program != nil:
		return n.program.Eval(v)
	case n.template != nil:
		return n.fill(v)
	case n.list != nil:
		out := make([]any, len(n.list))
		for i := range n.list {
			e, err := n.list[i].eval(v)
			if err != nil {
				return nil, err
			}
			out[i] = e
		}
		return out, nil
	case n.object != nil:
		out := make(map[string]any, len(n.object))
		for _, k := range n.names {
			m := n.object[k]
			e, err := m.eval(v)
			if err != nil {
				return nil, err
			}
			out[k] = e
		}
		return out, nil
	default:
		return n.constant, nil
	}
}

func (n *node) fill(v Values) (any, error) {
	var b strings.Builder
	for _, p := range n.template {
		if p.program == nil {
			b.WriteString(p.text)
			continue
		}
		val, err := p.program.Eval(v)
		if err != nil {
			return nil, err
		}
		s, err := textOf(val)
		if err != nil {
			return nil, err
		}
		b.WriteString(s)
	}
	if b.Len() > TextMax {
		return nil, &Failure{Class: "limit", Message: "the text is longer than 1,000,000 bytes"}
	}
	return b.String(), nil
}
