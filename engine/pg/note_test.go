package pg_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/event"
	"signalbox/engine/machine"
	"signalbox/engine/runtime"
)

// notes are a turn's, as strange as nodes can make them: the decision stands
// twice among the truths, and a text holds what PostgreSQL cannot.
func (w *world) notes(run uuid.UUID, at time.Time) []runtime.Note {
	base := runtime.Note{Run: run, At: at, Workspace: "main", Workflow: w.workflow, Version: w.version, Node: "n"}
	var list []runtime.Note
	add := func(change func(*runtime.Note)) {
		n := base
		n.Seq = len(list) + 1
		change(&n)
		list = append(list, n)
	}
	add(func(n *runtime.Note) {
		n.Point = &machine.Point{Name: "paid", Type: "counter", Value: 0.1, Labels: map[string]string{"b": "2", "a": "x\x00\"y"}}
	})
	add(func(n *runtime.Note) { n.Point = &machine.Point{Name: "level", Type: "gauge", Value: -1e300} })
	add(func(n *runtime.Note) {
		n.Said = &machine.Statement{Name: "label", Says: "prediction", Decision: "d\x00", Value: "spam"}
	})
	add(func(n *runtime.Note) {
		n.Said = &machine.Statement{Name: "label", Says: "truth", Decision: "d\x00", Value: "ham"}
	})
	add(func(n *runtime.Note) {
		n.At = at.Add(time.Second)
		n.Said = &machine.Statement{Name: "label", Says: "truth", Decision: "d\x00", Value: "spam"}
	})
	return list
}

func (w *world) count(t *testing.T, sql string, args ...any) (n int) {
	t.Helper()
	if err := w.db.Pool().QueryRow(context.Background(), sql, args...).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestNotesAreWrittenOnceWithTheirTurn: a turn that was written although nobody
// heard of it comes again, and a stale owner writes nothing.
func TestNotesAreWrittenOnceWithTheirTurn(t *testing.T) {
	t.Parallel()
	w, ctx := newWorld(t, oneTask), context.Background()
	run, at := uuid.Must(uuid.NewV7()), time.Now().UTC().Truncate(time.Microsecond)
	turn := func(seq int) *runtime.Turn {
		e := event.Event{Seq: seq, At: at, Type: "RunPaused", Data: json.RawMessage(`{}`)}
		e.Hash = event.Chain([32]byte{}, &e)
		return &runtime.Turn{Epoch: w.epoch, At: at, Events: []runtime.EventRow{{Run: run, Event: e}}, Notes: w.notes(run, at)}
	}
	stale := turn(1)
	stale.Epoch--
	if err := w.store.Commit(ctx, stale); !errors.Is(err, runtime.ErrFenced) {
		t.Fatalf("a stale owner: %v", err)
	}
	if n := w.count(t, `select (select count(*) from metric_points) + (select count(*) from predictions) + (select count(*) from truths)`); n != 0 {
		t.Fatalf("a stale owner wrote %d rows", n)
	}
	for seq := 1; seq <= 2; seq++ { // other events, the same notes
		if err := w.store.Commit(ctx, turn(seq)); err != nil {
			t.Fatal(err)
		}
	}
	for sql, want := range map[string]int{
		`select count(*) from metric_points`: 2,
		`select count(*) from metric_points where name = 'paid' and value = 0.1 and labels::json->>'a' = 'x"y' and labels like '{"a"%' and workflow_id = '` + w.workflow.String() + `'`: 1,
		`select count(*) from metric_points where name = 'level' and value = -1e300 and labels = ''`:                                                                                    1,
		`select count(*) from predictions where decision = 'd' and value = 'spam'`:                                                                                                      1,
		`select count(*) from truths where decision = 'd' and value = 'spam'`:                                                                                                           1,
	} {
		if n := w.count(t, sql); n != want {
			t.Errorf("%s: %d, want %d", sql, n, want)
		}
	}
}
