package expr

import (
	"fmt"
	"slices"
	"strings"

	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"

	"signalbox/engine/shape"
)

// Look is what can be told of an expression from the shapes of what it reads.
type Look struct {
	Shape  shape.Shape // of what it gives
	Path   []string    // of what it gives as it is; nil: something that it makes
	Reads  []Read
	Misses []Miss
}

// Items, as a step of a path, are those of a list, whichever.
const Items = "[]"

// Read is a place that an expression reads. The path begins with a variable.
type Read struct {
	Path  []string
	Kinds shape.Kinds // what must be there
	Maybe bool        // the expression does without it, or does not always read it
}

// Miss is a place where an expression fails whenever it is evaluated there.
type Miss struct {
	Path   []string    // what is read; empty: something that the expression makes itself
	Offset int         // bytes of the source before it
	Field  bool        // what is there has no field of the last name; else it is of the wrong sort
	Got    shape.Shape // of what has no such field, or of what is of the wrong sort
	Want   shape.Kinds // without Field: what it should be
}

// looker walks a parsed expression with what is known of its variables.
type looker struct {
	p      *Program
	shapes func(name string) shape.Shape
	local  map[string]seen
	guards map[string]bool // paths that the expression asks for before it reads them; with a * whatever is below
	quiet  int             // inside of what asks whether something is there
	maybe  int             // inside of what is not always evaluated
	look   Look
}

// seen is a part of an expression: its shape, and where it comes from if it is
// something that was read.
type seen struct {
	shape shape.Shape
	path  []string
}

func made(s shape.Shape) seen   { return seen{shape: s} }
func sorted(k shape.Kinds) seen { return seen{shape: shape.Of(k)} }
func (s seen) down(n string) []string {
	if s.path == nil {
		return nil
	}
	return append(slices.Clip(s.path), n)
}

// Look tells what an expression gives, reads and misses.
func (p *Program) Look(shapes func(name string) shape.Shape) Look {
	l := &looker{p: p, shapes: shapes, local: map[string]seen{}, guards: map[string]bool{}}
	ast.PostOrderVisit(p.tree.Expr(), ast.NewExprVisitor(l.guard))
	whole := l.expr(p.tree.Expr())
	l.look.Shape, l.look.Path = whole.shape, whole.path
	return l.look
}

// guard notes what an expression asks for before it reads it.
func (l *looker) guard(e ast.Expr) {
	if e.Kind() != ast.CallKind {
		return
	}
	call := e.AsCall()
	args := call.Args()
	switch call.FunctionName() {
	case fnHas:
		if s := args[0]; s.Kind() == ast.SelectKind {
			l.guarded(s.AsSelect().Operand(), s.AsSelect().FieldName())
		}
	case operators.OptSelect, operators.OptIndex:
		if name, ok := literalText(args[1]); ok {
			l.guarded(args[0], name)
		}
	case fnIn:
		if name, ok := literalText(args[0]); ok {
			l.guarded(args[1], name)
		}
	case fnType, "default":
		if at, ok := l.spelled(args[0]); ok {
			l.guards[at] = true
			if call.FunctionName() == fnType {
				l.guards[at+".*"] = true
			}
		}
	}
}

func (l *looker) guarded(holder ast.Expr, name string) {
	if at, ok := l.spelled(holder); ok {
		l.guards[at+"."+name] = true
	}
}

// spelled writes a chain of names as it stands there, with the variables of
// macros as they are.
func (l *looker) spelled(e ast.Expr) (string, bool) {
	switch e.Kind() {
	case ast.IdentKind:
		return e.AsIdent(), true
	case ast.SelectKind:
		at, ok := l.spelled(e.AsSelect().Operand())
		return at + "." + e.AsSelect().FieldName(), ok
	case ast.CallKind:
		call := e.AsCall()
		switch call.FunctionName() {
		case operators.Index, operators.OptIndex, operators.OptSelect:
			at, ok := l.spelled(call.Args()[0])
			if name, text := literalText(call.Args()[1]); text {
				return at + "." + name, ok
			}
		}
	}
	return "", false
}

