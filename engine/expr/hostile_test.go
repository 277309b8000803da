package expr_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"signalbox/engine/expr"
)

// grown repeats a step on a first value, each time on what the last one gave.
func grown(first, step string, times int) string {
	return "[" + first + "]" + strings.Repeat(".map(a, "+step+")", times)
}

// TestExprRunsOutOfBudget: what grows without end stops at a limit, soon, and
// says so.
func TestExprRunsOutOfBudget(t *testing.T) {
	t.Parallel()
	shared := grown("[1]", "[a, a]", 40) // 2^40 values in a few kilobytes
	for src, want := range map[string]string{
		grown(`"aaaaaaaaaa"`, "a + a", 40):                                           "the text is longer than 1,000,000 bytes",
		grown(`"aaaaaaaaaa"`, `a.replace("a", a)`, 30):                               "the text is longer than 1,000,000 bytes",
		grown(`"aaaaaaaaaa"`, `[a, a, a, a].join(a)`, 30):                            "the text is longer than 1,000,000 bytes",
		grown(`"aaaaaaaaaa"`, `"%s%s%s".format([a, a, a])`, 30):                      "the result holds more than",
		grown(`"aaaaaaaaaa"`, `json([a, a, a])`, 20):                                 "the text is longer than 1,000,000 bytes",
		grown(`[1]`, "a + a", 40):                                                    "the list has more than 100,000 items",
		shared:                                                                       "the result has more than 100,000 values",
		shared + ".map(a, a == a)":                                                   "used more than its budget",
		shared + ".map(a, a != [a[0], a[1]])":                                        "used more than its budget",
		shared + ".map(a, a in [a, a])":                                              "used more than its budget",
		shared + ".map(a, json(a))":                                                  "the result has more than 100,000 values",
		shared + ".map(a, text(a))":                                                  "the result has more than 100,000 values",
		shared + `.map(a, "%s".format([a]))`:                                         "the result has more than 100,000 values",
		shared + ".map(a, a.flatten(50))":                                            "the result has more than 100,000 values",
		shared + ".map(a, [a, a].distinct())":                                        "used more than its budget",
		shared + ".map(a, sets.contains([a], [a]))":                                  "used more than its budget",
		`lists.range(100000).map(x, x)`:                                              "used more than its budget",
		`lists.range(100000).distinct()`:                                             "more than 1,000 items cannot be compared with each other",
		`sets.intersects(lists.range(2000), lists.range(2000))`:                      "more than 1,000 items cannot be compared with each other",
		`lists.range(100000000)`:                                                     "more than is allowed",
		`"%.999999999f".format([1.5])`:                                               "more than is allowed",
		`[lists.range(50000)].map(x, lists.range(20000).map(i, x == x))`:             "used more than its budget",
		`[lists.range(50000)].map(x, lists.range(20000).map(i, i in x))`:             "used more than its budget",
		`[lists.range(900)].map(x, lists.range(20000).map(i, sets.contains(x, x)))`:  "used more than its budget",
		`lists.range(20000).map(a, input.list.map(b, input.list.map(c, a + b + c)))`: "used more than its budget",
		`[lists.range(9000).map(x, "aaaaaaaaaa").join()].map(t, lists.range(1000).map(i, t.matches("(a|aa|aaa|aaaa)+$")))`: "used more than its budget",
		`lists.range(9000).map(i, "a".matches("(a|b|c|d)+" + string(i)))`:                                                  "used more than its budget",
		`"a".matches(input.name + "a{1000}")`:                                                                              "the pattern is too large",
		`[lists.range(11000).map(x, "aaaaaaaaaa").join()].map(t, t.matches("a"))`:                                          "a pattern looks at texts of at most 100,000 bytes",
		`[lists.range(12000).map(x, "aaaaaaaaaa").join()].map(t, t.split(""))`:                                             "the list has more than 100,000 items",
	} {
		p, fault := expr.Parse(src)
		if fault != nil {
			t.Errorf("%.80q: %s", src, fault.Message)
			continue
		}
		start := time.Now()
		_, err := p.Eval(sample(t))
		if took := time.Since(start); took > 5*time.Second { // a tenth of a second without -race; this is for a hang
			t.Errorf("%.80q took %s", src, took)
		}
		var f *expr.Failure
		if !errors.As(err, &f) || f.Class != "limit" || !strings.Contains(f.Message, want) {
			t.Errorf("%.80q: %v, want %q", src, err, want)
		}
	}
}

