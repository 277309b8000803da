package exchange

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// params are the parameters of a node of n8n. What is missing or has another
// form than wanted reads as empty: a report tells what was made of it.
type params struct{ v any }

func readParams(raw json.RawMessage) params {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return params{}
	}
	return params{v}
}

// at goes down by names.
func (p params) at(names ...string) params {
	v := p.v
	for _, name := range names {
		o, ok := v.(map[string]any)
		if !ok {
			return params{}
		}
		v = o[name]
	}
	return params{v}
}

func (p params) there() bool { return p.v != nil }

// list reads an array.
func (p params) list() []params {
	items, _ := p.v.([]any)
	out := make([]params, 0, len(items))
	for _, v := range items {
		out = append(out, params{v})
	}
	return out
}

// text reads a text, or what a text stands for; a resource locator is its value.
func (p params) text() string {
	switch v := p.v.(type) {
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case bool:
		return strconv.FormatBool(v)
	case map[string]any:
		if _, ok := v["__rl"]; ok {
			return params{v["value"]}.text()
		}
	}
	return ""
}

func (p params) or(usual string) string {
	if t := p.text(); t != "" {
		return t
	}
	return usual
}

func (p params) yes() bool {
	b, ok := p.v.(bool)
	return ok && b
}

func (p params) number(usual float64) float64 {
	switch v := p.v.(type) {
	case float64:
		return v
	case string:
		if f, err := strconv.ParseFloat(v, 64); err == nil {
			return f
		}
	}
	return usual
}

// plainJSON writes a configuration so that people can read it: nothing is
// escaped for the sake of HTML.
func plainJSON(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err //nolint:wrapcheck // the caller says what it was
	}
	return bytes.TrimSpace(b.Bytes()), nil
}
