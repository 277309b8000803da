package exchange

import (
	"encoding/json"
	"slices"
	"strings"

	"signalbox/engine/expr"
)

// field is a name and the code of its value.
type field struct{ name, code string }

// fields is an object literal while it grows.
type fields []field

func (f *fields) add(name, code string) {
	if code != "" {
		*f = append(*f, field{name, code})
	}
}

// words adds a text, unless it is empty.
func (f *fields) words(name, text string) {
	if text != "" {
		f.add(name, expr.Quote(text))
	}
}

// brackets writes parts on one line if they fit, else one a line.
func brackets(parts []string, open, end string, depth int) string {
	if len(parts) == 0 {
		return open + end
	}
	line := strings.Join(parts, ", ")
	if len(line)+2*depth <= 100 && !strings.Contains(line, "\n") {
		if open == "{" {
			return "{ " + line + " }"
		}
		return open + line + end
	}
	indent := "\n" + strings.Repeat("  ", depth)
	return open + indent + "  " + strings.Join(parts, ","+indent+"  ") + "," + indent + end
}

func (f *fields) object(depth int) string {
	parts := make([]string, 0, len(*f))
	for _, p := range *f {
		parts = append(parts, expr.Property(p.name)+": "+p.code)
	}
	return brackets(parts, "{", "}", depth)
}

// array writes one item as it is and several as an array; none is nothing.
func array(items []string, depth int) string {
	switch len(items) {
	case 0:
		return ""
	case 1:
		return items[0]
	}
	return brackets(items, "[", "]", depth)
}

// inner is how deep the items of an array of so many stand.
func inner(count, depth int) int {
	if count == 1 {
		return depth
	}
	return depth + 1
}

// scripter turns expressions into functions of XState.
type scripter struct {
	losses  []Loss
	used    map[string]bool // names imported from xstate
	add     bool
	equal   bool
	fields  bool
	invoked bool // inside of what a name means: params are there
}

func (s *scripter) lose(path, what, message string) {
	s.losses = append(s.losses, Loss{path, what, message})
}

// use notes that a name of xstate is needed.
func (s *scripter) use(name string) string {
	s.used[name] = true
	return name
}

// imports lists what is needed of xstate.
func (s *scripter) imports() string {
	names := []string{}
	for n := range s.used {
		names = append(names, n)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

func (s *scripter) script() expr.Script {
	names := []string{"context", "event"}
	if s.invoked {
		names = append(names, "params")
	}
	return expr.Script{Names: names}
}

// arguments are those of an XState function.
func (s *scripter) arguments() string {
	if s.invoked {
		return "({ context, event }, params) => "
	}
	return "({ context, event }) => "
}

// keep notes which of the functions of ours a script needs.
func (s *scripter) keep(e expr.Script) {
	s.add, s.equal = s.add || e.Add, s.equal || e.Equal
}

// function writes an expression as a function.
func (s *scripter) function(path, source string) string {
	e := s.script()
	code, err := e.Expr(source)
	if err != nil {
		return s.untranslated(path, source, err)
	}
	s.keep(e)
	return s.arguments() + code
}

// value writes a configuration: a constant as it is, else as a function.
func (s *scripter) value(path string, raw json.RawMessage) string {
	if len(raw) == 0 {
		return ""
	}
	code, constant, failed := s.tree(path, raw)
	switch {
	case failed != "":
		return failed
	case constant:
		return code
	case strings.HasPrefix(code, "{"):
		code = "(" + code + ")"
	}
	return s.arguments() + code
}

// tree writes a configuration as one expression over context and event.
func (s *scripter) tree(path string, raw json.RawMessage) (code string, constant bool, failed string) {
	e := s.script()
	code, constant, err := e.Tree(raw)
	if err != nil {
		return "", false, s.untranslated(path, string(raw), err)
	}
	s.keep(e)
	return code, constant, ""
}

func (s *scripter) untranslated(path, source string, err error) string {
	s.lose(path, "expression", "“"+source+"” is not translated: "+err.Error()+". It throws an error when it is reached.")
	return "() => { throw new Error(" + expr.Quote("not translated: "+source) + "); }"
}
