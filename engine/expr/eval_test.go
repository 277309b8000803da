package expr_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"signalbox/engine/expr"
)

func TestNumbersAreJSONNumbers(t *testing.T) {
	t.Parallel()
	check(t, map[string]string{
		`input.priority >= 8`:            `true`,
		`8 <= input.priority`:            `true`,
		`input.priority < 9.5`:           `true`,
		`input.priority == 9`:            `true`,
		`9.0 == input.priority`:          `true`,
		`input.a + 1`:                    `3`,
		`input.count + 1`:                `3`,
		`1 + input.half`:                 `3.5`,
		`input.a * 2`:                    `4`,
		`input.a * 2 - 1 == 3`:           `true`,
		`5 / 2`:                          `2.5`,
		`4 / 2`:                          `2`,
		`7 % 4`:                          `3`,
		`-5 % 3`:                         `-2`,
		`1.5 % 1`:                        `0.5`,
		`-input.a`:                       `-2`,
		`-0.0`:                           `0`,
		`1.0`:                            `1`,
		`1u + 1`:                         `2`,
		`0.1 + 0.2`:                      `0.30000000000000004`,
		`1 / 3`:                          `0.3333333333333333`,
		`size(input.list) > 2`:           `true`,
		`size(input.list) + 0.5`:         `3.5`,
		`size(input.name) == 3.0`:        `true`,
		`input.list[0]`:                  `1`,
		`input.list[input.i]`:            `2`,
		`input.list[size(input.list)-1]`: `3`,
		`1 in input.list`:                `true`,
		`1.0 in [1, 2]`:                  `true`,
		`input.a in [1, 2]`:              `true`,
		`input.list == [1.0, 2, 3]`:      `true`,
		`{"a": 1} == {"a": 1.0}`:         `true`,
		`[1, 2] != [1, 2.5]`:             `true`,
		`type(1) == type(input.half)`:    `true`,
		`type(input.a) == int`:           `true`,
		`type(input.a) == double`:        `true`,
		`type(input.a)`:                  `"number"`,
		`string(input.a) == "2"`:         `true`,
		`string(12345678)`:               `"12345678"`,
		`string(12345678.0)`:             `"12345678"`,
		`int(2.7)`:                       `2`,
		`int("12") + input.half`:         `14.5`,
		`double("1.5") + 1`:              `2.5`,
		`number("4.5") * 2`:              `9`,
		`number(" 1e3 ")`:                `1000`,
		`number(true)`:                   `1`,
		`input.ok ? 1 : 0.5`:             `1`,
		`9007199254740991`:               `9007199254740991`,
		`math.greatest(input.a, 5)`:      `5`,
		`math.greatest(input.list)`:      `3`,
		`math.round(input.half)`:         `3`,
		`math.bitOr(input.a, 1)`:         `3`,
		`math.sqrt(input.a * 2)`:         `2`,
		`input.list.map(x, x * 2)`:       `[2,4,6]`,
		`input.list.filter(x, x > 1.5)`:  `[2,3]`,
		`[3, 1.5, 2].sort()`:             `[1.5,2,3]`,
	})
}

