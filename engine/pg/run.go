package pg

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"signalbox/engine/history"
	"signalbox/engine/problem"
	"signalbox/engine/runtime/brief"
)

// Limits of reading.
const (
	pageMax    = 200     // runs in one page
	eventsMax  = 5_000   // events in one page
	resolveMax = 262_144 // bytes of a large value that are shown whole
	seenRuns   = 5       // newest runs in which outputs are looked for
	passedMost = 3       // tokens of one way out of a node
	seenAmong  = 20      // runs that are looked at to find those
	seenEvents = 2_000   // events of a run that is short enough for it
)

// History reads runs. It implements what the server asks for.
type History struct{ store *Store }

// NewHistory makes the reader.
func NewHistory(store *Store) *History { return &History{store} }

// A run as it is listed, and one alone with the number of its last event: in
// one statement, so that it never shows an earlier status beside a later number.
const (
	runQuery  = runBegins + `r.seq` + runEnds
	runAlone  = runBegins + `(select coalesce(max(e.seq), 0) from workflow_events e where e.run_id = $2)` + runEnds + ` and r.id = $2`
	runBegins = `select r.id, r.workflow_id, coalesce(w.name, ''), r.version_id, coalesce(v.number, 0), r.status, r.source, r.test, r.trigger,
		r.attributes, `
	runEnds = `, r.created_at, r.ended_at, r.error, r.forked_from, coalesce(r.forked_at, 0), r.labels
	from runs r left join workflows w on w.id = r.workflow_id left join versions v on v.id = r.version_id
	where r.workspace_id = $1`
)

func scanRun(row pgx.CollectableRow) (history.Run, error) {
	var r history.Run
	var ended *time.Time
	var from *uuid.UUID
	err := row.Scan(&r.ID, &r.Workflow, &r.WorkflowName, &r.Version, &r.VersionNumber, &r.Status, &r.Source, &r.Test, &r.Trigger,
		(*[]byte)(&r.Attributes), &r.Seq, &r.CreatedAt, &ended, &r.Error, &from, &r.ForkedAt, &r.Labels)
	r.CreatedAt, r.EndedAt = r.CreatedAt.UTC(), orZero(ended).UTC()
	if from != nil {
		r.ForkedFrom = *from
	}
	return r, err
}

func noRun() error { return problem.New(problem.NotFound, "There is no such run.") }

// Run returns one run. Its seq is that of its last event.
func (h *History) Run(ctx context.Context, workspace string, id uuid.UUID) (history.Run, error) {
	rows, err := h.store.pool.Query(ctx, runAlone, workspace, id)
	if err != nil {
		return history.Run{}, fmt.Errorf("read run: %w", err)
	}
	r, err := pgx.CollectExactlyOneRow(rows, scanRun)
	if errors.Is(err, pgx.ErrNoRows) {
		return r, noRun()
	}
	if err != nil {
		return r, fmt.Errorf("read run: %w", err)
	}
	one := []history.Run{r}
	err = h.withStuck(ctx, one)
	return one[0], err
}

// Exists reports a problem unless the workspace has the run.
func (h *History) Exists(ctx context.Context, workspace string, run uuid.UUID) error {
	var there bool
	err := h.store.pool.QueryRow(ctx, `select exists (select from runs where id = $1 and workspace_id = $2)`, run, workspace).Scan(&there)
	if err != nil {
		return fmt.Errorf("find run: %w", err)
	}
	if !there {
		return noRun()
	}
	return nil
}

// Briefs returns events behind a number, in order.
func (h *History) Briefs(ctx context.Context, workspace string, run uuid.UUID, after, limit int) ([]brief.Brief, error) {
	if err := h.Exists(ctx, workspace, run); err != nil {
		return nil, err
	}
	if limit <= 0 || limit > eventsMax {
		limit = eventsMax
	}
	rows, err := h.store.pool.Query(ctx, `select seq, at, node, type, data, hash from workflow_events where run_id = $1 and seq > $2 order by seq limit $3`, run, after, limit)
	if err != nil {
		return nil, fmt.Errorf("read events: %w", err)
	}
	events, err := pgx.CollectRows(rows, scanEvent)
	if err != nil {
		return nil, fmt.Errorf("read events: %w", err)
	}
	list := make([]brief.Brief, len(events))
	for i, stored := range events {
		list[i] = brief.Read(stored)
	}
	return list, nil
}

// Event returns one event with its values, large ones up to a limit.
func (h *History) Event(ctx context.Context, workspace string, run uuid.UUID, seq int) (history.Event, error) {
	if err := h.Exists(ctx, workspace, run); err != nil {
		return history.Event{}, err
	}
	rows, err := h.store.pool.Query(ctx, `select seq, at, node, type, data, hash from workflow_events where run_id = $1 and seq = $2`, run, seq)
	if err != nil {
		return history.Event{}, fmt.Errorf("read event: %w", err)
	}
	e, err := pgx.CollectExactlyOneRow(rows, scanEvent)
	if errors.Is(err, pgx.ErrNoRows) {
		return history.Event{}, problem.New(problem.NotFound, "The run has no event %d.", seq)
	}
	if err != nil {
		return history.Event{}, fmt.Errorf("read event: %w", err)
	}
	data, err := h.resolve(ctx, workspace, e.Data)
	return history.Event{Seq: e.Seq, At: e.At, Type: e.Type, Node: e.Node, Data: data}, err
}
