package server_test

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"
	"testing"
	"time"

	"signalbox/engine/pg"
	"signalbox/engine/pg/pgtest"
	"signalbox/engine/runtime"
	"signalbox/engine/watch"
	"signalbox/engine/worker"
	"signalbox/engine/worker/action"
	"signalbox/engine/worker/local"
)

// live is a world with the real engine, store and workers.
func live(t *testing.T) *world {
	t.Helper()
	db := pgtest.Open(t)
	store, board := pg.NewStore(db), watch.NewBoard()
	channel := local.New(board.Deliver)
	engine, err := runtime.New(runtime.Config{Store: store, Channel: channel, Ledger: store, Owner: "test"})
	if err != nil {
		t.Fatal(err)
	}
	pool, err := worker.New(worker.Config{Source: channel, Payloads: store, Actions: map[string]worker.Action{"mock": action.Mock{}}, Name: "w1"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	for _, run := range []func(context.Context) error{engine.Run, pool.Run} {
		wg.Go(func() {
			if err := run(ctx); err != nil && ctx.Err() == nil {
				t.Error(err)
			}
		})
	}
	t.Cleanup(func() {
		cancel()
		wg.Wait()
	})
	<-engine.Ready()
	history := pg.NewHistory(store)
	return newWorldOf(t, db, parts{engine, board, history, history, 20 * time.Second})
}

// From the template to the last event on the socket, with nothing replaced.
func TestTemplateRunsAndIsWatched(t *testing.T) {
	t.Parallel()
	w := live(t)
	b := w.owner()
	id := b.template("parallel-research")
	b.publish(id)
	k := b.tab()
	var started struct{ Run struct{ ID, Status string } }
	b.json("POST", "/api/workflows/"+id+"/runs", `{"input":{"question":"When?"}}`).must(t, http.StatusAccepted).into(t, &started)
	k.sub("run:"+started.Run.ID, 0)
	last, types := 0, map[string]int{}
	for types["RunSucceeded"] == 0 {
		m := k.next()
		if m.T != "ev" {
			t.Fatalf("got %+v", m)
		}
		for _, e := range m.E {
			types[e.Type]++
			if e.Seq == 0 {
				continue
			}
			if last++; e.Seq != last {
				t.Fatalf("got event %d after %d", e.Seq, last-1)
			}
		}
	}
	if types["TaskCompleted"] != 4 || types["TaskScheduled"] != 4 || types["RunFailed"] != 0 || types["TaskProgress"] == 0 {
		t.Errorf("got %v", types)
	}
	var run struct {
		Run    struct{ Status string }
		Edges  []string
		Result struct{ Question, Summary string }
	}
	b.get("/api/runs/"+started.Run.ID).must(t, http.StatusOK).into(t, &run)
	if run.Run.Status != runtime.StatusSucceeded || run.Result.Question != "When?" || run.Result.Summary == "" || len(run.Edges) != 8 {
		t.Errorf("got %+v", run)
	}
	var samples struct {
		Nodes map[string]struct{ Output json.RawMessage }
	}
	b.get("/api/workflows/"+id+"/samples").must(t, http.StatusOK).into(t, &samples)
	if len(samples.Nodes["papers"].Output) == 0 {
		t.Errorf("no output was seen: %v", samples.Nodes)
	}
	contains(t, b.json("POST", "/api/expr/check", map[string]any{"workflow": id, "node": "summary", "mode": "expr", "source": "input.papers.source"}).must(t, 200).text, `"value":"papers"`)
	contains(t, b.get("/api/workflows").text, `"runs_24h":{"ok":1,"failed":0}`)
}

func TestWebhookIsAnsweredByItsRun(t *testing.T) {
	t.Parallel()
	w := live(t)
	b := w.owner()
	path := b.webhook(`{"auth":"none","respond":"by_node"}`)
	res := b.json("POST", path, `{"order":9007199254740993}`)
	if res.status != http.StatusOK || res.text != `{"order":9007199254740993}` {
		t.Errorf("got %d %s", res.status, res.text)
	}
	// The same message once more: the same answer, and no second run.
	h := http.Header{"Idempotency-Key": {"k"}, "Content-Type": {"application/json"}}
	first, again := b.do("POST", path, []byte(`{"a":1}`), h), b.do("POST", path, []byte(`{"a":2}`), h)
	if first.text != `{"a":1}` || again.text != first.text || again.header.Get("X-Signalbox-Run") != first.header.Get("X-Signalbox-Run") {
		t.Errorf("got %s, then %d %s", first.text, again.status, again.text)
	}
}
