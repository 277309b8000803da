package expr

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"
)

// Fault is what is wrong with the text of an expression.
type Fault struct {
	Message string
	Offset  int // bytes from the start
	Line    int // from 1
	Column  int // from 1
}

// Failure is how an evaluation ends when it cannot give a value.
type Failure struct {
	Class   string // invalid_input or limit
	Message string
}

// Error is the sentence.
func (f *Failure) Error() string { return f.Message }

// Values hands in variables when an expression names them, as Go JSON values.
type Values interface {
	Lookup(name string) (any, bool)
}

// Refs is what an expression reads.
type Refs struct {
	Nodes   []string // nodes.<key>
	Inputs  []string // inputs.<key>
	Input   bool
	Trigger bool
}

// Program is a parsed expression. It can be evaluated any number of times.
type Program struct {
	source string
	tree   *ast.AST
	run    cel.Program
	refs   Refs
}

// Parse reads an expression.
func Parse(src string) (*Program, *Fault) {
	switch {
	case errEnvironment != nil:
		return nil, &Fault{Message: errEnvironment.Error()}
	case strings.TrimSpace(src) == "":
		return nil, &Fault{Message: "An expression is needed here.", Line: 1, Column: 1}
	case len(src) > SourceMax:
		return nil, &Fault{Message: fmt.Sprintf("The expression has %d bytes; at most %d are allowed.", len(src), SourceMax), Line: 1, Column: 1}
	case nesting(src) > DepthMax:
		return nil, &Fault{Message: fmt.Sprintf("The expression is nested deeper than %d levels.", DepthMax), Line: 1, Column: 1}
	}
	parsed, issues := environment.Parse(src)
	if issues != nil && issues.Err() != nil {
		return nil, syntaxFault(src, issues)
	}
	p := &Program{source: src, tree: parsed.NativeRep()}
	if ast.ExceedsDepth(p.tree, DepthMax*2) {
		return nil, &Fault{Message: fmt.Sprintf("The expression is nested deeper than %d levels.", DepthMax), Line: 1, Column: 1}
	}
	if f := p.check(); f != nil {
		return nil, f
	}
	p.rewrite()
	run, err := environment.Program(parsed,
		cel.CostLimit(CostMax), cel.CostTracking(prices{}), cel.MemoryLimit(4*TextMax), cel.InterruptCheckFrequency(100))
	if err != nil {
		return nil, &Fault{Message: sentence(err.Error()), Line: 1, Column: 1}
	}
	p.run = run
	return p, nil
}

// nesting is how deep brackets go, seen without parsing: a guard for the
// parser itself.
func nesting(src string) int {
	depth, most := 0, 0
	for _, c := range src {
		switch c {
		case '(', '[', '{':
			depth++
			most = max(most, depth)
		case ')', ']', '}':
			depth--
		}
	}
	return most
}

// Refs tells what the expression reads.
func (p *Program) Refs() Refs { return p.refs }

// check finds names that do not exist and notes what is read.
func (p *Program) check() *Fault {
	local := map[string]bool{}
	ast.PreOrderVisit(p.tree.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		if e.Kind() == ast.ComprehensionKind {
			c := e.AsComprehension()
			local[c.IterVar()], local[c.IterVar2()], local[c.AccuVar()] = true, true, true
		}
	}))
	known := environment.Functions()
	var fault *Fault
	ast.PreOrderVisit(p.tree.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		if fault != nil {
			return
		}
		switch e.Kind() {
		case ast.IdentKind:
			fault = p.checkName(e, local)
		case ast.CallKind:
			call := e.AsCall()
			p.noteIndex(call)
			if _, ok := known[call.FunctionName()]; !ok && !macro(call.FunctionName()) {
				fault = p.at(e, "There is no function “"+clip(call.FunctionName())+"”.")
			}
		case ast.SelectKind:
			s := e.AsSelect()
			p.note(s.Operand(), s.FieldName())
		case ast.StructKind:
			fault = p.at(e, "Types cannot be made here; write an object as {\"name\": value}.")
		}
	}))
	return fault
}

func macro(name string) bool { return strings.HasPrefix(name, "cel.@") || strings.HasPrefix(name, "@") }

func (p *Program) checkName(e ast.Expr, local map[string]bool) *Fault {
	name := e.AsIdent()
	switch {
	case local[name], slices.Contains(typeNames(), name):
		return nil
	case name == "input":
		p.refs.Input = true
	case name == "trigger":
		p.refs.Trigger = true
	case slices.Contains(variables(), name):
	default:
		return p.at(e, fmt.Sprintf("There is no “%s” here. What there is: %s. Text needs quotes.", clip(name), strings.Join(variables(), ", ")))
	}
	return nil
}

// typeNames are identifiers that mean types, for type(x) == string.
func typeNames() []string {
	return []string{"int", "uint", "double", "bool", "string", "bytes", "list", "map", "null_type", "type", "optional_type", "math", "strings", "sets", "base64", "lists", "optional", "cel", "@ext"}
}

