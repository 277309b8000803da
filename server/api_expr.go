package server

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"signalbox/engine/expr"
	"signalbox/engine/problem"
)

// Ways in which a field holds an expression.
const (
	exprBare  = "expr"  // the expression itself
	exprValue = "value" // a constant, "=…", or text with {{ … }}
	exprJSON  = "json"  // JSON with such values inside
)

func (s *Server) registerExpr(api huma.API) {
	on(s, api, op(http.MethodPost, "/api/expr/check", "Check an expression and evaluate it for a sample"), s.checkExpr)
}

type exprInput struct {
	Body struct {
		Workflow *uuid.UUID      `json:"workflow,omitempty"`
		Node     string          `json:"node,omitempty" maxLength:"40" doc:"Key of the node that the field belongs to"`
		Source   string          `json:"source" maxLength:"262144"`
		Mode     string          `json:"mode" enum:"expr,value,json"`
		Sample   json.RawMessage `json:"sample,omitempty" doc:"{input, inputs, nodes, trigger}; absent: what was seen last"`
	}
}

type exprError struct {
	Message string `json:"message"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Offset  int    `json:"offset"`
}

type exprOut struct {
	OK         bool            `json:"ok"`
	Error      *exprError      `json:"error,omitempty"`
	Value      json.RawMessage `json:"value,omitempty"`
	ValueError string          `json:"value_error,omitempty"`
}

// checkExpr parses, and evaluates only what parsed. Nothing runs but the
// expression itself, within its limits.
func (s *Server) checkExpr(ctx context.Context, in *exprInput) (*body[exprOut], error) {
	eval, fault := parseField(in.Body.Mode, in.Body.Source)
	if fault != nil {
		return reply(exprOut{Error: &exprError{fault.Message, fault.Line, fault.Column, fault.Offset}}), nil
	}
	vars, err := s.sampleValues(ctx, in)
	if err != nil {
		return nil, err
	}
	value, err := eval(vars)
	if err != nil {
		return reply(exprOut{OK: true, ValueError: err.Error()}), nil //nolint:nilerr // it is the answer
	}
	return reply(exprOut{OK: true, Value: value}), nil
}

type evalFunc func(expr.Values) (json.RawMessage, error)

// parseField parses a field the way the compiler does.
func parseField(mode, source string) (evalFunc, *expr.Fault) {
	if mode == exprBare {
		p, fault := expr.Parse(source)
		if fault != nil {
			return nil, fault
		}
		return func(v expr.Values) (json.RawMessage, error) {
			got, err := p.Eval(v)
			if err != nil {
				return nil, err
			}
			return expr.Marshal(got)
		}, nil
	}
	raw := json.RawMessage(source)
	if mode == exprValue {
		raw = encodeFrame(source)
	}
	if !json.Valid(raw) {
		return nil, &expr.Fault{Message: "This is not valid JSON.", Line: 1, Column: 1}
	}
	tree, faults := expr.ParseTree(raw, func(string) expr.Mode { return expr.ModeValue })
	if len(faults) > 0 {
		return nil, &faults[0].Fault
	}
	return tree.Eval, nil
}

// sampleValues are the variables for a preview.
func (s *Server) sampleValues(ctx context.Context, in *exprInput) (values, error) {
	if len(in.Body.Sample) > 0 {
		var v values
		if err := json.Unmarshal(in.Body.Sample, &v); err != nil {
			return nil, problem.New(problem.Invalid, "The sample is not usable.").At("/sample", "no object", `{"input": …}`)
		}
		return v, nil
	}
	if in.Body.Workflow == nil {
		return values{}, nil
	}
	seen, err := s.samples(ctx, *in.Body.Workflow)
	if err != nil {
		return nil, err
	}
	return seen.values(in.Body.Node), nil
}
