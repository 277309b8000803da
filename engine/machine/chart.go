package machine

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"signalbox/engine/chart"
	"signalbox/engine/event"
	"signalbox/engine/expr"
)

// linkChart compiles the statechart of a node.
func (l *link) linkChart(n *Node) error {
	var d chart.Def
	if err := json.Unmarshal(n.Config, &d); err != nil {
		return fmt.Errorf("read the chart: %w", err)
	}
	c, faults := chart.Compile(d)
	if len(faults) > 0 {
		return errors.New(faults[0].Message)
	}
	l.chart = c
	return nil
}

// startChart begins the visit of a statechart.
func (st *step) startChart(n *Node, l *link, sc *view, id visitID) (Fact, error) {
	in := sc.read(sc.input)
	if sc.err != nil {
		return nil, sc.err
	}
	state, effects := l.chart.Start(in)
	f := &ChartMoved{Node: n.Key, Scope: id.scope, Visit: id.number, Began: true, Took: id.took}
	if err := st.chartFact(f, nil, state, effects); err != nil {
		return nil, err
	}
	return f, nil
}

// chartFact fills in what a step of a chart came to.
func (st *step) chartFact(f *ChartMoved, timers []ChartTimer, s chart.State, effects []chart.Effect) error {
	raw, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("write the state of a chart: %w", err)
	}
	f.State, f.Active = st.value(raw), s.Active
	if len(f.Active) > actionsMax {
		f.Active = f.Active[:actionsMax:actionsMax]
	}
	open := map[string]bool{}
	for _, t := range s.Timers {
		open[t.ID] = true
	}
	for _, t := range timers {
		if open[t.ID] {
			f.Timers = append(f.Timers, t)
		}
	}
	for _, e := range effects {
		switch {
		case e.Op == chart.OpStart, e.Op == chart.OpStop:
			if err := st.starts(f, e); err != nil {
				return err
			}
		case e.Op == chart.OpTimer && open[e.ID]:
			at := st.at.Add(time.Duration(e.DelayMS) * time.Millisecond)
			f.Timers = append(f.Timers, ChartTimer{ID: e.ID, At: at})
		case e.Op == chart.OpAct && len(f.Actions) < actionsMax:
			f.Actions = append(f.Actions, clip(e.Name, 80))
		}
	}
	if len(f.Timers) > timersMax {
		return &expr.Failure{Class: "limit", Message: fmt.Sprintf("the chart waits for %d delays at once; %d is the limit", len(f.Timers), timersMax)}
	}
	return st.fit(f, raw)
}

// fit keeps the event small: a state that would make it too large is stored
// apart.
func (st *step) fit(f *ChartMoved, state json.RawMessage) error {
	whole, err := json.Marshal(f)
	if err != nil {
		return fmt.Errorf("write the step of a chart: %w", err)
	}
	if len(whole) > chartBytes {
		f.State, f.Actions = st.apart(state), nil
	}
	return nil
}

// tooMany is the failure of a chart that wants more at once than there may be.
func tooMany(most int) error {
	return &expr.Failure{Class: "limit", Message: fmt.Sprintf("the chart starts more than %d tasks in one step", most)}
}

// Limits of what one event tells of a chart.
const (
	actionsMax = 50
	timersMax  = 60
	chartBytes = 9_000
)

func (m *Machine) foldChart(s *Snapshot, f *ChartMoved) error {
	if f.Began {
		c, n, in, err := m.begin(s, VisitRef{f.Scope, f.Node, f.Visit}, f.Took)
		if err != nil {
			return err
		}
		v := visit{node: n, number: f.Visit, state: visitChart, input: in, chart: s.box(f.State), timers: f.Timers, due: firstTimer(f.Timers)}
		v.foldTasks(c, f)
		c.add(m, v)
		return nil
	}
	v := m.live(s, f.Scope, f.Node, f.Visit)
	if v == nil || v.state != visitChart {
		return fmt.Errorf("%s has no visit %d that an event could move", f.Node, f.Visit)
	}
	v.chart, v.timers, v.due = s.box(f.State), f.Timers, firstTimer(f.Timers)
	v.foldTasks(s.scope(f.Scope), f)
	s.scope(f.Scope).dirty = true
	return nil
}

