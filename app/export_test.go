package app

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/draft"
	"signalbox/engine/graph"
	"signalbox/engine/pg"
	"signalbox/engine/runtime"
	"signalbox/engine/runtime/brief"
	"signalbox/engine/worker"
)

// ParseKeep reads how long runs are kept.
func ParseKeep(text string) (time.Duration, error) { return parseKeep("--keep", text) }

// OpsHandler is what answers at --ops-listen.
func OpsHandler(token string, metrics http.Handler, ready func(context.Context) error) http.Handler {
	return (&ops{log: slog.New(slog.DiscardHandler), token: token, ready: ready, metrics: metrics}).handler()
}

// Exercise publishes a chain of tasks and returns a function that starts one
// run of it and returns when the start is on disk.
func (a *App) Exercise(ctx context.Context, steps int) (start func(context.Context) (uuid.UUID, error), err error) {
	p, err := (&bench{app: a}).publish(ctx, chainGraph(steps, "mock"))
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (uuid.UUID, error) { return a.begin(ctx, p, "") }, nil
}

// OpenRuns counts the runs that are not over.
func (a *App) OpenRuns(ctx context.Context) (int, error) {
	var n int
	if err := a.base.db.Pool().QueryRow(ctx, `select count(*) from runs where ended_at is null`).Scan(&n); err != nil {
		return 0, fmt.Errorf("count open runs: %w", err)
	}
	return n, nil
}

// Ordeal publishes, unless it is there already, a workflow that has something
// of everything that can be under way when a process dies: attempts at work,
// attempts that wait for their retry, timers, large values, a join, items of a
// list, items that are runs, a transaction that is undone, a call of another
// workflow. It returns
// a function that starts one run for a key.
func (a *App) Ordeal(ctx context.Context) (start func(ctx context.Context, key string) (uuid.UUID, error), err error) {
	list, err := a.drafts.List(ctx, mainWorkspace, draft.Cursor{}, 50)
	if err != nil {
		return nil, err
	}
	var p published
	for _, g := range []graph.Graph{calledGraph(), ordealGraph()} {
		p = published{}
		for _, w := range list {
			if w.Name == g.Name && w.ActiveVersion > 0 {
				p = published{w.ID, w.ActiveID}
			}
		}
		if p.version == uuid.Nil {
			if p, err = (&bench{app: a}).publish(ctx, g); err != nil {
				return nil, err
			}
		}
	}
	return func(ctx context.Context, key string) (uuid.UUID, error) { return a.begin(ctx, p, key) }, nil
}

// Able reports whether requests should come to this process at the moment.
func (a *App) Able() bool { return a.engine.Able() == nil }

// Holds counts the shards that this process owns.
func (a *App) Holds() int { return a.engine.Holds() }

func (a *App) begin(ctx context.Context, p published, key string) (uuid.UUID, error) {
	s, err := a.engine.Start(ctx, runtime.StartRequest{
		Workspace: mainWorkspace, Workflow: p.workflow, Version: p.version, Trigger: "start",
		Input: json.RawMessage(fmt.Sprintf(`{"n":1,"crowd":%t}`, Crowded(key))), Source: "bench", Key: key,
	})
	return s.Run, err
}

// CrowdItems is how many items of its second list a crowded run of the ordeal
// has, and CrowdInside how many may be inside a run: those are runs.
const (
	CrowdItems  = 5
	CrowdInside = 3
)

// Crowded reports whether the ordeal's run of a key has items that are runs: one
// in four.
func Crowded(key string) bool {
	n := 0
	_, err := fmt.Sscanf(key, "key-%d", &n)
	return err == nil && n%4 == 0
}

// calledGraph is what the ordeal calls.
func calledGraph() graph.Graph {
	return graph.Graph{Format: graph.Format, Name: "Ordeal: called", Nodes: []graph.Node{
		{ID: "start", Key: "start", Kind: "manual"},
		{ID: "work", Key: "work", Kind: "mock", Config: json.RawMessage(`{"answer":1,"latency_ms":30}`)},
	}, Edges: []graph.Edge{{ID: "e", From: "start", Port: "success", To: "work"}}}
}

