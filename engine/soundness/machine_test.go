package soundness_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"signalbox/engine/graph"
	"signalbox/engine/machine"
	"signalbox/engine/soundness"
)

// runnable makes a machine of a sketch that a worker can drive: a box with
// several ways becomes a task that decides and a route that follows it.
func (s sketch) runnable(t testing.TB) *machine.Machine {
	t.Helper()
	m := &machine.Machine{Format: machine.Format, Semantics: machine.Semantics}
	at, out := make([]int, len(s.boxes)), make([]int, len(s.boxes))
	for i, b := range s.boxes {
		n := machine.Node{
			Key: fmt.Sprintf("n%02d", i), Kind: "mock", Op: machine.OpTask, Join: b.join, Cancel: b.cancel, MaxVisits: 40, Config: json.RawMessage(`{}`),
			Ports: []string{machine.PortSuccess}, Retry: machine.Retry{MaxAttempts: 1, Initial: time.Second, Factor: 1},
		}
		if b.join == machine.JoinN {
			n.JoinN = b.n
		}
		if b.deadline {
			n.Deadline, n.Ports = time.Minute, append(n.Ports, machine.PortTimeout)
		}
		switch {
		case i == 0:
			n.Op = machine.OpTrigger
		case b.fails:
			n.Op, n.Ports = machine.OpFail, []string{}
		}
		at[i], out[i] = len(m.Nodes), len(m.Nodes)
		m.Nodes = append(m.Nodes, n)
		if len(b.ways) > 1 {
			out[i] = len(m.Nodes)
			m.Nodes = append(m.Nodes, b.route(n.Key))
		}
	}
	for i, b := range s.boxes {
		if out[i] != at[i] {
			m.Edges = append(m.Edges, machine.Edge{From: at[i], Port: machine.PortSuccess, To: out[i]})
		}
		ways := b.ways
		if b.every {
			ways = b.rules
		}
		for k, w := range ways {
			for _, e := range w {
				m.Edges = append(m.Edges, machine.Edge{From: out[i], Port: m.Nodes[out[i]].Ports[min(k, len(m.Nodes[out[i]].Ports)-1)], To: at[s.wires[e].to]})
			}
		}
		for _, e := range b.late {
			m.Edges = append(m.Edges, machine.Edge{From: at[i], Port: machine.PortTimeout, To: at[s.wires[e].to]})
		}
	}
	if err := m.Link(); err != nil {
		t.Fatal(err)
	}
	return m
}

// route follows what the task with the key decided.
func (b box) route(key string) machine.Node {
	ways, match := len(b.ways), "first"
	if b.every {
		ways, match = len(b.rules), "every"
	}
	n := machine.Node{Key: key + "_way", Kind: "mock", Op: machine.OpRoute, Join: machine.JoinEach, MaxVisits: 40}
	var rules []string
	for k := range ways {
		n.Ports = append(n.Ports, fmt.Sprintf("p%d", k))
		rules = append(rules, fmt.Sprintf(`{"port":"p%d","when":"%d in input.take"}`, k, k))
	}
	n.Config = json.RawMessage(`{"match":"` + match + `","rules":[` + strings.Join(rules, ",") + `]}`)
	return n
}

// stroll runs the machine with random choices in random order and returns how
// it ended; empty when it was still going on.
func stroll(t *testing.T, r *rand.Rand, m *machine.Machine) string {
	t.Helper()
	s, at := m.New("018f0000-0000-7000-8000-000000000001"), time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	step := func(in machine.Input) {
		if _, err := m.Step(s, in, at); err != nil {
			t.Fatal(err)
		}
	}
	step(machine.Start{Trigger: "n00", Value: json.RawMessage(`{}`)})
	for range 300 {
		if s.Status.Over() {
			break
		}
		pending := m.Pending(s)
		if wake := m.WakeAt(s); !wake.IsZero() && (len(pending) == 0 || r.IntN(5) == 0) {
			at = wake
			step(machine.Wake{})
			continue
		}
		if len(pending) == 0 {
			t.Fatal("nothing is owed and nothing awaited, but the run is not over")
		}
		d, ok := pending[r.IntN(len(pending))].(machine.Dispatch)
		if !ok {
			t.Fatalf("%T is pending", pending)
		}
		n := m.Index(d.Node + "_way")
		take := []int{0}
		if n >= 0 {
			ports := len(m.Nodes[n].Ports)
			take[0] = r.IntN(ports)
			for k := range ports {
				if k != take[0] && m.Every(n) && r.IntN(2) == 0 {
					take = append(take, k)
				}
			}
		}
		raw, err := json.Marshal(map[string][]int{"take": take})
		if err != nil {
			t.Fatal(err)
		}
		step(machine.Complete{Scope: d.Scope, Node: d.Node, Visit: d.Visit, Attempt: d.Attempt, Output: raw})
	}
	switch {
	case s.Status == machine.StatusFailed:
		return s.Failure.Class
	case s.Status.Over():
		return string(s.Status)
	}
	return ""
}

// TestTheMachineDoesWhatIsProved runs random drawings on the real machine:
// what is proved sound never ends for want of a token, and what is not ends as
// its counter-example says.
func TestTheMachineDoesWhatIsProved(t *testing.T) {
	t.Parallel()
	for k, f := range flavors() {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			sound, shown := 0, 0
			for seed := range *oracleRuns / 20 {
				r := rand.New(rand.NewPCG(uint64(seed), uint64(k)+200))
				s := scribble(r, f)
				m := s.runnable(t)
				found := f.prove(m)
				if absorbsInLoop(found) || len(nodes(found, soundness.TooLarge)) > 0 {
					continue
				}
				wrong := false
				for _, one := range found {
					wrong = wrong || one.Severity == graph.SeverityError
				}
				if !wrong {
					sound++
				}
				for range 10 {
					if end := stroll(t, r, m); !wrong && (end == "join_unsatisfied" || end == "join_cycle") {
						t.Errorf("seed %d: proved sound, but a run ended with %s:\n%s%s", seed, end, s, say(m, found))
						break
					}
				}
				for _, one := range found {
					if one.Code != soundness.JoinStuck && one.Code != soundness.JoinCycle || f.cancel || f.deadline || f.fails {
						continue
					}
					shown++
					came, err := newWitness(m, one).play()
					if err != nil || !slices.Contains([]string{"join_unsatisfied", "join_cycle"}, came) {
						t.Errorf("seed %d: the machine ends with %q (%v), not as the example says:\n%s%s", seed, came, err, s, say(m, []soundness.Finding{one}))
					}
				}
			}
			t.Logf("%d sound, %d examples played", sound, shown)
		})
	}
}
