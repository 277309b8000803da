package expr_test

import (
	"sync"
	"testing"

	"signalbox/engine/expr"
)

// TestProgramsAreShared: one program serves many runs at once, also those that
// fail.
func TestProgramsAreShared(t *testing.T) {
	t.Parallel()
	for _, src := range []string{`input.list.map(x, x + 1).size() == 3`, `input.name && true`, `input.a.lowerAscii()`, `input.nope`, `timestamp("9999-12-31T23:59:59Z") + duration("100000h")`, `input.name.matches("A|B")`, `1 / 0`} {
		p, fault := expr.Parse(src)
		if fault != nil {
			t.Fatalf("%s: %s", src, fault.Message)
		}
		_, first := p.Eval(sample(t))
		v := sample(t)
		var wait sync.WaitGroup
		for range 8 {
			wait.Go(func() {
				for range 20 {
					if _, err := p.Eval(v); (err == nil) != (first == nil) || err != nil && err.Error() != first.Error() {
						t.Errorf("%s: %v, then %v", src, first, err)
					}
					if _, fault := expr.Parse(src); fault != nil {
						t.Errorf("%s: %s", src, fault.Message)
					}
				}
			})
		}
		wait.Wait()
	}
}

// BenchmarkLarge: one field of a large input costs what one of a small costs.
func BenchmarkLarge(b *testing.B) {
	items := make([]any, 100_000)
	for i := range items {
		items[i] = map[string]any{"n": float64(i), "name": "an item"}
	}
	v := values{"input": map[string]any{"priority": 9.0, "items": items}}
	for name, src := range map[string]string{"field": `input.priority >= 8`, "item": `input.items[99999].n > 5`, "size": `size(input.items) > 2`, "whole": `input`} {
		b.Run(name, func(b *testing.B) {
			p, fault := expr.Parse(src)
			if fault != nil {
				b.Fatal(fault.Message)
			}
			for b.Loop() {
				if _, err := p.Eval(v); err != nil && name != "whole" {
					b.Fatal(err)
				}
			}
		})
	}
}
