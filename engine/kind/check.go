package kind

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// DurationMax is the longest duration that a configuration may name.
const DurationMax = 10 * 365 * 24 * time.Hour

// Fault is one thing wrong with a configuration.
type Fault struct {
	Pointer  string // JSON pointer into the configuration
	Message  string // a sentence
	Expected string // what would be right
}

// checker collects the faults of one configuration.
type checker struct{ faults []Fault }

func (c *checker) add(at, expected, format string, args ...any) {
	c.faults = append(c.faults, Fault{at, fmt.Sprintf(format, args...), expected})
}

// Check looks at a configuration as the form does: fields, types, ranges. What
// an expression gives is only known when it runs.
func (s Spec) Check(config json.RawMessage) []Fault {
	v, err := read(config)
	if err != nil {
		return []Fault{{"", "The configuration is not valid JSON.", "an object"}}
	}
	m, ok := v.(map[string]any)
	if !ok {
		return []Fault{{"", "The configuration must be an object.", "an object"}}
	}
	c := &checker{}
	c.object(&s.Config, m, place{})
	c.together(s, m)
	if s.PortsOf != nil {
		c.ports(s, m)
	}
	return c.faults
}

func read(config json.RawMessage) (any, error) {
	if len(config) == 0 {
		return map[string]any{}, nil
	}
	dec := json.NewDecoder(bytes.NewReader(config))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, err //nolint:wrapcheck // replaced by the caller
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more than one value")
	}
	return v, nil
}

// place is where a value stands. What a constant field holds is constant all
// the way down.
type place struct {
	pointer  string
	constant bool
}

func (p place) down(name string, s *Schema) place {
	return place{p.pointer + "/" + escape(name), p.constant || s.Constant}
}

// escape writes a name into a JSON pointer (RFC 6901).
func escape(name string) string {
	return strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1")
}

// label is what the form calls a field.
func label(s *Schema, p place) string {
	if s.Title != "" {
		return "“" + s.Title + "”"
	}
	name := p.pointer[strings.LastIndexByte(p.pointer, '/')+1:]
	if i, err := strconv.Atoi(name); err == nil {
		return fmt.Sprintf("Entry %d", i+1)
	}
	return "“" + name + "”"
}

// live reports whether a text is an expression or a template, so that its
// value is not known yet.
func live(s *Schema, p place, text string) bool {
	switch {
	case p.constant, s.UI == "expr", s.UI == "port", s.UI == "credential", s.UI == "rules":
		return false
	case strings.HasPrefix(text, "=="):
		return false
	}
	return strings.HasPrefix(text, "=") || strings.Contains(text, "{{")
}

func (c *checker) value(s *Schema, v any, p place) {
	if text, ok := v.(string); ok && live(s, p, text) {
		return
	}
	switch s.Type {
	case "object":
		m, ok := v.(map[string]any)
		if !ok {
			c.add(p.pointer, "an object", "%s must be an object, not %s.", label(s, p), sort(v))
			return
		}
		if s.Properties != nil {
			c.object(s, m, p)
		}
	case "array":
		list, ok := v.([]any)
		if !ok {
			c.add(p.pointer, "a list", "%s must be a list, not %s.", label(s, p), sort(v))
			return
		}
		c.list(s, list, p)
	case "string":
		text, ok := v.(string)
		if !ok {
			c.add(p.pointer, "text", "%s must be text, not %s.", label(s, p), sort(v))
			return
		}
		c.text(s, text, p)
	case "integer", "number":
		c.number(s, v, p)
	case "boolean":
		if _, ok := v.(bool); !ok {
			c.add(p.pointer, "true or false", "%s must be true or false, not %s.", label(s, p), sort(v))
		}
	}
}

// sort names the type of a JSON value in plain words.
func sort(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "true or false"
	case json.Number:
		return "a number"
	case string:
		return "text"
	case []any:
		return "a list"
	}
	return "an object"
}

func (c *checker) object(s *Schema, m map[string]any, p place) {
	for _, name := range slices.Sorted(maps.Keys(m)) {
		f := s.Properties.find(name)
		switch {
		case f == nil && strings.HasPrefix(name, "x-"): // of another program, kept as it is
		case f == nil:
			c.add(p.down(name, &Schema{}).pointer, names(s), "There is no field %s here.", quote(name))
		case m[name] != nil:
			c.value(f, m[name], p.down(name, f))
		}
	}
	for i := range s.Properties {
		f := &s.Properties[i]
		required := slices.Contains(s.Required, f.Name) || f.Schema.UI == "credential" && f.Schema.ShowIf != ""
		if v := m[f.Name]; required && (v == nil || v == "") && s.shown(&f.Schema, m) {
			c.add(p.down(f.Name, &f.Schema).pointer, expected(&f.Schema), "%s is missing.", label(&f.Schema, p.down(f.Name, &f.Schema)))
		}
	}
}

func names(s *Schema) string {
	if len(s.Properties) == 0 {
		return "no field at all"
	}
	list := make([]string, len(s.Properties))
	for i, p := range s.Properties {
		list[i] = p.Name
	}
	return "one of " + strings.Join(list, ", ")
}

func expected(s *Schema) string {
	switch {
	case s.Placeholder != "":
		return "for example " + s.Placeholder
	case len(s.Enum) > 0:
		return "one of " + strings.Join(s.Enum, ", ")
	case s.UI == "credential":
		return "the name of a stored credential"
	}
	return map[string]string{"object": "an object", "array": "a list", "string": "text", "integer": "a whole number", "number": "a number", "boolean": "true or false"}[s.Type]
}

