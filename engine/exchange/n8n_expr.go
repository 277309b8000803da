package exchange

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
)

// shape is what an output of n8n is here: n8n hands on the fields of one item,
// our nodes hand on a value of their own form.
type shape struct {
	prefix string            // what stands between a node's output and the item: .body of a request
	own    map[string]bool   // fields that stand there without the prefix
	alias  map[string]string // fields that are called otherwise, for example output: text; empty: the whole
	nested map[string]string // the same for a field of a field: message.content
	lacks  map[string]string // fields that are not there, and why
	mixed  string            // why nobody can tell where a field is
}

func (s shape) same(o shape) bool {
	return s.prefix == o.prefix && s.mixed == o.mixed && maps.Equal(s.own, o.own) && maps.Equal(s.alias, o.alias) && maps.Equal(s.lacks, o.lacks)
}

// reader translates the expressions of one node.
type reader struct {
	im *n8n
	p  *part
	w  formulaWriter
}

func (im *n8n) reader(p *part) *reader {
	r := &reader{im: im, p: p}
	r.w.known = r.known
	return r
}

// known resolves $json, $('A').item.json and their like.
func (r *reader) known(f *formula) (term, bool, error) {
	if f.op == "field" || f.op == "maybe" {
		if on := f.kids[0]; on.op == f.op {
			if base, s, ok := r.item(on.kids[0]); ok && s.nested[on.text+"."+f.text] != "" {
				return term{dotted(base+s.prefix, s.nested[on.text+"."+f.text]), tightField, anySort}, true, nil
			}
		}
		if base, s, ok := r.item(f.kids[0]); ok {
			return r.field(base, s, f)
		}
	}
	if base, s, ok := r.item(f); ok {
		if s.mixed != "" {
			return term{}, true, errors.New(s.mixed)
		}
		return term{base + s.prefix, tightField, anySort}, true, nil
	}
	if f.op == "name" && strings.HasPrefix(f.text, "$") {
		return term{}, true, errors.New(whyNot(f.text))
	}
	if f.op == "field" && len(f.kids) == 1 && f.kids[0].op == "name" {
		switch f.kids[0].text + "." + f.text {
		case "$execution.id":
			return term{"run.id", tightField, textSort}, true, nil
		case "$workflow.name", "$workflow.id":
			return term{}, true, errors.New("an expression does not know its workflow here")
		}
	}
	return term{}, false, nil
}

func whyNot(name string) string {
	switch name {
	case "$now", "$today":
		return "expressions have no clock here, so that the same run always gives the same result"
	case "$env", "$vars", "$secrets":
		return "expressions read no environment and no secrets here"
	case "$binary":
		return "files do not travel inside of values here"
	case "$itemIndex", "$runIndex":
		return "there are no items beside each other here; inside of a For each, “index” counts"
	}
	return "“" + name + "” is not known here"
}

// field writes a field of an item.
func (r *reader) field(base string, s shape, f *formula) (term, bool, error) {
	name := f.text
	other, called := s.alias[name]
	switch {
	case s.mixed != "":
		return term{}, true, errors.New(s.mixed)
	case s.lacks[name] != "":
		return term{}, true, errors.New(s.lacks[name])
	case called && other == "":
		return term{base + s.prefix, tightField, anySort}, true, nil
	case called:
		name = other
	}
	prefix := s.prefix
	if s.own[f.text] {
		prefix = ""
	}
	code := dotted(base+prefix, name)
	if f.op == "maybe" {
		code = "default(" + code + ", null)"
	}
	return term{code, tightField, anySort}, true, nil
}

// item tells which node's item an expression means.
func (r *reader) item(f *formula) (string, shape, bool) {
	switch {
	case f.op == "name" && f.text == "$json":
		return r.input()
	case f.op == "name" && r.p.short() == "functionItem" && f.text == "item":
		return r.input()
	case f.op == "field" && f.text == "json":
		return r.of(f.kids[0])
	}
	return "", shape{}, false
}

func (r *reader) input() (string, shape, bool) { return "input", r.im.inputShape(r.p), true }

// of reads what stands before ".json".
func (r *reader) of(f *formula) (string, shape, bool) {
	switch {
	case f.op == "name" && (f.text == "item" || f.text == "$item"), f.op == "field" && f.text == "item" && named(f.kids[0], "$input"):
		return r.input()
	case f.op == "index" && f.kids[1].op == "number" && f.kids[1].text == "0":
		if on := f.kids[0]; named(on, "items") || named(on, "$input") || f.kids[0].op == "call" && method(on, "$input", "all") {
			return r.input()
		}
		return r.nodeOf(f.kids[0])
	case f.op == "call" && (method(f, "$input", "first") || method(f, "$input", "last")):
		return r.input()
	case f.op == "call" && len(f.kids) == 1 && f.kids[0].op == "field" && slices.Contains([]string{"first", "last", "itemMatching"}, f.kids[0].text):
		return r.nodeOf(f.kids[0].kids[0])
	case f.op == "field" && (f.text == "item" || f.text == "first"):
		return r.nodeOf(f.kids[0])
	}
	return r.nodeOf(f)
}

func named(f *formula, name string) bool { return f.op == "name" && f.text == name }

