package machine

import (
	"encoding/json"
	"time"

	"signalbox/engine/event"
	"signalbox/engine/route"
)

// Fact is the typed content of an event. The set is closed; each type's name
// is the event's type on disk. Scope is where the node is visited: 0 is the
// run itself.
type Fact interface{ fact() }

// RunStarted opens the log. The trigger's visit is over with it: its token
// leaves on port success.
type RunStarted struct {
	Trigger    string          `json:"trigger"` // node key
	Input      event.Value     `json:"input"`
	Attributes json.RawMessage `json:"attributes,omitempty"`
	Source     string          `json:"source"`
	Only       string          `json:"only,omitempty"` // test run: key of the node that runs by itself
	Given      event.Value     `json:"given,omitzero"` // its input
	Item       *Item           `json:"item,omitempty"` // the run is an item of the map Trigger; nil: it is none
}

// NodeCompleted is a whole visit of a node whose work is inside the machine,
// or of a join whose deadline passed.
type NodeCompleted struct {
	Node   string      `json:"-"`
	Scope  int         `json:"scope,omitempty"`
	Visit  int         `json:"visit"`
	Took   Edges       `json:"took"`
	Ports  []string    `json:"ports"` // where its tokens left
	Output event.Value `json:"output,omitzero"`
	Point  *Point      `json:"point,omitempty"`   // a metric's
	Said   *Statement  `json:"outcome,omitempty"` // an outcome's
	Pinned bool        `json:"pinned,omitempty"`  // test run: it was not run, its output stood in for it
}

// NodeFailed is a visit that ended in failure for good. Took is set when the
// visit began with it (work inside the machine). Handled: a token left on the
// failure port.
type NodeFailed struct {
	Node    string      `json:"-"`
	Scope   int         `json:"scope,omitempty"`
	Visit   int         `json:"visit"`
	Took    Edges       `json:"took,omitempty"`
	Error   event.Error `json:"error"`
	Handled bool        `json:"handled,omitempty"`
}

// TaskScheduled puts an attempt into its queue. The first attempt begins the
// visit and takes the tokens, undoes another visit, or does a task of a
// statechart.
type TaskScheduled struct {
	Node     string      `json:"-"`
	Scope    int         `json:"scope,omitempty"`
	Visit    int         `json:"visit"`
	Attempt  int         `json:"attempt"`
	Took     Edges       `json:"took,omitempty"`
	Undoes   *VisitRef   `json:"undoes,omitempty"`
	Serves   *Serves     `json:"serves,omitempty"`
	Queue    string      `json:"queue"`
	Priority int         `json:"priority"`        // 0 critical .. 3 low
	Config   event.Value `json:"config,omitzero"` // resolved; a retry names none and uses the first one's

	Labels         map[string]string `json:"labels,omitempty"`          // as the configuration: only the first attempt names them
	ConcurrencyKey string            `json:"concurrency_key,omitempty"` // the same
	RateKey        string            `json:"rate_key,omitempty"`        // the same
	Warning        string            `json:"warning,omitempty"`         // what could not be understood about it
	Learned        *route.Learned    `json:"learned,omitempty"`         // why this queue: only the first attempt, where a rule learns
}

// VisitRef names a visit.
type VisitRef struct {
	Scope int    `json:"scope,omitempty"`
	Node  string `json:"node"`
	Visit int    `json:"visit"`
}

// TaskStarted says that a worker has begun, where the time in the queue is
// limited.
type TaskStarted struct {
	Node    string `json:"-"`
	Scope   int    `json:"scope,omitempty"`
	Visit   int    `json:"visit"`
	Attempt int    `json:"attempt"`
	Worker  string `json:"worker,omitempty"`
}

// TaskCompleted ends the visit: its tokens leave on Port.
type TaskCompleted struct {
	Node    string      `json:"-"`
	Scope   int         `json:"scope,omitempty"`
	Visit   int         `json:"visit"`
	Attempt int         `json:"attempt"`
	Port    string      `json:"port"`
	Output  event.Value `json:"output,omitzero"`
	Worker  string      `json:"worker,omitempty"`
	Began   time.Time   `json:"began,omitzero"`
}

