package expr_test

import (
	"encoding/json"
	"testing"

	"signalbox/engine/expr"
)

func TestExpressionsAsJavaScript(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{
		`context.n % 2 == 0`:                         `context.n % 2 === 0`,
		`(context.a + 1) * 2 - -3 < 4 || !event.ok`:  `(context.a + 1) * 2 - -3 < 4 || !event.ok`,
		`context.a - (context.b - 1)`:                `context.a - (context.b - 1)`,
		`context.a == context.b`:                     `equal(context.a, context.b)`,
		`context.a != context.b`:                     `!equal(context.a, context.b)`,
		`context.a + context.b`:                      `add(context.a, context.b)`,
		`has(event.x) ? "it's \"x\"" : null`:         `event?.x !== undefined ? "it's \"x\"" : null`,
		`event.?x.orValue([1, 2.5])`:                 `(event?.["x"] ?? [1, 2.5])`,
		`event.name.startsWith("a") && "b" in event`: `event.name.startsWith("a") && (Array.isArray(event) ? event.includes("b") : "b" in event)`,
		`{"a": 1}`:                `({ ["a"]: 1 })`,
		`(context.a ? 1 : 2) + 1`: `(context.a ? 1 : 2) + 1`,
	} {
		s := expr.Script{Names: []string{"context", "event"}}
		if got, err := s.Expr(src); err != nil || got != want {
			t.Errorf("%s\n got %s (%v)\nwant %s", src, got, err, want)
		}
	}
}

func TestWhatJavaScriptCannotSayPlainlyIsRefused(t *testing.T) {
	t.Parallel()
	for _, src := range []string{`context.list.map(x, x + 1)`, `b"bytes" == context.a`, `duration("1h") == context.a`, `context.a +`} {
		s := expr.Script{Names: []string{"context", "event"}}
		if got, err := s.Expr(src); err == nil {
			t.Errorf("%s became %s", src, got)
		}
	}
}

func TestAConfigurationAsJavaScript(t *testing.T) {
	t.Parallel()
	s := expr.Script{Names: []string{"context"}, Field: func(root, field string) string { return root + "$" + field }}
	got, constant, err := s.Tree(json.RawMessage(`{"n":"=context.n + 1","text":"a {{ context.b }} c","list":[1,"==x"],"a-b":null}`))
	const want = `{ "a-b": null, list: [1, "=x"], n: context$n + 1, text: "a " + String((context$b) ?? "") + " c" }`
	if err != nil || constant || got != want {
		t.Errorf("got %s, constant %v (%v)\nwant %s", got, constant, err, want)
	}
}
