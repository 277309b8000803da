package machine

import (
	"encoding/json"
	"strconv"
	"time"

	"signalbox/engine/event"
	"signalbox/engine/mutant"
)

// Command is an effect that the machine asks of the outside. Commands are
// derived, never stored: from events after a commit, from the state after a
// crash. The set is closed.
type Command interface{ command() }

// Dispatch hands an attempt to the workers of a queue.
type Dispatch struct {
	Scope    int
	Node     string
	Visit    int
	Attempt  int
	Kind     string
	Queue    string
	Priority int
	Config   event.Value
	Key      string // idempotency key, the same for every attempt of the visit
	Timeout  time.Duration
	Labels   map[string]string

	Limits         *Limits // of the node; nil: none
	ConcurrencyKey string
	RateKey        string

	Heartbeat time.Duration // 0: none is wanted
	SayBegan  bool          // the engine wants to hear when a worker takes it
}

// Withdraw takes an attempt back that nobody waits for any more.
type Withdraw struct {
	Scope   int
	Node    string
	Visit   int
	Attempt int
}

// Call starts another run, once, and tells its end.
type Call struct {
	Scope    int
	Node     string
	Visit    int
	Workflow string
	Version  string
	Input    event.Value
	Key      string // the same however often it is asked
	Child    string // known already: only its end is wanted
	Detached bool
	Rig      *Rig // of a test run whose clock the other one shares; nil: the real one
}

// CancelCall ends a run that was called.
type CancelCall struct{ Child string }

// StartItem starts the run of an item of a map, once, and tells its end.
type StartItem struct {
	Scope   int
	Node    string
	Visit   int
	Attempt int // of the map
	Index   int
	Key     string      // the same however often it is asked
	At      time.Time   // when it was opened
	Items   event.Value // the list that it is an item of
	Around  event.Value
	Paused  bool // the map's run is
	Rig     *Rig // of a test run whose clock the other one shares; nil: the real one
}

// CancelItems ends the runs of items of a map.
type CancelItems struct {
	Scope   int
	Node    string
	Visit   int
	Attempt int
	Items   []int
}

// HoldItems holds the runs of all items that are open, or lets them go on.
type HoldItems struct{ Paused bool }

// Gather puts the results of a map's items together, and tells them.
type Gather struct {
	Scope   int
	Node    string
	Visit   int
	Attempt int
	Results *ItemParts
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

func (Dispatch) command()    {}
func (Withdraw) command()    {}
func (Call) command()        {}
func (CancelCall) command()  {}
func (StartItem) command()   {}
func (CancelItems) command() {}
func (HoldItems) command()   {}
func (Gather) command()      {}
func (Answer) command()      {}
func (Finish) command()      {}

// Commands lists what the outside must do after the events, which s has
// already folded.
func (m *Machine) Commands(s *Snapshot, events []Event) []Command {
	var list []Command
	for _, e := range events {
		switch f := e.Fact.(type) {
		case *TaskScheduled:
			if v := m.live(s, f.Scope, f.Node, f.Visit); v != nil && v.attempt == f.Attempt && v.state == visitQueued {
				list = append(list, m.dispatch(s, f.Scope, v))
			}
		case *CallStarted:
			if v := m.live(s, f.Scope, f.Node, f.Visit); v != nil && v.state == visitCalling {
				list = append(list, m.callOf(s, f.Scope, v))
			}
		case *ItemsStarted, *ItemsEnded, *ItemsCanceled, *RunPaused, *RunResumed:
			list = m.itemCommands(s, f, list)
		case *VisitCanceled:
			list = append(list, withdrawn(f)...)
		case *TaskFailed:
			if f.Late {
				list = append(list, Withdraw{f.Scope, f.Node, f.Visit, f.Attempt})
			}
		case *Responded:
			list = append(list, s.answerOf(f))
		case *RunSucceeded, *RunFailed, *RunCanceled, *RunCompensated:
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

func withdrawn(f *VisitCanceled) []Command {
	var list []Command
	if f.Attempt > 0 {
		list = append(list, Withdraw{f.Scope, f.Node, f.Visit, f.Attempt})
	}
	if f.Child != "" {
		list = append(list, CancelCall{f.Child})
	}
	return list
}

// Pending lists what is still owed: the dispatch of every attempt whose result
// has not come, and every call. After a crash all of it is done again; the
// outside absorbs what it has already.
func (m *Machine) Pending(s *Snapshot) []Command {
	var list []Command
	s.eachVisit(func(scope int, v *visit) bool {
		switch v.state {
		case visitQueued:
			list = append(list, m.dispatch(s, scope, v))
		case visitCalling:
			list = append(list, m.callOf(s, scope, v))
		case visitOpen:
			list = m.itemsOwed(s, scope, v, 0, list)
		default:
		}
		return true
	})
	return list
}

// idempotency is the name of a visit for the outside: the same for every
// attempt and delivery.
func (m *Machine) idempotency(s *Snapshot, scope int, v *visit) string {
	key := s.Run + "/" + m.Nodes[v.node].Key + "/" + strconv.Itoa(v.number)
	if mutant.On(mutant.KeyPerAttempt) {
		key += "#" + strconv.Itoa(v.attempt)
	}
	if scope > 0 {
		key += "/" + strconv.Itoa(scope)
	}
	return key
}

func (m *Machine) dispatch(s *Snapshot, scope int, v *visit) Dispatch {
	n := &m.Nodes[v.node]
	return Dispatch{
		Scope: scope, Node: n.Key, Visit: v.number, Attempt: v.attempt, Kind: n.Kind, Queue: v.queue, Priority: v.prio,
		Config: v.config, Key: m.idempotency(s, scope, v), Timeout: n.Timeout, Heartbeat: n.Heartbeat, SayBegan: n.InQueue > 0,
		Labels: v.labels, Limits: n.Limits, ConcurrencyKey: v.keys[0], RateKey: v.keys[1],
	}
}

func (m *Machine) callOf(s *Snapshot, scope int, v *visit) Call {
	return Call{
		Scope: scope, Node: m.Nodes[v.node].Key, Visit: v.number, Workflow: v.call.Workflow, Version: v.call.Version,
		Input: v.call.Input, Key: m.idempotency(s, scope, v), Child: v.child, Detached: v.call.Detached, Rig: s.rig.called(),
	}
}
