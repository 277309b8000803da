package kind

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Fault is one thing wrong with a configuration.
type Fault struct {
	Pointer  string // JSON pointer into the configuration
	Message  string
	Expected string
}

// checker collects the faults of one configuration.
type checker struct{ faults []Fault }

func (c *checker) add(at, expected, format string, args ...any) {
	c.faults = append(c.faults, Fault{at, fmt.Sprintf(format, args...), expected})
}

// Check looks at a configuration as the form does: fields, types, ranges. What
// an expression gives is only known when it runs.
func (s Spec) Check(config json.RawMessage) []Fault {
	var v any = map[string]any{}
	if len(config) > 0 {
		dec := json.NewDecoder(bytes.NewReader(config))
		dec.UseNumber()
		if err := dec.Decode(&v); err != nil {
			return []Fault{{"", "The configuration is not valid JSON.", "an object"}}
		}
	}
	c := &checker{}
	c.value(&s.Config, v, "", map[string]any{})
	if s.PortsOf != nil {
		c.ports(s, v)
	}
	return c.faults
}

func label(s *Schema, at string) string {
	if s.Title != "" {
		return "“" + s.Title + "”"
	}
	return at[strings.LastIndexByte(at, '/')+1:]
}

// live reports whether a text is an expression or a template, so that its
// type is not known yet.
func live(s *Schema, text string) bool {
	return !s.Constant && s.UI != "expr" && (strings.HasPrefix(text, "=") && !strings.HasPrefix(text, "==") || strings.Contains(text, "{{"))
}

func (c *checker) value(s *Schema, v any, at string, within map[string]any) {
	if text, ok := v.(string); ok && live(s, text) {
		return
	}
	switch s.Type {
	case "object":
		m, ok := v.(map[string]any)
		if !ok {
			c.add(at, "an object", "%s must be an object.", label(s, at))
			return
		}
		c.object(s, m, at)
	case "array":
		list, ok := v.([]any)
		if !ok {
			c.add(at, "a list", "%s must be a list.", label(s, at))
			return
		}
		c.list(s, list, at)
	case "string":
		text, ok := v.(string)
		if !ok {
			c.add(at, "text", "%s must be text.", label(s, at))
			return
		}
		c.text(s, text, at)
	case "integer", "number":
		c.number(s, v, at)
	case "boolean":
		if _, ok := v.(bool); !ok {
			c.add(at, "true or false", "%s must be true or false.", label(s, at))
		}
	}
}

func (c *checker) object(s *Schema, m map[string]any, at string) {
	if s.UI == "kv" || len(s.Properties) == 0 {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(m)) {
		f := s.Properties.find(name)
		if f == nil {
			c.add(at+"/"+name, "one of "+strings.Join(names(s), ", "), "There is no field %q here.", name)
			continue
		}
		if m[name] != nil {
			c.value(f, m[name], at+"/"+name, m)
		}
	}
	for _, name := range s.Required {
		f := s.Properties.find(name)
		if v, there := m[name]; (!there || v == nil || v == "") && f != nil && shown(f, m) {
			want := f.Type
			if f.Placeholder != "" {
				want = "for example " + f.Placeholder
			}
			c.add(at+"/"+name, want, "%s is missing.", label(f, at+"/"+name))
		}
	}
}

func names(s *Schema) []string {
	list := make([]string, len(s.Properties))
	for i, p := range s.Properties {
		list[i] = p.Name
	}
	return list
}

// shown evaluates x-showIf: "auth=bearer|basic".
func shown(f *Schema, in map[string]any) bool {
	field, want, ok := strings.Cut(f.ShowIf, "=")
	if !ok {
		return true
	}
	return slices.Contains(strings.Split(want, "|"), fmt.Sprint(in[field]))
}

func (c *checker) list(s *Schema, list []any, at string) {
	if s.MinItems > 0 && len(list) < s.MinItems {
		c.add(at, fmt.Sprintf("at least %d", s.MinItems), "%s needs more entries.", label(s, at))
	}
	if s.MaxItems > 0 && len(list) > s.MaxItems {
		c.add(at, fmt.Sprintf("at most %d", s.MaxItems), "%s has %d entries.", label(s, at), len(list))
	}
	if s.Items == nil {
		return
	}
	for i, e := range list {
		c.value(s.Items, e, at+"/"+strconv.Itoa(i), nil)
	}
}

func (c *checker) text(s *Schema, text, at string) {
	if len(s.Enum) > 0 && !slices.Contains(s.Enum, text) && text != "" {
		c.add(at, strings.Join(s.Enum, ", "), "%s cannot be %.40q.", label(s, at), text)
		return
	}
	if n := utf8.RuneCountInString(text); s.MaxLength > 0 && n > s.MaxLength {
		c.add(at, fmt.Sprintf("at most %d characters", s.MaxLength), "%s has %d characters.", label(s, at), n)
	}
	if text == "" {
		return
	}
	switch {
	case s.Pattern != "" && !regexp.MustCompile(s.Pattern).MatchString(text):
		c.add(at, s.Placeholder, "%s cannot be %.40q.", label(s, at), text)
	case s.UI == "duration" || s.Format == "duration":
		if d, err := time.ParseDuration(text); err != nil || d < 0 {
			c.add(at, "a number with a unit, for example 500ms, 30s or 5m", "%.40q is not a duration.", text)
		}
	case s.Format == "uri":
		if u, err := url.Parse(text); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			c.add(at, "an address that starts with https:// or http://", "%.60q is not a web address.", text)
		}
	case s.Format == "date-time":
		if _, err := time.Parse(time.RFC3339, text); err != nil {
			c.add(at, "a time like 2026-11-30T09:00:00Z", "%.40q is not a time.", text)
		}
	}
}

func (c *checker) number(s *Schema, v any, at string) {
	n, ok := v.(json.Number)
	if !ok {
		c.add(at, "a number", "%s must be a number.", label(s, at))
		return
	}
	f, err := n.Float64()
	switch {
	case err != nil:
		c.add(at, "a number", "%s is out of range.", label(s, at))
	case s.Type == "integer" && f != float64(int64(f)):
		c.add(at, "a whole number", "%s must be a whole number.", label(s, at))
	case s.Minimum != nil && f < *s.Minimum:
		c.add(at, fmt.Sprintf("at least %v", *s.Minimum), "%s cannot be %v.", label(s, at), f)
	case s.Maximum != nil && f > *s.Maximum:
		c.add(at, fmt.Sprintf("at most %v", *s.Maximum), "%s cannot be %v.", label(s, at), f)
	}
}

var portRule = regexp.MustCompile(`^[a-z][a-z0-9_]{0,39}$`)

// ports checks the names of ports that the configuration makes.
func (c *checker) ports(s Spec, v any) {
	m, _ := v.(map[string]any)
	items, _ := m[s.PortsOf.Field].([]any)
	seen := map[string]bool{}
	for _, p := range s.Ports {
		seen[p.Name] = true
	}
	for i, item := range items {
		fields, _ := item.(map[string]any)
		name, _ := fields[s.PortsOf.Name].(string)
		at := "/" + s.PortsOf.Field + "/" + strconv.Itoa(i) + "/" + s.PortsOf.Name
		switch {
		case name == "":
			continue // missing: said already
		case !portRule.MatchString(name):
			c.add(at, "small letters, digits and _, a letter first", "A port cannot be called %.40q.", name)
		case seen[name]:
			c.add(at, "a name of its own", "There are two ports called %q.", name)
		}
		seen[name] = true
	}
}