func TestTextAndLists(t *testing.T) {
	t.Parallel()
	check(t, map[string]string{
		`"Hello " + input.name`:                              `"Hello Ada"`,
		`input.name.lowerAscii()`:                            `"ada"`,
		`input.name.substring(input.i)`:                      `"da"`,
		`"héllo".substring(1, 3)`:                            `"él"`,
		`"abc".charAt(input.i)`:                              `"b"`,
		`"a,b".split(",")`:                                   `["a","b"]`,
		`"a,b,c".split(",", input.a)`:                        `["a","b,c"]`,
		`input.tags.join("-")`:                               `"x-y"`,
		`[1, "b", true].join("-")`:                           `"1-b-true"`,
		`"aaa".replace("a", "b", 2)`:                         `"bba"`,
		`"%d items, %s".format([input.a, input.name])`:       `"2 items, Ada"`,
		`"%.2f".format([input.half])`:                        `"2.50"`,
		`input.name.matches("^A")`:                           `true`,
		`text(input.a) + "!"`:                                `"2!"`,
		`text(null) + text([1]) + text("x")`:                 `"[1]x"`,
		`json(input.list)`:                                   `"[1,2,3]"`,
		`json({"b": 1, "a": "é\n"})`:                         `"{\"a\":\"é\\n\",\"b\":1}"`,
		`parse_json("{\"x\": 1}").x + 1`:                     `2`,
		`parse_json("[9007199254740993]")`:                   `[9007199254740993]`,
		`string(base64.decode(base64.encode(bytes("abc"))))`: `"abc"`,
		`input.list + [4]`:                                   `[1,2,3,4]`,
		`input.list.exists(x, x == 3)`:                       `true`,
		`[1, 2].all(i, v, v > i)`:                            `true`,
		`input.list.transformList(i, v, i + v)`:              `[1,3,5]`,
		`input.list.slice(input.i, 3)`:                       `[2,3]`,
		`[[1], [2]].flatten()`:                               `[1,2]`,
		`[1, 1, 2].distinct()`:                               `[1,2]`,
		`input.items.sortBy(x, x.at).map(x, x.n)`:            `[2,1]`,
		`sets.contains(input.list, [1, 2])`:                  `true`,
		`lists.range(input.a)`:                               `[0,1]`,
		`cel.bind(x, input.a, x * x)`:                        `4`,
		`[1].map(input, input)`:                              `[1]`,
		`{"a": input.a, "b": [input.name]}`:                  `{"a":2,"b":["Ada"]}`,
		`["b", "a"].transformMapEntry(i, v, {v: i})`:         `{"a":1,"b":0}`,
		"input.`my-key`":                                     `5`,
		`input["my-key"] + input.package`:                    `11`,
		`nodes.classify.output.label`:                        `"billing"`,
		`nodes["classify"].output.label`:                     `"billing"`,
		`inputs.left.v`:                                      `1`,
	})
}

func TestWhatMayBeMissing(t *testing.T) {
	t.Parallel()
	check(t, map[string]string{
		`has(input.missing)`:                     `false`,
		`has(input.missing.deeper.still)`:        `false`,
		`has(input.name) && input.name == "Ada"`: `true`,
		`input.o.k == null`:                      `true`,
		`input.?missing.orValue("none")`:         `"none"`,
		`input.?missing.?deeper.orValue(1)`:      `1`,
		`input.?missing`:                         `null`,
		`default(input.missing.deeper, 7)`:       `7`,
		`default(input.o.k, 7)`:                  `7`,
		`default(input.list[10], 7)`:             `7`,
		`default(input.a, 7)`:                    `2`,
		`"name" in input`:                        `true`,
		`"nope" in input`:                        `false`,
		`false && nodes.zzz.a`:                   `false`,
		`true || 1 / 0 > 1`:                      `true`,
	})
}

func TestTimes(t *testing.T) {
	t.Parallel()
	check(t, map[string]string{
		`timestamp(input.at) + duration("1h")`:                     `"2026-11-30T10:00:00Z"`,
		`timestamp(input.at) > timestamp("2020-01-01T00:00:00Z")`:  `true`,
		`timestamp(input.at) - timestamp("2026-11-30T08:30:00Z")`:  `"30m0s"`,
		`timestamp(input.at).getHours()`:                           `9`,
		`timestamp(input.at).getHours("+02:00")`:                   `11`,
		`duration("1h") + duration("90s") == duration("61m30s")`:   `true`,
		`timestamp(1700000000)`:                                    `"2023-11-14T22:13:20Z"`,
		`string(timestamp(input.at))`:                              `"2026-11-30T09:00:00Z"`,
		`timestamp(input.at).getHours() + 0.5`:                     `9.5`,
		`int(timestamp(input.at)) == 1796029200 || input.a == 2.0`: `true`,
	})
}

