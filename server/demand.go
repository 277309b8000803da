package server

import (
	"bytes"
	"encoding/json"

	"signalbox/engine/graph"
	"signalbox/engine/problem"
	"signalbox/engine/shape"
)

// demanded refuses an input that does not have the shape which a trigger
// demands. The machine would too, but then the run would be there already.
func demanded(schema, input json.RawMessage) error {
	var v any
	if len(schema) == 0 || json.Unmarshal(orNull(input), &v) != nil {
		return nil //nolint:nilerr // what is no JSON is refused where the run starts, with its place
	}
	f := shape.Schema(schema).Fits(v)
	if f == nil {
		return nil
	}
	wrong := problem.New(problem.Invalid, "The input is not what this trigger demands.")
	switch {
	case f.Missing:
		return wrong.At("/input"+f.Pointer, "missing", f.Want.Words())
	case f.Extra:
		return wrong.At("/input"+f.Pointer, "not taken", "no such field")
	}
	return wrong.At("/input"+f.Pointer, f.Got.Words(), f.Want.Words())
}

// demandOf is what the trigger of a drawing demands of its input.
func demandOf(raw json.RawMessage, trigger string) json.RawMessage {
	if !bytes.Contains(raw, []byte(`"input_schema"`)) {
		return nil // most drawings: they need not be read
	}
	g, err := graph.Decode(raw)
	if err != nil {
		return nil
	}
	for _, n := range g.Nodes {
		var config struct {
			Schema json.RawMessage `json:"input_schema"`
		}
		if n.Key == trigger && json.Unmarshal(n.Config, &config) == nil {
			return config.Schema
		}
	}
	return nil
}
