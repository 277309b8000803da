package kind_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"signalbox/engine/expr"
	"signalbox/engine/kind"
)

var update = flag.Bool("update", false, "write docs/nodes.md and testdata/catalogue.json")

// golden compares a file with what it should hold, or writes it with -update.
func golden(t *testing.T, name string, want []byte) {
	t.Helper()
	path := filepath.FromSlash(name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s is stale; run go test ./engine/kind -update (-want +got):\n%s", name, diff)
	}
}

// TestCatalogue keeps the catalogue as the TypeScript side reads it.
func TestCatalogue(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(map[string][]kind.Spec{"kinds": kind.All()}); err != nil {
		t.Fatal(err)
	}
	golden(t, "testdata/catalogue.json", b.Bytes())
}

// TestReference keeps docs/nodes.md.
func TestReference(t *testing.T) {
	t.Parallel()
	r := &reference{}
	r.line("# Nodes", "")
	r.line("<!-- Written by go test ./engine/kind -update; do not edit. -->", "")
	r.line("Every kind of node, from the catalogue that the palette, the forms and the checks are made from. A text in a configuration is one of:", "")
	r.table([]string{"text", "meaning"}, [][]string{
		{"`=input.priority + 1`", "an expression; its value takes the place of the text"},
		{"`Hello {{ input.name }}`", "a template: each part is an expression, written as text"},
		{"`==text`", "the text `=text`"},
		{"anything else", "the text itself"},
	})
	r.line("Fields marked *constant* are always the text itself; fields marked *expression* are an expression without the `=`.", "")
	title := map[string]string{"trigger": "Triggers", "flow": "Flow", "data": "Data", "connect": "Connect", "ai": "AI", "ops": "Operations"}
	for _, c := range kind.Categories() {
		r.line("## "+title[c], "")
		for _, s := range kind.All() {
			if s.Category == c {
				r.kind(s)
			}
		}
	}
	r.expressions()
	golden(t, "../../docs/nodes.md", []byte(strings.TrimRight(r.b.String(), "\n")+"\n"))
}

// reference writes the page.
type reference struct{ b strings.Builder }

func (r *reference) line(lines ...string) {
	for _, l := range lines {
		r.b.WriteString(l + "\n")
	}
}

func (r *reference) table(head []string, rows [][]string) {
	r.line("| "+strings.Join(head, " | ")+" |", strings.Repeat("| --- ", len(head))+"|")
	for _, row := range rows {
		for i := range row {
			row[i] = strings.ReplaceAll(row[i], "|", "\\|")
		}
		r.line("| " + strings.Join(row, " | ") + " |")
	}
	r.line("")
}

func (r *reference) kind(s kind.Spec) {
	r.line("### "+s.Title, "", "`"+s.Name+"` · "+map[kind.Work]string{
		kind.WorkTrigger: "starts runs", kind.WorkInline: "done at once by the engine", kind.WorkTask: "done by a worker", kind.WorkWait: "over when its time has come",
	}[s.Work], "", s.Help, "")
	r.line("Ways out: "+ways(s)+".", "")
	if s.Attempts > 1 {
		r.line(fmt.Sprintf("Tried %d times unless told otherwise, %s for each try.", s.Attempts, s.Timeout), "")
	}
	if len(s.Config.Properties) > 0 {
		var rows [][]string
		fields(&s.Config, "", &rows)
		r.table([]string{"field", "type", "default", "meaning"}, rows)
	} else {
		r.line("It has no fields.", "")
	}
	r.json("Example:", s.Example)
	if len(s.Output) > 0 {
		r.json("Gives, for example:", s.Output)
	}
}

