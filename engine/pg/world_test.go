package pg_test

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/compile"
	"signalbox/engine/draft"
	"signalbox/engine/event"
	"signalbox/engine/graph"
	"signalbox/engine/machine"
	"signalbox/engine/pg"
	"signalbox/engine/runtime"
)

// world is a database with one published workflow.
type world struct {
	db       *pg.DB
	store    *pg.Store
	drafts   *pg.Drafts
	history  *pg.History
	epoch    int64
	workflow uuid.UUID
	version  uuid.UUID
	machine  *machine.Machine
}

func newWorld(t *testing.T, file string) *world {
	t.Helper()
	db := open(t)
	w := &world{db: db, store: pg.NewStore(db), drafts: pg.NewDrafts(db.Pool())}
	w.history, w.epoch = pg.NewHistory(w.store), owner(t, w.store)
	w.workflow, w.version = w.publish(t, "Orders", file)
	return w
}

func (w *world) publish(t *testing.T, name, file string) (workflow, version uuid.UUID) {
	t.Helper()
	g, err := graph.Decode([]byte(file))
	if err != nil {
		t.Fatal(err)
	}
	var issues []graph.Issue
	if w.machine, issues = compile.Compile(g); w.machine == nil {
		t.Fatalf("%+v", issues)
	}
	raw, err := w.machine.Encode()
	if err != nil {
		t.Fatal(err)
	}
	workflow, version = uuid.Must(uuid.NewV7()), uuid.Must(uuid.NewV7())
	ctx, now := context.Background(), time.Now().UTC()
	if err := w.drafts.Create(ctx, draft.Workflow{Workspace: "main", ID: workflow, Name: name, Active: true, CreatedAt: now, UpdatedAt: now}, json.RawMessage(file)); err != nil {
		t.Fatal(err)
	}
	if _, err := w.drafts.Publish(ctx, draft.Version{Workspace: "main", ID: version, Workflow: workflow, Hash: "x", Graph: json.RawMessage(file), Machine: raw, CreatedAt: now}, nil); err != nil {
		t.Fatal(err)
	}
	return workflow, version
}

// aged is the id of a run that was made some time ago.
func aged(age time.Duration) uuid.UUID {
	id := uuid.Must(uuid.NewV7())
	tail := binary.BigEndian.Uint16(id[6:8])
	binary.BigEndian.PutUint64(id[:8], uint64(time.Now().Add(-age).UnixMilli())<<16|uint64(tail))
	return id
}

// play runs a workflow, as the runtime would, until it is over: each task is
// answered by the function with an output, or with nil to fail.
func (w *world) play(t *testing.T, id uuid.UUID, input string, answer func(node string, visit int) json.RawMessage) runtime.RunState {
	t.Helper()
	s := w.machine.New(id.String())
	turn := runtime.Turn{At: time.Now().UTC().Truncate(time.Microsecond), Epoch: w.epoch}
	run := runtime.NewRun{
		Run: id, Workspace: "main", Workflow: w.workflow, Version: w.version, Trigger: "start", Source: "test", Attributes: json.RawMessage(`{"type":"text/plain"}`),
	}
	var hash [32]byte
	step := func(in machine.Input) {
		events, err := w.machine.Step(s, in, turn.At)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			stored, err := machine.Encode(e)
			if err != nil {
				t.Fatal(err)
			}
			hash = event.Chain(hash, &stored)
			stored.Hash = hash
			turn.Events = append(turn.Events, runtime.EventRow{Run: id, Event: stored})
		}
	}
	step(machine.Start{Trigger: "start", Value: json.RawMessage(input), Source: "test"})
	for !s.Status.Over() {
		pending := w.machine.Pending(s)
		if len(pending) == 0 { // it waits for time
			turn.At = w.machine.WakeAt(s)
			step(machine.Wake{})
			continue
		}
		for _, c := range pending {
			d, ok := c.(machine.Dispatch)
			if !ok {
				t.Fatalf("got %T", c)
			}
			if out := answer(d.Node, d.Visit); out != nil {
				step(machine.Complete{Node: d.Node, Visit: d.Visit, Attempt: d.Attempt, Output: out})
			} else {
				step(machine.Fail{Node: d.Node, Visit: d.Visit, Attempt: d.Attempt, Error: event.Error{Class: "unavailable", Message: "It is not there."}})
			}
		}
	}
	for digest, data := range s.Fresh() {
		if err := w.store.PutPayload(context.Background(), "main", digest, data); err != nil {
			t.Fatal(err)
		}
	}
	run.RunState = runtime.RunState{Status: string(s.Status), Seq: s.Seq, EndedAt: turn.At}
	if s.Failure != nil {
		run.Error = s.Failure.Message
	}
	turn.New = []runtime.NewRun{run}
	if err := w.store.Commit(context.Background(), &turn); err != nil {
		t.Fatal(err)
	}
	return run.RunState
}

// echo answers every task with its name and visit.
func echo(node string, visit int) json.RawMessage {
	return fmt.Appendf(nil, `{"from":%q,"visit":%d}`, node, visit)
}

// sized answers every task with a text of a size.
func sized(size int) func(string, int) json.RawMessage {
	return func(string, int) json.RawMessage {
		return json.RawMessage(`"` + strings.Repeat("x", size-2) + `"`)
	}
}
