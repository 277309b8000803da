package remote

import (
	"encoding/json"
	"time"
)

// The questions that a worker can ask. Those with a lease name it.
const (
	OpAnnounce = "announce" // Announcement -> Welcome
	OpTake     = "take"     // Request -> Taken
	OpInput    = "input"    // lease, offset -> Piece: an input too large to be told with its task
	OpBeat     = "beat"     // lease, Beat -> Held
	OpPart     = "part"     // lease, offset, bytes of an output -> Held
	OpComplete = "complete" // lease, the output (or none behind parts) -> Outcome
	OpFail     = "fail"     // lease, Fault -> Outcome
	OpRelease  = "release"  // lease, Release -> Held: the task is given back
	OpNotices  = "notices"  // Request -> Notices
	OpLeave    = "leave"    // Request -> Held
)

// Caller is who asks. Only a credential says it.
type Caller struct {
	Workspace string `json:"workspace"`
	User      string `json:"user"`
	Token     string `json:"token"` // id, never the secret
	Name      string `json:"name"`  // of the person behind the token
}

// Question is what one asks.
type Question struct {
	Op     string `json:"op"`
	Lease  string `json:"lease,omitempty"`
	Offset int    `json:"offset,omitempty"`
	Body   []byte `json:"body,omitempty"`
}

// Announcement says which task types a worker does.
type Announcement struct {
	Worker   string `json:"worker" minLength:"1" maxLength:"80" doc:"Name of this worker, unique in the workspace"`
	Location string `json:"location,omitempty" maxLength:"40" doc:"Where this worker is, for example shop-7; empty: nowhere in particular"`
	Types    []Type `json:"types,omitempty" maxItems:"50"`
	Steps    bool   `json:"steps,omitempty" doc:"It also does the program's own steps that a route sends to its location"`
}

// Type is a task type as a worker announces it.
type Type struct {
	Name        string          `json:"name" pattern:"^[a-z][a-z0-9_-]{0,59}$" doc:"The type that a node names"`
	Title       string          `json:"title,omitempty" maxLength:"80" doc:"For people; empty: the name"`
	Description string          `json:"description,omitempty" maxLength:"500"`
	Icon        string          `json:"icon,omitempty" maxLength:"40" doc:"Name of an icon of Lucide"`
	Input       json.RawMessage `json:"input,omitempty" doc:"JSON Schema of the input: the form is made from it"`
	Output      json.RawMessage `json:"output,omitempty" doc:"JSON Schema of the result"`
}

// Welcome answers an announcement.
type Welcome struct {
	Types        int     `json:"types"`
	AliveSeconds float64 `json:"alive_seconds" doc:"A worker that asks for nothing so long counts as gone"`
}

// Request asks for tasks, or for notices.
type Request struct {
	Worker      string   `json:"worker" minLength:"1" maxLength:"80"`
	Location    string   `json:"location,omitempty" maxLength:"40" doc:"Where this worker is: it also gets the tasks that ask for this location"`
	Types       []string `json:"types,omitempty" maxItems:"50" doc:"Task types to take; the most urgent task of the first type with one comes first"`
	Steps       bool     `json:"steps,omitempty" doc:"Also take the program's own steps that a route sends to at:<location>"`
	Lease       float64  `json:"lease_seconds,omitempty" minimum:"0" maximum:"600" doc:"How long this worker may be silent over a task, for a line that fails now and then; the node's own lease holds if it is longer; 0: the node's"`
	Max         int      `json:"max,omitempty" minimum:"0" maximum:"100" doc:"Tasks at most; 0 is 1"`
	WaitSeconds float64  `json:"wait_seconds,omitempty" minimum:"0" maximum:"30" doc:"How long to wait for the first"`
	InlineBytes int      `json:"inline_bytes,omitempty" minimum:"0" doc:"Bytes of inputs that the answer may have; what does not fit is asked for in pieces; 0: everything fits"`
}

// Taken is what was handed out.
type Taken struct {
	Tasks []Task `json:"tasks"`
}

