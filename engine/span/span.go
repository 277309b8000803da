// Package span gives a run, a visit and an attempt their names in distributed
// traces. The names are derived, so that whoever holds a task knows them
// without being told: the worker that calls another system, and the exporter
// that describes the run when it is over.
//
// It is pure.
package span

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"

	"github.com/google/uuid"

	"signalbox/engine/task"
)

// ID names one span.
type ID [8]byte

// String is the name in hex.
func (i ID) String() string { return hex.EncodeToString(i[:]) }

// Trace names the trace of a run: it is the run's own id in hex.
func Trace(run uuid.UUID) string { return hex.EncodeToString(run[:]) }

// Run names the span of a run.
func Run(run uuid.UUID) ID { return derive(run.String()) }

// Visit names the span of a visit.
func Visit(run uuid.UUID, scope int, node string, visit int) ID {
	return derive(run.String(), strconv.Itoa(scope), node, strconv.Itoa(visit))
}

// Attempt names the span of an attempt.
func Attempt(run uuid.UUID, scope int, node string, visit, attempt int) ID {
	return derive(run.String(), strconv.Itoa(scope), node, strconv.Itoa(visit), strconv.Itoa(attempt))
}

// Parent is the traceparent header (W3C Trace Context) for what an attempt
// calls; empty when the task names no run.
func Parent(t *task.Task) string {
	run, err := uuid.Parse(t.Run)
	if err != nil {
		return ""
	}
	return "00-" + Trace(run) + "-" + Attempt(run, t.Scope, t.Node, t.Visit, t.Attempt).String() + "-01"
}

func derive(parts ...string) ID {
	h := sha256.New()
	for _, p := range parts {
		_, _ = h.Write([]byte(p))
		_, _ = h.Write([]byte{0})
	}
	var id ID
	copy(id[:], h.Sum(nil))
	id[0] |= 1 // all zeros would name nothing
	return id
}
