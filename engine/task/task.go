// Package task is the work of one attempt as it travels between the engine
// and a worker. It is pure: types and their JSON, no I/O.
package task

import (
	"encoding/json"
	"time"

	"signalbox/engine/event"
)

// Priorities, most urgent first: the number is the subject token.
const (
	Critical = 0
	High     = 1
	Normal   = 2
	Low      = 3
)

// Task is one attempt of one visit, handed to a worker.
type Task struct {
	Workspace string          `json:"workspace"`
	Workflow  string          `json:"workflow"` // id
	Run       string          `json:"run"`      // uuid
	Shard     int             `json:"shard"`    // whose owner wants the result
	Node      string          `json:"node"`     // key
	Scope     int             `json:"scope,omitempty"`
	Visit     int             `json:"visit"`
	Attempt   int             `json:"attempt"`
	Kind      string          `json:"kind"`
	Queue     string          `json:"queue"`
	Priority  int             `json:"priority"`
	Config    event.Value     `json:"config"`  // resolved configuration: no expression is left in it
	Key       string          `json:"key"`     // idempotency key: the same for every delivery and attempt of the visit
	Timeout   time.Duration   `json:"timeout"` // of this attempt, nanoseconds
	Deadline  *time.Time      `json:"deadline,omitempty"`
	Labels    json.RawMessage `json:"labels,omitempty"`
}

// Result is how an attempt ended. Exactly one of Output and Error counts: an
// Error makes the attempt failed.
type Result struct {
	Workspace  string          `json:"workspace"`
	Run        string          `json:"run"`
	Shard      int             `json:"shard"`
	Node       string          `json:"node"`
	Scope      int             `json:"scope,omitempty"`
	Visit      int             `json:"visit"`
	Attempt    int             `json:"attempt"`
	Output     json.RawMessage `json:"output,omitempty"`
	OutputRef  *event.Payload  `json:"output_ref,omitempty"` // instead of Output: stored already
	Error      *event.Error    `json:"error,omitempty"`
	RetryAfter time.Duration   `json:"retry_after,omitempty"` // what the other side asked for
	Worker     string          `json:"worker,omitempty"`
	StartedAt  time.Time       `json:"started_at"`
	EndedAt    time.Time       `json:"ended_at"`
}
