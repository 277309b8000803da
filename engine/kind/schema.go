package kind

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"signalbox/engine/expr"
)

// MarshalJSON writes an object whose members keep the order of the form.
func (p Properties) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, f := range p {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := json.Marshal(f.Name)
		if err != nil {
			return nil, err
		}
		schema, err := json.Marshal(f.Schema)
		if err != nil {
			return nil, err
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(schema)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// UnmarshalJSON keeps the order of the text.
func (p *Properties) UnmarshalJSON(raw []byte) error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if _, err := dec.Token(); err != nil {
		return err
	}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return err
		}
		var s Schema
		if err := dec.Decode(&s); err != nil {
			return err
		}
		*p = append(*p, Property{fmt.Sprint(name), s})
	}
	return nil
}

// find returns the schema of a member, or nil.
func (p Properties) find(name string) *Schema {
	for i := range p {
		if p[i].Name == name {
			return &p[i].Schema
		}
	}
	return nil
}

// at returns the schema of a place, or nil where anything goes.
func (s *Schema) at(pointer string) *Schema {
	cur := s
	for _, name := range strings.Split(strings.TrimPrefix(pointer, "/"), "/") {
		if cur == nil || pointer == "" {
			return cur
		}
		switch {
		case cur.Items != nil:
			cur = cur.Items
		case cur.UI == "kv", len(cur.Properties) == 0:
			return nil
		default:
			cur = cur.Properties.find(strings.NewReplacer("~1", "/", "~0", "~").Replace(name))
		}
	}
	return cur
}

// ExprMode says how the text at a place of the configuration is read.
func (s Spec) ExprMode(pointer string) expr.Mode {
	switch f := s.Config.at(pointer); {
	case f == nil:
		return expr.ModeValue
	case f.UI == "expr":
		return expr.ModeExpr
	case f.Constant:
		return expr.ModeConstant
	default:
		return expr.ModeValue
	}
}

// PortsFor lists the ports of a node with the configuration, in drawing order:
// those made from it first.
func (s Spec) PortsFor(config json.RawMessage) []Port {
	var ports []Port
	if s.PortsOf != nil {
		var c map[string]json.RawMessage
		var items []map[string]json.RawMessage
		if json.Unmarshal(config, &c) == nil && json.Unmarshal(c[s.PortsOf.Field], &items) == nil {
			for _, item := range items {
				var name string
				if json.Unmarshal(item[s.PortsOf.Name], &name) == nil && name != "" {
					ports = append(ports, Port{Name: name, Title: name})
				}
			}
		}
	}
	return append(ports, s.Ports...)
}
