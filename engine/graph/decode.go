package graph

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"signalbox/engine/problem"
)

// Decode reads a workflow file strictly: duplicate or unknown fields, wrong
// case, invalid UTF-8, and nesting deeper than DepthMax are refused with their
// place. Nothing is repaired. The error is a *problem.Problem.
func Decode(data []byte) (Graph, error) {
	var g Graph
	if p := CheckJSON(data, DepthMax); p != nil {
		return g, p
	}
	if err := json.Unmarshal(data, &g, json.RejectUnknownMembers(true)); err != nil {
		return Graph{}, decodeProblem(err)
	}
	if g.Format != Format {
		return Graph{}, problem.New(problem.Invalid, "This is not a workflow file that this version can read.").
			At("/signalbox", "the format number is "+strconv.Itoa(g.Format), "1")
	}
	if p := g.checkShape(); p != nil {
		return Graph{}, p
	}
	return g, nil
}

// DecodeOps reads a batch of operations as strictly as Decode.
func DecodeOps(data []byte) ([]Op, error) {
	if p := CheckJSON(data, DepthMax); p != nil {
		return nil, p
	}
	var ops []Op
	if err := json.Unmarshal(data, &ops, json.RejectUnknownMembers(true)); err != nil {
		return nil, decodeProblem(err)
	}
	return ops, nil
}

// decodeStrict reads one value of an op.
func decodeStrict(data []byte, into any) error {
	if len(data) == 0 {
		return problem.New(problem.Invalid, "The operation needs a value.").At("/value", "it is missing", "a JSON value")
	}
	if err := json.Unmarshal(data, into, json.RejectUnknownMembers(true)); err != nil {
		return decodeProblem(err)
	}
	return nil
}

// eof is a reader of nothing.
type eof struct{}

// Read implements io.Reader.
func (eof) Read([]byte) (int, error) { return 0, io.EOF }

var nulEscape = []byte(`\u0000`) //nolint:gochecknoglobals // a constant

// CheckJSON walks a JSON text without building it: one value, valid UTF-8,
// no duplicate names, no NUL in strings, and at most depth levels. It returns
// nil when the text is good.
func CheckJSON(data []byte, depth int) *problem.Problem { return new(Checker).Check(data, depth) }

// Checker checks one text after the other with the same memory.
type Checker struct{ dec jsontext.Decoder }

// Check is CheckJSON.
func (c *Checker) Check(data []byte, depth int) *problem.Problem {
	dec := &c.dec
	dec.Reset(bytes.NewBuffer(data)) // a buffer is read where it is
	defer dec.Reset(eof{})           // and forgotten
	nul := bytes.Contains(data, nulEscape)
	for {
		tok, err := dec.ReadToken()
		if err != nil {
			return decodeProblem(err)
		}
		if dec.StackDepth() > depth {
			return problem.New(problem.Invalid, "The JSON is nested deeper than %d levels.", depth).
				At(string(dec.StackPointer()), "too deep", "at most "+strconv.Itoa(depth)+" levels")
		}
		if nul && tok.Kind() == '"' && strings.ContainsRune(tok.String(), 0) {
			return problem.New(problem.Invalid, "The JSON holds a NUL character (\\u0000), which cannot be stored.").
				At(string(dec.StackPointer()), "NUL character", "text without \\u0000")
		}
		if dec.StackDepth() == 0 {
			break
		}
	}
	if rest := bytes.TrimSpace(data[dec.InputOffset():]); len(rest) > 0 {
		return problem.New(problem.Invalid, "There is something behind the JSON value, at byte %d.", dec.InputOffset())
	}
	return nil
}

// decodeProblem turns a decoder's error into a sentence with a place.
func decodeProblem(err error) *problem.Problem {
	var sem *json.SemanticError
	var syn *jsontext.SyntacticError
	switch {
	case errors.Is(err, json.ErrUnknownName):
		loc := "/"
		if errors.As(err, &sem) {
			loc = string(sem.JSONPointer)
		}
		return problem.New(problem.Invalid, "There is a field that is not known here.").At(loc, "unknown field", "see the documentation of the format; names are case-sensitive")
	case errors.Is(err, jsontext.ErrDuplicateName):
		loc := "/"
		if errors.As(err, &syn) {
			loc = string(syn.JSONPointer)
		}
		return problem.New(problem.Invalid, "A name appears twice in one JSON object.").At(loc, "duplicate name", "each name once")
	case errors.As(err, &sem):
		want := "another type"
		if sem.GoType != nil {
			want = plainType(sem.GoType.Kind().String())
		}
		return problem.New(problem.Invalid, "A value has the wrong type.").At(string(sem.JSONPointer), "found "+plainKind(sem.JSONKind), want)
	case errors.As(err, &syn):
		return problem.New(problem.Invalid, "This is not valid JSON: %s, at byte %d.", plainSyntax(syn), syn.ByteOffset)
	default:
		return problem.New(problem.Invalid, "This is not valid JSON: it ends too early.")
	}
}

func plainSyntax(err *jsontext.SyntacticError) string {
	msg := "it ends too early"
	if err.Err != nil {
		msg = strings.TrimPrefix(err.Err.Error(), "jsontext: ")
	}
	return msg
}

func plainKind(k jsontext.Kind) string {
	switch k {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "text"
	case '0':
		return "a number"
	case 't', 'f':
		return "true or false"
	case 'n':
		return "null"
	default:
		return "something else"
	}
}

func plainType(k string) string {
	switch k {
	case "int", "int64", "float64":
		return "a number"
	case "string":
		return "text"
	case "bool":
		return "true or false"
	case "slice", "array":
		return "an array"
	case "map", "struct":
		return "an object"
	default:
		return k
	}
}
