package chart

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"

	"signalbox/engine/expr"
)

// step is one macrostep on its way: a State unpacked, and the effects so far.
type step struct {
	chart   *Chart
	status  Status
	active  *set
	history map[int][]int
	context map[string]any
	input   any
	timers  []Open
	tasks   []Open
	opened  int
	queue   []Event // raised and not yet handled
	event   Event   // what is handled now
	effects []Effect
	output  json.RawMessage
	failed  *Error
	work    uint64
	touched bool // something changed since the flag was cleared
}

// Start brings a chart to life.
func (c *Chart) Start(input any) (State, []Effect) {
	s := &step{
		chart: c, status: StatusActive, active: newSet(0), history: map[int][]int{}, input: input, context: map[string]any{},
		event: Event{Type: initEvent, Data: map[string]any{"input": input}},
	}
	if raw := s.eval(c.context, nil); raw != nil && json.Unmarshal(raw, &s.context) != nil {
		s.fail(&expr.Failure{Class: "invalid_input", Message: "the context is an object"})
	}
	s.micro([]*transition{{source: 0, targets: c.beginning(0).list, reenter: true}}, true)
	s.settle()
	return s.pack(), s.compact()
}

// Send hands an event to a chart. An event that nothing waits for, or that
// comes from a timer or a task that is over, changes nothing.
func (c *Chart) Send(state State, e Event) (State, []Effect) {
	if state.Status != StatusActive || e.Type == "*" {
		return state, nil
	}
	s := c.unpack(state)
	if e.From != "" {
		var live bool
		if e, live = s.answer(e); !live {
			return state, nil
		}
	}
	s.event = e
	list := s.selected(c.branches(s.active.list))
	if failure, ok := e.Data["error"]; ok && len(list) == 0 && e.From != "" {
		s.failed = taskError(failure)
	}
	s.micro(list, false)
	s.settle()
	return s.pack(), s.compact()
}

// answer closes the timer or task that an event comes from and names the
// event as the chart knows it.
func (s *step) answer(e Event) (Event, bool) {
	from := func(o Open) bool { return o.ID == e.From }
	if i := slices.IndexFunc(s.timers, from); i >= 0 {
		fired := s.timers[i]
		s.timers = slices.Delete(slices.Clone(s.timers), i, i+1)
		s.forget(fired.Name)
		return *fired.Event, true
	}
	i := slices.IndexFunc(s.tasks, from)
	if i < 0 {
		return e, false
	}
	name := s.tasks[i].Name
	s.tasks = slices.Delete(slices.Clone(s.tasks), i, i+1)
	prefix, field := doneTask, "output"
	if e.Type == Failed {
		prefix, field = errorTask, "error"
	}
	return Event{Type: prefix + name, From: e.From, Data: map[string]any{field: e.Data[field], "actorId": name}}, true
}

// settle takes transitions without an event, then raised events, until
// neither is left.
func (s *step) settle() {
	look := true
	for n := 0; s.status == StatusActive && s.failed == nil; n++ {
		if n >= MicrostepsMax {
			s.fail(limit("the chart took more than %d transitions for one event and did not come to rest", MicrostepsMax))
			break
		}
		var list []*transition
		if look {
			list = s.eventless()
		}
		byEvent := len(list) == 0
		if byEvent {
			if len(s.queue) == 0 {
				break
			}
			s.event, s.queue = s.queue[0], s.queue[1:]
			list = s.selected(s.chart.branches(s.active.list))
		}
		s.touched = false
		s.micro(list, false)
		look = byEvent || s.touched // one that changed nothing would be taken for ever
	}
	if s.failed != nil {
		s.status = StatusFailed
	}
	if s.status != StatusActive {
		s.closeAll()
	}
}

// micro takes transitions together: out, across, in.
func (s *step) micro(list []*transition, initial bool) {
	if len(list) == 0 || s.failed != nil {
		return
	}
	before := s.active.clone()
	list = s.compatible(list)
	remembered := false
	if !initial {
		remembered = s.exit(list)
	}
	for _, t := range list {
		s.run(t.actions, nil, 0)
	}
	s.enter(list, initial)
	if s.status == StatusDone {
		last := newSet()
		for _, i := range slices.Backward(slices.Sorted(slices.Values(s.active.list))) {
			last.add(i)
			s.run(s.chart.nodes[i].exit, nil, 0)
		}
		s.active = last
	}
	if !remembered && s.active.same(before) {
		s.active = before // also their order stays
		return
	}
	s.touched = true
}

