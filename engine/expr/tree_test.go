package expr_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"signalbox/engine/expr"
)

func value(string) expr.Mode { return expr.ModeValue }

func TestTree(t *testing.T) {
	t.Parallel()
	raw := `{"url":"https://x/{{ input.name }}/{{input.a}}","n":"=input.a + 1","lit":"==x","plain":"a","list":["=input.ok",{"z":1,"b":"{{ {\"q\": \"}}\"}.q }}"}],
		"when":"input.a == 2","with":"=input.a == 2","unset":"","const":"=keep","braces":"{{ constant }}","num":1.50,"big":12345678901234567890,"null":null,"empty":{},"none":[]}`
	tree, faults := expr.ParseTree(json.RawMessage(raw), func(p string) expr.Mode {
		return map[string]expr.Mode{"/when": expr.ModeExpr, "/with": expr.ModeExpr, "/unset": expr.ModeExpr, "/const": expr.ModeConstant, "/braces": expr.ModeConstant}[p]
	})
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	if tree.Constant() || !tree.Refs().Input {
		t.Errorf("constant %v, refs %+v", tree.Constant(), tree.Refs())
	}
	got, err := tree.Eval(sample(t))
	want := `{"big":12345678901234567890,"braces":"{{ constant }}","const":"=keep","empty":{},"list":[true,{"b":"}}","z":1}],"lit":"=x","n":3,"none":[],"null":null,"num":1.5,"plain":"a","unset":null,"url":"https://x/Ada/2","when":true,"with":true}`
	if err != nil || string(got) != want {
		t.Errorf("got  %s (%v)\nwant %s", got, err, want)
	}
}

func TestTemplates(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{{ input.name }}`:                      `Ada`,
		`a {{ input.a }} b {{input.half}}{{1}}`: `a 2 b 2.51`,
		`{{ input.list }} {{ input.o }}`:        `[1,2,3] {"k":null}`,
		`{{ input.o.k }}|{{ input.ok }}`:        `|true`,
		`{{ {"a": {"b": 1}}.a }}`:               `{"b":1}`,
		`{{ "}}" }} {{ '{{' }} {{ "\"}}" }}`:    `}} {{ "}}`,
		`{{ r"\" + """a "}}" b""" }}`:           `\a "}}" b`,
		`} }} { {`:                              `} }} { {`,
		"é {{ input.name\n}}\n":                 "é Ada\n",
		`{{ input.name + "{" }}`:                `Ada{`,
	} {
		raw, _ := json.Marshal(text)
		tree, faults := expr.ParseTree(raw, value)
		if len(faults) > 0 {
			t.Errorf("%s: %+v", text, faults)
			continue
		}
		got, err := tree.Eval(sample(t))
		wanted, _ := expr.Marshal(want)
		if diff := cmp.Diff(string(wanted), string(got)); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", text, err, diff)
		}
	}
}

func TestTreeFaults(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat(`[`, 129) + strings.Repeat(`]`, 129)
	many := `["` + strings.Repeat(`=1","`, 1_000) + `=1"]`
	for raw, want := range map[string][]expr.TreeFault{
		`{"a":{"b/c":["x","= 1 +"]}}`: {{Pointer: "/a/b~1c/1", Fault: expr.Fault{Message: "The expression ends too early.", Offset: 5, Line: 1, Column: 6}}},
		`{"é~":"é\n{{ 1 +* 2 }}"}`:    {{Pointer: "/é~0", Fault: expr.Fault{Message: "“*” does not fit here.", Offset: 9, Line: 2, Column: 7}}},
		`["{{ 1","{{ nope }}"]`: {
			{Pointer: "/0", Fault: expr.Fault{Message: "This {{ has no }}.", Line: 1, Column: 1}},
			{Pointer: "/1", Fault: expr.Fault{Message: "There is no “nope” here. What there is: input, inputs, nodes, trigger, run, item, index, acc, error. Text needs quotes.", Offset: 3, Line: 1, Column: 4}},
		},
		`"{{ }}"`:       {{Fault: expr.Fault{Message: "An expression is needed here.", Offset: 2, Line: 1, Column: 3}}},
		`"="`:           {{Fault: expr.Fault{Message: "An expression is needed here.", Offset: 1, Line: 1, Column: 2}}},
		`{"a":1,"a":2}`: {{Fault: expr.Fault{Message: `The name "a" is there twice.`, Line: 1, Column: 1}}},
		`{"a":1} {}`:    {{Fault: expr.Fault{Message: "There is something behind the JSON value.", Line: 1, Column: 1}}},
		`{"a"`:          {{Fault: expr.Fault{Message: "This is not valid JSON: it ends too early.", Line: 1, Column: 1}}},
		`[1e400]`:       {{Fault: expr.Fault{Message: "The number 1e400 is out of range.", Line: 1, Column: 1}}},
		deep:            {{Fault: expr.Fault{Message: "This is nested deeper than 128 levels.", Line: 1, Column: 1}}},
		many:            {{Fault: expr.Fault{Message: "The configuration has 1001 expressions; at most 1000 are allowed.", Line: 1, Column: 1}}},
	} {
		tree, faults := expr.ParseTree(json.RawMessage(raw), value)
		if diff := cmp.Diff(want, faults); diff != "" || tree != nil {
			t.Errorf("%.60s (-want +got):\n%s", raw, diff)
		}
	}
}

