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
	SourceMax      = 4_096     // bytes of source
	DepthMax       = 64        // nesting of brackets
	ChainMax       = 128       // nesting of the parsed expression: a + b + c + …
	NodesMax       = 2_000     // nodes after macros are expanded
	CostMax        = 200_000   // CEL cost units of one evaluation
	ResultMax      = 100_000   // values in a result, or in a list that grows
	BytesMax       = 8_000_000 // bytes of all texts in a result
	TextMax        = 1_000_000 // bytes of one computed text
	RegexMax       = 500       // size of a compiled regular expression
	RegexTextMax   = 100_000   // bytes of the text that one looks at
	EachToEachMax  = 1_000     // items where each is compared with each
	JSONDepthMax   = 128       // nesting of a configuration, or of parse_json's text
	exact          = 1 << 53   // from here on a float64 skips whole numbers
	tooLarge       = "the number is too large to be exact; send it as text"
	overBudget     = "the expression used more than its budget"
	tooManyValues  = "the result has more than 100,000 values"
	tooMuchText    = "the result holds more than 8,000,000 bytes of text"
	textTooLong    = "the text is longer than 1,000,000 bytes"
	notWritable    = "the result is not a number that can be written"
	divisionByZero = "division by zero"
)

// Names of our own functions; a leading @ cannot be typed by an author.
const (
	fnAdd     = "@add"
	fnSub     = "@sub"
	fnMul     = "@mul"
	fnDiv     = "@div"
	fnMod     = "@mod"
	fnNeg     = "@neg"
	fnLess    = "@lt"
	fnAtMost  = "@le"
	fnMore    = "@gt"
	fnAtLeast = "@ge"
	fnEqual   = "@eq"
	fnUnequal = "@ne"
	fnIn      = "@within"
	fnHas     = "@has"
	fnWhole   = "@int"
	fnWholes  = "@ints"
	fnNumbers = "@numbers"
	fnFits    = "@fits"
	fnFew     = "@few"
	fnShort   = "@short"
	fnZone    = "@zone"
	fnObject  = "@object"
	fnType    = "@type"
	fnString  = "@string"
	fnInt     = "@whole"
	fnDouble  = "@double"
	fnBool    = "@bool"
	fnTime    = "@timestamp"
	fnSpan    = "@duration"
	fnReplace = "@replace"
	fnJoin    = "@join"
	fnSplit   = "@split"
)

// ours maps what the language would do by itself to our functions, which know
// JSON numbers, stay within the limits and say plainly what is wrong.
func ours(function string) (string, bool) {
	switch function {
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
	case operators.Less:
		return fnLess, true
	case operators.LessEquals:
		return fnAtMost, true
	case operators.Greater:
		return fnMore, true
	case operators.GreaterEquals:
		return fnAtLeast, true
	case operators.Equals:
		return fnEqual, true
	case operators.NotEquals:
		return fnUnequal, true
	case operators.In:
		return fnIn, true
	case "string":
		return fnString, true
	case "int", "uint":
		return fnInt, true
	case "double":
		return fnDouble, true
	case "bool":
		return fnBool, true
	case "timestamp":
		return fnTime, true
	case "duration":
		return fnSpan, true
	case "type":
		return fnType, true
	case "replace":
		return fnReplace, true
	case "join":
		return fnJoin, true
	case "split":
		return fnSplit, true
	}
	return "", false
}

// variables that an expression may name.
func variables() []string {
	return []string{"input", "inputs", "nodes", "trigger", "run", "item", "index", "acc", "error"}
}

// newEnv builds the language.
func newEnv() (*cel.Env, error) {
	opts := []cel.EnvOption{
		cel.CustomTypeAdapter(adapter{}),
		cel.CrossTypeNumericComparisons(true),
		cel.DefaultUTCTimeZone(true),
		cel.EnableIdentifierEscapeSyntax(),
		cel.ParserRecursionLimit(DepthMax * 4),
		cel.ParserErrorRecoveryLimit(1),
		cel.ParserExpressionSizeLimit(SourceMax),
		cel.RegexProgramSizeLimit(RegexMax),
		cel.OptionalTypes(),
		// Later versions of Encoders bring YAML, whose aliases are a memory bomb.
		ext.Strings(), ext.Math(), ext.Sets(), ext.Encoders(ext.EncodersVersion(0)), ext.Bindings(ext.BindingsVersion(0)),
		ext.TwoVarComprehensions(), ext.Lists(ext.ListsVersion(2), ext.ListsMaxRangeSize(ResultMax)),
	}
	for _, v := range variables() {
		opts = append(opts, cel.Variable(v, cel.DynType))
	}
	return cel.NewEnv(append(opts, functions()...)...) //nolint:wrapcheck // ours are the options
}