func ordealGraph() graph.Graph {
	g := graph.Graph{Format: graph.Format, Name: "Ordeal", Nodes: []graph.Node{
		{ID: "start", Key: "start", Kind: "manual"},
		{ID: "first", Key: "first", Kind: "mock", Config: json.RawMessage(`{"answer":{"n":"=input.n + 1"}}`)},
		{ID: "slow", Key: "slow", Kind: "mock", Config: json.RawMessage(`{"answer":1,"latency_ms":60}`)},
		{ID: "again", Key: "again", Kind: "mock", Config: json.RawMessage(`{"answer":2,"fail_times":2}`), Retry: &graph.Retry{MaxAttempts: 3, Initial: "100ms"}},
		{ID: "pause", Key: "pause", Kind: "wait", Config: json.RawMessage(`{"duration":"150ms"}`)},
		{ID: "meet", Key: "meet", Kind: "join"},
		{ID: "each", Key: "each", Kind: "map", Config: json.RawMessage(`{"items":"=[1, 2, 3]","concurrency":2}`)},
		{ID: "one", Key: "one", Kind: "mock", In: "each", Config: json.RawMessage(`{"answer":"=item + 1","latency_ms":20}`)},
		{ID: "crowd", Key: "crowd", Kind: "map", Config: json.RawMessage(`{"items":"=trigger.crowd ? [1, 2, 3, 4, 5] : [1]","concurrency":2}`)},
		{ID: "part", Key: "part", Kind: "mock", In: "crowd", Config: json.RawMessage(`{"answer":"=item + 1","latency_ms":20}`)},
		{ID: "count", Key: "count", Kind: "metric", Config: json.RawMessage(`{"name":"ordeals","value":"2","labels":{"n":"=size(input)"}}`)},
		{ID: "guess", Key: "guess", Kind: "outcome", Config: json.RawMessage(`{"name":"ordeal","value":"\"survives\""}`)},
		{ID: "truth", Key: "truth", Kind: "outcome", Config: json.RawMessage(`{"name":"ordeal","says":"truth","value":"\"survives\""}`)},
		{ID: "deal", Key: "deal", Kind: "group", Config: json.RawMessage(`{"transaction":true}`)},
		{ID: "book", Key: "book", Kind: "mock", In: "deal", Config: json.RawMessage(`{"answer":1}`)},
		{ID: "unbook", Key: "unbook", Kind: "mock", In: "deal", Config: json.RawMessage(`{"answer":1,"latency_ms":20}`)},
		{ID: "pay", Key: "pay", Kind: "mock", In: "deal", Config: json.RawMessage(`{"fail_times":9,"error_class":"invalid_input"}`)},
		{ID: "ask", Key: "ask", Kind: "call", Config: json.RawMessage(`{"workflow":"Ordeal: called","input":1}`)},
		{ID: "large", Key: "large", Kind: "mock", Config: json.RawMessage(`{"answer":"` + strings.Repeat("large ", 2_000) + `"}`)},
		{ID: "last", Key: "last", Kind: "transform", Config: json.RawMessage(`{"expression":"size(input)"}`)},
	}}
	for i, e := range [][3]string{
		{"start", "success", "first"},
		{"first", "success", "slow"},
		{"first", "success", "again"},
		{"first", "success", "pause"},
		{"slow", "success", "meet"},
		{"again", "success", "meet"},
		{"pause", "success", "meet"},
		{"meet", "success", "each"},
		{"each", "success", "crowd"},
		{"crowd", "success", "count"},
		{"count", "success", "guess"},
		{"guess", "success", "truth"},
		{"truth", "success", "deal"},
		{"book", "success", "pay"},
		{"book", graph.PortCompensate, "unbook"},
		{"deal", "failure", "ask"},
		{"ask", "success", "large"},
		{"large", "success", "last"},
	} {
		g.Edges = append(g.Edges, graph.Edge{ID: fmt.Sprint("e", i), From: e[0], Port: e[1], To: e[2]})
	}
	return g
}

// ShardsShared is how many shards several servers share out.
const ShardsShared = shardsShared

