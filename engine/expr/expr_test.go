package expr_test

import (
	"encoding/json"
	"strings"
	"testing"

	"signalbox/engine/expr"
)

type values map[string]any

func (v values) Lookup(name string) (any, bool) { x, ok := v[name]; return x, ok }

func sample(t testing.TB) values {
	t.Helper()
	var v map[string]any
	raw := `{"input":{"priority":9,"a":2,"half":2.5,"i":1,"name":"Ada","list":[1,2,3],"tags":["x","y"],"o":{"k":null},"big":12345678901234567890,"ok":true,"at":"2026-11-30T09:00:00Z"},
		"inputs":{"left":{"v":1}},"nodes":{"classify":{"output":{"label":"billing"}}},"trigger":{"id":7},"run":{"id":"r1"}}`
	if err := json.Unmarshal([]byte(raw), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestEval(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{
		`input.priority >= 8`:                       `true`,
		`input.a + 1`:                               `3`,
		`input.half + 1`:                            `3.5`,
		`5 / 2`:                                     `2.5`,
		`7 % 4`:                                     `3`,
		`-input.a`:                                  `-2`,
		`input.a * 2 - 1 == 3`:                      `true`,
		`size(input.list) > 2`:                      `true`,
		`size(input.list) + 1`:                      `4`,
		`input.list[0]`:                             `1`,
		`input.list[input.i]`:                       `2`,
		`1 in input.list`:                           `true`,
		`input.list.map(x, x * 2)`:                  `[2,4,6]`,
		`input.list.filter(x, x > 1)`:               `[2,3]`,
		`input.list.exists(x, x == 3)`:              `true`,
		`input.list + [4]`:                          `[1,2,3,4]`,
		`input.ok ? 1 : 0.5`:                        `1`,
		`has(input.missing)`:                        `false`,
		`has(input.name) && input.name == "Ada"`:    `true`,
		`"Hello " + input.name`:                     `"Hello Ada"`,
		`input.name.lowerAscii()`:                   `"ada"`,
		`input.name.substring(input.i)`:             `"da"`,
		`input.tags.join("-")`:                      `"x-y"`,
		`nodes.classify.output.label`:               `"billing"`,
		`nodes["classify"].output.label`:            `"billing"`,
		`inputs.left.v`:                             `1`,
		`{"a": input.a, "b": [input.name]}`:         `{"a":2,"b":["Ada"]}`,
		`json(input.list)`:                          `"[1,2,3]"`,
		`parse_json("{\"x\": 1}").x + 1`:            `2`,
		`text(input.a) + "!"`:                       `"2!"`,
		`number("4.5") * 2`:                         `9`,
		`input.o.k == null`:                         `true`,
		`input.name.matches("^A")`:                  `true`,
		`input`:                                     ``,
		`timestamp(input.at) + duration("1h")`:      `"2026-11-30T10:00:00Z"`,
		`math.greatest(input.a, 5)`:                 `5`,
		`input.?missing.orValue("none")`:            `"none"`,
		`string(input.a) == "2"`:                    `true`,
		`type(input.a) == double`:                   `true`,
		`input.priority >= 8 && input.name != "Bob"`: `true`,
	} {
		p, fault := expr.Parse(src)
		if fault != nil {
			t.Errorf("%s: %s", src, fault.Message)
			continue
		}
		v, err := p.Eval(sample(t))
		if err != nil {
			t.Errorf("%s: %v", src, err)
			continue
		}
		got, err := expr.Marshal(v)
		if err != nil || want != "" && string(got) != want {
			t.Errorf("%s = %s (%v), want %s", src, got, err, want)
		}
	}
}

func TestFailuresSayWhatIsWrong(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{
		`input.prioritty`:            `there is no "prioritty" in input`,
		`nodes.classify.output.nope`: `there is no "nope" in nodes.classify.output`,
		`input.name + 1`:             `cannot add text and a number`,
		`1 / 0`:                      `division by zero`,
		`input.list[9]`:              `the list has no item 9`,
		`number("x")`:                `is not a number`,
		`9007199254740993`:           `too large to be exact`,
	} {
		p, fault := expr.Parse(src)
		if fault != nil {
			t.Errorf("%s: %s", src, fault.Message)
			continue
		}
		_, err := p.Eval(sample(t))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", src, err, want)
		}
	}
}

func TestFaultsHaveAPlace(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]struct {
		msg    string
		column int
	}{
		`input.priority >=`: {"ends too early", 18},
		`priority >= 8`:     {"There is no “priority” here", 1},
		`nofn(1)`:           {"There is no function “nofn”", 5},
		``:                  {"needed", 1},
		`1 + )`:             {"does not fit", 5},
	} {
		_, fault := expr.Parse(src)
		if fault == nil || !strings.Contains(fault.Message, want.msg) {
			t.Errorf("%q: %+v, want %q", src, fault, want.msg)
			continue
		}
		if fault.Column != want.column {
			t.Errorf("%q: column %d, want %d (%s)", src, fault.Column, want.column, fault.Message)
		}
	}
}

