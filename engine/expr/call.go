package expr

import (
	"bytes"
	"errors"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
)

func failed(err error) ref.Val { return types.WrapErr(err) }

func toJSON(a ref.Val) ref.Val {
	v, err := native(a)
	if err != nil {
		return failed(err)
	}
	raw, err := Marshal(v)
	if err != nil {
		return failed(err)
	}
	return bounded(string(raw))
}

func bounded(s string) ref.Val {
	if len(s) > TextMax {
		return limit(textTooLong)
	}
	return types.String(s)
}

func fromJSON(a ref.Val) ref.Val {
	s, ok := a.(types.String)
	if !ok {
		return types.NewErr("parse_json needs text, not %s", sort(a))
	}
	v, err := decode(bytes.NewReader([]byte(s)), ResultMax)
	if err != nil {
		return types.NewErr("parse_json: %s", strings.TrimSuffix(lower(err.Error()), "."))
	}
	return adapter{}.NativeToValue(v)
}

func toText(a ref.Val) ref.Val {
	v, err := native(a)
	if err != nil {
		return failed(err)
	}
	s, err := textOf(v)
	if err != nil {
		return failed(err)
	}
	return bounded(s)
}

// textOf writes a value into a template: text as it is, null as nothing, other
// things as JSON.
func textOf(v any) (string, error) {
	switch v := v.(type) {
	case string:
		return v, nil
	case nil:
		return "", nil
	}
	raw, err := Marshal(v)
	return string(raw), err
}

func toNumber(a ref.Val) ref.Val {
	if x, ok := float(a); ok {
		return finite(x)
	}
	switch v := a.(type) {
	case types.String:
		f, err := strconv.ParseFloat(strings.TrimSpace(string(v)), 64)
		if err != nil || math.IsNaN(f) || math.IsInf(f, 0) || strings.ContainsAny(string(v), "xX_") {
			return types.NewErr("%s is not a number", quote(string(v)))
		}
		return finite(f)
	case types.Bool:
		if v {
			return types.Double(1)
		}
		return types.Double(0)
	}
	return types.NewErr("number(…) needs text, not %s", sort(a))
}

// toString is string(x): a number is written as in JSON, not with an exponent.
func toString(a ref.Val) ref.Val {
	switch v := a.(type) {
	case types.Double, types.Int, types.Uint:
		return toText(a)
	case types.String:
		return v
	case types.Bytes:
		if !utf8.Valid(v) {
			return types.NewErr("these bytes are not text")
		}
		return types.String(v)
	case types.Bool, types.Timestamp, types.Duration:
		return a.ConvertToType(types.StringType)
	}
	return types.NewErr("string(…) cannot take %s; text(…) takes everything", sort(a))
}

// convert is int(x), double(x) and their like.
func convert(to *types.Type, is string) func(ref.Val) ref.Val {
	return func(a ref.Val) ref.Val {
		from := a
		if to == types.TimestampType {
			from = whole(a) // seconds since 1970
		}
		v := from.ConvertToType(to)
		if !types.IsError(v) {
			return v
		}
		switch a := a.(type) {
		case types.String:
			return types.NewErr("%s is not %s", quote(string(a)), is)
		case types.Double, types.Int, types.Uint:
			return types.NewErr("this number cannot be turned into %s", is)
		}
		return types.NewErr("%s cannot be turned into %s", sort(a), is)
	}
}

// typeOf is type(x): there is one sort of number.
func typeOf(a ref.Val) ref.Val {
	if _, ok := float(a); ok {
		return types.DoubleType
	}
	if t, ok := a.Type().(ref.Val); ok {
		return t
	}
	return types.NewErr("this has no type")
}

// missing tells the failures that mean "there is nothing there".
func missing(v ref.Val) bool {
	err, ok := v.(*types.Err)
	if !ok {
		return false
	}
	if f := (*Failure)(nil); errors.As(err, &f) {
		return false
	}
	msg := err.Error()
	return strings.HasPrefix(msg, "no such key") || strings.HasPrefix(msg, "no such attribute") ||
		strings.HasPrefix(msg, "index out of bounds")
}

// otherwise is default(x, y).
func otherwise(a, b ref.Val) ref.Val {
	if missing(a) || a == types.NullValue {
		return b
	}
	return a
}

// has makes has(a.b.c) false where a.b is missing.
func has(a ref.Val) ref.Val {
	if missing(a) {
		return types.False
	}
	return a
}

// wholes turns the JSON numbers of a list into ints, for format.
func wholes(a ref.Val) ref.Val {
	l, ok := a.(traits.Lister)
	if !ok {
		return a
	}
	items := make([]ref.Val, length(l))
	for i := range items {
		items[i] = whole(l.Get(types.Int(i)))
	}
	return types.NewRefValList(adapter{}, items)
}

