package exchange

import (
	"errors"
	"fmt"
	"slices"
)

// call writes a call of a function or a method.
func (w *formulaWriter) call(f *formula) (term, error) {
	callee, args := f.kids[0], f.kids[1:]
	if callee.op == "name" {
		return w.function(callee.text, args)
	}
	if callee.op != "field" && callee.op != "maybe" {
		return term{}, errors.New("a call of this sort has no form here")
	}
	if on := callee.kids[0]; on.op == "name" && slices.Contains([]string{"Math", "JSON", "Object", "Array", "Number", "String"}, on.text) {
		return w.function(on.text+"."+callee.text, args)
	}
	on, err := w.write(callee.kids[0])
	if err != nil {
		return term{}, err
	}
	if t, ok, err := w.overList(on, callee.text, args); ok || err != nil {
		return t, err
	}
	given, err := w.all(args)
	if err != nil {
		return term{}, err
	}
	return w.method(on, callee.text, given)
}

// function writes a call that stands by itself.
func (w *formulaWriter) function(name string, args []*formula) (term, error) {
	if name == "Boolean" && len(args) == 1 {
		return w.condition(args[0])
	}
	given, err := w.all(args)
	if err != nil {
		return term{}, err
	}
	one := func(ours string, is sort) (term, error) {
		if len(given) != 1 {
			return term{}, fmt.Errorf("“%s” has no form here with %d values", name, len(given))
		}
		return term{ours + "(" + given[0].code + ")", tightField, is}, nil
	}
	switch name {
	case "Number", "parseFloat", "Number.parseFloat":
		return one("number", numberSort)
	case "parseInt", "Number.parseInt":
		if len(given) == 2 && given[1].code == "10" {
			given = given[:1]
		}
		t, err := one("number", numberSort)
		t.code = "int(" + t.code + ")"
		return t, err
	case "String":
		return one("text", textSort)
	case "JSON.stringify":
		return one("json", textSort)
	case "JSON.parse":
		return one("parse_json", anySort)
	case "Math.abs", "Math.ceil", "Math.floor", "Math.round":
		return one("math."+name[len("Math."):], numberSort)
	case "Math.min", "Math.max":
		ours := map[string]string{"Math.min": "math.least", "Math.max": "math.greatest"}[name]
		if len(given) == 0 {
			return term{}, fmt.Errorf("“%s” has no form here with %d values", name, 0)
		}
		return term{ours + "(" + codes(given) + ")", tightField, numberSort}, nil
	case "Array.isArray":
		if t, err := one("type", anySort); err == nil {
			return term{t.code + " == list", tightCompare, boolSort}, nil
		}
	case "Object.keys":
		if len(given) == 1 {
			return term{given[0].within(tightField) + ".map(k, k)", tightField, listSort}, nil
		}
	}
	return term{}, fmt.Errorf("“%s(…)” has no form here", name)
}

// overList writes the methods of lists that take a function.
func (w *formulaWriter) overList(on term, name string, args []*formula) (term, bool, error) {
	ours, ok := map[string]string{"map": "map", "filter": "filter", "some": "exists", "every": "all", "find": "filter"}[name]
	if !ok {
		return term{}, false, nil
	}
	if len(args) != 1 || args[0].op != "arrow" {
		return term{}, true, fmt.Errorf("“%s(…)” needs a function of one value to have a form here", name)
	}
	own := args[0].text
	if !goodName(own) {
		return term{}, true, fmt.Errorf("“%s” cannot be a name here", own)
	}
	w.names = append(w.names, own)
	defer func() { w.names = w.names[:len(w.names)-1] }()
	write := w.condition
	if name == "map" {
		write = w.write
	}
	body, err := write(args[0].kids[0])
	if err != nil {
		return term{}, true, err
	}
	t := term{on.within(tightField) + "." + ours + "(" + own + ", " + body.code + ")", tightField, listSort}
	switch name {
	case "some", "every":
		t.is = boolSort
	case "find":
		t = term{"default(" + t.code + "[0], null)", tightField, anySort}
	}
	return t, true, nil
}

// goodName reports whether a name of JavaScript can be one of ours.
func goodName(name string) bool {
	return dotted("x", name) == "x."+name && !slices.Contains([]string{"input", "inputs", "nodes", "trigger", "run", "vars", "item", "index", "acc", "error", "secrets", "context", "event"}, name)
}

// method writes a method of a text or a list.
func (w *formulaWriter) method(on term, name string, args []term) (term, error) {
	of := on.within(tightField)
	count := func(n int) bool { return len(args) == n }
	switch {
	case name == "toLowerCase" && count(0):
		return term{of + ".lowerAscii()", tightField, textSort}, nil
	case name == "toUpperCase" && count(0):
		return term{of + ".upperAscii()", tightField, textSort}, nil
	case name == "trim" && count(0):
		return term{of + ".trim()", tightField, textSort}, nil
	case name == "toString" && count(0):
		return term{"text(" + on.code + ")", tightField, textSort}, nil
	case (name == "startsWith" || name == "endsWith") && count(1):
		return term{of + "." + name + "(" + args[0].code + ")", tightField, boolSort}, nil
	case name == "includes" && count(1):
		return includes(on, args[0]), nil
	case name == "split" && count(1):
		return term{of + ".split(" + args[0].code + ")", tightField, listSort}, nil
	case name == "join" && count(1):
		return term{of + ".map(part, text(part)).join(" + args[0].code + ")", tightField, textSort}, nil
	case name == "replace" && count(2):
		return term{of + ".replace(" + args[0].code + ", " + args[1].code + ", 1)", tightField, textSort}, nil
	case name == "replaceAll" && count(2):
		return term{of + ".replace(" + args[0].code + ", " + args[1].code + ")", tightField, textSort}, nil
	case name == "indexOf" && count(1) && on.is == textSort:
		return term{of + ".indexOf(" + args[0].code + ")", tightField, numberSort}, nil
	case name == "concat" && count(1):
		return w.sum(on, args[0]), nil
	case name == "substring" && (count(1) || count(2)):
		w.note("substring(…) fails here when it asks for more than the text has.")
		return term{of + ".substring(" + codes(args) + ")", tightField, textSort}, nil
	case name == "isEmpty" && count(0):
		return term{"default(" + on.code + `, null) in [null, "", [], {}]`, tightCompare, boolSort}, nil
	case name == "isNotEmpty" && count(0):
		return term{"!(default(" + on.code + `, null) in [null, "", [], {}])`, tightNot, boolSort}, nil
	}
	return term{}, fmt.Errorf("“.%s(…)” has no form here", name)
}

// includes asks a text for a part or a list for an item.
func includes(on, what term) term {
	inText := on.within(tightField) + ".contains(" + what.code + ")"
	inList := what.within(tightAdd) + " in " + on.within(tightAdd)
	switch on.is { //nolint:exhaustive // of the others it is known only when it runs
	case textSort:
		return term{inText, tightField, boolSort}
	case listSort:
		return term{inList, tightCompare, boolSort}
	}
	return term{"(type(" + on.code + ") == list ? " + inList + " : " + inText + ")", tightField, boolSort}
}
