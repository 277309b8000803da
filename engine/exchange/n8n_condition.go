package exchange

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// operationNames are those of older nodes, as newer ones call them.
func operationName(name string) string {
	newer, ok := map[string]string{
		"equal": "equals", "notEqual": "notEquals", "isEmpty": "empty", "isNotEmpty": "notEmpty",
		"smaller": "lt", "smallerEqual": "lte", "larger": "gt", "largerEqual": "gte",
	}[name]
	if ok {
		return newer
	}
	return name
}

// conditions translates the conditions of an If, a Filter or a rule of a
// Switch, in the form of either version.
func (r *reader) conditions(c params) (term, error) {
	if list := c.at("conditions").list(); len(list) > 0 || c.at("combinator").there() {
		sign := "&&"
		if c.at("combinator").text() == "or" {
			sign = "||"
		}
		loose := c.at("options", "caseSensitive").there() && !c.at("options", "caseSensitive").yes()
		var all []term
		for _, one := range list {
			t, err := r.condition(one.at("operator", "type").or("string"), one.at("operator", "operation").text(), one.at("leftValue"), one.at("rightValue"), loose)
			if err != nil {
				return term{}, err
			}
			all = append(all, t)
		}
		return combined(sign, all)
	}
	var all []term
	for _, sort := range []string{"boolean", "dateTime", "number", "string"} {
		for _, one := range c.at(sort).list() {
			t, err := r.condition(sort, operationName(one.at("operation").or("equal")), one.at("value1"), one.at("value2"), false)
			if err != nil {
				return term{}, err
			}
			all = append(all, t)
		}
	}
	sign := "&&"
	if r.p.p.at("combineOperation").text() == "any" {
		sign = "||"
	}
	return combined(sign, all)
}

func combined(sign string, all []term) (term, error) {
	if len(all) == 0 {
		return term{}, errors.New("it has no condition")
	}
	t := all[0]
	for _, next := range all[1:] {
		t = logical(sign, t, next)
	}
	return t, nil
}

// condition translates one comparison.
func (r *reader) condition(sort, operation string, left, right params, loose bool) (term, error) {
	l, err := r.code(left)
	if err != nil {
		return term{}, err
	}
	switch operation {
	case "exists", "notExists":
		return prefixed(operation, term{"default(" + l.code + ", null) != null", tightCompare, boolSort}), nil
	case "empty", "notEmpty":
		return prefixed(operation, term{"default(" + l.code + `, null) in [null, "", [], {}]`, tightCompare, boolSort}), nil
	case "true", "false":
		return term{l.within(tightCompare) + " == " + operation, tightCompare, boolSort}, nil
	}
	v, err := r.code(typed(sort, right))
	if err != nil {
		return term{}, err
	}
	if loose && sort == "string" {
		l, v = lowered(l), lowered(v)
	}
	switch sort {
	case "number":
		if l.is == textSort {
			l = term{"number(" + l.code + ")", tightField, numberSort}
		}
	case "dateTime":
		l, v = moment(l), moment(v)
	case "array":
		if count, ok := strings.CutPrefix(operation, "length"); ok {
			l, operation = term{"size(" + l.code + ")", tightField, numberSort}, strings.ToLower(count[:min(1, len(count))])+count[min(1, len(count)):]
		}
	}
	return compared(sort, operation, l, v)
}

func lowered(t term) term {
	if t.is == textSort && strings.HasPrefix(t.code, `"`) && !strings.Contains(t.code, `\\`) && strings.Count(t.code, `"`) == 2 {
		return term{strings.ToLower(t.code), tightField, textSort}
	}
	return term{t.within(tightField) + ".lowerAscii()", tightField, textSort}
}

func moment(t term) term { return term{"timestamp(" + t.code + ")", tightField, anySort} }

// typed reads a constant in the sort that it is compared as.
func typed(sort string, v params) params {
	s, ok := v.v.(string)
	if !ok {
		return v
	}
	if n, err := strconv.ParseFloat(s, 64); sort == "number" && err == nil {
		return params{n}
	}
	if sort == "boolean" && (s == "true" || s == "false") {
		return params{s == "true"}
	}
	return v
}

// prefixed turns a condition over when the operation begins with "not".
func prefixed(operation string, t term) term {
	if strings.HasPrefix(operation, "not") && operation != "notEquals" {
		return term{"!" + t.within(tightField), tightNot, boolSort}
	}
	return t
}

func compared(sort, operation string, l, v term) (term, error) {
	sign := map[string]string{"equals": "==", "notEquals": "!=", "lt": "<", "lte": "<=", "gt": ">", "gte": ">=", "before": "<", "after": ">", "beforeOrEquals": "<=", "afterOrEquals": ">="}[operation]
	if sign != "" {
		return term{l.within(tightCompare) + " " + sign + " " + v.within(tightAdd), tightCompare, boolSort}, nil
	}
	of := l.within(tightField)
	switch strings.ToLower(strings.TrimPrefix(operation, "not")) {
	case "contains":
		if sort == "array" {
			return prefixed(operation, term{v.within(tightAdd) + " in " + l.within(tightAdd), tightCompare, boolSort}), nil
		}
		return prefixed(operation, term{of + ".contains(" + v.code + ")", tightField, boolSort}), nil
	case "startswith":
		return prefixed(operation, term{of + ".startsWith(" + v.code + ")", tightField, boolSort}), nil
	case "endswith":
		return prefixed(operation, term{of + ".endsWith(" + v.code + ")", tightField, boolSort}), nil
	case "regex":
		return prefixed(operation, term{of + ".matches(" + v.code + ")", tightField, boolSort}), nil
	}
	return term{}, fmt.Errorf("there is no comparison “%s” here", clipText(operation, 40))
}