// asked reports whether the expression asks for this place, or for one on the
// way to it or behind it.
func (l *looker) asked(e ast.Expr) bool {
	if len(l.guards) == 0 {
		return false
	}
	at, ok := l.spelled(e)
	if !ok {
		return false
	}
	if l.guards[at] {
		return true
	}
	for g := range l.guards {
		if below, all := strings.CutSuffix(g, ".*"); strings.HasPrefix(g, at+".") || all && strings.HasPrefix(at, below+".") {
			return true
		}
	}
	return false
}

func literalText(e ast.Expr) (string, bool) {
	if e.Kind() != ast.LiteralKind {
		return "", false
	}
	s, ok := e.AsLiteral().(types.String)
	return string(s), ok
}

func (l *looker) expr(e ast.Expr) seen {
	switch e.Kind() {
	case ast.IdentKind:
		return l.name(e.AsIdent())
	case ast.LiteralKind:
		return literalSeen(e)
	case ast.SelectKind:
		s := e.AsSelect()
		return l.field(e, l.expr(s.Operand()), s.FieldName())
	case ast.CallKind:
		return l.call(e)
	case ast.ListKind:
		items := shape.Shape{}
		for _, el := range e.AsList().Elements() {
			items = shape.Join(items, l.expr(el).shape)
		}
		if len(e.AsList().OptionalIndices()) > 0 {
			items = shape.Any()
		}
		return made(shape.ListOf(items))
	case ast.MapKind:
		return l.object(e)
	case ast.ComprehensionKind:
		return l.comprehension(e.AsComprehension())
	case ast.StructKind, ast.UnspecifiedExprKind:
	}
	return made(shape.Any())
}

func literalSeen(e ast.Expr) seen {
	switch e.AsLiteral().(type) {
	case types.String:
		return sorted(shape.Text)
	case types.Bool:
		return sorted(shape.Boolean)
	case types.Null:
		return sorted(shape.Null)
	case types.Int, types.Uint, types.Double:
		return sorted(shape.Number)
	}
	return made(shape.Any())
}

func (l *looker) name(name string) seen {
	if s, ok := l.local[name]; ok {
		return s
	}
	if !slices.Contains(l.p.known(), name) {
		return made(shape.Any()) // the name of a type
	}
	s := seen{l.shapes(name), []string{name}}
	l.read(s.path, shape.Every, false)
	return s
}

func (l *looker) object(e ast.Expr) seen {
	var fields []shape.Field
	open := false
	for _, entry := range e.AsMap().Entries() {
		m := entry.AsMapEntry()
		v := l.expr(m.Value()).shape
		name, ok := literalText(m.Key())
		switch {
		case !ok:
			l.expr(m.Key())
			open = true
		case m.IsOptional():
			fields = append(fields, shape.May(name, shape.Any()))
		default:
			fields = append(fields, shape.Must(name, v))
		}
	}
	if open { // a name that is made may be one of the others
		return sorted(shape.Object)
	}
	return made(shape.ObjectOf(fields...))
}

// field reads a field of a value.
func (l *looker) field(e ast.Expr, of seen, name string) seen {
	out := seen{shape: shape.Any(), path: of.down(name)}
	asked := l.asked(e)
	l.read(of.path, shape.Object, asked)
	l.read(out.path, shape.Every, asked)
	switch {
	case of.shape.Never():
		out.shape = shape.Shape{}
	case !of.shape.May(shape.Object):
		l.miss(e, asked, Miss{Path: of.path, Got: of.shape, Want: shape.Object})
	default:
		f, there := of.shape.Field(name)
		out.shape = f.Shape
		if !there {
			out.shape = shape.Any()
			l.miss(e, asked, Miss{Path: out.path, Field: true, Got: of.shape})
		}
	}
	return out
}

// read notes a place and what must be there.
func (l *looker) read(path []string, kinds shape.Kinds, asked bool) {
	if path != nil {
		l.look.Reads = append(l.look.Reads, Read{path, kinds, asked || l.quiet > 0 || l.maybe > 0})
	}
}

