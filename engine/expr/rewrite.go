package expr

import (
	"slices"
	"strings"

	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"
)

// rewriter replaces calls by ours and puts guards around arguments.
type rewriter struct {
	ast.ExprFactory
	next int64
}

// rewrite makes the parsed expression keep our rules: one sort of number, and
// no call that does more work than its limits say. See the package comment.
func (p *Program) rewrite() {
	r := &rewriter{ast.NewExprFactory(), ast.MaxID(p.tree)}
	ast.PostOrderVisit(p.tree.Expr(), ast.NewExprVisitor(r.visit))
}

func (r *rewriter) id() int64 {
	r.next++
	return r.next
}

func (r *rewriter) visit(e ast.Expr) {
	switch e.Kind() {
	case ast.IdentKind: // type(x) == int means any number
		if name := e.AsIdent(); name == "int" || name == "uint" {
			e.SetKindCase(r.NewIdent(e.ID(), "double"))
		}
	case ast.SelectKind:
		if s := e.AsSelect(); s.IsTestOnly() {
			e.SetKindCase(r.NewCall(e.ID(), fnHas, r.NewPresenceTest(r.id(), s.Operand(), s.FieldName())))
		}
	case ast.ComprehensionKind:
		// What gathers an object gives one in Go's order.
		if m := e.AsComprehension(); m.AccuInit().Kind() == ast.MapKind {
			inner := r.NewUnspecifiedExpr(r.id())
			inner.SetKindCase(e)
			e.SetKindCase(r.NewCall(e.ID(), fnObject, inner))
		}
	case ast.MapKind:
		// An empty one may be what a macro gathers into.
		if e.AsMap().Size() > 0 {
			inner := r.NewUnspecifiedExpr(r.id())
			inner.SetKindCase(e)
			e.SetKindCase(r.NewCall(e.ID(), fnObject, inner))
		}
	case ast.CallKind:
		r.call(e)
	}
}

func (r *rewriter) call(e ast.Expr) {
	call := e.AsCall()
	name, args := call.FunctionName(), call.Args()
	if fn, ok := ours(name); ok {
		switch {
		case name == operators.Add && accumulates(args):
		case (name == operators.Equals || name == operators.NotEquals) && (plainLiteral(args[0]) || plainLiteral(args[1])):
			// Nothing large can be compared: the evaluator's own way is quicker.
		case call.IsMemberFunction():
			e.SetKindCase(r.NewCall(e.ID(), fn, append([]ast.Expr{call.Target()}, args...)...))
		default:
			e.SetKindCase(r.NewCall(e.ID(), fn, args...))
		}
		return
	}
	guard := guards(qualified(call))
	if guard == "" {
		return
	}
	target := call.Target()
	guarded := make([]ast.Expr, len(args))
	for i, a := range args {
		guarded[i] = a
		if guard != fnShort && !(guard == fnWhole && a.Kind() == ast.LiteralKind) {
			guarded[i] = r.NewCall(r.id(), guard, a)
		}
	}
	switch {
	case !call.IsMemberFunction():
		if guard == fnShort && len(guarded) > 0 {
			guarded[0] = r.NewCall(r.id(), guard, guarded[0])
		}
		e.SetKindCase(r.NewCall(e.ID(), name, guarded...))
		return
	case name == "format" && len(guarded) == 1:
		guarded[0] = r.NewCall(r.id(), fnWholes, guarded[0])
	case name == "flatten":
		target = r.NewCall(r.id(), fnFits, target)
	case name == "distinct", name == "sort", guard == fnShort:
		target = r.NewCall(r.id(), guard, target)
	}
	e.SetKindCase(r.NewMemberCall(e.ID(), name, target, guarded...))
}

// qualified is the name of a function with its namespace: math.bitOr.
func qualified(call ast.CallExpr) string {
	if call.IsMemberFunction() && call.Target().Kind() == ast.IdentKind && slices.Contains(namespaces(), call.Target().AsIdent()) {
		return call.Target().AsIdent() + "." + call.FunctionName()
	}
	return call.FunctionName()
}

// accumulates: the sum that a macro builds its list with stays as it is, for
// the evaluator appends in place there.
func accumulates(args []ast.Expr) bool {
	return len(args) == 2 && args[0].Kind() == ast.IdentKind && (strings.HasPrefix(args[0].AsIdent(), "@") || strings.HasPrefix(args[0].AsIdent(), "__"))
}

func plainLiteral(e ast.Expr) bool {
	if e.Kind() != ast.LiteralKind {
		return false
	}
	switch e.AsLiteral().(type) {
	case types.String, types.Int, types.Double, types.Bool, types.Null:
		return true
	}
	return false
}

// guards names the guard of the arguments of a function: for numbers that must
// be whole, for lists that are compared each with each, for texts that
// patterns look at, for time zones.
func guards(function string) string {
	switch function {
	case "substring", "charAt", "indexOf", "lastIndexOf", "slice", "flatten", "lists.range",
		"math.bitOr", "math.bitAnd", "math.bitXor", "math.bitNot", "math.bitShiftLeft", "math.bitShiftRight":
		return fnWhole
	case "sets.contains", "sets.intersects", "sets.equivalent", "distinct":
		return fnFew
	case "matches":
		return fnShort
	case "sort", "@sortByAssociatedKeys":
		return fnNumbers
	case "format":
		return fnFits
	case "getFullYear", "getMonth", "getDate", "getDayOfMonth", "getDayOfWeek", "getDayOfYear", "getHours", "getMinutes", "getSeconds", "getMilliseconds":
		return fnZone
	}
	return ""
}
