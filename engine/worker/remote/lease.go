package remote

import (
	"crypto/rand"
	"encoding/json"
	"strings"
	"time"

	"signalbox/engine/route"
	"signalbox/engine/task"
	"signalbox/engine/worker"
	"signalbox/engine/worker/shape"
)

// lease is a task in the hands of a worker, or on its way there. The office's
// lock guards what changes.
type lease struct {
	id     string
	queue  string
	config config
	shape  *shape.Shape
	call   *worker.Call // nil when it is over
	key    attemptKey
	work   string // workspace
	run    string
	began  time.Time

	by      Caller
	worker  string
	silence time.Duration // how long it may be silent
	longer  time.Duration // the same, as soon as it has said that the task is there: the answer may be lost
	ends    time.Time     // silence beyond it ends the lease
	clock   *time.Timer   // rings then
	word    chan report   // what the worker says at the end; one at most
	parts   []byte        // of an output that comes in pieces

	state   string
	why     string
	said    bool // the worker's word is on its way
	outcome *Outcome
	settled chan struct{} // closed when there is an outcome
}

// config is the configuration of an external task.
type config struct {
	Type   string          `json:"type"`
	Input  json.RawMessage `json:"input"`
	Lease  string          `json:"lease"`
	Result json.RawMessage `json:"result_schema"`

	kind string // of a step of the program's own; empty: an external task
}

// report is a worker's last word on a task.
type report struct {
	output  json.RawMessage
	failure *worker.Failure
	back    bool // the task is given back
}

func (c *config) silence() time.Duration {
	if d, err := time.ParseDuration(c.Lease); err == nil && d > 0 {
		return min(max(d, leaseMin), leaseMax)
	}
	return leaseUsual
}

// newLease makes a lease that nobody holds yet. Its name begins with that of
// the server which knows it.
func newLease(server string, call *worker.Call, cfg config, form *shape.Shape) *lease {
	return &lease{
		id: server + "." + rand.Text(), queue: call.Task.Queue, config: cfg, shape: form, call: call, key: attemptOf(&call.Task),
		work: call.Task.Workspace, run: call.Task.Run,
		word: make(chan report, 1), settled: make(chan struct{}), state: StateHeld,
	}
}

// serverOf is who knows a lease.
func serverOf(lease string) string {
	server, _, _ := strings.Cut(lease, ".")
	return server
}

// attemptOf names an attempt over all its deliveries.
func attemptOf(t *task.Task) attemptKey {
	return attemptKey{t.Run, t.Node, t.Scope, t.Visit, t.Attempt}
}

type attemptKey struct {
	run, node             string
	scope, visit, attempt int
}

// told is the task as its worker gets it, without its input when that is
// larger than there is room.
func (l *lease) told(bounded bool, room int) Task {
	t := &l.call.Task
	_, location := route.Served(t.Queue)
	beat := l.config.silence() / 3 // a longer lease is for a line that fails, and no reason to say less
	out := Task{
		Lease: l.id, Type: l.config.Type, Kind: l.config.kind, Location: location, Input: l.config.Input, InputBytes: len(l.config.Input), Key: t.Key, Workflow: t.Workflow, Run: t.Run, Node: t.Node,
		Visit: t.Visit, Attempt: t.Attempt, LeaseSeconds: seconds(l.longer), HeartbeatSeconds: seconds(beat), TimeoutSeconds: seconds(t.Timeout),
	}
	if bounded && len(out.Input) > room {
		out.Input = nil
	}
	return out
}

// over ends a lease; what a worker says later is answered with why. The
// office's lock is held.
func (l *lease) over(state, why string) {
	if l.state != StateHeld {
		return
	}
	l.state, l.why = state, why
	if !l.said {
		l.end(&Outcome{Outcome: OutcomeStale, Message: why})
	}
}

// end says what became of the result. The office's lock is held.
func (l *lease) end(o *Outcome) {
	if l.outcome == nil {
		l.outcome = o
		close(l.settled)
	}
}

// free lets go of what is large. The office's lock is held.
func (l *lease) free() { l.call, l.parts, l.config, l.shape = nil, nil, config{}, nil }
