// Package brief is the small form of an event that browsers and lists get: no
// payload, no secret, only what a picture of the run needs.
package brief

import (
	"time"

	"signalbox/engine/event"
	"signalbox/engine/machine"
)

// Brief is one event without its values. Times are milliseconds since 1970.
type Brief struct {
	Seq      int      `json:"seq"` // 0: live only, not in the log
	At       float64  `json:"at"`
	Type     string   `json:"type"`
	Node     string   `json:"node,omitempty"`   // key
	Scope    int      `json:"scope,omitempty"`  // where it is visited; 0 is the run itself
	Count    int      `json:"count,omitempty"`  // container: items, or bodies when it is over
	Index    int      `json:"index,omitempty"`  // body: item or round
	Failed   int      `json:"failed,omitempty"` // of items that ended
	Runs     bool     `json:"runs,omitempty"`   // map: its items are runs of their own
	Opens    int      `json:"opens,omitempty"`  // body: the scope that it opens
	Closes   int      `json:"closes,omitempty"`
	Visit    int      `json:"visit,omitempty"`
	Attempt  int      `json:"attempt,omitempty"`
	Port     string   `json:"port,omitempty"`
	Ports    []string `json:"ports,omitempty"`
	Took     string   `json:"took,omitempty"`   // positions of the edges whose tokens the visit took: "0-2,5"
	Undoes   *Visit   `json:"undoes,omitempty"` // the visit whose effect this one undoes
	For      string   `json:"for,omitempty"`    // what a wait waits for, when it is not time
	Queue    string   `json:"queue,omitempty"`
	Why      string   `json:"why,omitempty"`   // of a queue that was learned
	Share    float64  `json:"share,omitempty"` // that it had of the work then
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
	Pinned   bool     `json:"pinned,omitempty"` // test run: the output stood in for the work
	Ahead    float64  `json:"ahead,omitempty"`  // test run: milliseconds of its clock before the real one
	Test     *Test    `json:"test,omitempty"`
	Text     string   `json:"text,omitempty"` // progress: what was streamed
}

// Test is how a test run is controlled.
type Test struct {
	Virtual bool     `json:"virtual,omitempty"`
	Skip    bool     `json:"skip,omitempty"`
	Step    bool     `json:"step,omitempty"`
	Breaks  []string `json:"breaks,omitempty"`
	Stop    string   `json:"stop,omitempty"`
}

// Visit names a visit.
type Visit struct {
	Scope int    `json:"scope,omitempty"`
	Node  string `json:"node"`
	Visit int    `json:"visit"`
}

// Error is what a list says of a failure.
type Error struct {
	Class   string `json:"class"`
	Message string `json:"message"`
}

const messageMax = 300

// Read makes the brief of a stored event. Of one that a newer program wrote it
// says what and when, so that the run stays readable.
func Read(stored event.Event) Brief {
	e, err := machine.Decode(stored)
	if err != nil {
		return Brief{Seq: stored.Seq, At: Millis(stored.At), Type: stored.Type, Node: stored.Node}
	}
	return Of(e)
}

// Of makes the brief of an event.
func Of(e machine.Event) Brief {
	typ, node := machine.Name(e.Fact)
	b := Brief{Seq: e.Seq, At: Millis(e.At), Type: typ, Node: node}
	switch f := e.Fact.(type) {
	case *machine.RunStarted:
		b.Trigger, b.Source, b.Port, b.Visit, b.Size = f.Trigger, f.Source, machine.PortSuccess, 1, f.Input.Size()
		if f.Only != "" { // its token starts at that node
			b.Port, b.Text = "", f.Only
		}
		if f.Item != nil { // the map itself is in another run
			b.Port, b.Trigger, b.Index = "", "", f.Item.Index
		}
	case *machine.NodeCompleted:
		b.Scope, b.Visit, b.Ports, b.Took, b.Size = f.Scope, f.Visit, f.Ports, string(f.Took), f.Output.Size()
		b.Pinned = f.Pinned
	case *machine.NodeFailed:
		b.Scope, b.Visit, b.Handled, b.Took, b.Error = f.Scope, f.Visit, f.Handled, string(f.Took), short(f.Error.Class, f.Error.Message)
		if f.Handled {
			b.Port = machine.PortFailure
		}
	case *machine.TaskScheduled:
		b.Scope, b.Visit, b.Attempt, b.Took, b.Queue, b.Priority = f.Scope, f.Visit, f.Attempt, string(f.Took), f.Queue, &f.Priority
		b.Text = f.Warning
		if f.Learned != nil {
			b.Why, b.Share = f.Learned.Why, f.Learned.ShareOf(f.Queue)
		}
		if f.Undoes != nil {
			b.Undoes = &Visit{f.Undoes.Scope, f.Undoes.Node, f.Undoes.Visit}
		}
	case *machine.TaskCompleted:
		b.Scope, b.Visit, b.Attempt, b.Port, b.Worker = f.Scope, f.Visit, f.Attempt, f.Port, f.Worker
		b.Began, b.Size = Millis(f.Began), f.Output.Size()
	case *machine.TaskFailed:
		b.Scope, b.Visit, b.Attempt, b.Worker, b.Error = f.Scope, f.Visit, f.Attempt, f.Worker, short(f.Error.Class, f.Error.Message)
		b.Began, b.RetryAt = Millis(f.Began), Millis(f.RetryAt)
	case *machine.WaitStarted:
		b.Scope, b.Visit, b.Took, b.Until, b.For = f.Scope, f.Visit, string(f.Took), Millis(f.Until), f.For
	case *machine.WaitCompleted:
		b.Scope, b.Visit, b.Port = f.Scope, f.Visit, f.Port
	case *machine.Responded:
		b.Scope, b.Visit, b.Ports, b.Took, b.Status, b.Size = f.Scope, f.Visit, f.Ports, string(f.Took), f.Status, f.Output.Size()
	default:
		more(&b, e.Fact)
	}
	return b
}

