package expr

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"
)

// Script writes expressions as JavaScript, for what is exported to run
// elsewhere. It knows operators, fields, literals and the plain functions on
// texts and lists; the rest it refuses. JavaScript is less strict: there a
// field that is missing is undefined, and what has no meaning is NaN.
type Script struct {
	Names []string                    // variables; nil: those of a workflow
	Field func(root, f string) string // how a field of a variable is written; empty: root.f
	Add   bool                        // set when ScriptAdd is needed
	Equal bool                        // set when ScriptEqual is needed
}

// What an exported text has to define when Script says so.
const (
	ScriptAdd   = "const add = (a, b) => (Array.isArray(a) ? [...a, ...b] : a + b);"
	ScriptEqual = "const equal = (a, b) => a === b || (a !== null && b !== null && typeof a === \"object\" && typeof b === \"object\" && Object.keys(a).length === Object.keys(b).length && Object.keys(a).every((k) => equal(a[k], b[k])));"
)

// Expr translates one expression.
func (s *Script) Expr(src string) (string, error) {
	if _, fault := ParseWith(s.Names, src); fault != nil {
		return "", fmt.Errorf("%s", fault.Message)
	}
	parsed, issues := environment.Parse(src)
	if issues != nil && issues.Err() != nil {
		return "", fmt.Errorf("parse: %w", issues.Err())
	}
	return s.expr(parsed.NativeRep().Expr(), 0)
}

// Tree translates a configuration: a constant stays JSON, "=…" and templates
// become expressions. It tells whether there are any.
func (s *Script) Tree(raw json.RawMessage) (code string, constant bool, err error) {
	tree, faults := ParseTreeWith(s.Names, raw, nil)
	if len(faults) > 0 {
		return "", false, fmt.Errorf("%s", faults[0].Fault.Message)
	}
	var b bytes.Buffer
	if err := s.node(&b, &tree.root); err != nil {
		return "", false, err
	}
	return b.String(), tree.Constant(), nil
}

func (s *Script) node(b *bytes.Buffer, n *node) error {
	switch {
	case n.program != nil:
		code, err := s.Expr(n.program.source)
		b.WriteString(code)
		return err
	case n.template != nil:
		return s.template(b, n.template)
	case n.list != nil:
		b.WriteString("[")
		for i := range n.list {
			if i > 0 {
				b.WriteString(", ")
			}
			if err := s.node(b, &n.list[i]); err != nil {
				return err
			}
		}
		b.WriteString("]")
	case n.object != nil:
		b.WriteString("{ ")
		for i, name := range slices.Sorted(maps.Keys(n.object)) {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(Property(name) + ": ")
			inner := n.object[name]
			if err := s.node(b, &inner); err != nil {
				return err
			}
		}
		b.WriteString(" }")
	default:
		raw, err := Marshal(n.constant)
		b.Write(raw)
		return err
	}
	return nil
}

func (s *Script) template(b *bytes.Buffer, pieces []piece) error {
	for i, p := range pieces {
		if i > 0 {
			b.WriteString(" + ")
		}
		if p.program == nil {
			b.WriteString(Quote(p.text))
			continue
		}
		code, err := s.Expr(p.program.source)
		if err != nil {
			return err
		}
		b.WriteString("String((" + code + ") ?? \"\")")
	}
	return nil
}

// Quote writes a text literal.
func Quote(text string) string {
	var b bytes.Buffer
	writeText(&b, text)
	return strings.NewReplacer("\u2028", `\u2028`, "\u2029", `\u2029`).Replace(b.String())
}

// Property writes a name in an object literal.
func Property(name string) string {
	if identifier(name) && name != "__proto__" {
		return name
	}
	if name == "__proto__" {
		return `["__proto__"]`
	}
	return Quote(name)
}

