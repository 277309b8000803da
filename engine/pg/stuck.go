package pg

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"signalbox/engine/event"
	"signalbox/engine/history"
	"signalbox/engine/machine"
)

// Limits of one look for stuck runs.
const (
	stuckEvery  = 20 * time.Second // at the soonest, over all servers
	stuckBatch  = 2_000            // open runs in one question
	stuckMost   = 10               // questions in one look; the next one goes on there
	stuckLooked = 200              // runs whose last events are read in one look
	stuckTail   = 300              // last events of each of those
	stuckLate   = time.Minute      // a timer may be so late
	usualRuns   = 200              // newest runs that a node's history is read from
	usualVisits = 20               // visits that it takes to say what is usual
	usualEvents = 20_000           // events of the node that are read for it
	usualKept   = 10 * time.Minute
)

// StuckConfig says when a run counts as stuck.
type StuckConfig struct {
	After time.Duration // longest for a node without a history
	Least time.Duration // what takes less is never stuck, however quick it usually is
}

// StuckLook looks for stuck runs.
type StuckLook struct {
	store *Store
	cfg   StuckConfig
	usual map[nodeName]usual
}

type nodeName struct {
	workflow uuid.UUID
	node     string
}

type usual struct {
	took  time.Duration // 0: too few visits to say
	asked time.Time
}

// NewStuckLook makes a look.
func NewStuckLook(store *Store, cfg StuckConfig) *StuckLook {
	return &StuckLook{store: store, cfg: cfg, usual: map[nodeName]usual{}}
}

// openRun is one that is not over and of which nothing was heard lately.
type openRun struct {
	id        uuid.UUID
	workspace string
	workflow  uuid.UUID
	status    string
	owed      bool
	wakeAt    time.Time
	last      time.Time // its last event
}

// Look goes through the open runs, as far as one look goes, and notes which are
// stuck. It does nothing when another server has looked just now.
func (l *StuckLook) Look(ctx context.Context, now time.Time) (found int, err error) {
	var last uuid.UUID
	err = l.store.pool.QueryRow(ctx, `update stuck_look set at = $1 where at < $2 returning last`, now, now.Add(-stuckEvery)).Scan(&last)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("look for stuck runs: %w", err)
	}
	if _, err := l.store.pool.Exec(ctx, `delete from stuck_runs s using runs r where r.id = s.run_id and r.ended_at is not null`); err != nil {
		return 0, fmt.Errorf("forget what was stuck: %w", err)
	}
	looked := 0
	for range stuckMost {
		var n int
		if last, n, err = l.batch(ctx, now, last, &looked); err != nil {
			return found, fmt.Errorf("look for stuck runs: %w", err)
		}
		if found += n; last == uuid.Nil || looked >= stuckLooked {
			break
		}
	}
	_, err = l.store.pool.Exec(ctx, `update stuck_look set last = $1`, last)
	if err != nil {
		return found, fmt.Errorf("look for stuck runs: %w", err)
	}
	return found, nil
}

// batch looks at some open runs, and returns the last of them; zero: there are
// no more.
func (l *StuckLook) batch(ctx context.Context, now time.Time, after uuid.UUID, looked *int) (last uuid.UUID, found int, err error) {
	ids, quiet, err := l.quiet(ctx, now, after)
	if err != nil || len(ids) == 0 {
		return uuid.Nil, 0, err
	}
	last = ids[len(ids)-1]
	var stuck []uuid.UUID
	b := &pgx.Batch{}
	for _, r := range quiet {
		if *looked >= stuckLooked {
			last = r.id // the next look goes on behind it
			break
		}
		why, err := l.judge(ctx, now, r, looked)
		if err != nil {
			return last, found, err
		}
		if why.Reason == "" {
			continue
		}
		stuck = append(stuck, r.id)
		b.Queue(`insert into stuck_runs (run_id, workspace_id, workflow_id, reason, node, since, usual) select $1, $2, $3, $4, $5, $6, $7
			where exists (select from runs where id = $1 and ended_at is null)
			on conflict (run_id) do update set reason = $4, node = $5, since = $6, usual = $7`,
			r.id, r.workspace, r.workflow, why.Reason, why.Node, why.Since, why.Usual)
	}
	// Those between that are not stuck, or not any more.
	b.Queue(`delete from stuck_runs where run_id > $1 and run_id <= $2 and not (run_id = any($3))`, after, last, append([]uuid.UUID{}, stuck...))
	if err := l.store.pool.SendBatch(ctx, b).Close(); err != nil {
		return last, found, err //nolint:wrapcheck // by the caller
	}
	if len(ids) < stuckBatch && last == ids[len(ids)-1] {
		return uuid.Nil, len(stuck), nil
	}
	return last, len(stuck), nil
}