// numbers turns the ints of a list into JSON numbers, for sorting.
func numbers(a ref.Val) ref.Val {
	l, ok := a.(traits.Lister)
	if !ok {
		return a
	}
	items := make([]ref.Val, length(l))
	for i := range items {
		items[i] = l.Get(types.Int(i))
		if f, ok := float(items[i]); ok {
			items[i] = types.Double(f)
		}
	}
	return types.NewRefValList(adapter{}, items)
}

// fits refuses a value that spells more than fits in one text.
func fits(a ref.Val) ref.Val {
	m := &meter{ResultMax, TextMax}
	if f := m.value(a); f != nil {
		return failed(f)
	}
	return a
}

// few guards what compares each item with each.
func few(a ref.Val) ref.Val {
	l, ok := a.(traits.Lister)
	switch {
	case ok && length(l) > EachToEachMax:
		return limit("more than 1,000 items cannot be compared with each other")
	case measure(a, ResultMax) >= ResultMax:
		return limit(overBudget)
	}
	return a
}

// short guards the text that a regular expression looks at.
func short(a ref.Val) ref.Val {
	if s, ok := a.(types.String); ok && len(s) > RegexTextMax {
		return limit("a pattern looks at texts of at most 100,000 bytes")
	}
	return a
}

// zone allows offsets only: names would be looked up in files, and mean
// another thing after the next change of law.
func zone(a ref.Val) ref.Val {
	s, ok := a.(types.String)
	if !ok {
		return a
	}
	t := strings.TrimLeft(string(s), "+-")
	plain := len(t) == 5 && len(s)-len(t) <= 1 && t[2] == ':'
	for i, c := range t {
		plain = plain && (i == 2 || c >= '0' && c <= '9')
	}
	if s == "UTC" || plain {
		return a
	}
	return types.NewErr("a time zone is written as UTC or as an offset like +02:00, not as %s", quote(string(s)))
}

// replace is text.replace(old, new[, times]), within the limits.
func replace(args ...ref.Val) ref.Val {
	s, okS := args[0].(types.String)
	old, okO := args[1].(types.String)
	put, okP := args[2].(types.String)
	if !okS || !okO || !okP {
		return types.NewErr("replace needs three texts: text.replace(old, new)")
	}
	times := -1
	if len(args) == 4 {
		n, ok := float(args[3])
		if !ok {
			return types.NewErr("replace needs a number of times as its third value")
		}
		times = int(n)
	}
	found := strings.Count(string(s), string(old))
	if times >= 0 {
		found = min(found, times)
	}
	if len(s)+found*(len(put)-len(old)) > TextMax && len(put) > len(old) {
		return limit(textTooLong)
	}
	return types.String(strings.Replace(string(s), string(old), string(put), times))
}

// joinTexts is list.join([between]), within the limits.
func joinTexts(args ...ref.Val) ref.Val {
	l, ok := args[0].(traits.Lister)
	if !ok {
		return types.NewErr("join needs a list, not %s", sort(args[0]))
	}
	between := types.String("")
	if len(args) == 2 {
		if between, ok = args[1].(types.String); !ok {
			return types.NewErr("join needs text between the items, not %s", sort(args[1]))
		}
	}
	var b strings.Builder
	for i := range length(l) {
		if i > 0 {
			b.WriteString(string(between))
		}
		item := toString(l.Get(types.Int(i)))
		s, ok := item.(types.String)
		if !ok {
			return types.NewErr("join needs texts, but item %d is %s", i, sort(l.Get(types.Int(i))))
		}
		if b.WriteString(string(s)); b.Len() > TextMax {
			return limit(textTooLong)
		}
	}
	return types.String(b.String())
}

// split is text.split(between[, most]), within the limits.
func split(args ...ref.Val) ref.Val {
	s, okS := args[0].(types.String)
	between, okB := args[1].(types.String)
	if !okS || !okB {
		return types.NewErr("split needs two texts: text.split(between)")
	}
	most := -1
	if len(args) == 3 {
		n, ok := float(args[2])
		if !ok {
			return types.NewErr("split needs a number of parts as its second value")
		}
		most = int(n)
	}
	if parts := strings.Count(string(s), string(between)) + 1; parts > ResultMax && (most < 0 || most > ResultMax) {
		return limit("the list has more than 100,000 items")
	}
	return types.NewStringList(adapter{}, strings.SplitN(string(s), string(between), most))
}

// quote shows a text of others in a sentence, shortened.
func quote(s string) string { return strconv.Quote(clip(s)) }

func lower(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return strings.ToLower(string(r)) + s[n:]
}