func identifier(name string) bool {
	for i, r := range name {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '_' || r == '$'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return name != ""
}

// Binding strengths of JavaScript, the weakest first.
const (
	bindTernary = iota + 1
	bindOr
	bindAnd
	bindEqual
	bindLess
	bindAdd
	bindMul
	bindNot
	bindField
)

// expr writes e, in brackets if it binds weaker than what stands around it.
func (s *Script) expr(e ast.Expr, around int) (string, error) {
	code, binds, err := s.bare(e)
	if err == nil && binds < around {
		code = "(" + code + ")"
	}
	return code, err
}

func (s *Script) bare(e ast.Expr) (string, int, error) {
	switch e.Kind() {
	case ast.LiteralKind:
		code, err := scriptLiteral(e)
		return code, bindField, err
	case ast.IdentKind:
		if s.Field != nil {
			if code := s.Field(e.AsIdent(), ""); code != "" {
				return code, bindField, nil
			}
		}
		return e.AsIdent(), bindField, nil
	case ast.SelectKind:
		return s.selected(e.AsSelect())
	case ast.ListKind:
		items, err := s.all(e.AsList().Elements())
		return "[" + strings.Join(items, ", ") + "]", bindField, err
	case ast.MapKind:
		return s.object(e.AsMap())
	case ast.CallKind:
		return s.call(e.AsCall())
	default:
		return "", 0, fmt.Errorf("macros over lists have no plain form in JavaScript")
	}
}

func scriptLiteral(e ast.Expr) (string, error) {
	switch v := e.AsLiteral().(type) {
	case types.String:
		return Quote(string(v)), nil
	case types.Null:
		return "null", nil
	case types.Bool:
		return strconv.FormatBool(bool(v)), nil
	default:
		f, ok := float(v)
		if !ok {
			return "", fmt.Errorf("bytes have no plain form in JavaScript")
		}
		raw, err := Marshal(f)
		return string(raw), err
	}
}

func (s *Script) selected(sel ast.SelectExpr) (string, int, error) {
	if op := sel.Operand(); op.Kind() == ast.IdentKind && s.Field != nil && !sel.IsTestOnly() {
		if code := s.Field(op.AsIdent(), sel.FieldName()); code != "" {
			return code, bindField, nil
		}
	}
	operand, err := s.expr(sel.Operand(), bindField)
	if sel.IsTestOnly() {
		return operand + "?." + dotless(sel.FieldName()) + " !== undefined", bindEqual, err
	}
	if !identifier(sel.FieldName()) {
		return operand + "[" + Quote(sel.FieldName()) + "]", bindField, err
	}
	return operand + "." + sel.FieldName(), bindField, err
}

// dotless is what stands behind "?.".
func dotless(field string) string {
	if identifier(field) {
		return field
	}
	return "[" + Quote(field) + "]"
}

func (s *Script) object(m ast.MapExpr) (string, int, error) {
	var parts []string
	for _, entry := range m.Entries() {
		key, value := entry.AsMapEntry().Key(), entry.AsMapEntry().Value()
		k, err := s.expr(key, 0)
		if err != nil {
			return "", 0, err
		}
		v, err := s.expr(value, 0)
		if err != nil {
			return "", 0, err
		}
		parts = append(parts, "["+k+"]: "+v)
	}
	return "({ " + strings.Join(parts, ", ") + " })", bindField, nil
}

func (s *Script) all(list []ast.Expr) ([]string, error) {
	out := make([]string, len(list))
	for i, e := range list {
		code, err := s.expr(e, 0)
		if err != nil {
			return nil, err
		}
		out[i] = code
	}
	return out, nil
}

// infix is the sign and the strength of an operator.
func infix(function string) (string, int) {
	switch function {
	case operators.LogicalOr:
		return "||", bindOr
	case operators.LogicalAnd:
		return "&&", bindAnd
	case operators.Equals:
		return "===", bindEqual
	case operators.NotEquals:
		return "!==", bindEqual
	case operators.Less:
		return "<", bindLess
	case operators.LessEquals:
		return "<=", bindLess
	case operators.Greater:
		return ">", bindLess
	case operators.GreaterEquals:
		return ">=", bindLess
	case operators.Add:
		return "+", bindAdd
	case operators.Subtract:
		return "-", bindAdd
	case operators.Multiply:
		return "*", bindMul
	case operators.Divide:
		return "/", bindMul
	case operators.Modulo:
		return "%", bindMul
	}
	return "", 0
}

func (s *Script) call(call ast.CallExpr) (string, int, error) {
	name, args := call.FunctionName(), call.Args()
	if sign, binds := infix(name); sign != "" {
		return s.infix(sign, binds, args)
	}
	if call.IsMemberFunction() {
		args = append([]ast.Expr{call.Target()}, args...)
	}
	binds := func(i int) int {
		switch {
		case name == operators.Conditional && i > 0:
			return bindTernary
		case name == operators.Conditional:
			return bindOr
		case name == operators.LogicalNot, name == operators.Negate, i > 0:
			return bindNot
		}
		return bindField
	}
	var parts [3]string
	for i, a := range args[:min(3, len(args))] {
		code, err := s.expr(a, binds(i))
		if err != nil {
			return "", 0, err
		}
		parts[i] = code
	}
	code, strength := written(name, parts[0], parts[1], parts[2])
	if code == "" {
		return "", 0, fmt.Errorf("%s has no plain form in JavaScript", name)
	}
	return code, strength, nil
}

// written writes the calls that are no operator between two values.
func written(name, a, b, c string) (string, int) {
	switch name {
	case operators.Conditional:
		return a + " ? " + b + " : " + c, bindTernary
	case operators.LogicalNot:
		return "!" + a, bindNot
	case operators.Negate:
		return "-" + a, bindNot
	case operators.Index:
		return a + "[" + b + "]", bindField
	case operators.In:
		return "(Array.isArray(" + b + ") ? " + b + ".includes(" + a + ") : " + a + " in " + b + ")", bindField
	case operators.OptSelect, operators.OptIndex:
		return a + "?.[" + b + "]", bindField
	case "orValue", "default":
		return "(" + a + " ?? " + b + ")", bindField
	case "size":
		return "(typeof " + a + " === \"object\" && !Array.isArray(" + a + ") ? Object.keys(" + a + ").length : " + a + ".length)", bindField
	case "startsWith", "endsWith", "trim":
		return a + "." + name + "(" + b + ")", bindField
	case "contains":
		return a + ".includes(" + b + ")", bindField
	case "matches":
		return "new RegExp(" + b + ").test(" + a + ")", bindField
	case "lowerAscii":
		return a + ".toLowerCase()", bindField
	case "upperAscii":
		return a + ".toUpperCase()", bindField
	case "string":
		return "String(" + a + ")", bindField
	case "double", "number":
		return "Number(" + a + ")", bindField
	case "int":
		return "Math.trunc(Number(" + a + "))", bindField
	case "json":
		return "JSON.stringify(" + a + ")", bindField
	case "parse_json":
		return "JSON.parse(" + a + ")", bindField
	}
	return "", 0
}

// infix writes an operator between two values. Where nothing says that they
// are plain, sums and comparisons go through a function.
func (s *Script) infix(sign string, binds int, args []ast.Expr) (string, int, error) {
	left, err := s.expr(args[0], binds)
	if err != nil {
		return "", 0, err
	}
	right, err := s.expr(args[1], binds+1)
	if err != nil {
		return "", 0, err
	}
	plain := slices.ContainsFunc(args, func(e ast.Expr) bool { return e.Kind() == ast.LiteralKind })
	switch {
	case sign == "+" && !plain:
		s.Add = true
		return "add(" + left + ", " + right + ")", bindField, nil
	case binds == bindEqual && !plain:
		s.Equal = true
		return strings.TrimSuffix(sign[:1], "=") + "equal(" + left + ", " + right + ")", bindNot, nil
	}
	return left + " " + sign + " " + right, binds, nil
}
