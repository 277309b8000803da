package invariant_test

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"signalbox/engine/compile"
	"signalbox/engine/graph"
	"signalbox/engine/invariant"
	"signalbox/engine/local/postgres/postgrestest"
	"signalbox/engine/pg"
	"signalbox/engine/pg/pgtest"
	"signalbox/engine/runtime"
	"signalbox/engine/worker"
	"signalbox/engine/worker/action"
	"signalbox/engine/worker/local"
)

func TestMain(m *testing.M) { os.Exit(postgrestest.Main(m)) }

// orders has a step that is tried again, a large value, a wait, and a step
// that nobody does as long as the test has no workers for it.
const orders = `{"signalbox":1,"nodes":[
	{"id":"s","key":"start","kind":"manual"},
	{"id":"a","key":"again","kind":"mock","config":{"answer":"=input","fail_times":1},"retry":{"max_attempts":2,"initial":"100ms"}},
	{"id":"w","key":"pause","kind":"wait","config":{"duration":"%WAIT%"}},
	{"id":"b","key":"last","kind":"mock","config":{"answer":2},"task":{"queue":"%QUEUE%"}}],
	"edges":[{"id":"1","from":"s","port":"success","to":"a"},{"id":"2","from":"a","port":"success","to":"w"},{"id":"3","from":"w","port":"success","to":"b"}],"layout":{}}`

// saga fails after its first step, which is undone.
const saga = `{"signalbox":1,"transaction":true,"nodes":[
	{"id":"s","key":"start","kind":"manual"},
	{"id":"a","key":"book","kind":"mock","config":{"answer":1}},
	{"id":"u","key":"unbook","kind":"mock","config":{"answer":2}},
	{"id":"b","key":"pay","kind":"mock","config":{"fail_times":9,"error_class":"invalid_input"}}],
	"edges":[{"id":"1","from":"s","port":"success","to":"a"},{"id":"2","from":"a","port":"success","to":"b"},{"id":"3","from":"a","port":"compensate","to":"u"}],"layout":{}}`

// world is a database with runs in it.
type world struct {
	pool               *pgxpool.Pool
	store              *pg.Store
	over, owed, asleep uuid.UUID
	undone             uuid.UUID
}

func newWorld(t *testing.T) *world {
	t.Helper()
	ctx := t.Context()
	db := pgtest.Open(t)
	w := &world{pool: db.Pool(), store: pg.NewStore(db)}
	ch := local.New(nil)
	pool, err := worker.New(worker.Config{Source: ch, Actions: map[string]worker.Action{"mock": action.Mock{}}, Payloads: w.store, Only: []string{"default"}})
	if err != nil {
		t.Fatal(err)
	}
	engine, err := runtime.New(runtime.Config{Store: w.store, Ledger: w.store, Channel: ch, Owner: "test"})
	if err != nil {
		t.Fatal(err)
	}
	running, stop := context.WithCancel(ctx)
	done := make(chan error, 2)
	go func() { done <- engine.Run(running) }()
	go func() { done <- pool.Run(running) }()
	large := json.RawMessage(`"` + strings.Repeat("large ", 5_000) + `"`)
	w.over = w.start(t, engine, ordersOf("100ms", "default"), large, runtime.WaitEnd)
	w.owed = w.start(t, engine, ordersOf("100ms", "nobody"), large, runtime.WaitNone)
	w.asleep = w.start(t, engine, ordersOf("24h", "default"), large, runtime.WaitNone)
	w.undone = w.start(t, engine, saga, large, runtime.WaitEnd)
	if _, err := engine.Fork(ctx, runtime.ForkRequest{Workspace: "main", Run: w.over, At: 1, Source: "test"}); err != nil {
		t.Fatal(err)
	}
	for n := 0; n < 3; { // all of them have come as far as they can
		if err := w.pool.QueryRow(ctx, `select count(*) from runs r where r.status = 'waiting' and r.id = $2 and r.wake_at > now() + interval '1 hour'
			or r.forked_from is not null and r.status = 'succeeded'
			or r.owed and exists (select from workflow_events e where e.run_id = r.id and e.run_id = $1 and e.node = 'last')`, w.owed, w.asleep).Scan(&n); err != nil {
			t.Fatal(err)
		}
	}
	stop()
	for range 2 {
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	}
	return w
}

func ordersOf(wait, queue string) string {
	return strings.NewReplacer("%WAIT%", wait, "%QUEUE%", queue).Replace(orders)
}

