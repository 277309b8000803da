package app_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/anishathalye/porcupine"
)

// What a client can ask of the run of a key.
const (
	askStart  = "start"
	askRead   = "read"
	askCancel = "cancel"
	askPause  = "pause"
	askResume = "resume"
	askSignal = "signal"
)

// question is one operation.
type question struct{ key, what string }

// word is what came back.
type word struct {
	unknown bool // no answer: it may have counted, or may count later
	refused bool // it changed nothing
	run     string
	status  string
	seq     int
}

// life is the run of one key, as the clients may know it.
type life struct {
	run      string // empty: there is none; ?: there is one that nobody has seen
	signaled bool
	paused   bool
	end      string // the status that it ended with
	seq      int    // the highest event that was seen
}

// lives is what may happen: one key has one run; what was acknowledged holds for
// everybody who asks later; a run that is over never changes.
func lives() porcupine.Model {
	m := porcupine.NondeterministicModel{
		Init: func() []any { return []any{life{}} },
		Step: func(state, in, out any) []any {
			var next []any
			for _, l := range state.(life).quietly() {
				if after, ok := l.step(in.(question).what, out.(word)); ok {
					next = append(next, after)
				}
			}
			return next
		},
		Partition: func(history []porcupine.Operation) (parts [][]porcupine.Operation) {
			byKey := map[string]int{}
			for _, op := range history {
				key := op.Input.(question).key
				i, there := byKey[key]
				if !there {
					i = len(parts)
					byKey[key], parts = i, append(parts, nil)
				}
				parts[i] = append(parts[i], op)
			}
			return parts
		},
		DescribeOperation: func(in, out any) string { return fmt.Sprintf("%+v → %+v", in, out) },
	}
	return m.ToModel()
}

// quietly is what a run may have become meanwhile without being asked: after
// its signal it ends by itself, unless it is paused.
func (l life) quietly() []life {
	if l.run != "" && l.end == "" && l.signaled && !l.paused {
		over := l
		over.end = "succeeded"
		return []life{l, over}
	}
	return []life{l}
}

// step is what an operation makes of a life; false: it cannot have had this
// answer.
func (l life) step(what string, w word) (life, bool) {
	open := l.end == ""
	if what == askStart {
		return l.start(w)
	}
	if l.run != w.run {
		return l, false // nobody knows a run that is not there
	}
	var may bool
	after := l
	switch what {
	case askRead:
		return l.read(w)
	case askCancel:
		if open {
			after.end = "canceled"
		}
		return after, !w.refused
	case askPause:
		may, after.paused = open && !l.paused, l.paused || open
	case askResume:
		may, after.paused = open && l.paused, false
	case askSignal:
		may, after.signaled = open && !l.signaled, l.signaled || open
	}
	switch {
	case w.refused:
		return l, !may
	case w.unknown:
		return after, true
	}
	return after, may
}

func (l life) start(w word) (life, bool) {
	switch {
	case w.refused:
		return l, true
	case w.unknown && l.run == "":
		l.run = "?"
	case w.unknown:
	case l.run == "" || l.run == "?":
		l.run = w.run
	case l.run != w.run:
		return l, false
	}
	return l, true
}

func (l life) read(w word) (life, bool) {
	if w.seq < l.seq {
		return l, false
	}
	l.seq = w.seq
	status := l.end
	switch {
	case status == "" && l.paused:
		status = "paused"
	case status == "" && w.status == "waiting":
		status = "waiting"
	case status == "":
		status = "running"
	}
	return l, status == w.status
}

