package compile_test

import (
	"encoding/json"
	"fmt"
	"runtime"
	"testing"
	"time"

	"signalbox/engine/compile"
	"signalbox/engine/graph"
	"signalbox/engine/machine"
)

// chain is a row of n tasks.
func chain(t testing.TB, n int) *machine.Machine {
	t.Helper()
	lines := []string{"s:manual"}
	for i := range n {
		lines = append(lines, fmt.Sprintf("n%04d:mock", i))
	}
	lines = append(lines, "s>n0000")
	for i := 1; i < n; i++ {
		lines = append(lines, fmt.Sprintf("n%04d>n%04d", i-1, i))
	}
	return compiled(t, draw(t, lines...))
}

// BenchmarkStepOfARun completes one task after the other in rows of tasks: what
// a step costs must not depend on how large the drawing is.
func BenchmarkStepOfARun(b *testing.B) {
	for _, n := range []int{10, 100, 1_000, 10_000} {
		b.Run(fmt.Sprintf("%d nodes", n), func(b *testing.B) {
			m := chain(b, n)
			keys := make([]string, n)
			for i := range keys {
				keys[i] = fmt.Sprintf("n%04d", i)
			}
			var s *machine.Snapshot
			at := n
			b.ReportAllocs()
			for b.Loop() {
				if at == n {
					b.StopTimer() // another run begins
					s, at = m.New("018f0000-0000-7000-8000-000000000001"), 0
					if _, err := m.Step(s, machine.Start{Trigger: "s", Value: json.RawMessage(`{"a":1}`)}, noon); err != nil {
						b.Fatal(err)
					}
					b.StartTimer()
				}
				events, err := m.Step(s, machine.Complete{Node: keys[at], Visit: 1, Attempt: 1, Output: json.RawMessage(`{"a":1}`)}, noon)
				if err != nil || len(events) != 2 {
					b.Fatal(len(events), err)
				}
				at++
			}
		})
	}
}

// long is the log of a run that goes round a loop until it has n events.
func long(t testing.TB, n int) (*machine.Machine, []machine.Event) {
	t.Helper()
	g := draw(t, "s:manual", "step:mock/each", `more:if{"condition":"true"}`, "done:output", "s>step", "step>more", "more.true>step", "more.false>done")
	m := compiled(t, with(with(g, "step", func(n *graph.Node) { n.MaxVisits = 1_000_000 }), "more", func(n *graph.Node) { n.MaxVisits = 1_000_000 }))
	s := m.New("018f0000-0000-7000-8000-000000000001")
	log, err := m.Step(s, machine.Start{Trigger: "s", Value: json.RawMessage(`{"a":1}`)}, noon)
	if err != nil {
		t.Fatal(err)
	}
	for visit := 1; len(log) < n; visit++ {
		events, err := m.Step(s, machine.Complete{Node: "step", Visit: visit, Attempt: 1, Output: json.RawMessage(`{"a":1}`)}, noon.Add(time.Duration(visit)*time.Second))
		if err != nil {
			t.Fatal(err)
		}
		log = append(log, events...)
	}
	return m, log
}

