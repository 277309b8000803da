package expr_test

import (
	"errors"
	"strings"
	"testing"

	"signalbox/engine/expr"
)

func TestFaultsHaveAPlace(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]struct {
		message              string
		line, column, offset int
	}{
		``:                                       {"An expression is needed", 1, 1, 0},
		`input.priority >=`:                      {"ends too early", 1, 18, 17},
		`priority >= 8`:                          {"There is no “priority” here", 1, 1, 0},
		`"é" + foo`:                              {"There is no “foo” here", 1, 7, 7},
		"\n\n  foo":                              {"There is no “foo” here", 3, 3, 4},
		"input.list.map(x, x\n + y)":             {"There is no “y” here", 2, 4, 23},
		`x + [1].map(x, x)[0]`:                   {"There is no “x” here", 1, 1, 0},
		`1 + nofn(1)`:                            {"There is no function “nofn”", 1, 5, 4},
		`math.foo(1)`:                            {"There is no function “math.foo”", 1, 6, 5},
		`size(1, 2, 3)`:                          {"“size” takes 1 value in its brackets, not 3", 1, 1, 0},
		`"a".lowerAscii(1)`:                      {"“lowerAscii” takes no values", 1, 5, 4},
		`lowerAscii("a")`:                        {"“lowerAscii” stands behind a value", 1, 1, 0},
		`1 + )`:                                  {"“)” does not fit here", 1, 5, 4},
		`(1`:                                     {"“)” is missing before the end", 1, 3, 2},
		`1 +* 2`:                                 {"“*” does not fit here", 1, 4, 3},
		`a b`:                                    {"“b” does not fit here", 1, 3, 2},
		`input.a = 1`:                            {"to compare, write “==”", 1, 9, 8},
		`input.a === 1`:                          {"to compare, write “==”", 1, 11, 10},
		`"abc`:                                   {"has no end", 1, 1, 0},
		`has(1)`:                                 {"has(…) needs a field", 1, 5, 4},
		`[1].map(1, x)`:                          {"A plain name is needed first", 1, 9, 8},
		`package`:                                {"“package” is a reserved word", 1, 1, 0},
		`{"a": 1, "a": 2}`:                       {"“a” is there twice", 1, 10, 9},
		`nodes[input.name].output`:               {"“nodes” needs the key of a step", 1, 1, 0},
		`nodes.map(k, k)`:                        {"“nodes” needs the key of a step", 1, 1, 0},
		`google.protobuf.Struct{}`:               {"Types cannot be made here", 1, 23, 22},
		`9007199254740993`:                       {"too large to be exact", 1, 1, 0},
		`1 + 1e300`:                              {"too large to be exact", 1, 5, 4},
		`92233720368547758080`:                   {"too large to be exact", 1, 1, 0},
		`"a".matches("(a")`:                      {"not a regular expression: missing closing )", 1, 1, 0},
		`"a".matches("a{1000}")`:                 {"The pattern is too large", 1, 1, 0},
		strings.Repeat("(", 65) + "1":            {"nested deeper than 64 levels", 1, 1, 0},
		strings.Repeat("1+", 130) + "1":          {"nested deeper than 128 levels", 1, 1, 0},
		"[" + strings.Repeat("1,", 2_040) + "1]": {"has 2042 parts; at most 2000", 1, 1, 0},
		strings.Repeat("a", 4_097):               {"has 4097 bytes; at most 4096", 1, 1, 0},
		"\xff":                                   {"not valid text", 1, 1, 0},
	} {
		_, f := expr.Parse(src)
		if f == nil || !strings.Contains(f.Message, want.message) {
			t.Errorf("%.60q: %+v, want %q", src, f, want.message)
			continue
		}
		if f.Line != want.line || f.Column != want.column || f.Offset != want.offset {
			t.Errorf("%.60q: line %d, column %d, offset %d, want %d, %d, %d", src, f.Line, f.Column, f.Offset, want.line, want.column, want.offset)
		}
	}
}

