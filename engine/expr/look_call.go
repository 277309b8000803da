package expr

import (
	"strings"

	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"

	"signalbox/engine/shape"
)

// call looks at an operator or a function.
func (l *looker) call(e ast.Expr) seen {
	call := e.AsCall()
	name, args := call.FunctionName(), call.Args()
	switch name {
	case fnObject, fnFits, fnFew, fnShort, fnWhole, fnWholes, fnNumbers, fnZone: // guards hand on what they look at
		return l.expr(args[0])
	case fnHas:
		return l.asking(args, shape.Of(shape.Boolean))
	case operators.OptSelect, operators.OptIndex:
		return l.asking(args, shape.Any())
	case "default":
		return l.otherwise(args)
	case operators.Conditional:
		l.want(args[0], l.expr(args[0]), shape.Boolean)
		l.maybe++
		a, b := l.expr(args[1]), l.expr(args[2])
		l.maybe--
		return made(shape.Join(a.shape, b.shape))
	case operators.LogicalAnd, operators.LogicalOr:
		return l.logical(args)
	case operators.Index:
		return l.index(e, args)
	case fnIn:
		l.expr(args[0])
		l.want(args[1], l.expr(args[1]), shape.List|shape.Object)
		return sorted(shape.Boolean)
	}
	if len(args) == 2 && !call.IsMemberFunction() {
		if out, ok := l.binary(name, args); ok {
			return out
		}
	}
	if call.IsMemberFunction() && (call.Target().Kind() != ast.IdentKind || !l.namespace(call.Target().AsIdent())) {
		return l.method(call)
	}
	return l.function(qualified(call), args)
}

// namespace reports whether a name only stands in front of a function.
func (l *looker) namespace(name string) bool {
	if _, ok := l.local[name]; ok {
		return false
	}
	for _, n := range namespaces() {
		if n == name {
			return true
		}
	}
	return false
}

// asking looks at what only asks whether something is there.
func (l *looker) asking(args []ast.Expr, gives shape.Shape) seen {
	l.quiet++
	for _, a := range args {
		l.expr(a)
	}
	l.quiet--
	return made(gives)
}

func (l *looker) otherwise(args []ast.Expr) seen {
	l.quiet++
	a := l.expr(args[0])
	l.quiet--
	b := l.expr(args[1])
	return made(shape.Join(a.shape.Without(shape.Null), b.shape))
}

// logical looks at a && b and a || b. What a macro gathers stands at the left of
// every step; then the right side is evaluated as often as there are items.
func (l *looker) logical(args []ast.Expr) seen {
	l.want(args[0], l.expr(args[0]), shape.Boolean)
	gathers := accumulates(args)
	if !gathers {
		l.maybe++
	}
	l.want(args[1], l.expr(args[1]), shape.Boolean)
	if !gathers {
		l.maybe--
	}
	return sorted(shape.Boolean)
}

func (l *looker) index(e ast.Expr, args []ast.Expr) seen {
	of := l.expr(args[0])
	if name, ok := literalText(args[1]); ok {
		return l.field(e, of, name)
	}
	key := l.expr(args[1])
	if !key.shape.Only(shape.Number) {
		l.want(args[0], of, shape.List|shape.Object)
		return made(shape.Any())
	}
	l.want(args[0], of, shape.List|shape.Object)
	if !of.shape.Only(shape.List) {
		return seen{shape.Any(), of.down(Items)}
	}
	return seen{of.shape.Item(), of.down(Items)}
}

// binary looks at an operator between two values.
func (l *looker) binary(name string, args []ast.Expr) (seen, bool) {
	switch name {
	case fnMul, fnDiv, fnMod:
		l.want(args[0], l.expr(args[0]), shape.Number)
		l.want(args[1], l.expr(args[1]), shape.Number)
		return sorted(shape.Number), true
	case fnAdd, operators.Add:
		return l.sum(args), true
	case fnSub:
		a, b := l.expr(args[0]), l.expr(args[1])
		l.want(args[0], a, shape.Number)
		l.want(args[1], b, shape.Number)
		if a.shape.Only(shape.Number) && b.shape.Only(shape.Number) {
			return sorted(shape.Number), true
		}
		return sorted(shape.Number | shape.Text), true // times and durations are text in the end
	case fnLess, fnAtMost, fnMore, fnAtLeast:
		const ordered = shape.Number | shape.Text | shape.Boolean
		l.pair(args, ordered)
		return sorted(shape.Boolean), true
	case fnEqual, fnUnequal, operators.Equals, operators.NotEquals:
		l.expr(args[0])
		l.expr(args[1])
		return sorted(shape.Boolean), true
	}
	return seen{}, false
}

