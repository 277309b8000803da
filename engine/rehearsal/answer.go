package rehearsal

import (
	"encoding/json"
	"slices"
	"time"

	"signalbox/engine/machine"
)

// Who is named in a rehearsal as having answered.
const byNobody = "rehearsal"

// answer prepares what a command gets instead of the world.
func (p *player) answer(c machine.Command) error {
	switch c := c.(type) {
	case machine.Dispatch:
		return p.task(c)
	case machine.Call:
		return p.call(c)
	default:
		return nil // there is nobody here who would want to know
	}
}

// task gives a step that a worker would do what its attempt gave then.
func (p *player) task(c machine.Dispatch) error {
	v := visit{c.Scope, c.Node, c.Visit}
	d := p.live[v]
	if !p.known(d, c.Kind, c.Config) {
		if p.pinned(c.Node) {
			p.later(0, 0, machine.Complete{Scope: c.Scope, Node: c.Node, Visit: c.Visit, Attempt: c.Attempt, Output: p.pins[c.Node], Worker: byNobody, Began: p.now})
			return nil
		}
		if answer, took, ok := scripted(c); ok {
			p.later(took, 0, machine.Complete{Scope: c.Scope, Node: c.Node, Visit: c.Visit, Attempt: c.Attempt, Output: answer, Worker: byNobody, Began: p.now})
			return nil
		}
		p.stop(c.Node, StopNotRecorded)
		return nil
	}
	a, ok := d.attempts[c.Attempt]
	if !ok {
		p.stop(c.Node, StopNotRecorded)
		return nil
	}
	if c.SayBegan && (a.began >= 0 || a.ended) {
		p.later(min(max(a.began, 0), a.took), a.seq-1, machine.Began{Scope: c.Scope, Node: c.Node, Visit: c.Visit, Attempt: c.Attempt, Worker: a.worker})
	}
	switch {
	case !a.ended: // it was canceled, or took too long: time will tell
		p.mute[v] = true
	case a.err != nil:
		p.later(a.took, a.seq, machine.Fail{Scope: c.Scope, Node: c.Node, Visit: c.Visit, Attempt: c.Attempt, Error: *a.err, Worker: a.worker, Began: p.now})
	default:
		in := machine.Complete{Scope: c.Scope, Node: c.Node, Visit: c.Visit, Attempt: c.Attempt, Ref: a.output.Payload, Worker: a.worker, Began: p.now}
		if in.Ref == nil {
			in.Output, _ = p.raw(a.output) // in the event itself
		} else if in.Ref.Size <= machine.LoadedMax {
			data, err := p.value(in.Ref.Digest)
			if err != nil {
				return err
			}
			p.s.Supply(in.Ref.Digest, data)
		}
		p.later(a.took, a.seq, in)
	}
	return nil
}

// call gives a step that calls a workflow what the called run gave.
func (p *player) call(c machine.Call) error {
	v := visit{c.Scope, c.Node, c.Visit}
	d := p.live[v]
	same := d != nil && (d.calls == c.Workflow+"@"+c.Version && p.alike(d.config, c.Input) || p.sameStep(c.Node))
	in := machine.Called{Scope: c.Scope, Node: c.Node, Visit: c.Visit, Child: byNobody}
	switch {
	case !same && p.pinned(c.Node):
		in.Over, in.Output = true, p.pins[c.Node]
		p.later(0, 0, in)
	case !same:
		p.stop(c.Node, StopNotRecorded)
	case !d.ended && d.child == "":
		p.mute[v] = true
	default:
		if d.child != "" {
			in.Child = d.child
		}
		if c.Detached || !d.ended {
			p.later(d.took, d.seq, in)
			p.mute[v] = !d.ended
			return nil
		}
		in.Over, in.Error = true, d.err
		if d.err == nil {
			in.Ref = d.output.Payload
			if in.Ref == nil {
				in.Output, _ = p.raw(d.output)
			}
		}
		p.later(d.took, d.seq, in)
	}
	return nil
}

// wait gives a step that waits for somebody the answer that came then. People
// and messages are taken to do the same after the same time.
func (p *player) wait(f *machine.WaitStarted) error {
	if f.For == "" {
		return nil // for time: the clock jumps
	}
	v := visit{f.Scope, f.Node, f.Visit}
	d := p.live[v]
	if d == nil {
		return p.waitPinned(f)
	}
	switch {
	case d.signal != nil && d.took >= 0:
		in, err := p.signal(d.signal)
		if err != nil {
			return err
		}
		p.later(d.took, d.seq, in)
	case d.signal != nil: // it came before the step waited, and is on its way by itself
	case !d.ended:
		p.mute[v] = true // nobody answered then either; it may give up after a time
	default:
		raw, err := p.raw(d.output)
		if err != nil {
			return err
		}
		if d.output.IsZero() {
			raw = nil
		}
		if f.For == machine.ForHuman && !slices.Contains(p.m.Nodes[p.m.Index(f.Node)].Ports, d.port) {
			p.stop(f.Node, StopWaits)
			return nil
		}
		p.later(d.took, d.seq, machine.Decide{Scope: f.Scope, Node: f.Node, Visit: f.Visit, Port: d.port, Value: raw, By: d.by})
	}
	return nil
}

// waitPinned lets a wait that is new go on with what is pinned to it.
func (p *player) waitPinned(f *machine.WaitStarted) error {
	raw := p.pins[f.Node]
	if raw == nil {
		p.stop(f.Node, StopWaits)
		return nil
	}
	p.pinned(f.Node)
	if f.For == machine.ForSignal {
		p.later(0, 0, machine.Signal{Name: f.Name, Correlation: f.Correlation, Value: raw, By: byNobody})
		return nil
	}
	port := machine.PortSuccess
	for _, way := range p.m.Nodes[p.m.Index(f.Node)].Ports {
		if f.For == machine.ForHuman && way != machine.PortTimeout && way != machine.PortFailure {
			port = way
			break
		}
	}
	p.later(0, 0, machine.Decide{Scope: f.Scope, Node: f.Node, Visit: f.Visit, Port: port, Value: raw, By: byNobody})
	return nil
}

// pinned reports whether an output is pinned to a step, and notes its use.
func (p *player) pinned(node string) bool {
	if p.pins[node] == nil {
		return false
	}
	if !slices.Contains(p.out.Pinned, node) {
		p.out.Pinned = append(p.out.Pinned, node)
	}
	return true
}

// scripted is the answer of a mock, which calls nothing; one that is to fail
// first is left to a real run.
func scripted(d machine.Dispatch) (answer json.RawMessage, took time.Duration, ok bool) {
	if d.Kind != "mock" {
		return nil, 0, false
	}
	c := struct {
		Answer  json.RawMessage `json:"answer"`
		Latency int             `json:"latency_ms"`
		Fails   int             `json:"fail_times"`
	}{Answer: json.RawMessage(`{"ok":true}`)}
	if len(d.Config.Inline) == 0 || json.Unmarshal(d.Config.Inline, &c) != nil || c.Fails > 0 {
		return nil, 0, false
	}
	return c.Answer, time.Duration(c.Latency) * time.Millisecond, true
}