// TestExprCannotReachHost: what is hostile is refused or gives data. Nothing
// panics, hangs, or ends without a sentence.
func TestExprCannotReachHost(t *testing.T) {
	t.Parallel()
	for _, src := range []string{
		strings.Repeat("(", 100_000), strings.Repeat("(", 4_000), strings.Repeat("[", 64), strings.Repeat("{", 64), strings.Repeat(")", 4_000),
		strings.Repeat("!", 4_000) + "true", strings.Repeat("-", 4_000) + "1", strings.Repeat("1+", 2_040) + "1", strings.Repeat("a.", 2_000) + "b",
		strings.Repeat("input.", 600) + "b", strings.Repeat("true?1:", 500) + "2", strings.Repeat("&&", 2_000), strings.Repeat("'", 4_001), strings.Repeat("\"", 4_002),
		strings.Repeat("=>", 2_000), strings.Repeat("\\", 4_000), strings.Repeat("`", 4_000), strings.Repeat("[0]", 1_300), "input" + strings.Repeat("[0]", 120), strings.Repeat("has(", 60),
		strings.Repeat("[1].map(x,", 60) + "1" + strings.Repeat(")", 60), strings.Repeat("cel.bind(x,", 60) + "1", strings.Repeat("😀", 1_000), strings.Repeat("\x00", 4_000),
		`process.env`, `constructor`, `__proto__`, `input.__proto__`, `input.constructor`, `input.constructor.constructor("return process")()`, `eval("1")`, `require("fs")`,
		`os.Getenv("HOME")`, `import "os"`, `$input`, `{{ 1 }}`, `${1}`, `'; drop table runs; --`, `<script>`, `input;input`, `input = 1`, `x => x`, `func() {}`,
		`google.protobuf.Any{}`, `type(1)`, `type(type)`, `dyn(1)`, `bytes("x")`, `b"\x00"`, `"\u0000"`, `"\ud800"`, `"\q"`, `1e400`, `-1e400`, `0.0/0.0`, `1.0/0.0`, `double("NaN")`, `double("Infinity") * 0`,
		`9223372036854775807 + 1`, `-9223372036854775808`, `18446744073709551615u`, `int(1e15) * int(1e15)`, `duration("9999999999h")`, `timestamp(99999999999999)`,
		`{1: 2}`, `{null: 1}`, `{[1]: 1}`, `{1.5: 1}`, `optional.none()`, `optional.of(input).value()`, `input.map(k, v, k)`, "`x`", `[[[]]]`, `{}`, "a\x00b", "\xff\xfe",
		`"%d".format(["x"])`, `"%s"`, `"%".format([])`, `"%z".format([1])`, `"%s%s".format([1])`, `math.least([])`, `math.least()`, `math.bitShiftLeft(1, 100)`, `math.bitShiftLeft(1, -1)`, `base64.decode("!!")`,
		`@add(1, 2)`, `_+_(1, 2)`, `cel.@block([1], 1)`, `@result`, `__result__`, `[1].map(@result, 1)`, `[1].map(__result__, 1)`, `.input`, `.nodes.a`, `input[input]`, `input[null]`, `null.x`, `true && 1`, `1 ? 2 : 3`,
		`input.list[1.5]`, `input.list[9007199254740993]`, `"a".substring(5)`, `"a".substring(-1)`, `"a".charAt(9)`, `"x".replace("", "y", 999999999)`, `"abc".split("", -5)`, `[1].slice(5, 1)`, `lists.range(-1)`, `[1].flatten(-1)`,
		`run.id.matches(run.id)`, `nodes`, `nodes[0]`, `nodes[""]`, `inputs[0]`, `size(inputs)`, `input.?a.?b.?c`, `input[?"a"]`, `[?input.?a]`, `{?"a": input.?b}`, `optional.of(1).optMap(x, x + 1)`,
		`timestamp("2026-11-30T09:00:00Z").getHours("../../etc/passwd")`, `timestamp("2026-11-30T09:00:00Z").getHours("+99:99")`, `timestamp("2026-11-30T09:00:00Z").getHours("")`,
		`parse_json("` + strings.Repeat("[", 2_000) + `")`, `parse_json("")`, `parse_json("nul")`, `parse_json("1 2")`, `json(input)`, `default(default(input.q, input.w), input.e)`, `text(text)`, `number(input)`,
	} {
		start := time.Now()
		p, fault := expr.Parse(src)
		if took := time.Since(start); took > 10*time.Second { // milliseconds without -race; this is for a hang
			t.Errorf("%.60q was read for %s", src, took)
		}
		if fault != nil {
			if fault.Message == "" || fault.Line < 1 || fault.Column < 1 || fault.Offset < 0 || fault.Offset > len(src) {
				t.Errorf("%.60q: a fault without message or place: %+v", src, fault)
			}
			continue
		}
		v, err := p.Eval(sample(t))
		if err != nil {
			var f *expr.Failure
			if !errors.As(err, &f) || f.Message == "" || f.Class != "limit" && f.Class != "invalid_input" {
				t.Errorf("%.60q: %#v, want a failure with a sentence", src, err)
			}
			continue
		}
		if _, err := expr.Marshal(v); err != nil {
			t.Errorf("%.60q gives what cannot be written: %v", src, err)
		}
	}
}

// TestWordsArePlain: no message shows the language's own words.
func TestWordsArePlain(t *testing.T) {
	t.Parallel()
	for _, src := range []string{
		`input.name && true`, `!input.name`, `input.name ? 1 : 2`, `size(1)`, `input.a.startsWith("x")`, `[1].join({})`, `input.list["a"]`, `{}[0]`, `1 + )`, `"a`, `1 .a`, `input.`, `input..a`, `[1,,2]`, `{"a" 1}`, `{a: 1}`,
		`1 2`, `&`, `#`, `input.a ?? 1`, `a ? b`, `in`, `has(input)`, `[1].all(x)`, `[1].map(x)`, `input.map()`, `"a".matches(1)`, `math.round("a")`, `[1].exists(x, x)`, `input.list.filter(x, x.a)`, `[1, "a"].sort()`,
		`input.?a.b.c`, `optional.none().value()`, `math.abs(input.name)`, `1.2.3`, `0x`, `1u + "a"`, `input.items.sortBy(x, x)`, `timestamp(input.at).getHours(1)`,
	} {
		message := ""
		if p, fault := expr.Parse(src); fault != nil {
			message = fault.Message
		} else if _, err := p.Eval(sample(t)); err != nil {
			message = err.Error()
		}
		for _, jargon := range []string{"overload", "ref.Val", "celpb", "types.", "EOF", "@", "_&&_", "undeclared", "attribute", "identifier", "dyn", "input '", "interface", "ERROR", "<nil>", "IDENT", "mismatched", "panic", "internal"} {
			if strings.Contains(message, jargon) {
				t.Errorf("%q: %q says %q", src, message, jargon)
			}
		}
	}
}