// TaskFailed ends an attempt. RetryAt: another one follows then; without it a
// NodeFailed follows in the same step. Late: the engine's clock ended it, not
// a worker.
type TaskFailed struct {
	Node    string      `json:"-"`
	Scope   int         `json:"scope,omitempty"`
	Visit   int         `json:"visit"`
	Attempt int         `json:"attempt"`
	Error   event.Error `json:"error"`
	RetryAt time.Time   `json:"retry_at,omitzero"`
	Late    bool        `json:"late,omitempty"`
	Worker  string      `json:"worker,omitempty"`
	Began   time.Time   `json:"began,omitzero"`
}

// WaitStarted begins a visit that waits: for a time, a signal, a person or a
// call. Until is when it stops waiting, if ever.
type WaitStarted struct {
	Node        string      `json:"-"`
	Scope       int         `json:"scope,omitempty"`
	Visit       int         `json:"visit"`
	Took        Edges       `json:"took"`
	For         string      `json:"for,omitempty"` // time (empty), signal, human, callback
	Name        string      `json:"name,omitempty"`
	Correlation string      `json:"correlation,omitempty"`
	From        time.Time   `json:"from,omitzero"`   // signal: one that came since then counts
	Config      event.Value `json:"config,omitzero"` // human: what to show
	Until       time.Time   `json:"until,omitzero"`

	Starts []ChartStart `json:"starts,omitempty"` // callback: the call that hands its address out
}

// What a wait waits for, beside time.
const (
	ForSignal   = "signal"
	ForHuman    = "human"
	ForCallback = "callback"
)

// WaitCompleted ends it. Its output is what came: a signal, an answer, what a
// called run gave, or the value that the visit took.
type WaitCompleted struct {
	Node   string      `json:"-"`
	Scope  int         `json:"scope,omitempty"`
	Visit  int         `json:"visit"`
	Port   string      `json:"port"`
	Signal int         `json:"signal,omitempty"` // event of the signal that it consumed
	Output event.Value `json:"output,omitzero"`
	By     string      `json:"by,omitempty"`
}

// SignalReceived keeps a message from outside until a wait consumes it.
type SignalReceived struct {
	Name        string      `json:"name"`
	Correlation string      `json:"correlation,omitempty"`
	ID          string      `json:"id,omitempty"` // the sender's, so that it counts once
	Value       event.Value `json:"value"`
	By          string      `json:"by,omitempty"`
}

// CallStarted begins a visit that is another run.
type CallStarted struct {
	Node     string      `json:"-"`
	Scope    int         `json:"scope,omitempty"`
	Visit    int         `json:"visit"`
	Took     Edges       `json:"took"`
	Workflow string      `json:"workflow"`          // id or name
	Version  string      `json:"version,omitempty"` // empty: the latest
	Input    event.Value `json:"input"`
	Detached bool        `json:"detached,omitempty"` // goes on without waiting for its end
}

// CallAnswered says which run the call became.
type CallAnswered struct {
	Node  string `json:"-"`
	Scope int    `json:"scope,omitempty"`
	Visit int    `json:"visit"`
	Child string `json:"child"` // run id
}

// ChartMoved is a step of a statechart: an event moved it, or it began (Took)
// or nothing could (no such event is written). State is all that is known of it
// afterwards; Timers are those that are set then.
type ChartMoved struct {
	Node    string       `json:"-"`
	Scope   int          `json:"scope,omitempty"`
	Visit   int          `json:"visit"`
	Began   bool         `json:"began,omitempty"`
	Took    Edges        `json:"took,omitempty"`
	Event   string       `json:"event,omitempty"`
	Active  []string     `json:"active"` // ids of states, for people
	State   event.Value  `json:"state"`
	Timers  []ChartTimer `json:"timers,omitempty"`
	Actions []string     `json:"actions,omitempty"` // named actions, which nobody here performs
	Starts  []ChartStart `json:"starts,omitempty"`  // tasks that are wanted from here on
	Stops   []string     `json:"stops,omitempty"`   // tasks that no longer are
	Answers string       `json:"answers,omitempty"` // the task whose end moved it
	By      string       `json:"by,omitempty"`
}