// shown evaluates x-showIf as the form does: "auth=bearer|basic", "auth!=none"
// or "credential" (is set). An absent field has its default.
func (s *Schema) shown(f *Schema, m map[string]any) bool {
	if f.ShowIf == "" {
		return true
	}
	rule, negated := strings.Replace(f.ShowIf, "!=", "=", 1), strings.Contains(f.ShowIf, "!=")
	field, want, compares := strings.Cut(rule, "=")
	v := m[field]
	if other := s.Properties.find(field); v == nil && other != nil && len(other.Default) > 0 {
		v, _ = read(other.Default)
	}
	if !compares {
		return v != nil && v != "" && v != any(false)
	}
	return slices.Contains(strings.Split(want, "|"), fmt.Sprint(v)) != negated
}

func (c *checker) list(s *Schema, list []any, p place) {
	if len(list) < s.MinItems {
		c.add(p.pointer, fmt.Sprintf("at least %d", s.MinItems), "%s needs an entry.", label(s, p))
	}
	if s.MaxItems > 0 && len(list) > s.MaxItems {
		c.add(p.pointer, fmt.Sprintf("at most %d", s.MaxItems), "%s has %d entries.", label(s, p), len(list))
	}
	if s.Items == nil {
		return
	}
	for i, e := range list {
		if i == s.MaxItems && s.MaxItems > 0 {
			break
		}
		c.value(s.Items, e, p.down(strconv.Itoa(i), s.Items))
	}
}

func (c *checker) text(s *Schema, text string, p place) {
	if text == "" {
		return // as good as absent; what is required was said already
	}
	if len(s.Enum) > 0 && !slices.Contains(s.Enum, text) {
		c.add(p.pointer, "one of "+strings.Join(s.Enum, ", "), "%s cannot be %s.", label(s, p), quote(text))
		return
	}
	n := utf8.RuneCountInString(text)
	if s.MaxLength > 0 && n > s.MaxLength {
		c.add(p.pointer, fmt.Sprintf("at most %d characters", s.MaxLength), "%s has %d characters.", label(s, p), n)
		return
	}
	if n < s.MinLength {
		c.add(p.pointer, fmt.Sprintf("at least %d characters", s.MinLength), "%s has %d characters.", label(s, p), n)
	}
	if s.Pattern != "" && !regexp.MustCompile(s.Pattern).MatchString(text) {
		c.add(p.pointer, "for example "+s.Placeholder, "%s cannot be %s.", label(s, p), quote(text))
	}
	switch s.Format {
	case "duration":
		if d, err := time.ParseDuration(text); err != nil || d < 0 || d > DurationMax {
			c.add(p.pointer, "a number with a unit, for example 500ms, 30s or 5m, up to ten years", "%s: %s is not a duration.", label(s, p), quote(text))
		}
	case "uri":
		if u, err := url.Parse(text); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			c.add(p.pointer, "an address that starts with https:// or http://", "%s: %s is not a web address.", label(s, p), quote(text))
		}
	case "date-time":
		if _, err := time.Parse(time.RFC3339Nano, text); err != nil {
			c.add(p.pointer, "a time like 2026-11-30T09:00:00Z", "%s: %s is not a time.", label(s, p), quote(text))
		}
	}
}

func (c *checker) number(s *Schema, v any, p place) {
	n, ok := v.(json.Number)
	if !ok {
		c.add(p.pointer, expected(s), "%s must be a number, not %s.", label(s, p), sort(v))
		return
	}
	f, err := n.Float64()
	switch {
	case err != nil:
		c.add(p.pointer, expected(s), "%s is out of range.", label(s, p))
	case s.Type == "integer" && f != math.Trunc(f):
		c.add(p.pointer, "a whole number", "%s must be a whole number.", label(s, p))
	case s.Minimum != nil && f < *s.Minimum:
		c.add(p.pointer, "at least "+plain(*s.Minimum), "%s cannot be %s.", label(s, p), plain(f))
	case s.Maximum != nil && f > *s.Maximum:
		c.add(p.pointer, "at most "+plain(*s.Maximum), "%s cannot be %s.", label(s, p), plain(f))
	}
}

func plain(f float64) string {
	if math.Abs(f) >= 1e15 {
		return strconv.FormatFloat(f, 'g', -1, 64)
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}

// quote shows a text of others in a sentence, shortened.
func quote(s string) string {
	if r := []rune(s); len(r) > 40 {
		s = string(r[:40]) + "…"
	}
	return strconv.Quote(s)
}

// together checks what no field can say alone.
func (c *checker) together(s Spec, m map[string]any) {
	switch s.Name {
	case "wait":
		if m["duration"] == "" && (m["until"] == nil || m["until"] == "") {
			c.add("/duration", "for example 15m", "A wait needs a duration or a time.")
		}
	case "metric":
		labels, _ := m["labels"].(map[string]any)
		c.labels(labels)
	}
}

// labels checks the labels of a metric.
func (c *checker) labels(labels map[string]any) {
	if len(labels) > LabelsMax {
		c.add("/labels", fmt.Sprintf("at most %d", LabelsMax), "%s has %d entries.", "“Labels”", len(labels))
	}
	rule := regexp.MustCompile(measureRule)
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		at := "/labels/" + escape(name)
		if !rule.MatchString(name) || len(name) > LabelNameMax {
			c.add(at, fmt.Sprintf("small letters, digits and _, a letter first, at most %d", LabelNameMax), "A label cannot be called %s.", quote(name))
		} else if slices.Contains([]string{"workflow", "le", "quantile", "other"}, name) {
			c.add(at, "another name", "The label %s means something already.", quote(name))
		}
		switch labels[name].(type) {
		case map[string]any, []any, nil:
			c.add(at, "text, a number, true or false", "A label cannot be %s.", sort(labels[name]))
		}
	}
}