func (p *Program) note(operand ast.Expr, key string) {
	if operand.Kind() != ast.IdentKind {
		return
	}
	switch operand.AsIdent() {
	case "nodes":
		p.refs.Nodes = addOnce(p.refs.Nodes, key)
	case "inputs":
		p.refs.Inputs = addOnce(p.refs.Inputs, key)
	}
}

// noteIndex sees nodes["key"].
func (p *Program) noteIndex(call ast.CallExpr) {
	if call.FunctionName() != operators.Index || len(call.Args()) != 2 || call.Args()[1].Kind() != ast.LiteralKind {
		return
	}
	if key, ok := call.Args()[1].AsLiteral().(types.String); ok {
		p.note(call.Args()[0], string(key))
	}
}

func addOnce(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}

// rewrite replaces arithmetic by functions that know JSON numbers, and lets a
// JSON number stand where a function wants a whole one.
func (p *Program) rewrite() {
	fac, next := ast.NewExprFactory(), ast.MaxID(p.tree)
	ast.PostOrderVisit(p.tree.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		if e.Kind() != ast.CallKind {
			return
		}
		call := e.AsCall()
		args := call.Args()
		if fn, ok := arithmetic(call.FunctionName()); ok && !accumulates(args) {
			e.SetKindCase(fac.NewCall(e.ID(), fn, args...))
			return
		}
		if !counts(call.FunctionName()) {
			return
		}
		wrapped := make([]ast.Expr, len(args))
		for i, a := range args {
			wrapped[i] = a
			if a.Kind() != ast.LiteralKind && (call.IsMemberFunction() || i > 0 || call.FunctionName() == "lists.range") {
				next++
				wrapped[i] = fac.NewCall(next, fnInt, a)
			}
		}
		if call.IsMemberFunction() {
			e.SetKindCase(fac.NewMemberCall(e.ID(), call.FunctionName(), call.Target(), wrapped...))
		} else {
			e.SetKindCase(fac.NewCall(e.ID(), call.FunctionName(), wrapped...))
		}
	}))
}

// accumulates: the sum that a macro builds its list with stays as it is.
func accumulates(args []ast.Expr) bool {
	return len(args) == 2 && args[0].Kind() == ast.IdentKind && (strings.HasPrefix(args[0].AsIdent(), "@") || strings.HasPrefix(args[0].AsIdent(), "__"))
}

// counts lists the functions with arguments that must be whole numbers.
func counts(fn string) bool {
	switch fn {
	case "substring", "charAt", "indexOf", "lastIndexOf", "split", "replace", "slice", "lists.range", "flatten":
		return true
	}
	return false
}

func (p *Program) at(e ast.Expr, message string) *Fault {
	f := &Fault{Message: message, Line: 1, Column: 1}
	if r, ok := p.tree.SourceInfo().GetOffsetRange(e.ID()); ok {
		f.Offset, f.Line, f.Column = place(p.source, int(r.Start))
	}
	return f
}

// place turns a count of characters into bytes, line and column.
func place(src string, char int) (offset, line, column int) {
	line, column = 1, 1
	for i, c := range src {
		if char == 0 {
			return i, line, column
		}
		char--
		column++
		if c == '\n' {
			line, column = line+1, 1
		}
	}
	return len(src), line, column
}

func clip(s string) string {
	if r := []rune(s); len(r) > 40 {
		return string(r[:40]) + "…"
	}
	return s
}

var (
	expecting = regexp.MustCompile(`(mismatched input|extraneous input|missing|no viable alternative at input|token recognition error at:?) ?('[^']*'|<EOF>)?.*`)
)

func syntaxFault(src string, issues *cel.Issues) *Fault {
	errs := issues.Errors()
	f := &Fault{Message: "This is not an expression.", Line: 1, Column: 1}
	if len(errs) == 0 {
		return f
	}
	first := errs[0]
	f.Line, f.Column = max(1, first.Location.Line()), first.Location.Column()+1
	f.Offset = offsetOf(src, f.Line, f.Column)
	msg := strings.TrimPrefix(first.Message, "Syntax error: ")
	switch m := expecting.FindStringSubmatch(msg); {
	case m == nil:
		f.Message = sentence(msg)
	case m[2] == "<EOF>" || strings.Contains(m[0], "'<EOF>'"):
		f.Message = "The expression ends too early."
	case m[2] != "":
		f.Message = "“" + clip(strings.Trim(m[2], "'")) + "” does not fit here."
	}
	return f
}

func offsetOf(src string, line, column int) int {
	at := 0
	for l := 1; l < line; l++ {
		i := strings.IndexByte(src[at:], '\n')
		if i < 0 {
			return len(src)
		}
		at += i + 1
	}
	for _, c := range src[at:] {
		if column <= 1 {
			break
		}
		column--
		at += len(string(c))
	}
	return min(at, len(src))
}

func sentence(s string) string {
	s = strings.TrimSpace(strings.SplitN(s, "\n", 2)[0])
	if s == "" {
		return "This is not an expression."
	}
	return strings.ToUpper(s[:1]) + s[1:] + "."
}