// BenchmarkFoldOfALongRun rebuilds a run of 100,000 events from nothing: what
// is stored is decoded and folded.
func BenchmarkFoldOfALongRun(b *testing.B) {
	m, log := long(b, 100_000)
	b.Run("fold", func(b *testing.B) {
		for b.Loop() {
			if err := m.Fold(m.New("r"), log...); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("decode and fold", func(b *testing.B) {
		for b.Loop() {
			s := m.New("r")
			for _, e := range log {
				stored, err := machine.Encode(e)
				if err != nil {
					b.Fatal(err)
				}
				back, err := machine.Decode(stored)
				if err != nil {
					b.Fatal(err)
				}
				if err := m.Fold(s, back); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
}

// mapped plays a map of n tasks, 1,000 at a time, and tells the most that the
// run's state held, in bytes.
func mapped(t testing.TB, n int) int {
	t.Helper()
	m := compiled(t, inside(draw(t, "s:manual", `each:map{"items":"=input","concurrency":1000}`, "work:mock", "s>each"), "each", "work"))
	items := make([]map[string]any, n)
	for i := range items {
		items[i] = map[string]any{"id": i, "name": fmt.Sprint("item ", i)}
	}
	input, err := json.Marshal(items)
	if err != nil {
		t.Fatal(err)
	}
	held := func() int {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	before, most := held(), 0
	s := m.New("018f0000-0000-7000-8000-000000000001")
	step := func(in machine.Input) {
		if _, err := m.Step(s, in, noon); err != nil {
			t.Fatal(err)
		}
		for w := m.WakeAt(s); !w.IsZero() && !w.After(noon); w = m.WakeAt(s) { // it stopped half-way
			if _, err := m.Step(s, machine.Wake{}, noon); err != nil {
				t.Fatal(err)
			}
		}
		s.Fresh()
	}
	step(machine.Start{Trigger: "s", Value: input})
	for i := range n {
		step(machine.Complete{Scope: i + 1, Node: "work", Visit: 1, Attempt: 1, Output: fmt.Appendf(nil, `{"id":%d,"done":true,"note":"what the item came to"}`, i)})
		if i%(n/4) == n/8 || i == n-2 {
			most = max(most, held()-before)
		}
	}
	if s.Status != machine.StatusSucceeded {
		t.Fatal(s.Status, s.Failure)
	}
	return most
}

// TestAHundredThousandItemsStaySmall holds what a run keeps of a hundred
// thousand items, which are runs of their own, below 24 MB, with
// what it was started with; and every event below its limit.
func TestAHundredThousandItemsStaySmall(t *testing.T) { //nolint:paralleltest // it measures the heap
	const n = 100_000
	m := compiled(t, inside(draw(t, "s:manual", `m:map{"items":"=input","concurrency":1000}`, "work:mock", "s>m"), "m", "work"))
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	input, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	held := func() int {
		runtime.GC()
		var mem runtime.MemStats
		runtime.ReadMemStats(&mem)
		return int(mem.HeapAlloc)
	}
	s := m.New("018f0000-0000-7000-8000-000000000001")
	before, most, events := held(), 0, 0
	step := func(in machine.Input) {
		made, err := m.Step(s, in, noon)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range made {
			if _, err := machine.Encode(e); err != nil {
				t.Fatal(err)
			}
		}
		events += len(made)
		s.Fresh()
	}
	step(machine.Start{Trigger: "s", Value: input})
	over := machine.ItemsOver{Node: "m", Visit: 1, Attempt: 1}
	for i := range n {
		over.Ends = append(over.Ends, machine.ItemEnd{Index: i, Output: fmt.Appendf(nil, `{"id":%d,"done":true,"note":"what the item came to"}`, i)})
		if len(over.Ends) == 10 {
			step(over)
			over.Ends = nil
		}
		if i%(n/8) == n/16 || i == n-2 {
			most = max(most, held()-before)
		}
	}
	step(machine.Gathered{Node: "m", Visit: 1, Attempt: 1, List: json.RawMessage(`[]`)})
	if s.Status != machine.StatusSucceeded {
		t.Fatal(s.Status, s.Failure)
	}
	if most > 24<<20 {
		t.Errorf("a map of %d items holds %d MB", n, most>>20)
	}
	t.Logf("%.1f MB, %d events", float64(most)/(1<<20), events)
}

// TestMapOfTenThousandStaysSmall holds the run's state below 50 MB. It measures
// the heap, so nothing may run beside it.
func TestMapOfTenThousandStaysSmall(t *testing.T) { //nolint:paralleltest // it measures the heap
	if most := mapped(t, machine.ItemsMax); most > 50<<20 {
		t.Errorf("a map of %d items holds %d MB", machine.ItemsMax, most>>20)
	} else {
		t.Logf("%.1f MB", float64(most)/(1<<20))
	}
}

// BenchmarkCompile compiles rows of steps that read what the step before gave,
// with a loop and a map in them: what is proved and followed has to be told
// while somebody draws.
func BenchmarkCompile(b *testing.B) {
	for _, n := range []int{100, 1_000} {
		lines := []string{"s:manual", `more:if{"condition":"input.count > 3"}`, "first:mock/each", "s>first", "more.true>first"}
		last := "first"
		for i := range n / 4 {
			key := func(kind string) string { return fmt.Sprintf("%s%04d", kind, i) }
			lines = append(lines,
				key("ask")+`:mock{"answer":{"count":"=input.count","text":"{{ input.text }} more","rows":[{"id":1,"name":"a"}]}}`,
				key("set")+`:set{"fields":{"total":"=input.count * 2","first.name":"=input.rows[0].name"}}`,
				key("names")+`:transform{"expression":"{'names': input.rows.map(r, r.name), 'count': input.total, 'text': input.text}"}`,
				key("big")+`:if{"condition":"input.count > 10 && has(input.names)"}`,
				last+">"+key("ask"), key("ask")+">"+key("set"), key("set")+">"+key("names"), key("names")+">"+key("big"))
			last = key("big") + ".true"
		}
		g := draw(b, append(lines, last+">more")...)
		b.Run(fmt.Sprintf("%d nodes", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, issues := compile.Compile(g); graph.Errors(issues) {
					b.Fatal(issues)
				}
			}
		})
		b.Run(fmt.Sprintf("%d nodes, their ports", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				compile.PortsOf(g, compile.World{})
			}
		})
	}
}
