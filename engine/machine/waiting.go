package machine

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"signalbox/engine/expr"
	"signalbox/engine/mutant"
)

// MailMax is how many signals a run keeps that nobody has consumed.
const MailMax = 1_000

// waitConfig is what the kinds that wait keep in their configuration, resolved.
type waitConfig struct {
	Duration    string `json:"duration"`
	Until       string `json:"until"`
	Name        string `json:"name"`
	Correlation any    `json:"correlation"`
	Keep        string `json:"keep"`
	Timeout     string `json:"timeout"`

	Call json.RawMessage `json:"call"` // callback: a request that hands its address out
}

// wait begins a visit that ends when time, a message or a person comes.
func (st *step) wait(n *Node, l *link, sc *view, id visitID) (Fact, error) {
	raw, err := l.config.Eval(sc)
	if err != nil {
		return nil, err
	}
	var c waitConfig
	if err := json.Unmarshal(raw, &c); err != nil {
		return nil, &expr.Failure{Class: "invalid_input", Message: "a wait needs a duration or a time as text"}
	}
	f := &WaitStarted{Node: n.Key, Scope: id.scope, Visit: id.number, Took: id.took}
	switch n.Op {
	case OpWait:
		f.Until, err = st.until(c)
		return f, err
	case OpSignal:
		f.For, f.Name, f.Correlation = ForSignal, clip(c.Name, 200), text(c.Correlation)
		if f.Name == "" {
			return nil, &expr.Failure{Class: "invalid_input", Message: "the signal has no name"}
		}
		f.From = st.s.Started
		if c.Keep != "" {
			keep, err := span(c.Keep)
			if err != nil {
				return nil, err
			}
			f.From = st.at.Add(-keep)
		}
	case OpHuman:
		f.For, f.Config = ForHuman, st.value(raw)
	case OpCallback:
		f.For = ForCallback
		if err := st.handOut(f, sc.node, c.Call); err != nil {
			return nil, err
		}
	default:
	}
	if c.Timeout != "" {
		d, err := span(c.Timeout)
		if err != nil {
			return nil, err
		}
		f.Until = st.at.Add(d).Truncate(time.Microsecond)
	}
	return f, nil
}

// text is a value as signals are compared by.
func text(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return clip(v, 500)
	default:
		raw, err := json.Marshal(v)
		if err != nil {
			return ""
		}
		return clip(string(raw), 500)
	}
}

func span(s string) (time.Duration, error) {
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 || d > WaitMax {
		return 0, &expr.Failure{Class: "invalid_input", Message: fmt.Sprintf("%.60q is not a duration like 90s, 15m or 2h30m, up to %d days", s, int(WaitMax.Hours()/24))}
	}
	return d, nil
}

func (st *step) until(c waitConfig) (time.Time, error) {
	if c.Until != "" {
		t, err := time.Parse(time.RFC3339Nano, c.Until)
		if err != nil {
			return t, &expr.Failure{Class: "invalid_input", Message: fmt.Sprintf("%.60q is not a time like 2026-11-30T09:00:00Z", c.Until)}
		}
		return t.UTC().Truncate(time.Microsecond), nil
	}
	d, err := span(c.Duration)
	return st.at.Add(d).Truncate(time.Microsecond), err
}

// call begins a visit that is another run.
func (st *step) call(n *Node, l *link, sc *view, id visitID) (Fact, error) {
	fields, err := evalFields(l, sc)
	if err != nil {
		return nil, err
	}
	var c struct {
		Workflow string `json:"workflow"`
		Version  string `json:"version"`
		Wait     *bool  `json:"wait"`
	}
	if err := json.Unmarshal(n.Config, &c); err != nil {
		return nil, &expr.Failure{Class: "invalid_input", Message: "the workflow to call is not named"}
	}
	in := fields["input"]
	if in == nil {
		if in, err = sc.input.raw(); err != nil {
			return nil, err
		}
	}
	return &CallStarted{
		Node: n.Key, Scope: id.scope, Visit: id.number, Took: id.took, Workflow: c.Workflow, Version: c.Version,
		Input: st.value(in), Detached: c.Wait != nil && !*c.Wait,
	}, nil
}