func method(f *formula, on, name string) bool {
	return f.op == "call" && f.kids[0].op == "field" && f.kids[0].text == name && named(f.kids[0].kids[0], on)
}

// nodeOf reads $('A'), $node["A"], $items("A").
func (r *reader) nodeOf(f *formula) (string, shape, bool) {
	name := ""
	switch {
	case f.op == "call" && len(f.kids) > 1 && f.kids[1].op == "text" && (named(f.kids[0], "$") || named(f.kids[0], "$items")):
		name = f.kids[1].text
	case f.op == "field" && named(f.kids[0], "$node"):
		name = f.text
	}
	q := r.im.byName[name]
	if q == nil || q.node.Key == "" {
		return "", shape{}, false
	}
	s := r.im.shapeOf(q)
	if q.trigger() {
		return "trigger", s, true
	}
	return "nodes." + q.node.Key + ".output", s, true
}

// value translates a parameter: a text with "=" in front holds expressions,
// any other value is as it is. What cannot be translated is kept as text and
// reported.
func (r *reader) value(v any) any {
	switch v := v.(type) {
	case string:
		return r.text(v)
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = r.value(v[i])
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for k := range v {
			out[k] = r.value(v[k])
		}
		return out
	}
	return v
}

// text translates one text into one of ours.
func (r *reader) text(s string) string {
	body, ok := strings.CutPrefix(s, "=")
	if !ok {
		return constantText(s)
	}
	pieces, err := r.pieces(body)
	if err != nil {
		return r.refused(s, err)
	}
	if len(pieces) == 1 && pieces[0].code != "" {
		return "=" + pieces[0].code
	}
	var b strings.Builder
	for _, p := range pieces {
		switch {
		case p.code == "":
			b.WriteString(p.text)
		case strings.Contains(p.code, "}}"):
			return "=" + joined(pieces)
		default:
			b.WriteString("{{ " + p.code + " }}")
		}
	}
	if t := b.String(); !strings.HasPrefix(t, "=") {
		return t
	}
	return "=" + joined(pieces)
}

// constantText writes a text so that nothing in it is taken for an expression.
func constantText(s string) string {
	if strings.Contains(s, "{{") {
		return "=" + quoteText(s)
	}
	if strings.HasPrefix(s, "=") {
		return "=" + s
	}
	return s
}

func joined(pieces []textPiece) string {
	parts := make([]string, 0, len(pieces))
	for _, p := range pieces {
		if p.code == "" {
			parts = append(parts, quoteText(p.text))
		} else {
			parts = append(parts, asText(p.is))
		}
	}
	return strings.Join(parts, " + ")
}

// textPiece is plain text, or an expression.
type textPiece struct {
	text string
	code string
	is   term
}

// pieces cuts a text at its {{ }}.
func (r *reader) pieces(s string) ([]textPiece, error) {
	var out []textPiece
	for {
		from := strings.Index(s, "{{")
		if from < 0 {
			if s != "" || len(out) == 0 {
				out = append(out, textPiece{text: s})
			}
			return out, nil
		}
		if from > 0 {
			out = append(out, textPiece{text: s[:from]})
		}
		length, f, err := firstFormula(s[from+2:])
		if err != nil {
			return nil, err
		}
		t, err := r.w.checked(f)
		if err != nil {
			return nil, err
		}
		out = append(out, textPiece{code: t.code, is: t})
		s = s[from+2+length+2:]
	}
}

// endsMax is how many "}}" are looked at to find the one that ends an
// expression: the others stand in texts or objects of it.
const endsMax = 20

// firstFormula reads up to the "}}" that ends it.
func firstFormula(s string) (int, *formula, error) {
	var first error
	for from, tries := 0, 0; ; tries++ {
		end := strings.Index(s[from:], "}}")
		if end < 0 || tries == endsMax {
			if first == nil {
				first = errors.New("a “{{” in it has no end")
			}
			return 0, nil, first
		}
		f, err := parseFormula(s[:from+end])
		if err == nil {
			return from + end, f, nil
		}
		if first == nil {
			first = err
		}
		from += end + 1
	}
}

// refused keeps what could not be translated, as a text that is no expression.
func (r *reader) refused(source string, err error) string {
	r.p.lack("“%s” is not translated: %s. It stands there as plain text.", clipText(source, 160), err.Error())
	return constantText(strings.TrimPrefix(source, "="))
}

// code writes a parameter as an expression.
func (r *reader) code(v params) (term, error) {
	s, isText := v.v.(string)
	if !isText {
		raw, err := json.Marshal(v.v)
		if err != nil {
			return term{}, errors.New("it has no form here")
		}
		return r.w.formulaOf(string(raw))
	}
	body, ok := strings.CutPrefix(s, "=")
	if !ok {
		return term{quoteText(s), tightField, textSort}, nil
	}
	pieces, err := r.pieces(body)
	if err != nil {
		return term{}, err
	}
	if len(pieces) == 1 {
		if pieces[0].code != "" {
			return pieces[0].is, nil
		}
		return term{quoteText(pieces[0].text), tightField, textSort}, nil
	}
	return term{joined(pieces), tightAdd, textSort}, nil
}

// told reports the differences that the expressions have.
func (r *reader) told() {
	for _, n := range r.w.notes {
		r.p.near("%s", n)
	}
}
