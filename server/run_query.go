package server

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/history"
	"signalbox/engine/problem"
)

// runFilters are the parameters by which runs are found, on pages and in the
// API alike.
func runFilters() []string {
	return []string{"status", "source", "version", "trigger", "attribute", "label", "text", "from", "to", "after"}
}

// runStatuses are those that a filter can name.
func runStatuses() []string {
	return []string{"running", "waiting", "paused", "compensating", "needs_attention", "succeeded", "failed", "compensated", "canceled", history.StatusStuck}
}

// runQuery reads filters; what is not set is empty.
func (s *Server) runQuery(ctx context.Context, workspace string, workflow uuid.UUID, v url.Values) (RunQuery, error) {
	q := RunQuery{Workflow: workflow, Status: v.Get("status"), Source: v.Get("source"), Trigger: v.Get("trigger"), Label: v.Get("label"), Text: v.Get("text")}
	if q.Status != "" && !slices.Contains(runStatuses(), q.Status) {
		return q, problem.New(problem.Invalid, "There is no such status.").At("status", "unknown", "a status of runs")
	}
	if q.Trigger != "" && workflow == uuid.Nil {
		return q, problem.New(problem.Invalid, "Triggers have names within one workflow only.").At("trigger", "without a workflow", "the runs of one workflow")
	}
	if text := v.Get("attribute"); text != "" {
		a, ok := history.ParseAttribute(text)
		if !ok {
			return q, problem.New(problem.Invalid, "An attribute is written as name=value.").At("attribute", "not readable", "name=value")
		}
		q.Attribute = a
	}
	for name, into := range map[string]*time.Time{"from": &q.From, "to": &q.To} {
		at, err := parseMoment(v.Get(name))
		if err != nil {
			return q, problem.New(problem.Invalid, "This is not a time.").At(name, "not readable", "2026-11-30T14:05Z")
		}
		*into = at
	}
	if text := v.Get("after"); text != "" {
		after, err := uuid.Parse(text)
		if err != nil {
			return q, problem.New(problem.Invalid, "This is not a place in this list.").At("after", "not readable", "the next of an earlier answer")
		}
		q.After = after
	}
	return q, s.chosenVersion(ctx, workspace, v.Get("version"), &q)
}

// chosenVersion turns the number of a version into its id.
func (s *Server) chosenVersion(ctx context.Context, workspace, text string, q *RunQuery) error {
	if text == "" {
		return nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return problem.New(problem.Invalid, "This is not a version.").At("version", "not readable", "a number")
	}
	if q.Workflow == uuid.Nil {
		return problem.New(problem.Invalid, "Versions have numbers within one workflow only.").At("version", "without a workflow", "the runs of one workflow")
	}
	version, err := s.config.Drafts.Numbered(ctx, workspace, q.Workflow, n)
	if p := problem.Of(err); p != nil && p.Code == problem.NotFound {
		q.Version = uuid.Max // no run has it
		return nil
	}
	q.Version = version.ID
	return err
}

// yearMax is the last year that can be asked for: an interval that ends behind
// 9999 cannot be told as JSON.
const yearMax = 9000

var errFar = errors.New("it is too far away")

// parseMoment reads a time; without a zone it is UTC.
func parseMoment(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	var err error
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02"} {
		var at time.Time
		if at, err = time.Parse(layout, text); err == nil {
			if at.Year() > yearMax {
				return time.Time{}, errFar
			}
			return at.UTC(), nil
		}
	}
	return time.Time{}, err //nolint:wrapcheck // only that there is one is told
}