// pair wants two values to be of one sort among some.
func (l *looker) pair(args []ast.Expr, among shape.Kinds) (a, b seen) {
	a, b = l.expr(args[0]), l.expr(args[1])
	want := func(other seen) shape.Kinds {
		if k := other.shape.Kinds & among; k != 0 {
			return k
		}
		return among
	}
	before := len(l.look.Misses)
	l.want(args[0], a, want(b))
	if len(l.look.Misses) == before { // one sentence for both
		l.want(args[1], b, want(a))
	}
	return a, b
}

func (l *looker) sum(args []ast.Expr) seen {
	const sums = shape.Number | shape.Text | shape.List
	if accumulates(args) { // the list that a macro makes, or the number that it counts
		a, b := l.expr(args[0]), l.expr(args[1])
		return made(added(a.shape, b.shape))
	}
	a, b := l.pair(args, sums)
	return made(added(a.shape, b.shape))
}

func added(a, b shape.Shape) shape.Shape {
	if a.Never() || b.Never() {
		return shape.Join(a, b)
	}
	out := shape.Of(a.Kinds & b.Kinds & (shape.Number | shape.Text))
	if a.May(shape.List) && b.May(shape.List) {
		out = shape.Join(out, shape.ListOf(shape.Join(a.Item(), b.Item())))
	}
	if out.Never() {
		return shape.Any() // it fails
	}
	return out
}

// method looks at what stands behind a value: value.contains(…).
func (l *looker) method(call ast.CallExpr) seen {
	of := l.expr(call.Target())
	for _, a := range call.Args() {
		l.expr(a)
	}
	switch call.FunctionName() {
	case "contains", "startsWith", "endsWith", "matches":
		l.want(call.Target(), of, shape.Text)
		return sorted(shape.Boolean)
	case "lowerAscii", "upperAscii", "trim", "substring", "charAt", "format":
		l.want(call.Target(), of, shape.Text)
		return sorted(shape.Text)
	case "indexOf", "lastIndexOf":
		l.want(call.Target(), of, shape.Text)
		return sorted(shape.Number)
	case "size":
		l.want(call.Target(), of, shape.Text|shape.List|shape.Object)
		return sorted(shape.Number)
	case "distinct", "sort", "slice", "@sortByAssociatedKeys":
		l.want(call.Target(), of, shape.List)
		return made(of.shape.Without(shape.Every &^ shape.List))
	case "flatten":
		l.want(call.Target(), of, shape.List)
		return sorted(shape.List)
	case "hasValue":
		return sorted(shape.Boolean)
	}
	return made(shape.Any())
}

// function looks at a function with its values in brackets.
func (l *looker) function(name string, args []ast.Expr) seen {
	all := make([]seen, len(args))
	for i, a := range args {
		all[i] = l.expr(a)
	}
	want := func(i int, k shape.Kinds) {
		if i < len(args) {
			l.want(args[i], all[i], k)
		}
	}
	switch name {
	case operators.LogicalNot:
		want(0, shape.Boolean)
		return sorted(shape.Boolean)
	case fnNeg:
		want(0, shape.Number)
		if all[0].shape.Only(shape.Number) {
			return sorted(shape.Number)
		}
		return sorted(shape.Number | shape.Text)
	case "size":
		want(0, shape.Text|shape.List|shape.Object)
		return sorted(shape.Number)
	case fnReplace:
		want(0, shape.Text)
		return sorted(shape.Text)
	case fnJoin:
		want(0, shape.List)
		return sorted(shape.Text)
	case fnSplit:
		want(0, shape.Text)
		return made(shape.ListOf(shape.Of(shape.Text)))
	case "parse_json":
		want(0, shape.Text)
		return made(shape.Any())
	case fnString, "text", "json", fnType, "base64.encode":
		return sorted(shape.Text)
	case "number", fnInt, fnDouble:
		return sorted(shape.Number)
	case fnBool, "matches", "sets.contains", "sets.intersects", "sets.equivalent", "math.isInf", "math.isNaN", "math.isFinite", operators.NotStrictlyFalse:
		return sorted(shape.Boolean)
	case "lists.range":
		return made(shape.ListOf(shape.Of(shape.Number)))
	}
	if strings.HasPrefix(name, "math.") {
		return sorted(shape.Number)
	}
	return made(shape.Any())
}
