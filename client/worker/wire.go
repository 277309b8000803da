package worker

import (
	"context"
	"encoding/json"
	"time"
)

// Transport carries questions to the server. HTTP is the one of this package;
// package overnats has another.
type Transport interface {
	// Ask asks one question, of a lease unless it is empty. An error that is a
	// *Refusal is the server's answer; any other one is a fault on the way,
	// after which the question can be asked again.
	Ask(ctx context.Context, q Question) ([]byte, error)
	// MessageMax is how many bytes a question or an answer may have; 0: there
	// is no such limit.
	MessageMax() int
}

// Question is one question of the protocol.
type Question struct {
	Op     string
	Lease  string
	Offset int
	Body   []byte
}

// Refusal is an answer that says no.
type Refusal struct {
	Status int // as in HTTP
	Detail string
}

// Error is the server's sentence.
func (r *Refusal) Error() string { return r.Detail }

// later reports whether asking again makes sense: the server is busy, or a slow
// line took too long.
func (r *Refusal) later() bool {
	return r.Status == statusSlow || r.Status == statusBusy || r.Status >= 500
}

// stranger reports whether it is the token that is refused.
func (r *Refusal) stranger() bool { return r.Status == 401 || r.Status == 403 }

// unusable reports whether it is what was brought that is refused.
func (r *Refusal) unusable() bool {
	return !r.later() && !r.stranger() && r.Status != statusUnknown
}

// answer is what the server says. What stands between may answer 200, too, with
// some JSON of its own: only what has what the server always says is its word.
type answer interface{ whole() bool }

// Type is a task type as people see it in the palette. Input and Output are
// JSON Schemas, as text or as a value that becomes one; nil: anything.
type Type struct {
	Name        string `json:"name"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	Icon        string `json:"icon,omitempty"` // a name of lucide.dev
	Input       any    `json:"input,omitempty"`
	Output      any    `json:"output,omitempty"`
}

// Task is one attempt of one node of one run.
type Task struct {
	Type     string          `json:"type"`
	Kind     string          `json:"kind,omitempty"`     // of a step of the program's own, for HandleStep; empty: an external task
	Location string          `json:"location,omitempty"` // that the task asks for
	Input    json.RawMessage `json:"input"`
	Key      string          `json:"key"` // idempotency key: the same for every delivery and attempt
	Workflow string          `json:"workflow"`
	Run      string          `json:"run"`
	Node     string          `json:"node"`
	Visit    int             `json:"visit"`
	Attempt  int             `json:"attempt"`

	Lease            string  `json:"lease"`
	InputBytes       int     `json:"input_bytes"`
	LeaseSeconds     float64 `json:"lease_seconds"`
	HeartbeatSeconds float64 `json:"heartbeat_seconds"`
	TimeoutSeconds   float64 `json:"timeout_seconds"`

	progress func(string)
}

// Bind reads the input into a value.
func (t *Task) Bind(v any) error { return json.Unmarshal(t.Input, v) } //nolint:wrapcheck // says where

// Progress shows text to whoever watches the run: words of a model as they
// come, lines of a log. It may be lost and never blocks.
func (t *Task) Progress(text string) {
	if t.progress != nil {
		t.progress(text)
	}
}

// Failure is an error with a class, which retry policies name.
type Failure struct {
	Class      string // for example unavailable, rate_limited, invalid_input; empty is internal
	Message    string
	Details    any
	RetryAfter time.Duration
}

// Fail makes a failure without details.
func Fail(class, message string) *Failure { return &Failure{Class: class, Message: message} }

// Error is the class with the sentence.
func (f *Failure) Error() string { return f.Class + ": " + f.Message }

type announcement struct {
	Worker   string `json:"worker"`
	Location string `json:"location,omitempty"`
	Types    []Type `json:"types,omitempty"`
	Steps    bool   `json:"steps,omitempty"`
}

type request struct {
	Worker      string   `json:"worker"`
	Location    string   `json:"location,omitempty"`
	Types       []string `json:"types,omitempty"`
	Steps       bool     `json:"steps,omitempty"`
	Lease       float64  `json:"lease_seconds,omitempty"`
	Max         int      `json:"max,omitempty"`
	WaitSeconds float64  `json:"wait_seconds,omitempty"`
	InlineBytes int      `json:"inline_bytes,omitempty"`
}

type welcome struct {
	AliveSeconds float64 `json:"alive_seconds"`
}

func (w *welcome) whole() bool { return w.AliveSeconds > 0 }

type taken struct {
	Tasks []*Task `json:"tasks"`
}

func (t *taken) whole() bool { return t.Tasks != nil }

type piece struct {
	Data []byte `json:"data"`
	More bool   `json:"more"`
}

func (p *piece) whole() bool { return len(p.Data) > 0 }

type beat struct {
	Progress string `json:"progress,omitempty"`
}

type held struct {
	State string `json:"state"`
	Why   string `json:"why"`
	Open  bool   `json:"open"` // over, but nobody has ended the attempt yet
}

func (h *held) whole() bool { return h.State != "" }

type fault struct {
	Class             string  `json:"class,omitempty"`
	Message           string  `json:"message"`
	Details           any     `json:"details,omitempty"`
	RetryAfterSeconds float64 `json:"retry_after_seconds,omitempty"`
}

type outcome struct {
	Outcome string `json:"outcome"`
	Class   string `json:"class"`
	Message string `json:"message"`
	Open    bool   `json:"open"` // stale, but nobody has ended the attempt yet
}

func (o *outcome) whole() bool {
	switch o.Outcome {
	case "committed", "refused", "stale", "pending":
		return true
	}
	return false
}

type release struct {
	Died bool `json:"died"` // the process that had it died over it
}

type notices struct {
	Canceled []string `json:"canceled"`
}

func (n *notices) whole() bool { return n.Canceled != nil }
