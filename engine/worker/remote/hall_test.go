package remote_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/event"
	"signalbox/engine/pg"
	"signalbox/engine/pg/pgtest"
	"signalbox/engine/route"
	"signalbox/engine/runtime"
	"signalbox/engine/task"
	"signalbox/engine/watch"
	"signalbox/engine/worker/local"
	"signalbox/engine/worker/remote"
)

// hall is an office on a local channel, with an owner that settles results.
type hall struct {
	t       *testing.T
	office  *remote.Office
	channel *local.Channel
	store   *pg.Store
	results chan task.Result
	shown   chan watch.Frame
	refused chan string
	settle  func(runtime.Delivered)
	stop    func()

	mu     sync.Mutex
	counts map[string]int
}

func (h *hall) count(outcome string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.counts[outcome]++
}

// counted waits until an outcome was counted so often.
func (h *hall) counted(outcome string, n int) {
	h.t.Helper()
	eventually(h.t, func() bool {
		h.mu.Lock()
		defer h.mu.Unlock()
		return h.counts[outcome] == n
	}, fmt.Sprintf("%d results that are %s", n, outcome))
}

func open(t *testing.T) *hall {
	t.Helper()
	return openWith(t, func(*remote.Config) {})
}

func openWith(t *testing.T, change func(*remote.Config)) *hall {
	t.Helper()
	db := pgtest.Open(t)
	h := &hall{
		t: t, results: make(chan task.Result, 100), shown: make(chan watch.Frame, 1_000), refused: make(chan string, 10), counts: map[string]int{},
		store: pg.NewStore(db), settle: func(d runtime.Delivered) { d.Settle() },
	}
	for _, w := range []string{ours, theirs} {
		if _, err := db.Pool().Exec(t.Context(), `insert into workspaces (id, name) values ($1, $1) on conflict do nothing`, w); err != nil {
			t.Fatal(err)
		}
	}
	h.channel = local.New(func(f watch.Frame) { h.shown <- f })
	var err error
	cfg := remote.Config{
		Source: h.channel, Payloads: h.store, Kept: pg.NewWorkers(db.Pool()), Name: "one", Count: h.count,
		Redact:  func(b []byte) []byte { return []byte(strings.ReplaceAll(string(b), secret, "[redacted]")) },
		Refused: func(_ context.Context, _ remote.Caller, lease, _, _ string) { h.refused <- lease },
	}
	change(&cfg)
	h.office, err = remote.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 2)
	go func() { done <- h.office.Run(ctx) }()
	go func() {
		done <- h.channel.Results(ctx, 0, func(d runtime.Delivered) {
			h.results <- d.Result
			h.settle(d)
		})
	}()
	h.stop = sync.OnceFunc(func() {
		cancel()
		for range 2 {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
	})
	t.Cleanup(h.stop)
	return h
}

const (
	ours   = "main"
	theirs = "other"
	secret = "kY5-very-secret-0042"
)

func caller(workspace string) remote.Caller {
	return remote.Caller{Workspace: workspace, User: uuid.NewString(), Token: uuid.NewString(), Name: "Ada"}
}

// ask asks in the name of our workspace.
func ask[T any](h *hall, q remote.Question, body any) (T, error) {
	h.t.Helper()
	return askAs[T](h, caller(ours), q, body)
}

func askAs[T any](h *hall, c remote.Caller, q remote.Question, body any) (out T, err error) {
	h.t.Helper()
	if body != nil {
		if raw, ok := body.(string); ok {
			q.Body = []byte(raw)
		} else if q.Body, err = json.Marshal(body); err != nil {
			h.t.Fatal(err)
		}
	}
	raw, err := h.office.Ask(context.Background(), c, q)
	if err == nil {
		err = json.Unmarshal(raw, &out)
	}
	return out, err
}

func must[T any](t *testing.T, v T, err error) T {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func (h *hall) take(worker string, types ...string) []remote.Task {
	h.t.Helper()
	taken, err := ask[remote.Taken](h, remote.Question{Op: remote.OpTake}, remote.Request{Worker: worker, Types: types, WaitSeconds: 20})
	return must(h.t, taken, err).Tasks
}

func (h *hall) takeOne(worker, typ string) remote.Task {
	h.t.Helper()
	list := h.take(worker, typ)
	if len(list) != 1 {
		h.t.Fatalf("%s got %d tasks", worker, len(list))
	}
	return list[0]
}

func (h *hall) complete(lease, output string) remote.Outcome {
	h.t.Helper()
	out, err := ask[remote.Outcome](h, remote.Question{Op: remote.OpComplete, Lease: lease}, output)
	return must(h.t, out, err)
}

// work is an external task of a run.
func work(n int, workspace, typ, config string) task.Task {
	return task.Task{
		Workspace: workspace, Run: uuid.NewSHA1(uuid.Nil, fmt.Append(nil, n)).String(), Node: "resize", Visit: 1, Attempt: 1, Kind: "external",
		Queue: route.In(workspace, route.Own(typ)), Priority: task.Normal, Timeout: time.Minute, Key: fmt.Sprint("key", n),
		Config: event.Value{Inline: json.RawMessage(`{"type":"` + typ + `",` + config + `}`)},
	}
}

func (h *hall) dispatch(tasks ...task.Task) {
	h.t.Helper()
	if err := h.channel.Dispatch(h.t.Context(), tasks); err != nil {
		h.t.Fatal(err)
	}
}

func eventually(t *testing.T, ok func() bool, what string) {
	t.Helper()
	limit := time.After(20 * time.Second)
	for !ok() {
		select {
		case <-limit:
			t.Fatalf("waited in vain for %s", what)
		case <-time.After(2 * time.Millisecond):
		}
	}
}
