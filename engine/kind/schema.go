package kind

import (
	"bytes"
	"encoding/json"
	"errors"
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
			return nil, fmt.Errorf("write property %s: %w", f.Name, err)
		}
		schema, err := json.Marshal(f.Schema)
		if err != nil {
			return nil, fmt.Errorf("write property %s: %w", f.Name, err)
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
	open, err := dec.Token()
	if err != nil {
		return fmt.Errorf("read properties: %w", err)
	}
	if open == nil {
		return nil // null
	}
	if open != json.Delim('{') {
		return errors.New("read properties: not an object")
	}
	*p = Properties{}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return fmt.Errorf("read properties: %w", err)
		}
		var s Schema
		if err := dec.Decode(&s); err != nil {
			return fmt.Errorf("read property %v: %w", name, err)
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

// FieldAt finds the field of the configuration at a place, a JSON pointer.
func (s Spec) FieldAt(pointer string) (Schema, bool) {
	unescape := strings.NewReplacer("~1", "/", "~0", "~")
	cur := &s.Config
	for _, name := range strings.Split(pointer, "/")[1:] {
		if cur.Items != nil {
			cur = cur.Items
		} else if cur = cur.Properties.find(unescape.Replace(name)); cur == nil {
			return Schema{}, false
		}
	}
	return *cur, true
}

// ExprMode says how the text at a place of the configuration is read. Places
// that the schema does not know are values.
func (s Spec) ExprMode(pointer string) expr.Mode {
	unescape := strings.NewReplacer("~1", "/", "~0", "~")
	cur, constant := &s.Config, false
	for _, name := range strings.Split(pointer, "/")[1:] {
		if cur.Items != nil {
			cur = cur.Items
		} else if cur = cur.Properties.find(unescape.Replace(name)); cur == nil {
			break
		}
		constant = constant || cur.Constant
	}
	switch {
	case constant, cur != nil && (cur.UI == "port" || cur.UI == "credential"):
		return expr.ModeConstant
	case cur != nil && cur.UI == "expr":
		return expr.ModeExpr
	}
	return expr.ModeValue
}
