// Package expr evaluates the expressions and templates of a configuration:
// the Common Expression Language over JSON values, within hard limits.
//
// Numbers are JSON numbers: 1 and 1.0 are the same, 5 / 2 is 2.5, and a whole
// result is written without a fraction. Nothing in an expression can reach
// outside: there is no I/O, no clock, no randomness. The package is pure; time
// spent is bounded by cost, not by a clock.
package expr

import (
	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/ext"
)

// Limits of one expression. Each has a message that names it.
const (
	SourceMax = 4_096     // bytes of source
	DepthMax  = 64        // nesting
	NodesMax  = 2_000     // nodes after macros are expanded
	CostMax   = 200_000   // CEL cost units of one evaluation
	ResultMax = 100_000   // values in a result
	TextMax   = 1_000_000 // bytes of one computed text
	RegexMax  = 500       // size of a compiled regular expression
)

// Names of our own functions; a leading @ cannot be typed by an author.
const (
	fnAdd = "@add"
	fnSub = "@sub"
	fnMul = "@mul"
	fnDiv = "@div"
	fnMod = "@mod"
	fnNeg = "@neg"
	fnInt = "@int"
)

// arithmetic maps the operators of the language to our functions, which work
// on numbers of any sort.
func arithmetic(op string) (string, bool) {
	switch op {
	case operators.Add:
		return fnAdd, true
	case operators.Subtract:
		return fnSub, true
	case operators.Multiply:
		return fnMul, true
	case operators.Divide:
		return fnDiv, true
	case operators.Modulo:
		return fnMod, true
	case operators.Negate:
		return fnNeg, true
	}
	return "", false
}

// variables that an expression may name.
func variables() []string { return []string{"input", "inputs", "nodes", "trigger", "run"} }

// newEnv builds the language.
func newEnv() (*cel.Env, error) {
	opts := []cel.EnvOption{
		cel.CrossTypeNumericComparisons(true),
		cel.DefaultUTCTimeZone(true),
		cel.ParserRecursionLimit(DepthMax * 4),
		cel.ParserExpressionSizeLimit(SourceMax),
		cel.ExpressionNodeLimit(NodesMax),
		cel.RegexProgramSizeLimit(RegexMax),
		cel.OptionalTypes(),
		ext.Strings(ext.StringsVersion(4)), ext.Math(), ext.Lists(), ext.Sets(), ext.Encoders(),
	}
	for _, v := range variables() {
		opts = append(opts, cel.Variable(v, cel.DynType))
	}
	return cel.NewEnv(append(opts, functions()...)...)
}

func functions() []cel.EnvOption {
	binary := func(name string, fn func(a, b ref.Val) ref.Val) cel.EnvOption {
		return cel.Function(name, cel.Overload(name+"_dyn", []*cel.Type{cel.DynType, cel.DynType}, cel.DynType, cel.BinaryBinding(fn)))
	}
	unary := func(name string, fn func(a ref.Val) ref.Val) cel.EnvOption {
		return cel.Function(name, cel.Overload(name+"_dyn", []*cel.Type{cel.DynType}, cel.DynType, cel.UnaryBinding(fn)))
	}
	return []cel.EnvOption{
		binary(fnAdd, add), binary(fnSub, sub), binary(fnMul, mul), binary(fnDiv, div), binary(fnMod, mod),
		unary(fnNeg, neg), unary(fnInt, whole),
		unary("json", toJSON), unary("parse_json", fromJSON), unary("text", toText), unary("number", toNumber),
	}
}

// environment is made once: it is the language, and nothing ever changes it.
var environment, errEnvironment = newEnv() //nolint:gochecknoglobals // immutable after package initialization; sync has no place in a pure package

// noCost prices our own functions by the size of what they make, so that text
// that doubles forty times runs out of budget and not of memory.
type prices struct{}

// CallCost implements cost.ActualCostEstimator.
func (prices) CallCost(_, _ string, _ []ref.Val, result ref.Val) *uint64 {
	cost := uint64(1)
	switch r := result.(type) {
	case types.String:
		cost += uint64(len(r)) / 10
	case types.Bytes:
		cost += uint64(len(r)) / 10
	}
	return &cost
}
