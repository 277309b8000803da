package expr

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/types"
)

// activation hands our Values to the evaluator.
type activation struct{ v Values }

// ResolveName implements cel.Activation.
func (a activation) ResolveName(name string) (any, bool) {
	switch name {
	case "input", "inputs", "nodes", "trigger", "run":
		v, ok := a.v.Lookup(name)
		if v == nil && ok {
			return types.NullValue, true
		}
		return v, ok
	}
	return nil, false
}

// Parent implements cel.Activation.
func (activation) Parent() cel.Activation { return nil }

// Eval computes the value: nil, bool, float64, string, []any or
// map[string]any. The error is a *Failure.
func (p *Program) Eval(v Values) (out any, err error) {
	defer func() {
		if r := recover(); r != nil { // a fault of the evaluator is a fault of this expression only
			out, err = nil, &Failure{Class: "invalid_input", Message: "the expression cannot be evaluated"}
		}
	}()
	val, _, err := p.run.Eval(activation{v})
	if err != nil {
		return nil, plain(err, p)
	}
	return native(val)
}

var (
	noKey    = regexp.MustCompile(`no such key: (.*)`)
	noAttr   = regexp.MustCompile(`no such attribute\(s\): (.*)`)
	outRange = regexp.MustCompile(`index out of bounds: (.*)`)
)

// plain turns the evaluator's error into a sentence.
func plain(err error, p *Program) *Failure {
	var f *Failure
	if errors.As(err, &f) {
		return f
	}
	msg := err.Error()
	bad := func(format string, args ...any) *Failure {
		return &Failure{Class: "invalid_input", Message: fmt.Sprintf(format, args...)}
	}
	switch {
	case strings.Contains(msg, "cost limit exceeded"), strings.Contains(msg, "memory limit exceeded"):
		return &Failure{Class: "limit", Message: "the expression used more than its budget"}
	case noKey.MatchString(msg):
		key := noKey.FindStringSubmatch(msg)[1]
		return bad("there is no %q in %s", clip(key), p.holder(key))
	case noAttr.MatchString(msg):
		return bad("there is no %s here", clip(noAttr.FindStringSubmatch(msg)[1]))
	case outRange.MatchString(msg):
		return bad("the list has no item %s", clip(outRange.FindStringSubmatch(msg)[1]))
	case strings.Contains(msg, "no such overload"):
		return bad("these values do not fit together: %s", p.text())
	case strings.Contains(msg, "unsupported index type"), strings.Contains(msg, "unsupported key type"):
		return bad("a list is indexed by a whole number and an object by text")
	}
	return bad("%s", strings.ToLower(msg[:min(1, len(msg))])+msg[min(1, len(msg)):])
}

func (p *Program) text() string {
	if p == nil {
		return "the expression"
	}
	return clip(strings.Join(strings.Fields(p.source), " "))
}

// holder says in what a missing key was looked for, when that is plain.
func (p *Program) holder(key string) string {
	if p == nil {
		return "it"
	}
	found := ""
	ast.PreOrderVisit(p.tree.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		if e.Kind() == ast.SelectKind && e.AsSelect().FieldName() == key && found == "" {
			found = path(e.AsSelect().Operand())
		}
	}))
	if found == "" {
		return "it"
	}
	return found
}

func path(e ast.Expr) string {
	switch e.Kind() {
	case ast.IdentKind:
		return e.AsIdent()
	case ast.SelectKind:
		if up := path(e.AsSelect().Operand()); up != "" {
			return up + "." + e.AsSelect().FieldName()
		}
	}
	return ""
}
