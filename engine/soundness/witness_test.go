package soundness_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"signalbox/engine/event"
	"signalbox/engine/machine"
	"signalbox/engine/soundness"
)

// witness plays a counter-example on the real machine and says whether it
// shows what the finding says.
type witness struct {
	m      *machine.Machine
	s      *machine.Snapshot
	script map[string][]string // per node: what its visits end on, in order
	at     time.Time
	hold   string // node whose visits are left running
	twice  bool
	steps  int
}

func newWitness(m *machine.Machine, f soundness.Finding) *witness {
	w := &witness{m: m, s: m.New("018f0000-0000-7000-8000-000000000001"), script: map[string][]string{}, at: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)}
	for _, c := range f.Example {
		key := m.Nodes[c.Node].Key
		if c.More {
			last := len(w.script[key]) - 1
			w.script[key][last] += "," + strings.TrimPrefix(c.Port, "p")
			continue
		}
		w.script[key] = append(w.script[key], c.Port)
	}
	if f.Code == soundness.RunsTwice {
		n := f.Node
		if m.Nodes[n].Op == machine.OpRoute { // it takes no time; the task that decides before it does
			n = m.Edges[m.In(n)[0]].From
		}
		w.hold = m.Nodes[n].Key
	}
	return w
}

// play returns what came of it.
func (w *witness) play() (string, error) {
	if _, err := w.m.Step(w.s, machine.Start{Trigger: w.trigger(), Value: json.RawMessage(`{}`)}, w.at); err != nil {
		return "", err
	}
	for ; !w.s.Status.Over() && w.steps < 20_000; w.steps++ {
		in, ok := w.next()
		if !ok {
			break
		}
		if _, err := w.m.Step(w.s, in, w.at); err != nil {
			return "", err
		}
	}
	if w.twice {
		return "two visits at once", nil
	}
	if w.s.Status == machine.StatusFailed {
		return w.s.Failure.Class, nil
	}
	return string(w.s.Status), nil
}

func (w *witness) trigger() string {
	for _, n := range w.m.Nodes {
		if n.Op == machine.OpTrigger {
			return n.Key
		}
	}
	return ""
}

// next ends the first visit that need not be held.
func (w *witness) next() (machine.Input, bool) {
	var held []machine.Dispatch
	for _, c := range w.m.Pending(w.s) {
		d, ok := c.(machine.Dispatch)
		if !ok {
			continue
		}
		if d.Node != w.hold {
			return w.end(d), true
		}
		held = append(held, d)
	}
	if len(held) > 1 {
		w.twice = true
		return nil, false
	}
	if len(held) == 1 {
		return w.end(held[0]), true
	}
	return nil, false
}

// end ends a visit as the script says; past its end, on the first way.
func (w *witness) end(d machine.Dispatch) machine.Input {
	if port := w.visit(d.Node, d.Visit); port == machine.PortFailure {
		return machine.Fail{Scope: d.Scope, Node: d.Node, Visit: d.Visit, Attempt: d.Attempt, Error: event.Error{Class: "unauthorized", Message: "no"}}
	}
	take := "0"
	n := w.m.Index(d.Node)
	for _, e := range w.m.Out(n) {
		if to := &w.m.Nodes[w.m.Edges[e].To]; to.Op == machine.OpRoute {
			if port := w.visit(to.Key, d.Visit); port != "" {
				take = strings.TrimPrefix(strings.TrimPrefix(port, "p"), machine.PortDefault)
			}
		}
	}
	return machine.Complete{Scope: d.Scope, Node: d.Node, Visit: d.Visit, Attempt: d.Attempt, Output: json.RawMessage(fmt.Sprintf(`{"take":[%s]}`, take))}
}

func (w *witness) visit(node string, number int) string {
	if list := w.script[node]; number <= len(list) {
		return list[number-1]
	}
	return ""
}