func ways(s kind.Spec) string {
	var names []string
	if s.PortsOf != nil {
		names = append(names, "one for each of its "+s.PortsOf.Field)
	}
	for _, p := range s.Ports {
		names = append(names, "`"+p.Name+"`")
	}
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// fields lists the fields of an object and of the objects in it.
func fields(s *kind.Schema, in string, rows *[][]string) {
	for _, p := range s.Properties {
		f := p.Schema
		value := ""
		switch {
		case len(f.Default) > 0:
			value = "`" + string(f.Default) + "`"
		case slices.Contains(s.Required, p.Name):
			value = "required"
		}
		meaning := f.Description
		if f.ShowIf != "" {
			meaning += " Only with `" + f.ShowIf + "`."
		}
		*rows = append(*rows, []string{"`" + in + p.Name + "`", typeOf(f), value, meaning})
		if f.Items != nil {
			fields(f.Items, in+p.Name+"[].", rows)
		}
	}
}

func typeOf(f kind.Schema) string {
	words := map[string]string{"": "any", "string": "text", "integer": "whole number", "array": "list", "boolean": "true or false"}
	word := f.Type
	if w, ok := words[f.Type]; ok {
		word = w
	}
	switch {
	case f.UI == "expr":
		word = "*expression*"
	case len(f.Enum) > 0:
		word = "`" + strings.Join(f.Enum, "` `") + "`"
	case f.Format == "duration" || f.Format == "uri" || f.Format == "date-time":
		word = map[string]string{"duration": "duration", "uri": "address", "date-time": "time"}[f.Format]
	}
	if f.Unit != "" {
		word += ", " + f.Unit
	}
	if f.Constant {
		word += " *constant*"
	}
	return word
}

func (r *reference) json(title string, raw json.RawMessage) {
	var b bytes.Buffer
	if err := json.Indent(&b, raw, "", "  "); err != nil {
		panic(err) // nothing but our own catalogue
	}
	r.line(title, "", "```json", b.String(), "```", "")
}

// shows are the expressions of the reference: each is evaluated, so that the
// page says what is.
func shows() [][2]string {
	return [][2]string{
		{`input.priority >= 8`, "comparing"},
		{`input.count + 1`, "numbers are those of JSON: `5 / 2` is 2.5, and 3 is written as 3"},
		{`"Hello " + input.name`, "joining texts"},
		{`input.priority >= 8 ? "express" : "normal"`, "choosing"},
		{`input.name == "Ada" && !(input.count > 5)`, "and, or (`||`), not"},
		{`{"name": input.name, "tags": ["a", "b"]}`, "making objects and lists"},
		{`input.items[0].name`, "reaching in; the first item is item 0"},
		{`has(input.image)`, "whether something is there; false also when what is before it is missing"},
		{`default(input.image, "none")`, "a value for what is missing or null"},
		{`"paid" in input.tags`, "whether a list has a value, or an object a name"},
		{`size(input.items)`, "the length of a text, list or object"},
		{`input.items.map(i, i.name)`, "each item turned into something"},
		{`input.items.filter(i, i.price > 2).size()`, "the items that fit"},
		{`input.items.exists(i, i.price > 5)`, "whether one fits; `all` for whether every one does"},
		{`input.items.sortBy(i, i.price)[0].name`, "sorting"},
		{`math.greatest(input.items.map(i, i.price))`, "the largest; `math.least`, `math.round`, `math.abs`, …"},
		{`input.name.lowerAscii()`, "texts: `upperAscii`, `trim`, `contains`, `startsWith`, `endsWith`, `substring`, `replace`"},
		{`"a,b".split(",").join(" and ")`, "taking texts apart and putting them together"},
		{`input.name.matches("^A")`, "a regular expression (RE2)"},
		{`"%s has %d".format([input.name, input.count])`, "filling in"},
		{`text(input.items[0].price) + " EUR"`, "anything as text; `json(x)` as JSON text"},
		{`number("4.5") * 2`, "the number that a text spells; `parse_json(s)` for JSON text"},
		{`timestamp(input.at) + duration("90m")`, "times and durations; there is no now"},
	}
}

type sample map[string]any

// Lookup implements expr.Values.
func (s sample) Lookup(name string) (any, bool) { v, ok := s[name]; return v, ok }

// shownInput is what the expressions of the page read.
const shownInput = `{"name":"Ada","priority":9,"count":2,"at":"2026-11-30T09:00:00Z","tags":["paid","new"],"items":[{"name":"pen","price":2.5},{"name":"paper","price":4}]}`

func (r *reference) expressions() {
	r.line("## Expressions", "", "Expressions are written in CEL. They read `input` (what arrived), `inputs.<key>` (what arrived, by the step that sent it), `nodes.<key>.output`, `trigger` (what started the run) and `run`. With this input:", "")
	r.line("```json", shownInput, "```", "")
	var rows [][]string
	for _, s := range shows() {
		got, _ := evaluated(s[0]) // TestShownExpressionsWork looks at the error
		rows = append(rows, []string{"`" + s[0] + "`", "`" + got + "`", s[1]})
	}
	r.table([]string{"expression", "gives", ""}, rows)
	r.line(fmt.Sprintf("Limits of one expression: %d bytes, brackets %d deep, %d parts, %d units of cost, a result of %d values, texts of %d bytes. Numbers from 2^53 on are refused, because they cannot be kept exactly: send them as text.",
		expr.SourceMax, expr.DepthMax, expr.NodesMax, expr.CostMax, expr.ResultMax, expr.TextMax), "")
}

func evaluated(src string) (string, error) {
	var input any
	if err := json.Unmarshal([]byte(shownInput), &input); err != nil {
		return "", err
	}
	p, fault := expr.Parse(src)
	if fault != nil {
		return "", errors.New(fault.Message)
	}
	v, err := p.Eval(sample{"input": input})
	if err != nil {
		return "", err
	}
	raw, err := expr.Marshal(v)
	return string(raw), err
}

// TestShownExpressionsWork: no example of the page ends in an error.
func TestShownExpressionsWork(t *testing.T) {
	t.Parallel()
	for _, s := range shows() {
		if _, err := evaluated(s[0]); err != nil {
			t.Errorf("%s: %v", s[0], err)
		}
	}
}
