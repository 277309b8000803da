package expr

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"
)

// checker walks a parsed expression: it finds names that do not exist and
// notes what is read.
type checker struct {
	p     *Program
	local []string // variables of the comprehensions around
	fault *Fault
}

func (p *Program) check() *Fault {
	c := &checker{p: p}
	c.expr(p.tree.Expr())
	return c.fault
}

func (c *checker) fail(e ast.Expr, format string, args ...any) {
	if c.fault != nil {
		return
	}
	f := &Fault{Message: fmt.Sprintf(format, args...), Line: 1, Column: 1}
	if r, ok := c.p.tree.SourceInfo().GetOffsetRange(e.ID()); ok {
		at := int(r.Start)
		if e.Kind() == ast.CallKind { // the parser means its bracket; a reader looks for its name
			name := e.AsCall().FunctionName()
			before := []rune(c.p.source)[:min(at, len([]rune(c.p.source)))]
			if strings.HasSuffix(string(before), name) {
				at -= len([]rune(name))
			}
		}
		f.Offset, f.Line, f.Column = place(c.p.source, at)
	}
	c.fault = f
}

func (c *checker) expr(e ast.Expr) {
	if c.fault != nil {
		return
	}
	if p, ok := c.path(e); ok {
		c.read(e, p)
		return
	}
	switch e.Kind() {
	case ast.IdentKind:
		c.name(e)
	case ast.LiteralKind:
		c.literal(e)
	case ast.SelectKind:
		c.expr(e.AsSelect().Operand())
	case ast.CallKind:
		c.call(e)
	case ast.ListKind:
		for _, el := range e.AsList().Elements() {
			c.expr(el)
		}
	case ast.MapKind:
		c.object(e)
	case ast.StructKind:
		c.fail(e, "Types cannot be made here; write an object as {\"name\": value}.")
	case ast.ComprehensionKind:
		c.comprehension(e.AsComprehension())
	case ast.UnspecifiedExprKind:
		c.fail(e, "This is not an expression.")
	}
}

// comprehension walks the parts of a macro with the variables that each sees.
func (c *checker) comprehension(m ast.ComprehensionExpr) {
	c.expr(m.IterRange())
	c.expr(m.AccuInit())
	around := c.local
	c.local = append(slices.Clone(around), m.AccuVar())
	c.expr(m.Result())
	c.local = append(c.local, m.IterVar())
	if m.HasIterVar2() {
		c.local = append(c.local, m.IterVar2())
	}
	c.expr(m.LoopCondition())
	c.expr(m.LoopStep())
	c.local = around
}

func (c *checker) object(e ast.Expr) {
	seen := map[string]bool{}
	for _, entry := range e.AsMap().Entries() {
		key := entry.AsMapEntry().Key()
		if key.Kind() == ast.LiteralKind {
			name := fmt.Sprint(key.AsLiteral().Value())
			if seen[name] {
				c.fail(key, "The name “%s” is there twice.", clip(name))
			}
			seen[name] = true
		}
		c.expr(key)
		c.expr(entry.AsMapEntry().Value())
	}
}

// literal refuses numbers that are not what they look like.
func (c *checker) literal(e ast.Expr) {
	if f, ok := float(e.AsLiteral()); ok && math.Abs(f) >= exact {
		c.fail(e, "This number is too large to be exact; write it as text.")
	}
}

// name judges an identifier that stands alone.
func (c *checker) name(e ast.Expr) {
	name := e.AsIdent()
	switch {
	case slices.Contains(c.local, name), slices.Contains(typeNames(), name):
	case name == "nodes":
		c.fail(e, "“nodes” needs the key of a step: nodes.classify.output.")
	default:
		c.fail(e, "There is no “%s” here. What there is: %s. Text needs quotes.", clip(strings.TrimPrefix(name, ".")), strings.Join(c.p.known(), ", "))
	}
}

// typeNames are identifiers that mean types, for type(x) == string.
func typeNames() []string {
	return []string{"int", "uint", "double", "bool", "string", "bytes", "list", "map", "null_type", "type", "optional_type"}
}

// namespaces are identifiers that only stand in front of a function.
func namespaces() []string {
	return []string{"math", "strings", "sets", "base64", "lists", "optional", "cel"}
}

func (c *checker) call(e ast.Expr) {
	call := e.AsCall()
	args := call.Args()
	if call.IsMemberFunction() {
		target := call.Target()
		name := call.FunctionName()
		if target.Kind() == ast.IdentKind && slices.Contains(namespaces(), target.AsIdent()) && !slices.Contains(c.local, target.AsIdent()) {
			c.known(e, target.AsIdent()+"."+name, len(args), false)
		} else {
			c.known(e, name, len(args), true)
			c.expr(target)
		}
	} else {
		c.known(e, call.FunctionName(), len(args), false)
	}
	for _, a := range args {
		c.expr(a)
	}
}