// quiet lists open runs by id, and those of them of which nothing was heard for
// a while. Test runs may be held, and runs that are paused or need a person say
// so by their status.
func (l *StuckLook) quiet(ctx context.Context, now time.Time, after uuid.UUID) (ids []uuid.UUID, quiet []openRun, err error) {
	rows, err := l.store.pool.Query(ctx, `select r.id, r.workspace_id, r.workflow_id, r.status, r.owed, r.wake_at, e.at,
			not r.test and r.status in ('running', 'waiting', 'compensating') and coalesce(e.at, r.created_at) < $3
		from (select * from runs where ended_at is null and id > $1 and id < $2 order by id limit $4) r
		left join lateral (select at from workflow_events e where e.run_id = r.id order by seq desc limit 1) e on true order by r.id`,
		after, firstID(now), now.Add(-min(l.cfg.Least, stuckLate)), stuckBatch)
	if err != nil {
		return nil, nil, err //nolint:wrapcheck // by the caller
	}
	defer rows.Close()
	for rows.Next() {
		var r openRun
		var wake, heard *time.Time
		var still bool
		if err := rows.Scan(&r.id, &r.workspace, &r.workflow, &r.status, &r.owed, &wake, &heard, &still); err != nil {
			return nil, nil, err //nolint:wrapcheck // by the caller
		}
		r.wakeAt, r.last = orZero(wake), orZero(heard)
		if ids = append(ids, r.id); still {
			quiet = append(quiet, r)
		}
	}
	return ids, quiet, rows.Err() //nolint:wrapcheck // by the caller
}

// judge says why a run is stuck; an empty reason: it is not.
func (l *StuckLook) judge(ctx context.Context, now time.Time, r openRun, looked *int) (history.Stuck, error) {
	switch {
	case !r.wakeAt.IsZero() && r.wakeAt.Before(now.Add(-stuckLate)):
		return history.Stuck{Reason: history.StuckTimer, Since: r.wakeAt}, nil
	case r.last.After(now.Add(-l.cfg.Least)):
		return history.Stuck{}, nil
	}
	*looked++
	rows, err := l.store.pool.Query(ctx, `select seq, at, node, type, data, hash from workflow_events where run_id = $1 order by seq desc limit $2`, r.id, stuckTail)
	if err != nil {
		return history.Stuck{}, err //nolint:wrapcheck // by the caller
	}
	tail, err := pgx.CollectRows(rows, scanEvent)
	if err != nil {
		return history.Stuck{}, err //nolint:wrapcheck // by the caller
	}
	open := openVisits(tail)
	if len(open) == 0 && !r.owed && r.wakeAt.IsZero() && len(tail) < stuckTail {
		return history.Stuck{Reason: history.StuckNothing, Since: r.last}, nil
	}
	var worst history.Stuck
	for _, v := range open {
		most, err := l.most(ctx, r, v.node, now)
		if err != nil {
			return history.Stuck{}, err
		}
		if now.Sub(v.since) > most && (worst.Reason == "" || v.since.Before(worst.Since)) {
			worst = history.Stuck{Reason: v.reason, Node: v.node, Since: v.since, Usual: most}
		}
	}
	return worst, nil
}

// openVisit is one that something outside has to end.
type openVisit struct {
	node   string
	since  time.Time
	reason string
}

// openVisits finds them among the last events of a run, the newest first. What
// waits for time alone knows when it ends, and a called run is looked at itself.
func openVisits(tail []event.Event) []openVisit {
	var list []openVisit
	seen := map[machine.VisitRef]bool{}
	for _, stored := range tail {
		e, err := machine.Decode(stored)
		if err != nil {
			continue // another look will say so louder
		}
		ref, ok := machine.VisitOf(e.Fact)
		if !ok || seen[ref] {
			continue
		}
		switch f := e.Fact.(type) {
		case *machine.TaskStarted:
			continue // since it was scheduled
		case *machine.TaskScheduled:
			list = append(list, openVisit{f.Node, e.At, history.StuckSilent})
		case *machine.WaitStarted:
			if f.For != "" {
				list = append(list, openVisit{f.Node, e.At, history.StuckWaits})
			}
		default:
		}
		seen[ref] = true
	}
	return list
}

// most is how long a visit of a node may take: as long as 99 of 100 did, else
// the setting.
func (l *StuckLook) most(ctx context.Context, r openRun, node string, now time.Time) (time.Duration, error) {
	name := nodeName{r.workflow, node}
	u, ok := l.usual[name]
	if !ok || now.Sub(u.asked) > usualKept {
		took, err := l.history(ctx, r, node)
		if err != nil {
			return 0, err
		}
		if len(l.usual) > 10_000 {
			clear(l.usual)
		}
		u = usual{took, now}
		l.usual[name] = u
	}
	if u.took == 0 {
		return max(l.cfg.After, l.cfg.Least), nil
	}
	return max(u.took, l.cfg.Least), nil
}