// PublishHook publishes a webhook at a path that answers with the result of its
// run, which is one step.
func (a *App) PublishHook(ctx context.Context, path, kind, config string) error {
	g := graph.Graph{Format: graph.Format, Name: "Hook", Nodes: []graph.Node{
		{ID: "hook", Key: "hook", Kind: "webhook", Config: json.RawMessage(`{"path":"` + path + `","auth":"none","respond":"at_end"}`)},
		{ID: "work", Key: "work", Kind: kind, Config: json.RawMessage(config)},
	}, Edges: []graph.Edge{{ID: "e", From: "hook", Port: "success", To: "work"}}}
	_, err := (&bench{app: a}).publish(ctx, g)
	return err
}

// Watch shows the live events of a run.
func (a *App) Watch(run uuid.UUID) (events <-chan []brief.Brief, stop func()) {
	return a.board.Watch(mainWorkspace, run)
}

// StartMax is how long a start may take in fault tests.
const StartMax = 4 * time.Second

// RunningDSN is the address of the private database of a running program.
func RunningDSN(data string) (string, error) { return runningDSN(data) }

// WorkerAddress is where workers come to over NATS.
func (a *App) WorkerAddress() string { return a.nats.Address() }

// HeldBy is how many tasks a worker holds.
func (a *App) HeldBy(worker string) int { return a.office.HeldBy(mainWorkspace, worker) }

// LargestOutput is the size of the largest value that a run's events name.
func (a *App) LargestOutput(ctx context.Context, run string) (n int, err error) {
	err = a.base.db.Pool().QueryRow(ctx, `select coalesce(max((m.size[1])::int), 0) from workflow_events e,
		regexp_matches(e.data::text, '"size":\s*([0-9]+)', 'g') m(size) where e.run_id = $1`, run).Scan(&n)
	return n, err
}

// Slots is what a queue has in this process.
func (a *App) Slots(queue string) worker.Slots { return a.pool.Slots()[queue] }

// Instead sets another action in the place of a usual one.
func (c *Config) Instead(kind string, a worker.Action) { c.instead = map[string]worker.Action{kind: a} }

// Inside sets how many items of a map are done inside its run; above, each is a
// run of its own.
func (c *Config) Inside(items int) { c.inside = items }

// Single publishes, unless it is there already, a workflow with one step, and
// starts one run of it for a key.
func (a *App) Single(ctx context.Context, name, config, key string) error {
	list, err := a.drafts.List(ctx, mainWorkspace, draft.Cursor{}, 50)
	if err != nil {
		return err
	}
	var p published
	for _, w := range list {
		if w.Name == name && w.ActiveVersion > 0 {
			p = published{w.ID, w.ActiveID}
		}
	}
	if p.version == uuid.Nil {
		g := graph.Graph{Format: graph.Format, Name: name, Nodes: []graph.Node{
			{ID: "start", Key: "start", Kind: "manual"},
			{ID: "work", Key: "work", Kind: "mock", Config: json.RawMessage(config), Retry: &graph.Retry{MaxAttempts: 3, Initial: "100ms"}},
		}, Edges: []graph.Edge{{ID: "e", From: "start", Port: "success", To: "work"}}}
		if p, err = (&bench{app: a}).publish(ctx, g); err != nil {
			return err
		}
	}
	_, err = a.begin(ctx, p, key)
	return err
}

// Failures lists why attempts failed.
func (a *App) Failures(ctx context.Context) (why string) {
	err := a.base.db.Pool().QueryRow(ctx, `select coalesce(string_agg(data::text, ' '), '') from workflow_events where type = 'TaskFailed'`).Scan(&why)
	if err != nil {
		return err.Error()
	}
	return why
}

// Listening is where the program itself listens, whatever people call it.
func (a *App) Listening() string { return a.loopback() }

// SweepDeleted ends what came late into deleted workspaces.
func SweepDeleted(ctx context.Context, accounts *pg.Accounts, end func(workspace string, run uuid.UUID, reason string) error) error {
	return sweepDeleted(ctx, accounts, ending(end), slog.New(slog.DiscardHandler))
}

type ending func(workspace string, run uuid.UUID, reason string) error

// Cancel implements canceler.
func (e ending) Cancel(_ context.Context, workspace string, run uuid.UUID, _, reason string) error {
	return e(workspace, run, reason)
}

// AtTheEdge makes an action of ours do what a server has handed out.
var AtTheEdge = atTheEdge
