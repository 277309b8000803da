package meter_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"signalbox/engine/compile"
	"signalbox/engine/event"
	"signalbox/engine/graph"
	"signalbox/engine/machine"
	"signalbox/engine/mem"
	"signalbox/engine/meter"
	"signalbox/engine/runtime"
	"signalbox/engine/worker"
	"signalbox/engine/worker/action"
	"signalbox/engine/worker/local"
)

const workflow = `{"signalbox":1,"nodes":[
	{"id":"s","key":"start","kind":"manual"},
	{"id":"a","key":"once_more","kind":"mock","config":{"answer":1,"fail_times":1},"retry":{"max_attempts":2,"initial":"100ms"},"task":{"queue":"vision"}},
	{"id":"b","key":"never","kind":"mock","config":{"answer":1,"fail_times":9,"error_class":"my own word"},"retry":{"max_attempts":1}}],
	"edges":[{"id":"1","from":"s","port":"success","to":"a"},{"id":"2","from":"a","port":"success","to":"b"}],"layout":{}}`

func scrape(t *testing.T, r *prometheus.Registry) string {
	t.Helper()
	w := httptest.NewRecorder()
	promhttp.HandlerFor(r, promhttp.HandlerOpts{}).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	return w.Body.String()
}

func wantLines(t *testing.T, text string, lines ...string) {
	t.Helper()
	for _, line := range lines {
		if !strings.Contains("\n"+text, "\n"+line) {
			name, _, _ := strings.Cut(line, "{")
			name, _, _ = strings.Cut(name, " ")
			var near []string
			for l := range strings.Lines(text) {
				if strings.HasPrefix(l, name) {
					near = append(near, l)
				}
			}
			t.Errorf("no line %q, only\n%s", line, strings.Join(near, ""))
		}
	}
}