// exit leaves states, the inner and later ones first, and reports whether a
// history was written.
func (s *step) exit(list []*transition) bool {
	exits := slices.Sorted(slices.Values(s.exits(list).list))
	slices.Reverse(exits)
	remembered := false
	for _, i := range exits {
		for _, h := range s.chart.nodes[i].histories {
			if !remembered {
				s.history, remembered = maps.Clone(s.history), true
			}
			past := []int{}
			for _, k := range s.active.list {
				if s.chart.nodes[h].deep && s.chart.atomic(k) && s.chart.inside(k, i) || !s.chart.nodes[h].deep && s.chart.nodes[k].parent == i {
					past = append(past, k)
				}
			}
			s.history[h] = past
		}
	}
	for _, i := range exits {
		s.run(s.chart.nodes[i].exit, nil, 0)
		for _, v := range s.chart.nodes[i].invoke {
			s.stop(v.id)
			s.touched = true
		}
		s.active.remove(i)
	}
	return remembered
}

// fail ends the chart: what comes after it in this step is not done.
func (s *step) fail(err error) {
	if s.failed != nil {
		return
	}
	s.failed = &Error{Class: "internal", Message: err.Error()}
	if f := (*expr.Failure)(nil); errors.As(err, &f) {
		s.failed.Class = f.Class
	}
}

// taskError reads the error of a task.
func taskError(v any) *Error {
	e := &Error{Class: "internal", Message: "a task failed"}
	if raw, err := expr.Marshal(v); err == nil {
		e.Details = raw
	}
	if m, ok := v.(map[string]any); ok {
		if class, ok := m["class"].(string); ok {
			e.Class = class
		}
		if text, ok := m["message"].(string); ok {
			e.Message = text
		}
	}
	return e
}

// open adds a timer or a task.
func (s *step) open(o Open, e Effect) {
	if s.failed != nil {
		return
	}
	if len(s.timers)+len(s.tasks) >= TimersMax {
		s.fail(limit("more than %d timers and tasks are open", TimersMax))
		return
	}
	s.opened++
	o.ID = "t" + strconv.Itoa(s.opened)
	e.ID = o.ID
	if e.Op == OpTimer {
		s.timers = slices.Clone(s.timers)
		s.forget(o.Name)
		s.timers = append(s.timers, o)
	} else {
		s.tasks = append(slices.Clip(s.tasks), o)
	}
	s.effects = append(s.effects, e)
}

// forget makes a name mean no timer. In XState it means the one that was set
// last, and none once one of that name has fired: the others go on and cannot
// be canceled.
func (s *step) forget(name string) {
	for i := range s.timers {
		if s.timers[i].Name == name {
			s.timers[i].Loose = true
		}
	}
}

// cancel withdraws the timer that a name means.
func (s *step) cancel(name string) {
	for i, t := range s.timers {
		if t.Name == name && !t.Loose {
			s.timers = slices.Delete(slices.Clone(s.timers), i, i+1)
			s.effects = append(s.effects, Effect{Op: OpCancel, ID: t.ID})
			return
		}
	}
}

// stop ends the task of an invoke.
func (s *step) stop(name string) {
	for i, t := range slices.Backward(s.tasks) {
		if t.Name == name {
			s.tasks = slices.Delete(slices.Clone(s.tasks), i, i+1)
			s.effects = append(s.effects, Effect{Op: OpStop, ID: t.ID})
			return
		}
	}
}

// closeAll withdraws what is still open when the chart is over.
func (s *step) closeAll() {
	for _, t := range s.timers {
		s.effects = append(s.effects, Effect{Op: OpCancel, ID: t.ID})
	}
	for _, t := range s.tasks {
		s.effects = append(s.effects, Effect{Op: OpStop, ID: t.ID})
	}
	s.timers, s.tasks = nil, nil
}

// compact leaves out timers and tasks that opened and closed in this step.
func (s *step) compact() []Effect {
	opens, closes := map[string]bool{}, map[string]bool{}
	for _, e := range s.effects {
		switch e.Op {
		case OpTimer, OpStart:
			opens[e.ID] = true
		case OpCancel, OpStop:
			closes[e.ID] = true
		default:
		}
	}
	return slices.DeleteFunc(s.effects, func(e Effect) bool { return e.ID != "" && opens[e.ID] && closes[e.ID] })
}