// TestObjectsAreWalkedInOrder: a replay must see what the first run saw.
func TestObjectsAreWalkedInOrder(t *testing.T) {
	t.Parallel()
	for range 50 {
		check(t, map[string]string{
			`{"b": 1, "c": 3, "a": 2}.map(k, k)`:                         `["a","b","c"]`,
			`{"b": 1, "c": 3, "a": 2}.transformMap(k, v, v).map(k, k)`:   `["a","b","c"]`,
			`{"b": 1, "c": 3, "a": 2}.transformList(k, v, k)`:            `["a","b","c"]`,
			`nodes.classify.output.map(k, k)`:                            `["label"]`,
			`input.filter(k, k < "c")`:                                   `["a","at","big"]`,
			`parse_json("{\"z\":1,\"y\":2,\"x\":3}").map(k, k).join("")`: `"xyz"`,
		})
	}
}

// TestValuesAreReadInPlace: what only passes through is neither copied nor
// changed, and a variable that is not named is not asked for.
func TestValuesAreReadInPlace(t *testing.T) {
	t.Parallel()
	asked := map[string]int{}
	p, fault := expr.Parse(`input.deep.a`)
	if fault != nil {
		t.Fatal(fault.Message)
	}
	shared := map[string]any{"n": json.Number("12345678901234567890")}
	got, err := p.Eval(lookup(func(name string) (any, bool) {
		asked[name]++
		return map[string]any{"deep": map[string]any{"a": shared}, "other": make(chan int)}, true
	}))
	if err != nil {
		t.Fatal(err)
	}
	shared["seen"] = true
	if raw, err := expr.Marshal(got); err != nil || string(raw) != `{"n":12345678901234567890,"seen":true}` {
		t.Errorf("got %s (%v), want the same object", raw, err)
	}
	if diff := cmp.Diff(map[string]int{"input": 1}, asked); diff != "" {
		t.Errorf("variables asked for (-want +got):\n%s", diff)
	}
}

type lookup func(string) (any, bool)

func (l lookup) Lookup(name string) (any, bool) { return l(name) }

func TestRefs(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]expr.Refs{
		`input.a + trigger.id`:                          {Input: true, Trigger: true},
		`nodes.a.output + nodes["b"].output`:            {Nodes: []string{"a", "b"}},
		`has(nodes.a.output.x) ? nodes.?c.output : 1`:   {Nodes: []string{"a", "c"}},
		`inputs.left.v + inputs["right"].v`:             {Inputs: []string{"left", "right"}},
		`[1].map(input, input)`:                         {},
		`[1].map(item, item + index)`:                   {Around: []string{"index"}},
		`item.a + acc + error.class`:                    {Around: []string{"item", "acc", "error"}},
		`[input].map(input, input.a)`:                   {Input: true},
		`[1].map(x, nodes.a.output[x])`:                 {Nodes: []string{"a"}},
		`inputs.map(k, k)`:                              {},
		`run.id + "nodes.a"`:                            {},
		`default(nodes.a.output.x, input.y)`:            {Nodes: []string{"a"}, Input: true},
		`[{"a": nodes.deep.output}].exists(x, x.a > 1)`: {Nodes: []string{"deep"}},
	} {
		p, fault := expr.Parse(src)
		if fault != nil {
			t.Errorf("%s: %s", src, fault.Message)
			continue
		}
		if diff := cmp.Diff(want, p.Refs()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", src, diff)
		}
	}
}

func TestMarshal(t *testing.T) {
	t.Parallel()
	for want, v := range map[string]any{
		`{"a":1,"b":[true,null,"x"]}`: map[string]any{"b": []any{true, nil, "x"}, "a": 1.0},
		`0`:                           math.Copysign(0, -1),
		`1e+21`:                       1e21,
		`1e-7`:                        1e-7,
		`0.000001`:                    1e-6,
		`"<&>\"\\\n\u001f\ufffd é😀"`:  "<&>\"\\\n\x1f\xff é😀",
		`1.50`:                        json.Number("1.50"),
	} {
		want = strings.ReplaceAll(want, `\ufffd`, "\uFFFD")
		if got, err := expr.Marshal(v); err != nil || string(got) != want {
			t.Errorf("%v: got %s (%v), want %s", v, got, err, want)
		}
	}
	for _, bad := range []any{math.NaN(), math.Inf(1), []any{math.Inf(-1)}, make(chan int)} {
		if got, err := expr.Marshal(bad); err == nil {
			t.Errorf("%v was written as %s", bad, got)
		}
	}
}