func firstTimer(timers []ChartTimer) time.Time {
	var at time.Time
	for _, t := range timers {
		if at.IsZero() || t.At.Before(at) {
			at = t.At
		}
	}
	return at
}

// chartState reads the state of a live chart.
func (v *visit) chartState() (chart.State, error) {
	var s chart.State
	raw, err := v.chart.raw()
	if err != nil {
		return s, err
	}
	if err := json.Unmarshal(raw, &s); err != nil {
		return s, fmt.Errorf("read the state of a chart: %w", err)
	}
	return s, nil
}

// moveChart sends an event to a live chart; answers is the task that it comes
// from.
func (st *step) moveChart(scope int, v *visit, e chart.Event, name, by, answers string) error {
	n := &st.m.Nodes[v.node]
	was, err := v.chartState()
	if err == nil {
		f := &ChartMoved{Node: n.Key, Scope: scope, Visit: v.number, Event: clip(name, 200), By: by, Answers: answers}
		state, effects := st.m.links[v.node].chart.Send(was, e)
		left := v.timers[:0:0]
		for _, t := range v.timers {
			if t.ID != e.From {
				left = append(left, t)
			}
		}
		if err = st.chartFact(f, left, state, effects); err == nil {
			return st.emit(f)
		}
	}
	return st.chartFails(st.s.scope(scope), v, failure(err, n.Key))
}

// fireChart lets the first delay of a chart that is over move it.
func (st *step) fireChart(scope int, v *visit) error {
	first := v.timers[0]
	for _, t := range v.timers {
		if t.At.Before(first.At) {
			first = t
		}
	}
	return st.moveChart(scope, v, chart.Event{From: first.ID}, "after", "", "")
}

// signalCharts sends a signal as an event to every live chart that has a
// transition for it, and reports whether there was one.
func (st *step) signalCharts(in Signal) (bool, error) {
	var data any
	if len(in.Value) > 0 {
		v, err := parse(in.Value)
		if err != nil {
			return false, nil //nolint:nilerr // a value that no expression could read moves no chart
		}
		data = v
	}
	moved := false
	for _, r := range st.charts() {
		v := st.m.live(st.s, r.scope, st.m.Nodes[r.visit.node].Key, r.visit.number)
		if v == nil || v.state != visitChart {
			continue
		}
		s, err := v.chartState()
		if err != nil || !st.m.links[v.node].chart.Handles(s, in.Name) {
			continue
		}
		moved = true
		if err := st.moveChart(r.scope, v, chart.NewEvent(in.Name, data), in.Name, clip(in.By, 200), ""); err != nil {
			return true, err
		}
	}
	return moved, nil
}

func (st *step) charts() []liveRef {
	return st.liveUnder(st.s.scopes[0], func(_ *scope, v *visit, _ bool) bool { return v.state == visitChart })
}

// endCharts ends the visits of the scope's charts that came to their end. It
// reports whether something happened.
func (st *step) endCharts(c *scope) (bool, error) {
	for i := range c.visits {
		v := &c.visits[i]
		if v.state != visitChart {
			continue
		}
		key := st.m.Nodes[v.node].Key
		s, err := v.chartState()
		if err != nil {
			return true, st.chartFails(c, v, failure(err, key))
		}
		switch s.Status {
		case chart.StatusDone:
			f := &WaitCompleted{Node: key, Scope: c.id, Visit: v.number, Port: PortSuccess}
			if len(s.Output) > 0 {
				f.Output = st.value(s.Output)
			} else {
				f.Output = st.value(s.Context)
			}
			return true, st.emit(f)
		case chart.StatusFailed:
			e := event.Error{Class: "internal", Message: "the chart failed"}
			if s.Error != nil {
				e = event.Error{Class: s.Error.Class, Message: s.Error.Message, Details: s.Error.Details}
			}
			return true, st.chartFails(c, v, tidy(e, key, 1))
		default:
		}
	}
	return false, nil
}