// history is what 99 of 100 attempts and waits of a node took, in the newest
// runs of its workflow that are over; 0: there are too few.
func (l *StuckLook) history(ctx context.Context, r openRun, node string) (time.Duration, error) {
	rows, err := l.store.pool.Query(ctx, `with recent as (select id from runs where workspace_id = $1 and workflow_id = $2 and ended_at is not null order by id desc limit $4)
		select e.run_id, e.at, e.type, e.data from recent join workflow_events e on e.run_id = recent.id and e.node = $3
		where e.type in ('TaskScheduled', 'WaitStarted', 'TaskCompleted', 'TaskFailed', 'WaitCompleted') order by e.run_id, e.seq limit $5`,
		r.workspace, r.workflow, node, usualRuns, usualEvents)
	if err != nil {
		return 0, err //nolint:wrapcheck // by the caller
	}
	defer rows.Close()
	type place struct {
		run          uuid.UUID
		Scope, Visit int
	}
	began, took := map[place]time.Time{}, []time.Duration{}
	for rows.Next() {
		var p place
		var at time.Time
		var kind string
		var data []byte
		if err := rows.Scan(&p.run, &at, &kind, &data); err != nil {
			return 0, err //nolint:wrapcheck // by the caller
		}
		if json.Unmarshal(data, &p) != nil {
			continue
		}
		switch kind {
		case "TaskScheduled", "WaitStarted":
			began[p] = at
		default:
			if from, ok := began[p]; ok {
				took = append(took, at.Sub(from))
				delete(began, p)
			}
		}
	}
	if err := rows.Err(); err != nil || len(took) < usualVisits {
		return 0, err //nolint:wrapcheck // by the caller
	}
	slices.Sort(took)
	return max(took[(len(took)*99)/100], time.Microsecond), nil
}

// StuckRuns counts the stuck runs by reason.
func (s *Store) StuckRuns(ctx context.Context) (map[string]int, error) {
	rows, err := s.pool.Query(ctx, `select v.reason, count(s.run_id) from (values ('nothing'), ('timer'), ('silent'), ('waits')) v(reason)
		left join stuck_runs s on s.reason = v.reason group by 1`)
	if err != nil {
		return nil, fmt.Errorf("count stuck runs: %w", err)
	}
	stuck, err := collectPairs[int](rows)
	if err != nil {
		return nil, fmt.Errorf("count stuck runs: %w", err)
	}
	return stuck, nil
}

// StuckCountMax is up to how many stuck runs are counted for a page.
const StuckCountMax = 1_000

// StuckCount says how many runs of a workflow, or of all (zero), are stuck.
func (h *History) StuckCount(ctx context.Context, workspace string, workflow uuid.UUID) (n int, err error) {
	err = h.store.pool.QueryRow(ctx, `select count(*) from (select from stuck_runs where workspace_id = $1 and ($2::uuid is null or workflow_id = $2) limit $3) s`,
		workspace, nullID(workflow), StuckCountMax).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("count stuck runs: %w", err)
	}
	return n, nil
}

// stuckMax is how many stuck runs a list looks among.
const stuckMax = 5_000

// stuckIDs lists the stuck runs, the newest first.
func (h *History) stuckIDs(ctx context.Context, workspace string) ([]uuid.UUID, error) {
	rows, err := h.store.pool.Query(ctx, `select run_id from stuck_runs where workspace_id = $1 order by run_id desc limit $2`, workspace, stuckMax)
	if err != nil {
		return nil, fmt.Errorf("list stuck runs: %w", err)
	}
	ids, err := pgx.AppendRows([]uuid.UUID{}, rows, pgx.RowTo[uuid.UUID])
	if err != nil {
		return nil, fmt.Errorf("list stuck runs: %w", err)
	}
	return ids, nil
}

// withStuck adds to the open runs of a list why they are stuck.
func (h *History) withStuck(ctx context.Context, list []history.Run) error {
	at := map[uuid.UUID]int{}
	var ids []uuid.UUID
	for i, r := range list {
		if r.EndedAt.IsZero() {
			at[r.ID], ids = i, append(ids, r.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	rows, err := h.store.pool.Query(ctx, `select run_id, reason, node, since, usual from stuck_runs where run_id = any($1)`, ids)
	if err != nil {
		return fmt.Errorf("read stuck runs: %w", err)
	}
	var id uuid.UUID
	var s history.Stuck
	_, err = pgx.ForEachRow(rows, []any{&id, &s.Reason, &s.Node, &s.Since, &s.Usual}, func() error {
		why := s
		list[at[id]].Stuck = &why
		return nil
	})
	if err != nil {
		return fmt.Errorf("read stuck runs: %w", err)
	}
	return nil
}