func TestTheModelKnowsRightFromWrong(t *testing.T) {
	t.Parallel()
	type op struct {
		what         string
		call, finish int64
		out          word
	}
	at := func(status string, seq int) word { return word{run: "r", status: status, seq: seq} }
	ok, no, unknown := word{run: "r"}, word{run: "r", refused: true}, word{run: "r", unknown: true}
	for name, c := range map[string]struct {
		right bool
		ops   []op
	}{
		"a life": {true, []op{
			{askStart, 1, 2, ok}, {askRead, 3, 4, at("waiting", 2)}, {askPause, 5, 6, ok}, {askRead, 7, 8, at("paused", 3)}, {askPause, 9, 10, no},
			{askResume, 11, 12, ok}, {askSignal, 13, 14, ok}, {askRead, 15, 16, at("running", 6)}, {askRead, 17, 18, at("succeeded", 9)}, {askCancel, 19, 20, ok}, {askRead, 21, 22, at("succeeded", 9)},
		}},
		"two starts at once have one run":                  {true, []op{{askStart, 1, 5, ok}, {askStart, 2, 4, ok}}},
		"two starts have two runs":                         {false, []op{{askStart, 1, 5, ok}, {askStart, 2, 4, word{run: "s"}}}},
		"a start without an answer, then another one":      {true, []op{{askStart, 1, math.MaxInt64, word{unknown: true}}, {askStart, 3, 4, ok}, {askStart, 5, 6, ok}}},
		"running after a cancel that was acknowledged":     {false, []op{{askStart, 1, 2, ok}, {askCancel, 3, 4, ok}, {askRead, 5, 6, at("running", 2)}}},
		"running while it is canceled":                     {true, []op{{askStart, 1, 2, ok}, {askCancel, 3, 7, ok}, {askRead, 5, 6, at("running", 2)}}},
		"running again after it was seen canceled":         {false, []op{{askStart, 1, 2, ok}, {askCancel, 3, 20, ok}, {askRead, 5, 6, at("canceled", 4)}, {askRead, 7, 8, at("running", 4)}}},
		"a cancel without an answer that counts later":     {true, []op{{askStart, 1, 2, ok}, {askCancel, 3, math.MaxInt64, unknown}, {askRead, 5, 6, at("waiting", 2)}, {askRead, 7, 8, at("canceled", 4)}}},
		"a cancel without an answer that never counts":     {true, []op{{askStart, 1, 2, ok}, {askCancel, 3, math.MaxInt64, unknown}, {askRead, 5, 6, at("waiting", 2)}}},
		"an end that changes":                              {false, []op{{askStart, 1, 2, ok}, {askSignal, 3, 4, ok}, {askRead, 5, 6, at("succeeded", 6)}, {askCancel, 7, 8, ok}, {askRead, 9, 10, at("canceled", 7)}}},
		"an end without its signal":                        {false, []op{{askStart, 1, 2, ok}, {askRead, 5, 6, at("succeeded", 6)}}},
		"an end while it is paused":                        {false, []op{{askStart, 1, 2, ok}, {askPause, 3, 4, ok}, {askSignal, 5, 6, ok}, {askRead, 7, 8, at("succeeded", 6)}}},
		"running after a pause that was acknowledged":      {false, []op{{askStart, 1, 2, ok}, {askPause, 3, 4, ok}, {askRead, 5, 6, at("running", 2)}}},
		"a pause that was refused for nothing":             {false, []op{{askStart, 1, 2, ok}, {askPause, 3, 4, no}}},
		"the same signal taken twice":                      {false, []op{{askStart, 1, 2, ok}, {askSignal, 3, 4, ok}, {askSignal, 5, 6, ok}}},
		"events that are gone again":                       {false, []op{{askStart, 1, 2, ok}, {askRead, 3, 4, at("waiting", 2)}, {askRead, 5, 6, at("waiting", 1)}}},
		"a failure that nobody can explain":                {false, []op{{askStart, 1, 2, ok}, {askRead, 3, 4, at("failed", 2)}}},
		"a run that is read before anybody has started it": {false, []op{{askRead, 1, 2, at("waiting", 2)}, {askStart, 3, 4, ok}}},
	} {
		var history []porcupine.Operation
		for _, o := range c.ops {
			history = append(history, porcupine.Operation{Input: question{"key", o.what}, Output: o.out, Call: o.call, Return: o.finish})
		}
		if got := porcupine.CheckOperations(lives(), history); got != c.right {
			t.Errorf("%s: the model says %v", name, got)
		}
	}
}
