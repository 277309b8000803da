package exchange

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"signalbox/engine/expr"
)

// sort is what is known of a value before it is there.
type sort int

const (
	anySort sort = iota
	textSort
	numberSort
	boolSort
	listSort
	objectSort
)

// Binding strengths of our language, the weakest first.
const (
	tightTernary = iota + 1
	tightOr
	tightAnd
	tightCompare
	tightAdd
	tightMul
	tightNot
	tightField
)

// term is a part of an expression of ours.
type term struct {
	code  string
	tight int
	is    sort
}

// within is the code, in brackets when it binds weaker than what is around.
func (t term) within(tight int) string {
	if t.tight < tight {
		return "(" + t.code + ")"
	}
	return t.code
}

// formulaWriter turns an expression of JavaScript into one of ours, or says
// why it cannot. It is exact: where the two languages differ on a value that
// may come, it writes what JavaScript would do, or refuses.
type formulaWriter struct {
	// known resolves what the file's own names mean; false: it is none of them.
	known func(f *formula) (term, bool, error)
	vars  []string // what expressions may name; nil: as in a workflow
	names []string // of functions in functions and of constants, the innermost last
	notes []string // where both mean the same for most values only
}

// formulaOf translates one expression.
func (w *formulaWriter) formulaOf(src string) (term, error) {
	f, err := parseFormula(src)
	if err != nil {
		return term{}, err
	}
	return w.checked(f)
}

// checked translates, and has our own parser read what came out.
func (w *formulaWriter) checked(f *formula) (term, error) {
	t, err := w.write(f)
	if err != nil {
		return term{}, err
	}
	_, err = w.checkedCode(t.code)
	return t, err
}

// checkedCode has our own parser read a code.
func (w *formulaWriter) checkedCode(code string) (string, error) {
	if len(code) > expr.SourceMax {
		return "", fmt.Errorf("it is longer than %d bytes here", expr.SourceMax)
	}
	if _, fault := expr.ParseWith(w.vars, code); fault != nil {
		return "", errors.New("it has no form here")
	}
	return code, nil
}

func (w *formulaWriter) note(text string) {
	if !slices.Contains(w.notes, text) {
		w.notes = append(w.notes, text)
	}
}

func (w *formulaWriter) write(f *formula) (term, error) {
	if f.op == "name" && slices.Contains(w.names, f.text) {
		return term{f.text, tightField, anySort}, nil
	}
	if w.known != nil {
		if t, ok, err := w.known(f); ok || err != nil {
			return t, err
		}
	}
	switch f.op {
	case "number":
		return numberTerm(f.text)
	case "text":
		return term{quoteText(f.text), tightField, textSort}, nil
	case "name":
		return nameTerm(f.text)
	case "field", "maybe", "index":
		return w.place(f)
	case "call":
		return w.call(f)
	case "list":
		items, err := w.all(f.kids)
		return term{"[" + codes(items) + "]", tightField, listSort}, err
	case "object":
		return w.object(f)
	case "template":
		return w.template(f)
	case "!":
		return w.not(f.kids[0])
	case "neg":
		t, err := w.write(f.kids[0])
		return term{"-" + t.within(tightField), tightNot, numberSort}, err
	case "plus":
		t, err := w.write(f.kids[0])
		return term{"number(" + t.code + ")", tightField, numberSort}, err
	case "?:":
		return w.choice(f)
	case "arrow":
		return term{}, errors.New("a function has no form here")
	}
	return w.operator(f)
}

func quoteText(s string) string { return expr.Quote(s) }

func numberTerm(text string) (term, error) {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || strings.ContainsAny(text, "xX_oO") {
		return term{}, fmt.Errorf("“%s” is no number here", text)
	}
	raw, err := expr.Marshal(n)
	return term{string(raw), tightField, numberSort}, err
}

func nameTerm(name string) (term, error) {
	switch name {
	case "true", "false":
		return term{name, tightField, boolSort}, nil
	case "null", "undefined":
		return term{"null", tightField, anySort}, nil
	}
	return term{}, fmt.Errorf("“%s” is not known here", name)
}

// dotted writes a field behind a value.
func dotted(code, name string) string {
	plain := name != "" && !slices.Contains([]string{"in", "as", "break", "const", "continue", "else", "for", "function", "if", "import", "let", "loop", "package", "namespace", "return", "var", "void", "while", "true", "false", "null"}, name)
	for i := range len(name) {
		c := name[i]
		plain = plain && (c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || i > 0 && c >= '0' && c <= '9')
	}
	if plain {
		return code + "." + name
	}
	return code + "[" + quoteText(name) + "]"
}

func (w *formulaWriter) place(f *formula) (term, error) {
	on, err := w.write(f.kids[0])
	if err != nil {
		return term{}, err
	}
	switch {
	case f.op == "index":
		at, err := w.write(f.kids[1])
		return term{on.within(tightField) + "[" + at.code + "]", tightField, anySort}, err
	case f.text == "length":
		return term{"size(" + on.code + ")", tightField, numberSort}, nil
	case f.op == "maybe":
		return term{"default(" + dotted(on.within(tightField), f.text) + ", null)", tightField, anySort}, nil
	}
	return term{dotted(on.within(tightField), f.text), tightField, anySort}, nil
}