// TestExprCannotReachHost: what is hostile is refused, gives data, or runs out
// of budget; nothing hangs and nothing panics.
func TestExprCannotReachHost(t *testing.T) {
	t.Parallel()
	double := `"aaaaaaaaaa"`
	for range 12 {
		double = "[" + double + "].map(s, s + s + s + s + s + s + s + s + s + s)[0]"
	}
	hostile := []string{
		double, strings.Repeat("(", 100_000), strings.Repeat("(", 2_000), strings.Repeat("!", 4_000) + "true", strings.Repeat("-", 4_000) + "1",
		strings.Repeat("[", 70) + strings.Repeat("]", 70), strings.Repeat("1+", 2_040) + "1", strings.Repeat("a.", 2_000) + "b",
		`[1,2,3,4,5,6,7,8,9].map(a,[1,2,3,4,5,6,7,8,9].map(b,[1,2,3,4,5,6,7,8,9].map(c,[1,2,3,4,5,6,7,8,9].map(d,[1,2,3,4,5,6,7,8,9].map(e,[1,2,3,4,5,6,7,8,9].map(f,a+b))))))`,
		`lists.range(100000000)`, `lists.range(1000000).map(x, x)`, `"a".matches("(a+)+$")`, `"a".matches("((a{1,30}){1,30}){1,30}")`, `"x".replace("x", "y", 99999999)`,
		`"aaaa".replace("", "bbbbbbbbbbbbbbbbbbbbbbbb")`, `process.env`, `constructor`, `__proto__`, `input.__proto__`, `input.constructor`, `eval("1")`, `require("fs")`,
		`os.Getenv("HOME")`, `google.protobuf.Struct{}`, `type(1)`, `dyn(1)`, `bytes("x")`, `b"\x00"`, `"\u0000"`, `1e400`, `-1e400`, `0.0/0.0`, `1.0/0.0`, `double("NaN")`, `9223372036854775807 + 1`,
		`timestamp("9999-12-31T23:59:59Z") + duration("100000h")`, `{1: 2}`, `{"a": 1, "a": 2}`, `optional.none()`, `input.map(k, v, k)`, "`x`", `"a" + 1`, `[[[]]]`, `{}`, "a\x00b", "\xff\xfe", `"%s".format([input])`, `"%d".format(["x"])`, `math.least([])`, `sets.contains([1],[1])`, `base64.decode("!!")`,
		`cel.bind(x, 1, x)`, `@add(1, 2)`, `input[input]`, `null.x`, `true && 1`, `1 ? 2 : 3`, `input.list[1.5]`, `input.list[-1]`,
	}
	for _, src := range hostile {
		p, fault := expr.Parse(src)
		if fault != nil {
			if fault.Message == "" {
				t.Errorf("%.60q: a fault without a message", src)
			}
			continue
		}
		v, err := p.Eval(sample(t))
		if err != nil {
			if err.Error() == "" {
				t.Errorf("%.60q: a failure without a message", src)
			}
			continue
		}
		if raw, err := expr.Marshal(v); err == nil && len(raw) > 2*expr.TextMax {
			t.Errorf("%.60q: a result of %d bytes", src, len(raw))
		}
	}
	if p, fault := expr.Parse(double); fault == nil {
		_, err := p.Eval(sample(t))
		if f, ok := err.(*expr.Failure); !ok || f.Class != "limit" && !strings.Contains(f.Message, "cannot add") {
			t.Errorf("doubled text: %v, want a limit", err)
		}
	}
}

func TestTree(t *testing.T) {
	t.Parallel()
	raw := `{"url":"https://x/{{ input.name }}/{{input.a}}","n":"=input.a + 1","lit":"==x","plain":"a","list":["=input.ok",{"z":1,"b":"{{ {\"q\": \"}}\"}.q }}"}],"when":"input.a == 2","const":"=keep","num":1.50}`
	tree, faults := expr.ParseTree(json.RawMessage(raw), func(p string) expr.Mode {
		return map[string]expr.Mode{"/when": expr.ModeExpr, "/const": expr.ModeConstant}[p]
	})
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	got, err := tree.Eval(sample(t))
	want := `{"const":"=keep","list":[true,{"b":"}}","z":1}],"lit":"=x","n":3,"num":1.50,"plain":"a","url":"https://x/Ada/2","when":true}`
	if err != nil || string(got) != want {
		t.Errorf("got  %s (%v)\nwant %s", got, err, want)
	}
	_, faults = expr.ParseTree(json.RawMessage(`{"a":{"b/c":["x","= 1 +"]},"t":"{{ 1"}`), func(string) expr.Mode { return expr.ModeValue })
	if len(faults) != 2 || faults[0].Pointer != "/a/b~1c/1" || faults[1].Pointer != "/t" {
		t.Errorf("faults %+v", faults)
	}
}

func FuzzExpr(f *testing.F) {
	f.Add(`input.priority >= 8`)
	f.Add(`[1,2].map(x, x + 1)`)
	f.Fuzz(func(t *testing.T, src string) {
		p, fault := expr.Parse(src)
		if fault != nil {
			return
		}
		a, errA := p.Eval(sample(t))
		b, errB := p.Eval(sample(t))
		x, _ := expr.Marshal(a)
		y, _ := expr.Marshal(b)
		if string(x) != string(y) || (errA == nil) != (errB == nil) {
			t.Errorf("%q gives %s and %s", src, x, y)
		}
	})
}

func BenchmarkEval(b *testing.B) {
	p, _ := expr.Parse(`input.priority >= 8`)
	v := sample(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := p.Eval(v); err != nil {
			b.Fatal(err)
		}
	}
}
