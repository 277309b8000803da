package machine

import (
	"encoding/json"
	"strconv"
	"time"

	"signalbox/engine/event"
)

// Command is an effect that the machine asks of the outside. Commands are
// derived, never stored: from events after a commit, from the state after a
// crash. The set is closed.
type Command interface{ command() }

// Dispatch hands an attempt to the workers of a queue.
type Dispatch struct {
	Node     string
	Visit    int
	Attempt  int
	Kind     string
	Queue    string
	Priority int
	Config   event.Value
	Key      string // idempotency key, the same for every attempt of the visit
	Timeout  time.Duration
}

// Answer is for whoever waits for the run's response.
type Answer struct {
	Status  int
	Headers map[string]string
	Body    json.RawMessage
}

// Finish says that the run is over and that whatever of it is still at work
// outside is no longer wanted.
type Finish struct{}

func (Dispatch) command() {}
func (Answer) command()   {}
func (Finish) command()   {}

// Commands lists what the outside must do after the events, which s has
// already folded.
func (m *Machine) Commands(s *Snapshot, events []Event) []Command {
	var list []Command
	for _, e := range events {
		switch f := e.Fact.(type) {
		case *TaskScheduled:
			if i := s.find(m.Index(f.Node), f.Visit); i >= 0 && s.visits[i].attempt == f.Attempt && s.visits[i].state == visitQueued {
				list = append(list, m.dispatch(s, &s.visits[i]))
			}
		case *Responded:
			list = append(list, s.answerOf(f))
		case *RunSucceeded, *RunFailed, *RunCanceled:
			list = append(list, Finish{})
		}
	}
	return list
}

// Answered returns the response that the run has given, if it has.
func (s *Snapshot) Answered() (Answer, bool) {
	if s.answer == nil {
		return Answer{}, false
	}
	return s.answerOf(s.answer), true
}

func (s *Snapshot) answerOf(f *Responded) Answer {
	body, err := s.box(f.Output).rawOr(s)
	if err != nil {
		body = json.RawMessage("null")
	}
	return Answer{Status: f.Status, Headers: f.Headers, Body: body}
}

// rawOr finds the bytes of a value among the loaded and the fresh ones.
func (b *box) rawOr(s *Snapshot) (json.RawMessage, error) {
	if b.value.Payload != nil && b.blob == nil {
		if fresh := s.fresh[b.value.Payload.Digest]; fresh != nil {
			return fresh, nil
		}
	}
	return b.raw()
}

// Pending lists what is still owed: the dispatch of every attempt whose result
// has not come. After a crash all of it is done again; the outside absorbs
// what it has already.
func (m *Machine) Pending(s *Snapshot) []Command {
	var list []Command
	for i := range s.visits {
		if s.visits[i].state == visitQueued {
			list = append(list, m.dispatch(s, &s.visits[i]))
		}
	}
	return list
}

func (m *Machine) dispatch(s *Snapshot, v *visit) Dispatch {
	n := &m.Nodes[v.node]
	return Dispatch{
		Node: n.Key, Visit: v.number, Attempt: v.attempt, Kind: n.Kind, Queue: v.queue, Priority: v.prio,
		Config: v.config, Key: s.Run + "/" + n.Key + "/" + strconv.Itoa(v.number), Timeout: n.Timeout,
	}
}
