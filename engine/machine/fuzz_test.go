package machine_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"signalbox/engine/event"
	"signalbox/engine/machine"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// random draws a machine: a trigger, tasks, choices, joins of every mode, and
// edges that also lead back.
func random(r *rand.Rand) *machine.Machine {
	m := &machine.Machine{Format: machine.Format, Semantics: machine.Semantics}
	n := 3 + r.IntN(9)
	for i := range n {
		node := machine.Node{Key: fmt.Sprintf("n%02d", i), MaxVisits: 6, Config: json.RawMessage(`{}`), Join: []string{"inclusive", "each", "all"}[r.IntN(3)]}
		switch k := r.IntN(4); {
		case i == 0:
			node.Op, node.Ports = machine.OpTrigger, []string{"success"}
		case k == 0:
			node.Op, node.Ports = machine.OpPass, []string{"success"}
			node.Port = "success"
		case k == 1:
			node.Op, node.Ports = machine.OpWait, []string{"success"}
			node.Config = json.RawMessage(`{"duration":"1s"}`)
		default:
			node.Op, node.Kind, node.Ports = machine.OpTask, "mock", []string{"success", "failure"}
			node.Retry = machine.Retry{MaxAttempts: 1 + r.IntN(3), Initial: time.Second, Factor: 2}
		}
		m.Nodes = append(m.Nodes, node)
	}
	seen := map[machine.Edge]bool{}
	for from := range n {
		for range 1 + r.IntN(2) {
			e := machine.Edge{From: from, Port: m.Nodes[from].Ports[r.IntN(len(m.Nodes[from].Ports))], To: 1 + r.IntN(n-1)}
			if r.IntN(5) > 0 && e.To <= from { // mostly forward
				continue
			}
			if !seen[e] {
				seen[e] = true
				m.Edges = append(m.Edges, e)
			}
		}
	}
	if err := m.Link(); err != nil {
		panic(err)
	}
	return m
}

// next chooses an input that the state allows, or now and then a stray one.
func next(r *rand.Rand, m *machine.Machine, s *machine.Snapshot, at time.Time) (machine.Input, time.Time) {
	pending := m.Pending(s)
	switch {
	case r.IntN(12) == 0:
		return machine.Complete{Node: m.Nodes[r.IntN(len(m.Nodes))].Key, Visit: r.IntN(4), Attempt: r.IntN(3), Output: json.RawMessage(`{}`)}, at
	case len(pending) > 0 && (r.IntN(3) > 0 || m.WakeAt(s).IsZero()):
		d, ok := pending[r.IntN(len(pending))].(machine.Dispatch)
		if !ok {
			panic("not a dispatch")
		}
		if r.IntN(3) == 0 {
			return machine.Fail{Node: d.Node, Visit: d.Visit, Attempt: d.Attempt, Error: event.Error{Class: "unavailable", Message: "no"}}, at
		}
		return machine.Complete{Node: d.Node, Visit: d.Visit, Attempt: d.Attempt, Output: json.RawMessage(fmt.Sprintf(`{"r":%d}`, r.IntN(9)))}, at
	default:
		if w := m.WakeAt(s); w.After(at) {
			at = w
		}
		return machine.Wake{}, at
	}
}

// FuzzLaws plays random machines with random outcomes and checks the laws:
// determinism, replay, absorption, and never stuck.
func FuzzLaws(f *testing.F) {
	for seed := range uint64(400) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		r := rand.New(rand.NewPCG(seed, 1))
		m := random(r)
		s, twin := m.New("run"), m.New("run")
		at := noon
		var log []machine.Event
		step := func(in machine.Input) {
			events, err := m.Step(s, in, at)
			if err != nil {
				t.Fatalf("step: %v", err)
			}
			again, err := m.Step(twin, in, at)
			if err != nil || encoded(t, events) != encoded(t, again) {
				t.Fatalf("the same input gave other events: %v", err)
			}
			log = append(log, events...)
			if more, err := m.Step(s, in, at); err != nil || len(more) > 0 {
				if _, wakes := in.(machine.Wake); !wakes {
					t.Fatalf("the input %T came twice and made %d more events (%v)", in, len(more), err)
				}
			}
		}
		step(machine.Start{Trigger: "n00", Value: json.RawMessage(`{"a":1}`), Source: "test"})
		for i := 0; !s.Status.Over(); i++ {
			if i > 5_000 {
				t.Fatal("the run does not end")
			}
			if len(m.Pending(s)) == 0 && m.WakeAt(s).IsZero() {
				t.Fatalf("stuck: %d live visits, %d tokens, nothing owed and nothing awaited", s.Live(), s.Tokens())
			}
			var in machine.Input
			in, at = next(r, m, s, at)
			step(in)
		}
		if s.Status == machine.StatusSucceeded && s.Tokens() != 0 {
			t.Errorf("success with %d tokens left", s.Tokens())
		}
		replayed := m.New("run")
		for _, e := range log {
			stored, err := machine.Encode(e)
			if err != nil {
				t.Fatal(err)
			}
			if len(stored.Data) > event.SizeMax {
				t.Errorf("event %d has %d bytes", e.Seq, len(stored.Data))
			}
			back, err := machine.Decode(stored)
			if err != nil {
				t.Fatal(err)
			}
			if err := m.Fold(replayed, back); err != nil {
				t.Fatalf("replay: %v", err)
			}
		}
		a, errA := s.Result(m)
		b, errB := replayed.Result(m)
		if s.Status != replayed.Status || string(a) != string(b) || (errA == nil) != (errB == nil) || s.Seq != replayed.Seq {
			t.Errorf("replay ends %s %s, the run ended %s %s", replayed.Status, b, s.Status, a)
		}
		for n := range m.Nodes {
			if s.Visits(m, n) != replayed.Visits(m, n) {
				t.Errorf("replay visits %s %d times, the run %d", m.Nodes[n].Key, replayed.Visits(m, n), s.Visits(m, n))
			}
		}
	})
}

func encoded(t *testing.T, events []machine.Event) string {
	t.Helper()
	out := ""
	for _, e := range events {
		stored, err := machine.Encode(e)
		if err != nil {
			t.Fatal(err)
		}
		out += stored.Type + string(stored.Data)
	}
	return out
}

func TestEdgesSurviveWriting(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 7))
	for range 300 {
		var list []int
		for e := range 10_000 {
			if r.IntN(1+r.IntN(40)) == 0 {
				list = append(list, e)
			}
		}
		text := machine.MakeEdges(list)
		back, err := text.List()
		if err != nil || fmt.Sprint(back) != fmt.Sprint(list) {
			t.Fatalf("%d edges came back as %d (%v)", len(list), len(back), err)
		}
		if len(text) > 1_700 {
			t.Errorf("%d edges take %d bytes", len(list), len(text))
		}
	}
}