// ChartTimer is a delay of a statechart.
type ChartTimer struct {
	ID string    `json:"id"`
	At time.Time `json:"at"`
}

// ContainerStarted begins the visit of a container.
type ContainerStarted struct {
	Node  string      `json:"-"`
	Scope int         `json:"scope,omitempty"`
	Visit int         `json:"visit"`
	Took  Edges       `json:"took"`
	Count int         `json:"count,omitempty"` // map: number of items
	Items event.Value `json:"items,omitzero"`  // map: the list

	Runs   bool        `json:"runs,omitempty"`  // map: each item is a run of its own
	Around event.Value `json:"around,omitzero"` // what those see of the outside
}

// BodyStarted opens a scope. Its entry nodes get the container's input, the
// item, or what the last round of the loop gave.
type BodyStarted struct {
	Node  string `json:"-"`
	Scope int    `json:"scope,omitempty"` // where the container is visited
	Visit int    `json:"visit"`
	Index int    `json:"index"`
	Opens int    `json:"opens"` // id of the new scope; they count up over the run
}

// BodyCompleted closes a scope in which no token is left.
type BodyCompleted struct {
	Node    string      `json:"-"`
	Scope   int         `json:"scope,omitempty"`
	Visit   int         `json:"visit"`
	Index   int         `json:"index"`
	Closes  int         `json:"closes"`
	Results []ResultRef `json:"results"`
	Keyed   bool        `json:"keyed,omitempty"`
}

// BodyFailed closes a scope from which an error went up. Kept says what a map
// makes of it: skip (no result), collect (the error as the result).
type BodyFailed struct {
	Node    string      `json:"-"`
	Scope   int         `json:"scope,omitempty"`
	Visit   int         `json:"visit"`
	Index   int         `json:"index"`
	Closes  int         `json:"closes"`
	Error   event.Error `json:"error"`
	Kept    string      `json:"kept,omitempty"`
	RetryAt time.Time   `json:"retry_at,omitzero"` // the container begins anew then
}

// ContainerCompleted ends the visit of a container. Its output is named by the
// events of its bodies: the last result, or for a map the list of all.
type ContainerCompleted struct {
	Node   string `json:"-"`
	Scope  int    `json:"scope,omitempty"`
	Visit  int    `json:"visit"`
	Port   string `json:"port"`
	Bodies int    `json:"bodies"`
	Failed int    `json:"failed,omitempty"`

	Output event.Value `json:"output,omitzero"` // of a map whose items are runs: their results
}

// ItemsStarted opens the next items of a map, as runs of their own.
type ItemsStarted struct {
	Node  string `json:"-"`
	Scope int    `json:"scope,omitempty"`
	Visit int    `json:"visit"`
	From  int    `json:"from"`
	Count int    `json:"count"`
}

// ItemsEnded says that items are over. Results is an object of what they gave,
// by item. Kept says what the map makes of those that failed: skip, collect.
type ItemsEnded struct {
	Node    string      `json:"-"`
	Scope   int         `json:"scope,omitempty"`
	Visit   int         `json:"visit"`
	Items   Edges       `json:"items"`
	Failed  Edges       `json:"failed,omitempty"`
	Kept    string      `json:"kept,omitempty"`
	Results event.Value `json:"results,omitzero"`
}

// ItemFailed is an item whose failure its map does not keep.
type ItemFailed struct {
	Node    string      `json:"-"`
	Scope   int         `json:"scope,omitempty"`
	Visit   int         `json:"visit"`
	Index   int         `json:"index"`
	Error   event.Error `json:"error"`
	RetryAt time.Time   `json:"retry_at,omitzero"` // the map begins anew then
}

// ItemsCanceled ends items that are open from outside.
type ItemsCanceled struct {
	Node    string `json:"-"`
	Scope   int    `json:"scope,omitempty"`
	Visit   int    `json:"visit"`
	Attempt int    `json:"attempt"` // of the map
	Items   Edges  `json:"items"`
	Reason  string `json:"reason"`
}