// TestOneRunIsCounted runs a workflow whose first step needs two attempts and
// whose second fails for good.
func TestOneRunIsCounted(t *testing.T) {
	t.Parallel()
	g, err := graph.Decode([]byte(workflow))
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
	store, version, id := mem.NewStore(time.Now), uuid.New(), uuid.New()
	store.PutMachine(version, raw)
	registry := prometheus.NewRegistry()
	var log bytes.Buffer
	runs, err := meter.NewRuns(registry, slog.New(slog.NewJSONHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	workers, err := meter.NewWorkers(registry)
	if err != nil {
		t.Fatal(err)
	}
	ch := local.New(nil)
	pool, err := worker.New(worker.Config{Source: ch, Actions: map[string]worker.Action{"mock": action.Mock{}}, Payloads: store, Meter: workers.Attempt})
	if err != nil {
		t.Fatal(err)
	}
	engine, err := runtime.New(runtime.Config{Store: store, Channel: ch, Owner: "test", Meter: runs})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() { _ = engine.Run(ctx) })
	wg.Go(func() { _ = pool.Run(ctx) })
	s, err := engine.Start(ctx, runtime.StartRequest{Workspace: "main", Workflow: id, Version: version, Trigger: "start", Input: json.RawMessage("1"), Source: "api", Wait: runtime.WaitEnd})
	cancel()
	wg.Wait()
	if err != nil || s.Answer.Run != runtime.StatusFailed {
		t.Fatalf("%+v %v", s, err)
	}
	wantLines(
		t, scrape(t, registry),
		`signalbox_events_total{type="TaskScheduled"} 3`,
		`signalbox_events_total{type="RunFailed"} 1`,
		`signalbox_runs_started_total{source="api"} 1`,
		`signalbox_runs_ended_total{outcome="failed",workflow="`+id.String()+`"} 1`,
		`signalbox_run_seconds_count{outcome="failed"} 1`,
		`signalbox_task_queue_seconds_count{queue="vision"} 2`,
		`signalbox_task_attempt_seconds_count{kind="mock",outcome="succeeded"} 1`,
		`signalbox_task_attempt_seconds_count{kind="mock",outcome="failed"} 2`,
		`signalbox_task_retries_total{class="unavailable",kind="mock"} 1`,
		`signalbox_node_failures_total{class="other",kind="mock"} 1`,
		`signalbox_worker_attempt_seconds_count{kind="mock",outcome="failed",queue="vision"} 1`,
		`signalbox_engine_turn_inputs_count `,
	)
	want := `"run":"` + s.Run.String() + `","workflow":"` + id.String() + `","state":"failed"`
	if !strings.Contains(log.String(), want) {
		t.Errorf("the log does not say that the run failed:\n%s", &log)
	}
}

// TestLabelsAreBounded gives more workflows than are told apart.
func TestLabelsAreBounded(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	runs, err := meter.NewRuns(registry, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	for range 1_100 {
		run := runtime.NewRun{Run: uuid.Must(uuid.NewV7()), Workflow: uuid.New()}
		runs.Events(&run, &machine.Machine{}, []machine.Event{{Fact: &machine.RunFailed{Error: event.Error{Class: uuid.NewString()}}}})
	}
	text := scrape(t, registry)
	wantLines(t, text, `signalbox_runs_ended_total{outcome="failed",workflow="other"} 100`)
	if n := strings.Count(text, "\nsignalbox_runs_ended_total{"); n != 1_001 {
		t.Errorf("%d series, want 1,001", n)
	}
}

func TestTheTimeOfATestRunIsNoMeasure(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	runs, err := meter.NewRuns(registry, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []bool{true, false} {
		run := runtime.NewRun{Run: uuid.Must(uuid.NewV7()), Workflow: uuid.Nil, Test: test}
		runs.Events(&run, &machine.Machine{}, []machine.Event{{At: time.Now(), Fact: &machine.RunSucceeded{}}})
	}
	wantLines(t, scrape(t, registry), `signalbox_runs_ended_total{outcome="succeeded",workflow="`+uuid.Nil.String()+`"} 2`, `signalbox_run_seconds_count{outcome="succeeded"} 1`)
}

// BenchmarkEvents is what two events of a step cost.
func BenchmarkEvents(b *testing.B) {
	runs, err := meter.NewRuns(prometheus.NewRegistry(), slog.New(slog.DiscardHandler))
	if err != nil {
		b.Fatal(err)
	}
	run := runtime.NewRun{Run: uuid.Must(uuid.NewV7()), Workflow: uuid.New()}
	m := &machine.Machine{}
	at := time.Now()
	events := []machine.Event{
		{At: at, Fact: &machine.TaskScheduled{Node: "a", Visit: 1, Attempt: 1, Queue: "default"}},
		{At: at, Fact: &machine.TaskCompleted{Node: "a", Visit: 1, Attempt: 1, Began: at}},
	}
	b.ReportAllocs()
	for b.Loop() {
		runs.Events(&run, m, events)
	}
}

// TestSourcesAreAsked registers sources, one of which fails.
func TestSourcesAreAsked(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	down := false
	err := meter.Register(registry, meter.Sources{
		Pool: func() meter.Pool {
			return meter.Pool{Used: 2, Idle: 3, Max: 8, Waits: 4, Waited: 1500 * time.Millisecond}
		},
		Runtime: func(context.Context) (meter.Runtime, error) {
			if down {
				return meter.Runtime{}, errors.New("away")
			}
			return meter.Runtime{Open: map[string]int{"waiting": 7}, Workflows: map[string]string{"id": `a "name"`}}, nil
		},
		Connected: func() bool { return !down },
		Channel: func(context.Context) (meter.Channel, error) {
			return meter.Channel{Streams: map[string]meter.Stream{"TASKS": {Messages: 9, Bytes: 900}}, Queues: map[string]meter.Queue{"express": {Waiting: 5, Running: 4, Oldest: 1500 * time.Millisecond, Wanted: 14}}}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	wantLines(
		t, scrape(t, registry),
		`signalbox_postgres_up 1`, `signalbox_postgres_connections{state="used"} 2`, `signalbox_postgres_connections_max 8`,
		`signalbox_postgres_connection_waits_total 4`, `signalbox_postgres_connection_wait_seconds_total 1.5`,
		`signalbox_runs_open{status="waiting"} 7`, `signalbox_workflow_info{name="a \"name\"",workflow="id"} 1`,
		`signalbox_nats_connected 1`, `signalbox_stream_messages{stream="TASKS"} 9`,
		`signalbox_queue_tasks{queue="express",state="waiting"} 5`, `signalbox_queue_tasks{queue="express",state="running"} 4`,
		`signalbox_queue_oldest_seconds{queue="express"} 1.5`, `signalbox_queue_wanted_workers{queue="express"} 14`,
	)
	down = true
	text := scrape(t, registry)
	wantLines(t, text, `signalbox_postgres_up 0`, `signalbox_nats_connected 0`)
	if strings.Contains(text, "signalbox_runs_open{") {
		t.Error("open runs are told while the database is away")
	}
}
