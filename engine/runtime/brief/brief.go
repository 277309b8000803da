// Package brief is the small form of an event that browsers and lists get: no
// payload, no secret, only what a picture of the run needs.
package brief

import (
	"time"

	"signalbox/engine/machine"
)

// Brief is one event without its values. Times are milliseconds since 1970.
type Brief struct {
	Seq      int      `json:"seq"` // 0: live only, not in the log
	At       float64  `json:"at"`
	Type     string   `json:"type"`
	Node     string   `json:"node,omitempty"` // key
	Visit    int      `json:"visit,omitempty"`
	Attempt  int      `json:"attempt,omitempty"`
	Port     string   `json:"port,omitempty"`
	Ports    []string `json:"ports,omitempty"`
	Took     string   `json:"took,omitempty"` // positions of the edges whose tokens the visit took: "0-2,5"
	Queue    string   `json:"queue,omitempty"`
	Priority *int     `json:"priority,omitempty"`
	Until    float64  `json:"until,omitempty"`
	RetryAt  float64  `json:"retry_at,omitempty"`
	Began    float64  `json:"began,omitempty"`
	Worker   string   `json:"worker,omitempty"`
	Size     int      `json:"size,omitempty"` // bytes of the output
	Error    *Error   `json:"error,omitempty"`
	Handled  bool     `json:"handled,omitempty"`
	Source   string   `json:"source,omitempty"`
	Trigger  string   `json:"trigger,omitempty"`
	Status   int      `json:"status,omitempty"` // of a response
	By       string   `json:"by,omitempty"`
	Text     string   `json:"text,omitempty"` // progress: what was streamed
}

// Error is what a list says of a failure.
type Error struct {
	Class   string `json:"class"`
	Message string `json:"message"`
}

const messageMax = 300

// Of makes the brief of an event.
func Of(e machine.Event) Brief {
	typ, node := machine.Name(e.Fact)
	b := Brief{Seq: e.Seq, At: Millis(e.At), Type: typ, Node: node}
	switch f := e.Fact.(type) {
	case *machine.RunStarted:
		b.Trigger, b.Source, b.Port, b.Visit, b.Size = f.Trigger, f.Source, machine.PortSuccess, 1, f.Input.Size()
	case *machine.NodeCompleted:
		b.Visit, b.Ports, b.Took, b.Size = f.Visit, f.Ports, string(f.Took), f.Output.Size()
	case *machine.NodeFailed:
		b.Visit, b.Handled, b.Took, b.Error = f.Visit, f.Handled, string(f.Took), short(f.Error.Class, f.Error.Message)
		if f.Handled {
			b.Port = machine.PortFailure
		}
	case *machine.TaskScheduled:
		b.Visit, b.Attempt, b.Took, b.Queue, b.Priority = f.Visit, f.Attempt, string(f.Took), f.Queue, &f.Priority
	case *machine.TaskCompleted:
		b.Visit, b.Attempt, b.Port, b.Worker = f.Visit, f.Attempt, f.Port, f.Worker
		b.Began, b.Size = Millis(f.Began), f.Output.Size()
	case *machine.TaskFailed:
		b.Visit, b.Attempt, b.Worker, b.Error = f.Visit, f.Attempt, f.Worker, short(f.Error.Class, f.Error.Message)
		b.Began, b.RetryAt = Millis(f.Began), Millis(f.RetryAt)
	case *machine.WaitStarted:
		b.Visit, b.Took, b.Until = f.Visit, string(f.Took), Millis(f.Until)
	case *machine.WaitCompleted:
		b.Visit, b.Port = f.Visit, f.Port
	case *machine.Responded:
		b.Visit, b.Ports, b.Took, b.Status, b.Size = f.Visit, f.Ports, string(f.Took), f.Status, f.Output.Size()
	case *machine.RunSucceeded:
	case *machine.RunFailed:
		b.Error = short(f.Error.Class, f.Error.Message)
	case *machine.RunCanceled:
		b.By = f.By
	}
	return b
}

func short(class, message string) *Error {
	if len(message) > messageMax {
		r := []rune(message)
		message = string(r[:min(len(r), messageMax)]) + "…"
	}
	return &Error{Class: class, Message: message}
}

// Millis is a time as browsers count it; zero stays zero.
func Millis(t time.Time) float64 {
	if t.IsZero() {
		return 0
	}
	return float64(t.UnixMicro()) / 1_000
}