// more fills in what containers, joins and the run as a whole tell.
func more(b *Brief, f machine.Fact) {
	switch f := f.(type) {
	case *machine.TaskStarted:
		b.Scope, b.Visit, b.Attempt, b.Worker = f.Scope, f.Visit, f.Attempt, f.Worker
	case *machine.ContainerStarted:
		b.Scope, b.Visit, b.Took, b.Count, b.Runs = f.Scope, f.Visit, string(f.Took), f.Count, f.Runs
	case *machine.BodyStarted:
		b.Scope, b.Visit, b.Index, b.Opens = f.Scope, f.Visit, f.Index, f.Opens
	case *machine.BodyCompleted:
		b.Scope, b.Visit, b.Index, b.Closes = f.Scope, f.Visit, f.Index, f.Closes
	case *machine.BodyFailed:
		b.Scope, b.Visit, b.Index, b.Closes = f.Scope, f.Visit, f.Index, f.Closes
		b.RetryAt, b.Error = Millis(f.RetryAt), short(f.Error.Class, f.Error.Message)
		b.Handled = f.Kept != "" || !f.RetryAt.IsZero()
	case *machine.ContainerCompleted:
		b.Scope, b.Visit, b.Port, b.Count = f.Scope, f.Visit, f.Port, f.Bodies
	case *machine.VisitCanceled:
		b.Scope, b.Visit, b.Attempt, b.Text = f.Scope, f.Visit, f.Attempt, f.Reason
	case *machine.TokensCanceled:
		b.Scope, b.Took = f.Scope, string(f.Edges)
	case *machine.TokensAbsorbed:
		b.Scope, b.Took = f.Scope, string(f.Took)
	case *machine.RoundOpened:
		b.Scope = f.Scope
	case *machine.RoundClosed:
		b.Scope = f.Scope
	case *machine.SignalReceived:
		b.Text, b.By, b.Size = f.Name, f.By, f.Value.Size()
	case *machine.CallStarted:
		b.Scope, b.Visit, b.Took, b.Text = f.Scope, f.Visit, string(f.Took), f.Workflow
	case *machine.CallAnswered:
		b.Scope, b.Visit, b.Text = f.Scope, f.Visit, f.Child
	default:
		items(b, f)
	}
}

// items fills in what is told of items that are runs of their own.
func items(b *Brief, f machine.Fact) {
	switch f := f.(type) {
	case *machine.ItemsStarted:
		b.Scope, b.Visit, b.Index, b.Count = f.Scope, f.Visit, f.From, f.Count
	case *machine.ItemsEnded:
		b.Scope, b.Visit, b.Count, b.Failed = f.Scope, f.Visit, f.Items.Count(), f.Failed.Count()
	case *machine.ItemFailed:
		b.Scope, b.Visit, b.Index, b.Count, b.Failed = f.Scope, f.Visit, f.Index, 1, 1
		b.RetryAt, b.Error = Millis(f.RetryAt), short(f.Error.Class, f.Error.Message)
		b.Handled = !f.RetryAt.IsZero()
	case *machine.ItemsCanceled:
		b.Scope, b.Visit, b.Count, b.Text = f.Scope, f.Visit, f.Items.Count(), f.Reason
	default:
		ending(b, f)
	}
}

// ending fills in what compensations, people and the end of a run tell.
func ending(b *Brief, f machine.Fact) {
	switch f := f.(type) {
	case *machine.CompensationStarted:
		b.Scope, b.By, b.Error = f.Scope, f.By, short(f.Error.Class, f.Error.Message)
	case *machine.CompensationCompleted:
		b.Scope, b.Count = f.Scope, f.Undone
	case *machine.AttentionNeeded:
		b.Scope, b.Visit, b.Error = f.Scope, f.Visit, short(f.Error.Class, f.Error.Message)
		b.Undoes = &Visit{f.Undoes.Scope, f.Undoes.Node, f.Undoes.Visit}
	case *machine.AttentionResolved:
		b.Scope, b.Visit, b.By, b.Text = f.Scope, f.Visit, f.By, f.Action
		b.Undoes = &Visit{f.Undoes.Scope, f.Undoes.Node, f.Undoes.Visit}
	case *machine.RunPaused:
		b.By = f.By
	case *machine.RunResumed:
		b.By = f.By
	case *machine.RunFailed:
		b.Error = short(f.Error.Class, f.Error.Message)
	case *machine.RunCompensated:
		b.Error = short(f.Error.Class, f.Error.Message)
	case *machine.RunCanceled:
		b.By = f.By
	case *machine.RunSucceeded:
		b.Text = f.Stopped
	default:
		rehearsed(b, f)
	}
}

// rehearsed fills in what the controls of a test run tell.
func rehearsed(b *Brief, f machine.Fact) {
	switch f := f.(type) {
	case *machine.TestArranged:
		b.Test, b.By = &Test{f.Virtual, f.Skip, f.Step, f.Breaks, f.Stop}, f.By
	case *machine.OutputPinned:
		b.Size = f.Output.Size()
	case *machine.ClockMoved:
		b.Ahead, b.Until, b.By = millis(f.Ahead), Millis(f.Until), f.By
	case *machine.VisitHeld:
		b.Scope, b.Visit, b.Size = f.Scope, f.Visit, f.Input.Size()
	case *machine.VisitReleased:
		b.Scope, b.Visit, b.Text, b.Ahead, b.By, b.Size = f.Scope, f.Visit, f.How, millis(f.Ahead), f.By, f.Input.Size()
	}
}

func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1_000 }

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
