package expr_test

import (
	"encoding/json"
	"testing"

	"signalbox/engine/expr"
)

type values map[string]any

func (v values) Lookup(name string) (any, bool) { x, ok := v[name]; return x, ok }

func sample(t testing.TB) values {
	t.Helper()
	var v map[string]any
	raw := `{"input":{"priority":9,"a":2,"half":2.5,"i":1,"count":2,"name":"Ada","list":[1,2,3],"tags":["x","y"],"o":{"k":null},
		"big":12345678901234567890,"ok":true,"at":"2026-11-30T09:00:00Z","my-key":5,"package":6,"items":[{"n":1,"at":"b"},{"n":2,"at":"a"}]},
		"inputs":{"left":{"v":1}},"nodes":{"classify":{"output":{"label":"billing"}}},"trigger":{"id":7},"run":{"id":"r1"}}`
	if err := json.Unmarshal([]byte(raw), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// check evaluates each expression and compares its value as JSON.
func check(t *testing.T, want map[string]string) {
	t.Helper()
	for src, want := range want {
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
		if err != nil || string(got) != want {
			t.Errorf("%s = %s (%v), want %s", src, got, err, want)
		}
	}
}
