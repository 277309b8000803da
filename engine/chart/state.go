package chart

import "encoding/json"

// Status of a chart.
type Status string

// The closed list of Status.
const (
	StatusActive Status = "active"
	StatusDone   Status = "done"
	StatusFailed Status = "error"
)

// State is all that is known about a chart between two events.
type State struct {
	Status  Status              `json:"status"`
	Active  []string            `json:"active"` // ids, in the order in which they came
	Context json.RawMessage     `json:"context"`
	Input   json.RawMessage     `json:"input,omitempty"`
	History map[string][]string `json:"history,omitempty"` // by id of the history state
	Timers  []Open              `json:"timers,omitempty"`
	Tasks   []Open              `json:"tasks,omitempty"`
	Opened  int                 `json:"opened,omitempty"` // timers and tasks so far: makes their ids
	Output  json.RawMessage     `json:"output,omitempty"`
	Error   *Error              `json:"error,omitempty"`
}

// Open is a timer or a task that is not over.
type Open struct {
	ID    string `json:"id"`              // unique in the life of the chart
	Name  string `json:"name"`            // of the delay or the invoke
	Event *Event `json:"event,omitempty"` // timers: what comes when it fires
	Loose bool   `json:"loose,omitempty"` // timers: the name does not mean it any more, so nothing cancels it
}

// Error is why a chart failed.
type Error struct {
	Class   string          `json:"class"`
	Message string          `json:"message"`
	Details json.RawMessage `json:"details,omitempty"` // of a task: its error
}

// Event is something that happened. In expressions it is one object: its data
// with its type as field "type".
type Event struct {
	Type string         `json:"type,omitempty"`
	Data map[string]any `json:"data,omitempty"`
	From string         `json:"from,omitempty"` // id of the timer or task that it comes from
}

// Types of the events that end a task. Inside the chart they carry the name
// of the invoke.
const (
	Done   = "done"
	Failed = "error"
)

// NewEvent makes an event from outside; data that is no object becomes its
// field "data".
func NewEvent(name string, data any) Event {
	switch data := data.(type) {
	case nil:
		return Event{Type: name}
	case map[string]any:
		return Event{Type: name, Data: data}
	default:
		return Event{Type: name, Data: map[string]any{"data": data}}
	}
}

// value is the event as expressions see it.
func (e Event) value() map[string]any {
	v := make(map[string]any, len(e.Data)+1)
	for k, d := range e.Data {
		v[k] = d
	}
	v["type"] = e.Type
	return v
}

// Op is what an effect asks for.
type Op string

// The closed list of Op.
const (
	OpAct    Op = "act"    // do the action Name with Input
	OpTimer  Op = "timer"  // send Event{From: ID} after Delay
	OpCancel Op = "cancel" // the timer ID
	OpStart  Op = "start"  // the task ID: Source with Input
	OpStop   Op = "stop"   // the task ID
	OpSend   Op = "send"   // the event Name with Input to Source
	OpLog    Op = "log"    // Input
)

// Effect is something that the chart wants done.
type Effect struct {
	Op      Op              `json:"op"`
	ID      string          `json:"id,omitempty"`
	Name    string          `json:"name,omitempty"`
	Source  string          `json:"src,omitempty"`
	Input   json.RawMessage `json:"input,omitempty"`
	DelayMS int64           `json:"delay_ms,omitempty"`
	Event   string          `json:"event,omitempty"` // type of the event during which it was asked for
}