// start publishes a workflow and runs it once.
func (w *world) start(t *testing.T, e *runtime.Engine, file string, input json.RawMessage, until runtime.Wait) uuid.UUID {
	t.Helper()
	g, err := graph.Decode([]byte(file))
	if err != nil {
		t.Fatal(err)
	}
	m, issues := compile.Compile(g)
	if m == nil {
		t.Fatalf("%+v", issues)
	}
	raw, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	workflow, version := uuid.New(), uuid.New()
	if _, err := w.pool.Exec(t.Context(), `
		with w as (insert into workflows (workspace_id, id, name, description, active, created_at, updated_at, created_by) values ('main', $1, '', '', true, now(), now(), $1))
		insert into versions (workspace_id, id, workflow_id, draft_seq, hash, graph, machine, note, created_by, created_at) values ('main', $2, $1, 0, '', '{}', $3, '', $1, now())`,
		workflow, version, raw); err != nil {
		t.Fatal(err)
	}
	s, err := e.Start(t.Context(), runtime.StartRequest{Workspace: "main", Workflow: workflow, Version: version, Trigger: "start", Input: input, Source: "test", Wait: until})
	if err != nil {
		t.Fatal(err)
	}
	return s.Run
}

func (w *world) audit(t *testing.T) *invariant.Report {
	t.Helper()
	r, err := invariant.Audit(t.Context(), w.store, time.Time{}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// tables are what the edits change.
var tables = []string{"workflow_events", "runs", "versions", "payloads", "payload_uses"}

// keep copies the tables; restore puts the copies back.
func (w *world) keep(t *testing.T) {
	t.Helper()
	for _, table := range tables {
		if _, err := w.pool.Exec(t.Context(), "create table kept_"+table+" as table "+table); err != nil {
			t.Fatal(err)
		}
	}
}

func (w *world) restore(t *testing.T) {
	t.Helper()
	for _, table := range tables {
		if _, err := w.pool.Exec(t.Context(), "with gone as (delete from "+table+" returning 1) select count(*) from gone"); err != nil {
			t.Fatal(err)
		}
		if _, err := w.pool.Exec(t.Context(), "insert into "+table+" table kept_"+table); err != nil {
			t.Fatal(err)
		}
	}
}

func TestASoundDatabasePasses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := w.audit(t)
	for _, v := range r.Violations {
		t.Errorf("%+v", v)
	}
	if r.Runs != 5 || r.Status["compensated"] != 1 || r.Events < 20 || r.Status["succeeded"] != 2 || r.Status["running"] != 1 || r.Status["waiting"] != 1 {
		t.Errorf("%+v", r)
	}
	late, err := invariant.Audit(t.Context(), w.store, time.Now().Add(time.Hour), time.Now())
	if err != nil || late.Runs != 0 {
		t.Errorf("runs of the future: %+v %v", late, err)
	}
}

// TestEveryCorruptionIsFound edits the rows of a sound database in one way
// after the other; each edit is undone before the next.
func TestEveryCorruptionIsFound(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.keep(t)
	copied := func(of, more string) string {
		return `insert into workflow_events select run_id, (select max(seq) + 1 from workflow_events where run_id = $1), at, node, type, ` + more + `, hash from workflow_events where run_id = $1 and ` + of
	}
	for _, c := range []struct {
		name string
		run  uuid.UUID
		sql  string
		want invariant.Rule
	}{
		{"an event is gone", w.over, `delete from workflow_events where run_id = $1 and seq = 3`, invariant.Numbers},
		{"all events are gone", w.over, `delete from workflow_events where run_id = $1`, invariant.Numbers},
		{"the last event is gone", w.over, `delete from workflow_events where run_id = $1 and type = 'RunSucceeded'`, invariant.Row},
		{"time goes back", w.over, `update workflow_events set at = at - interval '1 hour' where run_id = $1 and seq = 4`, invariant.Numbers},
		{"a value is changed", w.over, `update workflow_events set data = replace(data::text, '2', '3')::json where run_id = $1 and node = 'last' and type = 'TaskCompleted'`, invariant.Chain},
		{"a hash is changed", w.over, `update workflow_events set hash = sha256(hash) where run_id = $1 and seq = 2`, invariant.Chain},
		{"an event is too large", w.over, `update workflow_events set data = json_build_object('attempt', 1, 'visit', 1, 'port', 'success', 'output', repeat('x', 11000)) where run_id = $1 and node = 'last' and type = 'TaskCompleted'`, invariant.Size},
		{"a type is unknown", w.over, `update workflow_events set type = 'TaskForgotten' where run_id = $1 and seq = 2`, invariant.Fold},
		{"a node is unknown", w.over, `update workflow_events set node = 'nowhere' where run_id = $1 and type = 'WaitStarted'`, invariant.Fold},
		{"the data are nonsense", w.over, `update workflow_events set data = '[]' where run_id = $1 and seq = 2`, invariant.Fold},
		{"the version is gone", w.over, `delete from versions where id = (select version_id from runs where id = $1)`, invariant.Fold},
		{"the row says failed", w.over, `update runs set status = 'failed' where id = $1`, invariant.Row},
		{"the row has an error", w.over, `update runs set error = 'No.' where id = $1`, invariant.Row},
		{"the row counts wrongly", w.over, `update runs set seq = seq + 1 where id = $1`, invariant.Row},
		{"the row has no end", w.over, `update runs set ended_at = null where id = $1`, invariant.Row},
		{"the row owes nothing", w.owed, `update runs set owed = false where id = $1`, invariant.Row},
		{"the row never wakes", w.asleep, `update runs set wake_at = null where id = $1`, invariant.Row},
		{"the row is gone", w.over, `delete from runs where id = $1`, invariant.Row},
		{"something follows the end", w.over, copied(`type = 'WaitCompleted'`, `data`), invariant.End},
		{"an attempt ends twice", w.over, copied(`node = 'last' and type = 'TaskCompleted'`, `data`), invariant.Attempts},
		{"an attempt was never scheduled", w.over, `update workflow_events set data = replace(data::text, '"attempt":1', '"attempt":2')::json where run_id = $1 and node = 'last' and type = 'TaskCompleted'`, invariant.Attempts},
		{"an attempt too many", w.over, `update workflow_events set data = replace(data::text, '"attempt":2', '"attempt":9')::json where run_id = $1 and node = 'again' and type in ('TaskScheduled', 'TaskCompleted')`, invariant.Limits},
		{"a visit too many", w.over, `update workflow_events set data = replace(data::text, '"visit":1', '"visit":1001')::json where run_id = $1 and node = 'pause'`, invariant.Limits},
		{"a retry came early", w.over, `update workflow_events set at = at - interval '10 s' where run_id = $1 and node = 'again' and type = 'TaskScheduled' and seq > 2`, invariant.Timers},
		{"a wait ended early", w.over, `update workflow_events set at = at - interval '10 s' where run_id = $1 and type = 'WaitCompleted'`, invariant.Timers},
		{"what was never done is undone", w.undone, `update workflow_events set data = replace(data::text, '"node":"book"', '"node":"pay"')::json where run_id = $1 and node = 'unbook'`, invariant.Undo},
		{"a step is undone twice", w.undone, copied(`node = 'unbook' and type = 'TaskCompleted'`, `data`), invariant.Undo},
		{"a machine is of a newer program", w.asleep, `update versions set machine = replace(machine::text, '"semantics":1', '"semantics":2')::json where id = (select version_id from runs where id = $1)`, invariant.Known},
		{"a run is of a newer program", w.owed, `update runs set format = 2 where id = $1`, invariant.Known},
		{"nothing is owed or awaited", w.over, `delete from workflow_events where run_id = $1 and seq > 1`, invariant.Stuck},
		{"a timer was missed", w.asleep, `update runs set wake_at = now() - interval '1 hour' where id = $1`, invariant.Stuck},
		{"a large value is gone", w.over, `delete from payloads where $1::uuid is not null`, invariant.Values},
		{"a large value is not kept", w.over, `delete from payload_uses where run_id = $1`, invariant.Values},
		{"a large value is changed", w.over, `update payloads set bytes = 'x' where $1::uuid is not null`, invariant.Values},
	} {
		tag, err := w.pool.Exec(t.Context(), c.sql, c.run)
		if err != nil || tag.RowsAffected() == 0 {
			t.Fatalf("%s: %v, %d rows", c.name, err, tag.RowsAffected())
		}
		if r := w.audit(t); r.OK() || r.Count[c.want] == 0 {
			t.Errorf("%s: found %+v, want %s", c.name, r.Violations, c.want)
		}
		w.restore(t)
	}
	if r := w.audit(t); !r.OK() {
		t.Errorf("the edits were not undone: %+v", r.Violations)
	}
}