func functions() []cel.EnvOption {
	type (
		one = func(a ref.Val) ref.Val
		two = func(a, b ref.Val) ref.Val
	)
	unary := func(name string, fn one, opts ...cel.OverloadOpt) cel.EnvOption {
		return cel.Function(name, cel.Overload(name+"_1", []*cel.Type{cel.DynType}, cel.DynType, append(opts, cel.UnaryBinding(fn))...))
	}
	binary := func(name string, fn two, opts ...cel.OverloadOpt) cel.EnvOption {
		return cel.Function(name, cel.Overload(name+"_2", []*cel.Type{cel.DynType, cel.DynType}, cel.DynType, append(opts, cel.BinaryBinding(fn))...))
	}
	several := func(name string, fn func(args ...ref.Val) ref.Val, counts ...int) cel.EnvOption {
		var overloads []cel.FunctionOpt
		for _, n := range counts {
			args := make([]*cel.Type, n)
			for i := range args {
				args[i] = cel.DynType
			}
			overloads = append(overloads, cel.Overload(name+"_"+string(rune('0'+n)), args, cel.DynType))
		}
		return cel.Function(name, append(overloads, cel.SingletonFunctionBinding(fn))...)
	}
	return []cel.EnvOption{
		binary(fnAdd, add), binary(fnSub, sub), binary(fnMul, mul), binary(fnDiv, div), binary(fnMod, mod), unary(fnNeg, neg),
		binary(fnLess, less), binary(fnAtMost, atMost), binary(fnMore, more), binary(fnAtLeast, atLeast),
		binary(fnEqual, equalTo), binary(fnUnequal, unequalTo), binary(fnIn, in),
		unary(fnHas, has, cel.OverloadIsNonStrict()),
		unary(fnWhole, whole), unary(fnWholes, wholes), unary(fnNumbers, numbers), unary(fnFits, fits), unary(fnFew, few), unary(fnShort, short), unary(fnZone, zone),
		unary(fnObject, ordered), unary(fnType, typeOf), unary(fnString, toString),
		unary(fnInt, convert(types.IntType, "a whole number")), unary(fnDouble, convert(types.DoubleType, "a number")), unary(fnBool, convert(types.BoolType, "true or false")),
		unary(fnTime, convert(types.TimestampType, "a time like 2026-11-30T09:00:00Z")), unary(fnSpan, convert(types.DurationType, "a duration like 90s, 15m or 2h30m")),
		several(fnReplace, replace, 3, 4), several(fnJoin, joinTexts, 1, 2), several(fnSplit, split, 2, 3),
		unary("json", toJSON), unary("parse_json", fromJSON), unary("text", toText), unary("number", toNumber),
		binary("default", otherwise, cel.OverloadIsNonStrict()),
	}
}

// environment is made once: it is the language, and nothing ever changes it.
var environment, errEnvironment = newEnv() //nolint:gochecknoglobals // immutable after package initialization; sync has no place in a pure package

// prices puts a cost on our functions and on those whose work the language
// underrates, so that what grows runs out of budget and not of memory or time.
type prices struct{ one uint64 }

// CallCost implements cost.ActualCostEstimator.
func (p *prices) CallCost(function, _ string, args []ref.Val, result ref.Val) *uint64 {
	if function[0] != '@' {
		return p.other(function, args, result)
	}
	work := work(result, 10)
	for _, a := range args {
		work += touched(function, a)
	}
	if work == 0 {
		return &p.one
	}
	work++
	return &work
}

// other prices functions that an author can name; nil leaves it to the
// language.
func (p *prices) other(function string, args []ref.Val, result ref.Val) *uint64 {
	var cost uint64
	switch function {
	case "matches": // RE2 takes up to RegexMax steps for each byte
		cost = 1
		for _, a := range args {
			cost += work(a, 2)
		}
	case "json", "parse_json", "text", "number", "default", "distinct", "sets.contains", "sets.intersects", "sets.equivalent", "format", "flatten":
		cost = 1 + work(result, 10)
		for _, a := range args {
			cost += touched(function, a)
		}
	default:
		return nil
	}
	return &cost
}

// work is the cost of making a text.
func work(v ref.Val, bytesPerUnit int) uint64 {
	switch v := v.(type) {
	case types.String:
		return uint64(len(v) / bytesPerUnit)
	case types.Bytes:
		return uint64(len(v) / bytesPerUnit)
	}
	return 0
}

// touched is the cost of looking at an argument with all that it holds.
func touched(function string, v ref.Val) uint64 {
	switch v.(type) {
	case types.Double, types.Int, types.Bool, types.Null, types.Uint, types.Timestamp, types.Duration:
		return 0
	case types.String, types.Bytes:
		return work(v, 100)
	}
	switch function {
	case fnAdd, fnHas, "default", fnType, fnObject: // these do not look inside
		return 0
	case fnFew, "distinct", "sets.contains", "sets.intersects", "sets.equivalent":
		return 1 + uint64(measure(v, EachToEachMax)*measure(v, EachToEachMax)/100)
	}
	return 1 + uint64(measure(v, ResultMax)/4)
}