// known looks for a function that takes as many values.
func (c *checker) known(e ast.Expr, name string, count int, member bool) {
	if strings.HasPrefix(name, "@") || strings.HasPrefix(name, "cel.@") || strings.Contains(name, "_") && operator(name) {
		return
	}
	decl, ok := environment.Functions()[name]
	if !ok {
		c.fail(e, "There is no function “%s”.", clip(name))
		return
	}
	var takes []string
	otherForm := false
	for _, o := range decl.OverloadDecls() {
		n := len(o.ArgTypes())
		if o.IsMemberFunction() {
			n--
		}
		if o.IsMemberFunction() == member {
			if n == count {
				return
			}
			if s := fmt.Sprint(n); !slices.Contains(takes, s) {
				takes = append(takes, s)
			}
		} else {
			otherForm = true
		}
	}
	switch {
	case len(takes) > 0:
		values := "values"
		if len(takes) == 1 && takes[0] == "1" {
			values = "value"
		}
		c.fail(e, "“%s” takes %s %s in its brackets, not %d.", name, strings.ReplaceAll(strings.Join(takes, " or "), "0", "no"), values, count)
	case otherForm && member:
		c.fail(e, "“%s” stands in front: %s(value).", name, name)
	default:
		c.fail(e, "“%s” stands behind a value: value.%s(…).", name, name)
	}
}

func operator(name string) bool {
	_, ok := operators.FindReverse(name)
	return ok || strings.HasPrefix(name, "_") || strings.HasPrefix(name, "!")
}

// path is a variable and the fixed names and places behind it.
type path struct {
	root  string
	steps []any // string or int
}

// path reads nodes.check.output["items"][0]; has and ?. count too.
func (c *checker) path(e ast.Expr) (path, bool) {
	switch e.Kind() {
	case ast.IdentKind:
		name := e.AsIdent()
		return path{root: name}, slices.Contains(c.p.known(), name) && !slices.Contains(c.local, name)
	case ast.SelectKind:
		p, ok := c.path(e.AsSelect().Operand())
		p.steps = append(slices.Clip(p.steps), e.AsSelect().FieldName())
		return p, ok
	case ast.CallKind:
		call := e.AsCall()
		switch call.FunctionName() {
		case operators.Index, operators.OptIndex, operators.OptSelect:
		default:
			return path{}, false
		}
		args := call.Args()
		if len(args) != 2 || args[1].Kind() != ast.LiteralKind {
			return path{}, false
		}
		p, ok := c.path(args[0])
		switch key := args[1].AsLiteral().(type) {
		case types.String:
			p.steps = append(slices.Clip(p.steps), string(key))
		case types.Int:
			p.steps = append(slices.Clip(p.steps), int(key))
		default:
			return path{}, false
		}
		return p, ok
	}
	return path{}, false
}

// read notes what a path reads.
func (c *checker) read(e ast.Expr, p path) {
	c.p.paths = append(c.p.paths, p)
	c.place(e, p.root)
	refs := &c.p.refs
	key := ""
	if len(p.steps) > 0 {
		key, _ = p.steps[0].(string)
	}
	switch p.root {
	case "input":
		refs.Input = true
	case "trigger":
		refs.Trigger = true
	case "item", "index", "acc", "error":
		refs.Around = addOnce(refs.Around, p.root)
	case "inputs":
		if key != "" {
			refs.Inputs = addOnce(refs.Inputs, key)
		}
	case "nodes":
		if key == "" {
			c.fail(e, "“nodes” needs the key of a step: nodes.classify.output.")
			return
		}
		refs.Nodes = addOnce(refs.Nodes, key)
	}
}

// place notes where a variable is read first.
func (c *checker) place(e ast.Expr, name string) {
	if _, known := c.p.where[name]; known {
		return
	}
	for e.Kind() != ast.IdentKind {
		if e.Kind() == ast.SelectKind {
			e = e.AsSelect().Operand()
		} else {
			e = e.AsCall().Args()[0]
		}
	}
	if r, ok := c.p.tree.SourceInfo().GetOffsetRange(e.ID()); ok {
		offset, _, _ := place(c.p.source, int(r.Start))
		if c.p.where == nil {
			c.p.where = map[string]int{}
		}
		c.p.where[name] = offset
	}
}

func addOnce(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}
