package chart

import (
	"encoding/json"

	"signalbox/engine/expr"
)

// unpack reads a State.
func (c *Chart) unpack(state State) *step {
	s := &step{
		chart: c, status: state.Status, active: newSet(c.numbers(state.Active)...), history: map[int][]int{},
		timers: state.Timers, tasks: state.Tasks, opened: state.Opened, output: state.Output,
	}
	for id, past := range state.History {
		if h, ok := c.byID[id]; ok {
			s.history[h] = c.numbers(past)
		}
	}
	s.input = s.decoded(state.Input)
	s.context, _ = s.decoded(state.Context).(map[string]any)
	if s.context == nil {
		s.context = map[string]any{}
	}
	return s
}

// pack writes a State.
func (s *step) pack() State {
	state := State{
		Status: s.status, Active: s.chart.ids(s.active.list), Timers: some(s.timers), Tasks: some(s.tasks), Opened: s.opened,
		Output: s.output, Context: s.encoded(s.context),
	}
	if s.input != nil {
		state.Input = s.encoded(s.input)
	}
	if len(s.history) > 0 {
		state.History = make(map[string][]string, len(s.history))
		for h, past := range s.history {
			state.History[s.chart.nodes[h].id] = s.chart.ids(past)
		}
	}
	if state.Error = s.failed; s.failed != nil {
		state.Status = StatusFailed
	}
	return state
}

// some makes an empty list none, as it comes back from JSON.
func some(list []Open) []Open {
	if len(list) == 0 {
		return nil
	}
	return list
}

func (s *step) decoded(raw json.RawMessage) any {
	if len(raw) == 0 {
		return nil
	}
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		s.fail(&expr.Failure{Class: "internal", Message: "the state of the chart is not readable: " + err.Error()})
	}
	return v
}

func (s *step) encoded(v any) json.RawMessage {
	raw, err := expr.Marshal(v)
	if err != nil {
		s.fail(err)
		return json.RawMessage("null")
	}
	return raw
}
