package pg

import (
	"context"
	"encoding/json"
	"fmt"

	"signalbox/engine/history"
	"signalbox/engine/machine"
)

// Story tells what led to a dead letter: its attempts, and what it was given.
func (l *DeadLetters) Story(ctx context.Context, workspace string, d history.DeadLetter) (history.LetterStory, error) {
	var story history.LetterStory
	facts, err := l.history.facts(ctx, workspace, d.Run)
	if err != nil {
		return story, err
	}
	if len(facts) < d.Seq { // a run too long to be read whole
		return story, nil
	}
	facts = facts[:d.Seq]
	var began int // the event of the first attempt
	began, story.Attempts = attemptsAt(facts, d)
	if began == 0 {
		return story, nil
	}
	if story.Config, err = l.field(ctx, workspace, d, began, "config"); err != nil {
		return story, err
	}
	m, err := l.machine(ctx, d)
	if err != nil {
		return story, err
	}
	story.InputSeq = inputOf(m, facts, began)
	if story.InputSeq == 0 {
		return story, nil
	}
	name := "output"
	if _, first := facts[story.InputSeq-1].Fact.(*machine.RunStarted); first {
		name = "input"
	}
	story.Input, err = l.field(ctx, workspace, d, story.InputSeq, name)
	return story, err
}

// field is one value of an event.
func (l *DeadLetters) field(ctx context.Context, workspace string, d history.DeadLetter, seq int, name string) (json.RawMessage, error) {
	e, err := l.history.Event(ctx, workspace, d.Run, seq)
	if err != nil {
		return nil, err
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(e.Data, &fields); err != nil {
		return nil, fmt.Errorf("read event %d: %w", seq, err)
	}
	return fields[name], nil
}

func (l *DeadLetters) machine(ctx context.Context, d history.DeadLetter) (*machine.Machine, error) {
	rec, err := l.history.store.Load(ctx, d.Run)
	if err != nil {
		return nil, fmt.Errorf("load run %s: %w", d.Run, err)
	}
	raw, err := l.history.store.Machine(ctx, rec.Version)
	if err != nil {
		return nil, fmt.Errorf("load the machine of run %s: %w", d.Run, err)
	}
	return machine.Load(raw) //nolint:wrapcheck // it says what is wrong
}

// attemptsAt lists the attempts at the letter's visit, and the event that began
// the first one; 0: there was none.
func attemptsAt(facts []machine.Event, d history.DeadLetter) (began int, list []history.LetterAttempt) {
	mine := func(node string, scope, visit int) bool {
		return node == d.Node && scope == d.Scope && visit == d.Visit
	}
	for _, e := range facts {
		switch f := e.Fact.(type) {
		case *machine.TaskScheduled:
			if mine(f.Node, f.Scope, f.Visit) {
				if began == 0 {
					began = e.Seq
				}
				list = append(list, history.LetterAttempt{Number: f.Attempt, Scheduled: e.At})
			}
		case *machine.TaskStarted:
			if n := len(list); n > 0 && mine(f.Node, f.Scope, f.Visit) {
				list[n-1].Began, list[n-1].Worker = e.At, f.Worker
			}
		case *machine.TaskFailed:
			if n := len(list); n > 0 && mine(f.Node, f.Scope, f.Visit) {
				a := &list[n-1]
				a.Ended, a.Class, a.Message, a.Late = e.At, f.Error.Class, f.Error.Message, f.Late
				if f.Worker != "" {
					a.Worker = f.Worker
				}
				if !f.Began.IsZero() {
					a.Began = f.Began
				}
			}
		default: // about something else
		}
	}
	return began, list
}

// inputOf finds the event that put out what a task got: only one step may stand
// right before it. 0: there is none such.
func inputOf(m *machine.Machine, facts []machine.Event, began int) int {
	f, ok := facts[began-1].Fact.(*machine.TaskScheduled)
	if !ok {
		return 0
	}
	took, err := f.Took.List()
	if err != nil || len(took) != 1 || took[0] >= len(m.Edges) {
		return 0
	}
	from := m.Nodes[m.Edges[took[0]].From].Key
	for i := began - 2; i >= 0; i-- {
		switch e := facts[i].Fact.(type) {
		case *machine.NodeCompleted:
			if e.Node == from && e.Scope == f.Scope {
				if !e.Output.IsZero() {
					return facts[i].Seq
				}
				if before, err := e.Took.List(); err == nil && len(before) == 1 && before[0] < len(m.Edges) {
					from = m.Nodes[m.Edges[before[0]].From].Key // it passed on what it took
				}
			}
		case *machine.TaskCompleted:
			if e.Node == from && e.Scope == f.Scope {
				return facts[i].Seq
			}
		case *machine.RunStarted:
			if e.Trigger == from && f.Scope == 0 {
				return facts[i].Seq
			}
		default: // it puts nothing out
		}
	}
	return 0
}