func (w *formulaWriter) all(list []*formula) ([]term, error) {
	out := make([]term, 0, len(list))
	for _, f := range list {
		t, err := w.write(f)
		if err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, nil
}

func codes(list []term) string {
	out := make([]string, 0, len(list))
	for _, t := range list {
		out = append(out, t.code)
	}
	return strings.Join(out, ", ")
}

func (w *formulaWriter) object(f *formula) (term, error) {
	parts := make([]string, 0, len(f.kids)/2)
	for i := 0; i+1 < len(f.kids); i += 2 {
		v, err := w.write(f.kids[i+1])
		if err != nil {
			return term{}, err
		}
		parts = append(parts, quoteText(f.kids[i].text)+": "+v.code)
	}
	return term{"{" + strings.Join(parts, ", ") + "}", tightField, objectSort}, nil
}

// asText writes a value into a text.
func asText(t term) string {
	if t.is == textSort {
		return t.within(tightAdd)
	}
	return "text(" + t.code + ")"
}

func (w *formulaWriter) template(f *formula) (term, error) {
	parts := []string{}
	for _, kid := range f.kids {
		if kid.op == "text" && kid.text == "" {
			continue
		}
		t, err := w.write(kid)
		if err != nil {
			return term{}, err
		}
		parts = append(parts, asText(t))
	}
	switch len(parts) {
	case 0:
		return term{`""`, tightField, textSort}, nil
	case 1:
		return term{parts[0], tightField, textSort}, nil
	}
	return term{strings.Join(parts, " + "), tightAdd, textSort}, nil
}

// empty is true for what JavaScript takes for false.
func empty(t term) string { return "default(" + t.code + `, null) in [null, false, 0, ""]` }

// condition writes what is asked for true or false.
func (w *formulaWriter) condition(f *formula) (term, error) {
	if f.op == "&&" || f.op == "||" {
		left, err := w.condition(f.kids[0])
		if err != nil {
			return term{}, err
		}
		right, err := w.condition(f.kids[1])
		return logical(f.op, left, right), err
	}
	t, err := w.write(f)
	if err != nil || t.is == boolSort {
		return t, err
	}
	return term{"!(" + empty(t) + ")", tightNot, boolSort}, nil
}

func (w *formulaWriter) not(f *formula) (term, error) {
	if f.op != "&&" && f.op != "||" {
		t, err := w.write(f)
		if err != nil || t.is != boolSort {
			return term{empty(t), tightCompare, boolSort}, err
		}
	}
	t, err := w.condition(f)
	return term{"!" + t.within(tightNot), tightNot, boolSort}, err
}

func logical(sign string, left, right term) term {
	tight := tightOr
	if sign == "&&" {
		tight = tightAnd
	}
	return term{left.within(tight) + " " + sign + " " + right.within(tight+1), tight, boolSort}
}

func (w *formulaWriter) choice(f *formula) (term, error) {
	ask, err := w.condition(f.kids[0])
	if err != nil {
		return term{}, err
	}
	yes, err := w.write(f.kids[1])
	if err != nil {
		return term{}, err
	}
	no, err := w.write(f.kids[2])
	is := anySort
	if yes.is == no.is {
		is = yes.is
	}
	return term{ask.within(tightOr) + " ? " + yes.within(tightOr) + " : " + no.within(tightTernary), tightTernary, is}, err
}

func (w *formulaWriter) operator(f *formula) (term, error) {
	if f.op == "==" || f.op == "===" || f.op == "!=" || f.op == "!==" {
		if t, ok, err := w.absent(f); ok || err != nil {
			return t, err
		}
	}
	left, err := w.write(f.kids[0])
	if err != nil {
		return term{}, err
	}
	right, err := w.write(f.kids[1])
	if err != nil {
		return term{}, err
	}
	switch f.op {
	case "||":
		if left.is == boolSort && right.is == boolSort {
			return logical(f.op, left, right), nil
		}
		return term{empty(left) + " ? " + right.within(tightOr) + " : " + left.within(tightTernary), tightTernary, anySort}, nil
	case "&&":
		if left.is == boolSort && right.is == boolSort {
			return logical(f.op, left, right), nil
		}
		return term{empty(left) + " ? " + left.within(tightOr) + " : " + right.within(tightTernary), tightTernary, anySort}, nil
	case "??":
		return term{"default(" + left.code + ", " + right.code + ")", tightField, anySort}, nil
	case "+":
		return w.sum(left, right), nil
	case "==", "===":
		return term{left.within(tightCompare) + " == " + right.within(tightAdd), tightCompare, boolSort}, nil
	case "!=", "!==":
		return term{left.within(tightCompare) + " != " + right.within(tightAdd), tightCompare, boolSort}, nil
	case "<", "<=", ">", ">=":
		return term{left.within(tightCompare) + " " + f.op + " " + right.within(tightAdd), tightCompare, boolSort}, nil
	case "-":
		return term{left.within(tightAdd) + " - " + right.within(tightMul), tightAdd, numberSort}, nil
	case "*", "/", "%":
		return term{left.within(tightMul) + " " + f.op + " " + right.within(tightNot), tightMul, numberSort}, nil
	}
	return term{}, fmt.Errorf("“%s” has no form here", f.op)
}

// absent writes comparisons with nothing: a field that is missing is nothing.
func (w *formulaWriter) absent(f *formula) (term, bool, error) {
	nothing := func(f *formula) bool { return f.op == "name" && (f.text == "null" || f.text == "undefined") }
	what := f.kids[0]
	if nothing(what) {
		what = f.kids[1]
	} else if !nothing(f.kids[1]) {
		return term{}, false, nil
	}
	t, err := w.write(what)
	return term{"default(" + t.code + ", null) " + f.op[:2] + " null", tightCompare, boolSort}, true, err
}

func (w *formulaWriter) sum(left, right term) term {
	is := anySort
	switch {
	case left.is == textSort || right.is == textSort:
		return term{asText(left) + " + " + asText(right), tightAdd, textSort}
	case left.is == numberSort && right.is == numberSort:
		is = numberSort
	default:
		w.note("“+” does not put a number and a text together here; text(…) makes a text of the number.")
	}
	return term{left.within(tightAdd) + " + " + right.within(tightMul), tightAdd, is}
}