// deliver hands signals to the waits of the scope that want them: the oldest
// wait gets the oldest signal. It reports whether something happened.
func (st *step) deliver(c *scope) (bool, error) {
	if len(st.s.mail) == 0 {
		return false, nil
	}
	for i := range c.visits {
		v := &c.visits[i]
		if v.state != visitWaiting || v.kind != ForSignal {
			continue
		}
		at := slices.IndexFunc(st.s.mail, func(t mail) bool {
			return t.name == v.name && t.correlation == v.correlation && !t.at.Before(v.from)
		})
		if at >= 0 {
			return true, st.emit(&WaitCompleted{Node: st.m.Nodes[v.node].Key, Scope: c.id, Visit: v.number, Port: PortSuccess, Signal: st.s.mail[at].seq})
		}
	}
	return false, nil
}

// signal takes a message from outside. It is kept when a node of the workflow
// could wait for it.
func (st *step) signal(in Signal) error {
	s := st.s
	if !s.alive() || in.ID != "" && s.heard[in.ID] && !mutant.On(mutant.SignalTwice) || len(s.mail) >= MailMax {
		return nil
	}
	if moved, err := st.signalCharts(in); moved || err != nil {
		return err
	}
	if !slices.ContainsFunc(st.m.Nodes, func(n Node) bool { return n.Op == OpSignal }) {
		return nil
	}
	err := st.emit(&SignalReceived{
		Name: clip(in.Name, 200), Correlation: clip(in.Correlation, 500), ID: clip(in.ID, 200), Value: st.value(in.Value), By: clip(in.By, 200),
	})
	for _, c := range s.scopes {
		c.dirty = true
	}
	return err
}

// decide takes the answer that a person, or the caller of a one-time address,
// gives to an open wait. A second answer changes nothing.
func (st *step) decide(in Decide) error {
	v := st.m.live(st.s, in.Scope, in.Node, in.Visit)
	if v == nil || v.state != visitWaiting || v.kind != ForHuman && v.kind != ForCallback {
		return nil
	}
	port := in.Port
	if v.kind == ForCallback {
		port = PortSuccess
	}
	if port == PortTimeout || port == PortFailure || !slices.Contains(st.m.Nodes[v.node].Ports, port) {
		return nil
	}
	if err := st.cancelTasks(st.s.scope(in.Scope), v, "it was answered"); err != nil {
		return err
	}
	f := &WaitCompleted{Node: in.Node, Scope: in.Scope, Visit: in.Visit, Port: port, By: clip(in.By, 200)}
	if len(in.Value) > 0 {
		f.Output = st.value(in.Value)
	}
	return st.emit(f)
}

// called takes what became of a call.
func (st *step) called(in Called) error {
	v := st.m.live(st.s, in.Scope, in.Node, in.Visit)
	if v == nil || v.state != visitCalling {
		return nil
	}
	if v.child == "" && in.Child != "" {
		if err := st.emit(&CallAnswered{Node: in.Node, Scope: in.Scope, Visit: in.Visit, Child: in.Child}); err != nil {
			return err
		}
		v = st.m.live(st.s, in.Scope, in.Node, in.Visit)
	}
	switch {
	case in.Error != nil:
		c := st.s.scope(in.Scope)
		return st.nodeFailed(c, v.node, v.number, "", tidy(*in.Error, in.Node, 1))
	case v.call.Detached:
		raw, err := json.Marshal(map[string]string{"run": in.Child})
		if err != nil {
			return fmt.Errorf("write the child's id: %w", err)
		}
		return st.emit(&WaitCompleted{Node: in.Node, Scope: in.Scope, Visit: in.Visit, Port: PortSuccess, Output: st.value(raw)})
	case in.Over:
		f := &WaitCompleted{Node: in.Node, Scope: in.Scope, Visit: in.Visit, Port: PortSuccess}
		if in.Ref != nil {
			f.Output.Payload = in.Ref
		} else {
			f.Output = st.value(in.Output)
		}
		return st.emit(f)
	}
	return nil
}
