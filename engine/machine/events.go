package machine

import (
	"encoding/json"
	"time"

	"signalbox/engine/event"
)

// Fact is the typed content of an event. The set is closed; each type's name
// is the event's type on disk.
type Fact interface{ fact() }

// RunStarted opens the log. The trigger's visit is over with it: its token
// leaves on port success.
type RunStarted struct {
	Trigger    string          `json:"trigger"` // node key
	Input      event.Value     `json:"input"`
	Attributes json.RawMessage `json:"attributes,omitempty"`
	Source     string          `json:"source"`
}

// NodeCompleted is a whole visit of a node whose work is inside the machine.
type NodeCompleted struct {
	Node   string      `json:"-"`
	Visit  int         `json:"visit"`
	Took   Edges       `json:"took"`
	Ports  []string    `json:"ports"` // where its tokens left
	Output event.Value `json:"output,omitzero"`
}

// NodeFailed is a visit that ended in failure for good. Took is set when the
// visit began with it (work inside the machine). Handled: a token left on the
// failure port.
type NodeFailed struct {
	Node    string      `json:"-"`
	Visit   int         `json:"visit"`
	Took    Edges       `json:"took,omitempty"`
	Error   event.Error `json:"error"`
	Handled bool        `json:"handled,omitempty"`
}

// TaskScheduled puts an attempt into its queue. The first attempt begins the
// visit and takes the tokens.
type TaskScheduled struct {
	Node     string      `json:"-"`
	Visit    int         `json:"visit"`
	Attempt  int         `json:"attempt"`
	Took     Edges       `json:"took,omitempty"`
	Queue    string      `json:"queue"`
	Priority int         `json:"priority"`        // 0 critical .. 3 low
	Config   event.Value `json:"config,omitzero"` // resolved; a retry names none and uses the first one's
}

// TaskCompleted ends the visit: its tokens leave on Port.
type TaskCompleted struct {
	Node    string      `json:"-"`
	Visit   int         `json:"visit"`
	Attempt int         `json:"attempt"`
	Port    string      `json:"port"`
	Output  event.Value `json:"output,omitzero"`
	Worker  string      `json:"worker,omitempty"`
	Began   time.Time   `json:"began,omitzero"`
}

// TaskFailed ends an attempt. RetryAt: another one follows then; without it a
// NodeFailed follows in the same step.
type TaskFailed struct {
	Node    string      `json:"-"`
	Visit   int         `json:"visit"`
	Attempt int         `json:"attempt"`
	Error   event.Error `json:"error"`
	RetryAt time.Time   `json:"retry_at,omitzero"`
	Worker  string      `json:"worker,omitempty"`
	Began   time.Time   `json:"began,omitzero"`
}

// WaitStarted begins a visit that waits for a time.
type WaitStarted struct {
	Node  string    `json:"-"`
	Visit int       `json:"visit"`
	Took  Edges     `json:"took"`
	Until time.Time `json:"until"`
}

// WaitCompleted ends it. Its output is the value that the visit took.
type WaitCompleted struct {
	Node  string `json:"-"`
	Visit int    `json:"visit"`
	Port  string `json:"port"`
}

// Responded answers whoever waits for this run, and is a whole visit.
type Responded struct {
	Node    string            `json:"-"`
	Visit   int               `json:"visit"`
	Took    Edges             `json:"took"`
	Ports   []string          `json:"ports"`
	Status  int               `json:"status"`
	Headers map[string]string `json:"headers,omitempty"`
	Output  event.Value       `json:"output"` // the body
}

// RunSucceeded closes the log: no token is left. Results name the events whose
// outputs are the run's result: one, or several keyed by node.
type RunSucceeded struct {
	Results []ResultRef `json:"results"`
	Keyed   bool        `json:"keyed,omitempty"`
}

// ResultRef names the output of one event.
type ResultRef struct {
	Node string `json:"node"` // key
	Seq  int    `json:"seq"`
}

// RunFailed closes the log.
type RunFailed struct {
	Error event.Error `json:"error"`
}

// RunCanceled closes the log.
type RunCanceled struct {
	By     string `json:"by"`
	Reason string `json:"reason,omitempty"`
}

func (*RunStarted) fact()    {}
func (*NodeCompleted) fact() {}
func (*NodeFailed) fact()    {}
func (*TaskScheduled) fact() {}
func (*TaskCompleted) fact() {}
func (*TaskFailed) fact()    {}
func (*WaitStarted) fact()   {}
func (*WaitCompleted) fact() {}
func (*Responded) fact()     {}
func (*RunSucceeded) fact()  {}
func (*RunFailed) fact()     {}
func (*RunCanceled) fact()   {}

// Edges is the set of incoming edges that gave a token, as ranges of their
// positions in the machine ("0-2,5"), so that a join of a thousand branches
// stays one small event. From each the first token in line was taken.
type Edges string
