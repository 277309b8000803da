package expr

import (
	"fmt"
	"slices"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/interpreter"
)

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

	Around []string // item, index, acc, error: there in some places only
}

// Program is a parsed expression. It can be evaluated any number of times.
type Program struct {
	source string
	tree   *ast.AST
	names  []string       // variables of its own; nil: those of a workflow
	paths  []path         // what it reads, to say what is missing
	where  map[string]int // of each variable: the byte at which it is read first
	run    cel.Program
	refs   Refs
}

// Parse reads an expression.
func Parse(src string) (*Program, *Fault) { return ParseWith(nil, src) }

// ParseWith reads an expression over other variables than those of a workflow,
// as the guards of a statechart name context and event.
func ParseWith(names []string, src string) (p *Program, fault *Fault) {
	defer func() {
		if r := recover(); r != nil { // a fault of the parser is a fault of this text only
			p, fault = nil, &Fault{Message: "This is not an expression.", Line: 1, Column: 1}
		}
	}()
	if fault := limits(src); fault != nil {
		return nil, fault
	}
	parsed, issues := environment.Parse(src)
	if issues != nil && issues.Err() != nil {
		return nil, syntaxFault(src, issues)
	}
	p = &Program{source: src, tree: parsed.NativeRep(), names: names}
	if ast.ExceedsDepth(p.tree, ChainMax) {
		return nil, &Fault{Message: fmt.Sprintf("The expression is nested deeper than %d levels.", ChainMax), Line: 1, Column: 1}
	}
	if n := p.nodes(); n > NodesMax {
		return nil, &Fault{Message: fmt.Sprintf("The expression has %d parts; at most %d are allowed.", n, NodesMax), Line: 1, Column: 1}
	}
	if f := p.check(); f != nil {
		return nil, f
	}
	p.rewrite()
	run, err := environment.Program(parsed,
		cel.CostLimit(CostMax), cel.CostTracking(&prices{one: 1}), cel.OptimizeRegex(interpreter.MatchesRegexOptimization))
	if err != nil {
		return nil, planFault(err)
	}
	p.run = run
	return p, nil
}

// limits judges what can be judged without parsing, so that the parser meets
// nothing that would keep it busy.
func limits(src string) *Fault {
	at := func(format string, args ...any) *Fault {
		return &Fault{Message: fmt.Sprintf(format, args...), Line: 1, Column: 1}
	}
	switch {
	case errEnvironment != nil:
		return at("%s", errEnvironment.Error())
	case strings.TrimSpace(src) == "":
		return at("An expression is needed here.")
	case len(src) > SourceMax:
		return at("The expression has %d bytes; at most %d are allowed.", len(src), SourceMax)
	case strings.ToValidUTF8(src, "") != src:
		return at("The expression is not valid text (UTF-8).")
	case nesting(src) > DepthMax:
		return at("The expression is nested deeper than %d levels.", DepthMax)
	}
	return nil
}

// nesting is how deep brackets go outside of quotes.
func nesting(src string) int {
	depth, most := 0, 0
	for i := 0; i < len(src); i++ {
		switch src[i] {
		case '(', '[', '{', '?':
			depth++
			most = max(most, depth)
		case ')', ']', '}', ':':
			depth = max(0, depth-1)
		case '"', '\'':
			i += quoted(src, i) - 1
		}
	}
	return most
}

// quoted is the length of the text literal that starts at i with its quote; of
// one that does not end, all that is left.
func quoted(src string, i int) int {
	q := src[i : i+1]
	if strings.HasPrefix(src[i:], q+q+q) {
		q = q + q + q
	}
	raw := i > 0 && (src[i-1] == 'r' || src[i-1] == 'R')
	for j := i + len(q); j < len(src); j++ {
		switch {
		case src[j] == '\\' && !raw:
			j++
		case strings.HasPrefix(src[j:], q):
			return j + len(q) - i
		}
	}
	return len(src) - i
}

func (p *Program) nodes() int {
	n := 0
	ast.PostOrderVisit(p.tree.Expr(), ast.NewExprVisitor(func(ast.Expr) { n++ }))
	return n
}

// Refs tells what the expression reads.
func (p *Program) Refs() Refs { return p.refs }

// Where is the byte of the source at which the variable is read first, 0 when
// it is not read.
func (p *Program) Where(variable string) int { return p.where[variable] }

// known lists the variables that the expression may name.
func (p *Program) known() []string {
	if p.names != nil {
		return p.names
	}
	return variables()
}

// activation hands our Values to the evaluator.
type activation struct {
	v     Values
	names []string
}

// ResolveName implements cel.Activation.
func (a activation) ResolveName(name string) (any, bool) {
	if a.v == nil || !slices.Contains(a.names, name) {
		return nil, false
	}
	v, ok := a.v.Lookup(name)
	if v == nil && ok {
		return types.NullValue, true
	}
	return v, ok
}

// Parent implements cel.Activation.
func (activation) Parent() cel.Activation { return nil }

// Eval computes the value: nil, bool, float64, string, []any or
// map[string]any, which may share parts with the values that went in. The
// error is a *Failure.
func (p *Program) Eval(v Values) (any, error) {
	out, _, err := p.eval(v)
	return out, err
}

// EvalCost also tells the cost, for those who evaluate many within one budget.
func (p *Program) EvalCost(v Values) (out any, cost uint64, err error) { return p.eval(v) }

func (p *Program) eval(v Values) (out any, cost uint64, err error) {
	defer func() {
		if r := recover(); r != nil { // a fault of the evaluator is a fault of this expression only
			out, err = nil, &Failure{Class: "invalid_input", Message: "the expression cannot be evaluated"}
		}
	}()
	var val ref.Val
	val, details, err := p.run.Eval(activation{v, p.known()})
	if c := details.ActualCost(); c != nil {
		cost = *c
	}
	if err == nil {
		out, err = native(val)
	}
	if err != nil {
		return nil, cost, p.failure(err, v)
	}
	return out, cost, nil
}