func TestConstantTrees(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		``:                                   `{}`,
		` { "b" : 1.0, "a" : [ 1e2 ] }`:      `{"a":[100],"b":1}`,
		`[-0, -0.0, 0e5]`:                    `[0,0,0]`,
		`[0.1, 1.25e-7, 123456789012345678]`: `[0.1,1.25e-7,123456789012345678]`,
		`[0.1234567890123456789, 12345678901234.5e5]`: `[0.1234567890123456789,12345678901234.5e5]`,
		`"==a"`: `"=a"`,
		`null`:  `null`,
	} {
		tree, faults := expr.ParseTree(json.RawMessage(raw), value)
		if len(faults) > 0 || !tree.Constant() {
			t.Errorf("%s: %v", raw, faults)
			continue
		}
		if got, err := tree.Eval(nil); err != nil || string(got) != want {
			t.Errorf("%s: got %s (%v), want %s", raw, got, err, want)
		}
	}
}

// TestTreesHaveOneBudget: many expressions in one configuration do not get
// many budgets.
func TestTreesHaveOneBudget(t *testing.T) {
	t.Parallel()
	busy := `"=lists.range(20000).exists(x, x < 0)",`
	raw := `[` + strings.Repeat(busy, 50) + `0]`
	tree, faults := expr.ParseTree(json.RawMessage(raw), value)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	if _, err := tree.Eval(sample(t)); err == nil || !strings.Contains(err.Error(), "used more than their budget together") {
		t.Errorf("got %v, want a failure of the whole", err)
	}
	long := `"{{ ` + strings.Repeat(`lists.range(9000).map(x, \"aaaaaaaaaa\").join() }}{{ `, 20) + `1 }}"`
	if tree, faults = expr.ParseTree(json.RawMessage(long), value); len(faults) > 0 {
		t.Fatal(faults)
	}
	if _, err := tree.Eval(sample(t)); err == nil || !strings.Contains(err.Error(), "budget together") && !strings.Contains(err.Error(), "longer than 1,000,000 bytes") {
		t.Errorf("got %v, want a limit", err)
	}
}

func FuzzExpr(f *testing.F) {
	for _, seed := range []string{`input.priority >= 8`, `[1,2].map(x, x + 1)`, `{"a": input.o}.a.k == null`, `"%s".format([input.name])`, `default(input.x.y, 1)`, `input.name.matches("a|b")`, "input.`my-key`", `timestamp(input.at) + duration("1h")`, `has(input.a.b) ? 1 : [2][0]`, `cel.bind(x, 1, x)`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, src string) {
		p, fault := expr.Parse(src)
		if fault != nil {
			if fault.Message == "" || fault.Offset < 0 || fault.Offset > len(src) {
				t.Errorf("%q: %+v", src, fault)
			}
			return
		}
		a, errA := p.Eval(sample(t))
		b, errB := p.Eval(sample(t))
		x, _ := expr.Marshal(a)
		y, _ := expr.Marshal(b)
		if string(x) != string(y) || (errA == nil) != (errB == nil) || errA != nil && errA.Error() != errB.Error() {
			t.Errorf("%q gives %s (%v) and %s (%v)", src, x, errA, y, errB)
		}
	})
}

func FuzzTree(f *testing.F) {
	for _, seed := range []string{`{"a":"=1"}`, `"{{ \"}}\" }}"`, `["==x",{"b":null}]`, `1e5`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		tree, faults := expr.ParseTree(json.RawMessage(raw), value)
		if len(faults) > 0 {
			return
		}
		got, err := tree.Eval(sample(t))
		if err != nil {
			return
		}
		if !json.Valid(got) {
			t.Fatalf("%q gives %q, which is not JSON", raw, got)
		}
		constant := func(string) expr.Mode { return expr.ModeConstant }
		again, faults := expr.ParseTree(got, constant)
		if len(faults) > 0 {
			return // deeper or with more than may be written down
		}
		if twice, err := again.Eval(nil); err != nil || string(twice) != string(got) {
			t.Errorf("%q is not canonical: %s, then %s (%v)", raw, got, twice, err)
		}
	})
}

func BenchmarkEval(b *testing.B) {
	for name, src := range map[string]string{
		"compare": `input.priority >= 8`, "sum": `input.count + 1`, "and": `input.priority >= 8 && input.name == "Ada"`, "text": `"Hello " + input.name`, "map": `input.list.map(x, x * 2)`,
	} {
		b.Run(name, func(b *testing.B) {
			p, _ := expr.Parse(src)
			v := sample(b)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := p.Eval(v); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkParse(b *testing.B) {
	for b.Loop() {
		if _, fault := expr.Parse(`input.priority >= 8 && input.name == "Ada"`); fault != nil {
			b.Fatal(fault.Message)
		}
	}
}

func TestPartsSayWhereVariablesAreRead(t *testing.T) {
	t.Parallel()
	tree, faults := expr.ParseTree(json.RawMessage(`{"a":["x","{{ 1 }} ä {{ [1].map(item, item) + item.name }}"],"b":"=  index + input"}`), nil)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	var got []string
	for _, p := range tree.Parts() {
		for _, v := range p.Program.Refs().Around {
			got = append(got, fmt.Sprint(p.Pointer, " ", v, " ", p.Offset+p.Program.Where(v)))
		}
	}
	if want := "/a/1 item 36, /b index 3"; strings.Join(got, ", ") != want {
		t.Errorf("got %s, want %s", strings.Join(got, ", "), want)
	}
}