func (l *looker) miss(e ast.Expr, asked bool, m Miss) {
	if asked || l.quiet > 0 {
		return
	}
	m.Offset = l.offset(e)
	same := func(o Miss) bool { return o.Offset == m.Offset && slices.Equal(o.Path, m.Path) && o.Field == m.Field }
	if !slices.ContainsFunc(l.look.Misses, same) {
		l.look.Misses = append(l.look.Misses, m)
	}
}

// offset is the byte at which a part of the expression begins.
func (l *looker) offset(e ast.Expr) int {
	for {
		var of ast.Expr
		switch e.Kind() {
		case ast.SelectKind:
			of = e.AsSelect().Operand()
		case ast.CallKind:
			if call := e.AsCall(); call.IsMemberFunction() {
				of = call.Target()
			} else if len(call.Args()) > 0 {
				of = call.Args()[0]
			}
		}
		if of == nil {
			break
		}
		e = of
	}
	r, ok := l.p.tree.SourceInfo().GetOffsetRange(e.ID())
	if !ok {
		return 0
	}
	at, _, _ := place(l.p.source, int(r.Start))
	return at
}

// want says what a value has to be.
func (l *looker) want(e ast.Expr, of seen, kinds shape.Kinds) {
	asked := l.asked(e)
	l.read(of.path, kinds, asked)
	if !of.shape.Never() && !of.shape.May(kinds) {
		l.miss(e, asked, Miss{Path: of.path, Got: of.shape, Want: kinds})
	}
}

// comprehension is what a macro is made of: all, exists, map, filter and others.
func (l *looker) comprehension(m ast.ComprehensionExpr) seen {
	over := l.expr(m.IterRange())
	if !m.HasIterVar2() && m.IterVar() == "#unused" { // cel.bind
		return l.with(map[string]seen{m.AccuVar(): l.expr(m.AccuInit())}, func() seen { return l.expr(m.Result()) })
	}
	l.want(m.IterRange(), over, shape.List|shape.Object)
	key, item := shape.Shape{}, seen{shape: over.shape.Item(), path: over.down(Items)}
	if over.shape.May(shape.List) {
		key = shape.Of(shape.Number)
	}
	if over.shape.May(shape.Object) {
		key = shape.Join(key, shape.Of(shape.Text))
		item.path = nil // of an object too
		if m.HasIterVar2() {
			item.shape = shape.Any()
		} else {
			item.shape = shape.Join(item.shape, shape.Of(shape.Text))
		}
		if !over.shape.Only(shape.Object) { // mostly it will be a list
			item.path = over.down(Items)
		}
	}
	vars := map[string]seen{m.IterVar(): item}
	if m.HasIterVar2() {
		vars = map[string]seen{m.IterVar(): made(key), m.IterVar2(): item}
	}
	return l.gather(m, vars)
}

// roundsMax is how often the step of a macro is looked at before what it gathers
// is taken to be anything.
const roundsMax = 3

// gather looks at the step of a macro until what it gathers changes no more.
func (l *looker) gather(m ast.ComprehensionExpr, vars map[string]seen) seen {
	acc := l.expr(m.AccuInit()).shape
	for round := 0; ; round++ {
		vars[m.AccuVar()] = made(acc)
		next := shape.Join(acc, l.with(vars, func() seen { return l.expr(m.LoopStep()) }).shape)
		if shape.Equal(next, acc) {
			break
		}
		if acc = next; round == roundsMax {
			acc = shape.Any()
			break
		}
	}
	return l.with(map[string]seen{m.AccuVar(): made(acc)}, func() seen { return l.expr(m.Result()) })
}

// with looks at something with more variables.
func (l *looker) with(vars map[string]seen, do func() seen) seen {
	before := l.local
	l.local = make(map[string]seen, len(before)+len(vars))
	for name, v := range before {
		l.local[name] = v
	}
	for name, v := range vars {
		l.local[name] = v
	}
	out := do()
	l.local = before
	return out
}

// Spell writes a path as an author does: input.items[].name.
func Spell(path []string) string {
	var b strings.Builder
	for i, step := range path {
		switch {
		case i == 0 || step == Items:
			b.WriteString(clip(step))
		case plainName.MatchString(step):
			b.WriteString("." + clip(step))
		default:
			fmt.Fprintf(&b, "[%s]", quote(step))
		}
	}
	return b.String()
}