func TestFailuresSayWhatIsWrong(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{
		`input.prioritty`:             `there is no "prioritty" in input; it has a, at, big, count, half, i, items, list and 7 more`,
		`nodes.classify.output.nope`:  `there is no "nope" in nodes.classify.output; it has label`,
		`nodes.zzz.output`:            `there is no "zzz" in nodes; it has classify`,
		`input.nope.x.y`:              `there is no "nope" in input; it has`,
		`input["no such"]`:            `there is no "no such" in input; it has`,
		`input.items[0].price`:        `there is no "price" in input.items[0]; it has at, n`,
		`input.o.k.z`:                 `there is no "z" in input.o.k, which is null`,
		`input.name.first`:            `there is no "first" in input.name, which is text`,
		`input.items.map(x, x.price)`: `there is no "price" in the value that`,
		`input.list[9]`:               `there is no item 9; the first one is item 0`,
		`input.list[-1]`:              `there is no item -1`,
		`input.list["a"]`:             `a list is indexed by a whole number and an object by text`,
		`input.name + 1`:              `cannot add text and a number; text(…) makes text of a number`,
		`null + 1`:                    `cannot add null and a number`,
		`"a" * 2`:                     `cannot multiply text and a number`,
		`-input.name`:                 `cannot negate text`,
		`input.name >= 8`:             `cannot compare text with a number; number(…) makes a number of text`,
		`[1] < [2]`:                   `cannot say which of two is larger: each is a list`,
		`input.name && true`:          `these values do not fit together in input.name && true (input.name is text)`,
		`input.a.lowerAscii()`:        `these values do not fit together in lowerAscii(…) (input.a is a number)`,
		`"a" in "abc"`:                `for text write whole.contains(part)`,
		`1 / 0`:                       `division by zero`,
		`5 % 0`:                       `division by zero`,
		`default(1 / 0, 7)`:           `division by zero`,
		`number("x")`:                 `"x" is not a number`,
		`number("0x10")`:              `"0x10" is not a number`,
		`int("x")`:                    `"x" is not a whole number`,
		`bool("x")`:                   `"x" is not true or false`,
		`timestamp("x")`:              `"x" is not a time like 2026-11-30T09:00:00Z`,
		`duration("x")`:               `"x" is not a duration like 90s`,
		`timestamp(input.at).getHours("Europe/Berlin")`: `a time zone is written as UTC or as an offset`,
		`string([1])`:                     `string(…) cannot take a list; text(…) takes everything`,
		`b"abc"`:                          `bytes are not a JSON value`,
		`{1: 2}`:                          `the names in an object must be text, not a number`,
		`input.big`:                       `too large to be exact; send it as text`,
		`input.big > 5`:                   `too large to be exact; send it as text`,
		`9007199254740991 + 1`:            `too large to be exact`,
		`parse_json("[1,2")`:              `parse_json: this is not valid JSON: it ends too early`,
		`parse_json("{\"a\":1,\"a\":2}")`: `parse_json: the name "a" is there twice`,
		`parse_json("1e400")`:             `the number 1e400 is out of range`,
		`"%s".format([input])`:            `format cannot write one of its values that way`,
		`input.list.join(1)`:              `join needs text between the items`,
		`"a".matches(input.name + "(a")`:  `the pattern is not a regular expression`,
		`timestamp("9999-12-31T23:59:59Z") + duration("100000h")`: `out of range`,
	} {
		p, fault := expr.Parse(src)
		if fault != nil {
			t.Errorf("%s: %s", src, fault.Message)
			continue
		}
		_, err := p.Eval(sample(t))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", src, err, want)
			continue
		}
		var f *expr.Failure
		if !errors.As(err, &f) || f.Class != "invalid_input" {
			t.Errorf("%s: %#v, want a failure of class invalid_input", src, err)
		}
	}
}