// VisitCanceled ends a live visit from outside: a join that cancels, a scope
// that failed, a person. Keeps: a transaction around may have to undo the
// effect of its task, so that the result is waited for there.
type VisitCanceled struct {
	Node    string `json:"-"`
	Scope   int    `json:"scope,omitempty"`
	Visit   int    `json:"visit"`
	Attempt int    `json:"attempt,omitempty"` // of the task that is withdrawn
	Child   string `json:"child,omitempty"`   // run that is to be canceled
	Keeps   int    `json:"keeps,omitempty"`   // 1 + scope that waits for the task
	Reason  string `json:"reason"`
}

// TokensCanceled ends the tokens on edges because the join Node fires and
// cancels the others. On the join's own edges the first of each stays: it is
// taken next.
type TokensCanceled struct {
	Node  string `json:"-"`
	Scope int    `json:"scope,omitempty"`
	Edges Edges  `json:"edges"`
}

// RoundOpened comes before the visit of a join that will absorb the tokens of
// the others; Gave are the edges that the visit takes from.
type RoundOpened struct {
	Node  string `json:"-"`
	Scope int    `json:"scope,omitempty"`
	Gave  Edges  `json:"gave"`
}

// TokensAbsorbed swallows one token from each edge of a join.
type TokensAbsorbed struct {
	Node  string `json:"-"`
	Scope int    `json:"scope,omitempty"`
	Took  Edges  `json:"took"`
}

// RoundClosed makes the join ready again.
type RoundClosed struct {
	Node  string `json:"-"`
	Scope int    `json:"scope,omitempty"`
}

// CompensationStarted begins to undo what was completed in a scope and in the
// scopes within, which close. Tasks in flight that can be undone are waited
// for. All: also what no transaction covers.
type CompensationStarted struct {
	Scope int         `json:"scope,omitempty"`
	Error event.Error `json:"error"`
	All   bool        `json:"all,omitempty"`
	By    string      `json:"by,omitempty"`
}

// CompensationCompleted: nothing is left to undo in the scope.
type CompensationCompleted struct {
	Scope  int `json:"scope,omitempty"`
	Undone int `json:"undone"`
}

// AttentionNeeded: a compensation failed for good. A person decides.
type AttentionNeeded struct {
	Node   string      `json:"-"`
	Scope  int         `json:"scope,omitempty"`
	Visit  int         `json:"visit"`
	Undoes VisitRef    `json:"undoes"`
	Error  event.Error `json:"error"`
}

// AttentionResolved is that decision: retry, skip or complete.
type AttentionResolved struct {
	Node   string   `json:"-"`
	Scope  int      `json:"scope,omitempty"`
	Visit  int      `json:"visit"`
	Undoes VisitRef `json:"undoes"`
	Action string   `json:"action"`
	By     string   `json:"by"`
}

// Responded answers whoever waits for this run, and is a whole visit.
type Responded struct {
	Node    string            `json:"-"`
	Scope   int               `json:"scope,omitempty"`
	Visit   int               `json:"visit"`
	Took    Edges             `json:"took"`
	Ports   []string          `json:"ports"`
	Status  int               `json:"status"`
	Headers map[string]string `json:"headers,omitempty"`
	Output  event.Value       `json:"output"` // the body
}

// RunPaused: nothing new starts; what comes is kept.
type RunPaused struct {
	By string `json:"by"`
}

// RunResumed lets it go on.
type RunResumed struct {
	By string `json:"by"`
}

// RunSucceeded closes the log: no token is left. Results name the events whose
// outputs are the run's result: one, or several keyed by node.
type RunSucceeded struct {
	Results []ResultRef `json:"results"`
	Keyed   bool        `json:"keyed,omitempty"`
	Stopped string      `json:"stopped,omitempty"` // test run: the node behind which it was to stop
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

// RunCompensated closes the log of a run that failed and whose effects are
// undone.
type RunCompensated struct {
	Error event.Error `json:"error"`
}

// RunCanceled closes the log.
type RunCanceled struct {
	By     string `json:"by"`
	Reason string `json:"reason,omitempty"`
}

// Edges is the set of incoming edges that gave a token, as ranges of their
// positions in the machine ("0-2,5"), so that a join of a thousand branches
// stays one small event. From each the first token in line was taken.
type Edges string