// Task is one attempt of one visit, held by a lease.
type Task struct {
	Lease            string          `json:"lease" doc:"Names the task in all that follows; keep it secret"`
	Type             string          `json:"type"`
	Kind             string          `json:"kind,omitempty" doc:"Of a step of the program's own, for example http, whose configuration is the input; empty: an external task"`
	Location         string          `json:"location,omitempty" doc:"The location that the task asks for"`
	Input            json.RawMessage `json:"input,omitempty"`
	InputBytes       int             `json:"input_bytes" doc:"Length of the input, also when it is not told here"`
	Key              string          `json:"key" doc:"Idempotency key: the same for every delivery and attempt of this visit"`
	Workflow         string          `json:"workflow"`
	Run              string          `json:"run"`
	Node             string          `json:"node"`
	Visit            int             `json:"visit"`
	Attempt          int             `json:"attempt"`
	LeaseSeconds     float64         `json:"lease_seconds" doc:"Silence after which the task goes to another worker"`
	HeartbeatSeconds float64         `json:"heartbeat_seconds" doc:"How often to say that it is at work"`
	TimeoutSeconds   float64         `json:"timeout_seconds" doc:"After which the attempt fails"`
}

// Piece is a part of an input.
type Piece struct {
	Data []byte `json:"data"`
	More bool   `json:"more"`
}

// Beat says that the worker is still at work.
type Beat struct {
	Progress string `json:"progress,omitempty" maxLength:"65536" doc:"Text for whoever watches the run: tokens of a model, a line of a log. It may be lost"`
}

// States of a lease.
const (
	StateHeld     = "held"
	StateCanceled = "canceled" // nobody wants the result any more: stop
	StateOver     = "over"     // ended otherwise; Why says how
)

// Held is what became of a lease.
type Held struct {
	State        string  `json:"state" enum:"held,canceled,over"`
	Why          string  `json:"why,omitempty"`
	LeaseSeconds float64 `json:"lease_seconds,omitempty" doc:"From now on"`
	Open         bool    `json:"open,omitempty" doc:"over only: nobody has ended the attempt yet, the task may be handed to you again"`
}

// Fault is how a worker fails a task.
type Fault struct {
	Class             string          `json:"class,omitempty" maxLength:"60" doc:"What retry policies name, for example unavailable; empty is internal"`
	Message           string          `json:"message" doc:"A sentence for people; what is longer than 2,000 characters is cut"`
	Details           json.RawMessage `json:"details,omitempty"`
	RetryAfterSeconds float64         `json:"retry_after_seconds,omitempty" minimum:"0" doc:"A day at most"`
}

// How a result was taken.
const (
	OutcomeCommitted = "committed" // the engine has it on disk
	OutcomeRefused   = "refused"   // the engine has on disk that the attempt failed: the result was not usable
	OutcomeStale     = "stale"     // nobody wants it any more; it changed nothing
	OutcomePending   = "pending"   // not on disk yet; ask again, or let it be: it is not lost
)

// Outcome answers a result.
type Outcome struct {
	Outcome string `json:"outcome" enum:"committed,refused,stale,pending"`
	Class   string `json:"class,omitempty" doc:"Of the failure, when it was refused"`
	Message string `json:"message,omitempty"`
	// Open goes with stale: the lease was over, but no other worker has ended
	// the attempt yet. Who keeps the result can bring it when the task is handed
	// out again.
	Open bool `json:"open,omitempty" doc:"stale only: nobody has ended the attempt yet; keep the result, and bring it if the task is handed to you again"`
}

// Release gives a task back.
type Release struct {
	Died bool `json:"died,omitempty" doc:"The process that had it died over it. That counts as a worker that fell silent: the third ends the attempt"`
}

// Notices name leases that a worker should let go.
type Notices struct {
	Canceled []string `json:"canceled"`
}

// seconds is a duration for people who write JSON.
func seconds(d time.Duration) float64 { return d.Seconds() }

// duration is the inverse.
func duration(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
