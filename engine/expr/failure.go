package expr

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var (
	noKey    = regexp.MustCompile(`no such key: ((?s).*)`)
	noAttr   = regexp.MustCompile(`no such attribute\(s\): (.*)`)
	outRange = regexp.MustCompile(`index (?:'?(-?\d+)'? )?out of (?:bounds|range)(?:.*?: '?(-?\d+))?`)
	overload = regexp.MustCompile(`no such overload: ([^\s(]+)`)
)

// failure turns the evaluator's error into a sentence.
func (p *Program) failure(err error, v Values) *Failure {
	if f := (*Failure)(nil); errors.As(err, &f) {
		return f
	}
	msg := err.Error()
	bad := func(format string, args ...any) *Failure {
		return &Failure{Class: "invalid_input", Message: fmt.Sprintf(format, args...)}
	}
	switch {
	case strings.Contains(msg, "cost limit exceeded"):
		return &Failure{Class: "limit", Message: overBudget}
	case strings.Contains(msg, "regex program size"):
		return &Failure{Class: "limit", Message: "the pattern is too large; a regular expression may take 500 steps"}
	case strings.Contains(msg, "exceeds maximum allowed"):
		return &Failure{Class: "limit", Message: "the expression asks for more than is allowed: " + lower(clipTo(msg, 120))}
	case noKey.MatchString(msg):
		return bad("%s", p.missingKey(noKey.FindStringSubmatch(msg)[1], v))
	case noAttr.MatchString(msg):
		return bad("there is no %q here", clip(noAttr.FindStringSubmatch(msg)[1]))
	case outRange.MatchString(msg):
		m := outRange.FindStringSubmatch(msg)
		return bad("there is no item %s; the first one is item 0", m[1]+m[2])
	case strings.Contains(msg, "no such overload"):
		return bad("%s", p.noOverload(msg, v))
	case strings.Contains(msg, "unsupported index"), strings.Contains(msg, "unsupported key"), strings.Contains(msg, "index type"), strings.Contains(msg, "invalid qualifier"):
		return bad("a list is indexed by a whole number and an object by text")
	case strings.Contains(msg, "overflow"), strings.Contains(msg, "range error"):
		return bad("the number or time is out of range")
	case strings.Contains(msg, "error parsing regexp"):
		return bad("the pattern is not a regular expression: %s", clipTo(strings.TrimSpace(msg[strings.Index(msg, "regexp:")+7:]), 120))
	case strings.Contains(msg, "error during formatting"):
		return bad("format cannot write one of its values that way")
	case strings.Contains(msg, "type conversion error"), strings.Contains(msg, "unsupported type"), strings.Contains(msg, "expected iterable"), strings.Contains(msg, "internal error"), strings.Contains(msg, "optional.none() dereference"):
		return bad("these values do not fit together in %s", p.text())
	}
	return bad("%s", clipTo(lower(msg), 200))
}

func clipTo(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

func (p *Program) text() string { return clip(strings.Join(strings.Fields(p.source), " ")) }

// noOverload says what does not fit, with the sorts of the values that the
// expression reads.
func (p *Program) noOverload(msg string, v Values) string {
	what := p.text()
	if m := overload.FindStringSubmatch(msg); m != nil {
		switch name := strings.Trim(m[1], "_"); {
		case name == "&&" || name == "||" || name == "!":
			what = "“" + name + "”, which needs true or false on every side"
		case strings.HasPrefix(m[1], "_?"):
			what = "“… ? … : …”, which needs true or false in front"
		case strings.HasPrefix(m[1], "@"), strings.HasPrefix(m[1], "_"):
		default:
			what = name + "(…)"
		}
	}
	if read := p.sorts(v); read != "" {
		what += " (" + read + ")"
	}
	return "these values do not fit together in " + what
}

// sorts lists up to three of the values that are read: input.name is text.
func (p *Program) sorts(v Values) string {
	var said []string
	for _, at := range p.paths {
		if got, ok := at.walk(v); ok && len(said) < 3 && len(at.steps) > 0 {
			said = addOnce(said, at.String()+" is "+sort(adapter{}.NativeToValue(got)))
		}
	}
	return strings.Join(said, ", ")
}

// missingKey says in what a key was looked for, and what is there instead.
func (p *Program) missingKey(key string, v Values) string {
	if unquoted, err := strconv.Unquote(key); err == nil {
		key = unquoted
	}
	for _, at := range p.paths {
		for n := range at.steps {
			if fmt.Sprint(at.steps[n]) != key {
				continue
			}
			up := path{at.root, at.steps[:n]}
			holder, ok := up.walk(v)
			if !ok {
				continue
			}
			m, isObject := holder.(map[string]any)
			if _, there := m[key]; there {
				continue
			}
			if isObject {
				return fmt.Sprintf("there is no %q in %s; %s", clip(key), up, whatIsThere(m))
			}
			return fmt.Sprintf("there is no %q in %s, which is %s", clip(key), up, sort(adapter{}.NativeToValue(holder)))
		}
	}
	return fmt.Sprintf("there is no %q in the value that %s looks into", clip(key), p.text())
}

// whatIsThere lists the first names of an object.
func whatIsThere(m map[string]any) string {
	const most = 8
	if len(m) == 0 {
		return "it is empty"
	}
	names := slices.Sorted(maps.Keys(m))
	end := ""
	if len(names) > most {
		end = fmt.Sprintf(" and %d more", len(names)-most)
		names = names[:most]
	}
	for i, n := range names {
		names[i] = clip(n)
	}
	return "it has " + strings.Join(names, ", ") + end
}

// walk follows a path through Go JSON values.
func (at path) walk(v Values) (any, bool) {
	if v == nil {
		return nil, false
	}
	cur, ok := v.Lookup(at.root)
	if !ok {
		return nil, false
	}
	for _, step := range at.steps {
		switch holder := cur.(type) {
		case map[string]any:
			name, isName := step.(string)
			if cur, ok = holder[name]; !ok || !isName {
				return nil, false
			}
		case []any:
			i, isIndex := step.(int)
			if !isIndex || i < 0 || i >= len(holder) {
				return nil, false
			}
			cur = holder[i]
		default:
			return nil, false
		}
	}
	return cur, true
}

// String writes the path as an author does.
func (at path) String() string {
	var b strings.Builder
	b.WriteString(at.root)
	for _, step := range at.steps {
		switch s := step.(type) {
		case int:
			fmt.Fprintf(&b, "[%d]", s)
		case string:
			if plainName.MatchString(s) {
				b.WriteString("." + clip(s))
			} else {
				b.WriteString("[" + quote(s) + "]")
			}
		}
	}
	return b.String()
}

var plainName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
