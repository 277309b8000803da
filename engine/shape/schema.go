package shape

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// schema is the part of a JSON Schema that says something about the shape. What
// it does not hold only makes fewer values fit, which a shape may leave out.
type schema struct {
	Type       any                        `json:"type"`
	Enum       []any                      `json:"enum"`
	Const      json.RawMessage            `json:"const"`
	Properties map[string]json.RawMessage `json:"properties"`
	Required   []string                   `json:"required"`
	Additional json.RawMessage            `json:"additionalProperties"`
	Patterns   map[string]json.RawMessage `json:"patternProperties"`
	Items      json.RawMessage            `json:"items"`
	Prefix     json.RawMessage            `json:"prefixItems"`
	AnyOf      []json.RawMessage          `json:"anyOf"`
	OneOf      []json.RawMessage          `json:"oneOf"`
}

// Schema is the shape of what fits a JSON Schema. What cannot be read is Any:
// whoever checks values by the schema says what is wrong with it.
func Schema(raw json.RawMessage) Shape { return fromSchema(raw, 0) }

func fromSchema(raw json.RawMessage, depth int) Shape {
	var s schema
	if depth > DepthMax || len(raw) == 0 || raw[0] != '{' || json.Unmarshal(raw, &s) != nil {
		return Any()
	}
	kinds := s.kinds()
	if s.Type == nil && kinds == Every {
		if choices := append(s.AnyOf, s.OneOf...); len(choices) > 0 && (s.AnyOf == nil || s.OneOf == nil) && s.Properties == nil {
			out := Shape{}
			for _, c := range choices {
				out = join(out, fromSchema(c, depth), depth)
			}
			return out
		}
	}
	out := Of(kinds)
	if kinds&Object != 0 {
		out.Fields = s.fields(depth)
		out.Open = string(s.Additional) != "false" || len(s.Patterns) > 0
	}
	if kinds&List != 0 && len(s.Items) > 0 && len(s.Prefix) == 0 {
		if items := fromSchema(s.Items, depth+1); !items.IsAny() {
			out.Items = &items
		}
	}
	return out.bound(depth)
}

func (s *schema) kinds() Kinds {
	kinds := Every
	switch t := s.Type.(type) {
	case string:
		kinds = named(t)
	case []any:
		kinds = 0
		for _, one := range t {
			name, _ := one.(string)
			kinds |= named(name)
		}
	}
	if s.Enum != nil {
		var among Kinds
		for _, v := range s.Enum {
			among |= Value(v).Kinds
		}
		kinds &= among
	}
	if len(s.Const) > 0 {
		var v any
		if json.Unmarshal(s.Const, &v) == nil {
			kinds &= Value(v).Kinds
		}
	}
	if kinds == 0 { // nothing fits, or we read it wrong
		return Every
	}
	return kinds
}

func named(t string) Kinds {
	switch t {
	case "null":
		return Null
	case "boolean":
		return Boolean
	case "number", "integer":
		return Number
	case "string":
		return Text
	case "array":
		return List
	case "object":
		return Object
	}
	return Every
}

func (s *schema) fields(depth int) []Field {
	names := map[string]bool{}
	for name := range s.Properties {
		names[name] = true
	}
	closed := string(s.Additional) == "false" && len(s.Patterns) == 0
	for _, name := range s.Required {
		names[name] = names[name] || !closed
	}
	fields := make([]Field, 0, len(names))
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if names[name] {
			fields = append(fields, Field{name, fromSchema(s.Properties[name], depth+1), !slices.Contains(s.Required, name)})
		}
	}
	return fields
}

// MarshalJSON writes a shape as the JSON Schema that it is, for programs and
// for the browser. Any is {}.
func (s Shape) MarshalJSON() ([]byte, error) {
	doc := map[string]any{}
	if s.Kinds != Every {
		doc["type"] = s.names()
	}
	if len(s.Fields) > 0 {
		properties, required := make(map[string]Shape, len(s.Fields)), []string{}
		for _, f := range s.Fields {
			properties[f.Name] = f.Shape
			if !f.Optional {
				required = append(required, f.Name)
			}
		}
		doc["properties"] = properties
		if len(required) > 0 {
			doc["required"] = required
		}
	}
	if s.May(Object) && !s.Open {
		doc["additionalProperties"] = false
	}
	if s.Items != nil {
		doc["items"] = s.Items
	}
	return json.Marshal(doc) //nolint:wrapcheck // texts, numbers and lists of them
}

func (s Shape) names() []string {
	names := []string{}
	for _, name := range []string{"object", "array", "string", "number", "boolean", "null"} {
		if s.May(named(name)) {
			names = append(names, name)
		}
	}
	return names
}

func itoa(i int) string { return strconv.Itoa(i) }

// escape writes a name into a JSON pointer (RFC 6901).
func escape(name string) string {
	return strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1")
}
