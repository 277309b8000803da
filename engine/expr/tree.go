package expr

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Limits of one configuration.
const (
	TreeExprsMax = 1_000     // expressions
	TreeCostMax  = 1_000_000 // CEL cost units of all of them together
)

// Mode says how the texts at a place of a configuration are read.
type Mode int

// The closed list of Mode.
const (
	ModeValue    Mode = iota // "=…" is an expression, "==…" a text that starts with "=", "{{ … }}" a template, else a constant
	ModeExpr                 // a bare expression; an empty text is null
	ModeConstant             // always a constant
)

// TreeFault is a fault at a place, a JSON pointer.
type TreeFault struct {
	Pointer string
	Fault   Fault
}

// Tree is a configuration with expressions inside. It never changes.
type Tree struct {
	root     node
	constant json.RawMessage // set when there is no expression in it
	refs     Refs
	parts    []Part
}

// Part is one expression of a configuration.
type Part struct {
	Pointer string // of the text that holds it
	Offset  int    // bytes of the text before it
	Program *Program
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

// ParseTree reads a configuration; nothing is an empty object. The mode of a
// text is asked for by its JSON pointer, in which an item of a list is its
// number. With faults the tree is nil.
func ParseTree(raw json.RawMessage, mode func(pointer string) Mode) (*Tree, []TreeFault) {
	return ParseTreeWith(nil, raw, mode)
}

// ParseTreeWith is ParseTree over other variables than those of a workflow.
func ParseTreeWith(names []string, raw json.RawMessage, mode func(pointer string) Mode) (*Tree, []TreeFault) {
	if len(raw) == 0 {
		raw = json.RawMessage("{}")
	}
	v, err := decode(bytes.NewReader(raw), len(raw))
	if err != nil {
		return nil, []TreeFault{{"", Fault{Message: err.Error(), Line: 1, Column: 1}}}
	}
	if mode == nil {
		mode = func(string) Mode { return ModeValue }
	}
	p := treeParser{names: names, mode: mode, tree: &Tree{}}
	p.tree.root = p.node(v, "")
	if p.exprs > TreeExprsMax {
		p.faults = append(p.faults, TreeFault{"", Fault{Message: fmt.Sprintf("The configuration has %d expressions; at most %d are allowed.", p.exprs, TreeExprsMax), Line: 1, Column: 1}})
	}
	if len(p.faults) > 0 {
		return nil, p.faults
	}
	if p.exprs == 0 {
		if p.tree.constant, err = p.tree.Eval(nil); err != nil {
			return nil, []TreeFault{{"", Fault{Message: err.Error(), Line: 1, Column: 1}}}
		}
	}
	return p.tree, nil
}

type treeParser struct {
	names  []string
	mode   func(pointer string) Mode
	tree   *Tree
	faults []TreeFault
	exprs  int
}

func (p *treeParser) node(v any, at string) node {
	switch v := v.(type) {
	case string:
		return p.text(v, at)
	case []any:
		n := node{list: make([]node, len(v))}
		for i, e := range v {
			n.list[i] = p.node(e, at+"/"+strconv.Itoa(i))
		}
		return n
	case map[string]any:
		n := node{object: make(map[string]node, len(v)), names: slices.Sorted(maps.Keys(v))}
		for _, k := range n.names {
			n.object[k] = p.node(v[k], at+"/"+escape(k))
		}
		return n
	default:
		return node{constant: v}
	}
}

// escape writes a name into a JSON pointer (RFC 6901).
func escape(name string) string {
	return strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1")
}

func (p *treeParser) text(s, at string) node {
	bare := strings.TrimPrefix(s, "=")
	switch mode := p.mode(at); {
	case mode == ModeConstant:
		return node{constant: s}
	case mode == ModeExpr && strings.TrimSpace(bare) == "":
		return node{}
	case mode == ModeExpr:
		return node{program: p.parse(s, at, len(s)-len(bare), len(s))}
	case strings.HasPrefix(s, "=="):
		return node{constant: s[1:]}
	case strings.HasPrefix(s, "="):
		return node{program: p.parse(s, at, 1, len(s))}
	case strings.Contains(s, "{{"):
		return p.template(s, at)
	default:
		return node{constant: s}
	}
}

// parse reads the expression that is part of a text; places of faults count
// from the start of the text.
func (p *treeParser) parse(text, at string, from, to int) *Program {
	p.exprs++
	if p.exprs > TreeExprsMax {
		return nil // said once, at the end
	}
	prog, fault := ParseWith(p.names, text[from:to])
	if fault != nil {
		fault.Offset += from
		_, fault.Line, fault.Column = place(text, len([]rune(text[:min(fault.Offset, len(text))])))
		p.faults = append(p.faults, TreeFault{at, *fault})
		return nil
	}
	r, t := prog.Refs(), &p.tree.refs
	t.Input, t.Trigger = t.Input || r.Input, t.Trigger || r.Trigger
	for _, n := range r.Nodes {
		t.Nodes = addOnce(t.Nodes, n)
	}
	for _, n := range r.Inputs {
		t.Inputs = addOnce(t.Inputs, n)
	}
	for _, n := range r.Around {
		t.Around = addOnce(t.Around, n)
	}
	p.tree.parts = append(p.tree.parts, Part{at, from, prog})
	return prog
}

// Constant reports whether the tree holds no expression.
func (t *Tree) Constant() bool { return t.constant != nil }

// Refs tells what the expressions of the tree read.
func (t *Tree) Refs() Refs { return t.refs }

// Parts lists the expressions of the tree in the order of their places.
func (t *Tree) Parts() []Part { return t.parts }

// Eval returns the configuration with every expression replaced by its value,
// compact and with sorted names. The error is a *Failure.
func (t *Tree) Eval(v Values) (json.RawMessage, error) {
	raw, _, err := t.EvalCost(v)
	return raw, err
}

// EvalCost also tells the cost, for those who evaluate many within one budget.
func (t *Tree) EvalCost(v Values) (json.RawMessage, uint64, error) {
	if t.constant != nil {
		return t.constant, 0, nil
	}
	e := evaluation{values: v, meter: newMeter()}
	out, err := e.node(&t.root)
	if err != nil {
		return nil, e.cost, err
	}
	raw, err := Marshal(out)
	return raw, e.cost, err
}

// evaluation is one pass through a tree, within one budget.
type evaluation struct {
	values Values
	cost   uint64
	meter  *meter
}

func (e *evaluation) node(n *node) (any, error) {
	switch {
	case n.program != nil:
		return e.program(n.program)
	case n.template != nil:
		return e.fill(n.template)
	case n.list != nil:
		out := make([]any, len(n.list))
		for i := range n.list {
			v, err := e.node(&n.list[i])
			if err != nil {
				return nil, err
			}
			out[i] = v
		}
		return out, nil
	case n.object != nil:
		out := make(map[string]any, len(n.object))
		for _, k := range n.names {
			m := n.object[k]
			v, err := e.node(&m)
			if err != nil {
				return nil, err
			}
			out[k] = v
		}
		return out, nil
	default:
		return n.constant, nil
	}
}

func (e *evaluation) program(p *Program) (any, error) {
	v, cost, err := p.eval(e.values)
	if err != nil {
		return nil, err
	}
	if e.cost += cost; e.cost > TreeCostMax {
		return nil, &Failure{Class: "limit", Message: "the expressions of this step used more than their budget together"}
	}
	if f := e.meter.goValue(v); f != nil {
		return nil, f
	}
	return v, nil
}
