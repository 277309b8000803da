package runtime_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/machine"
	"signalbox/engine/problem"
	"signalbox/engine/runtime"
	"signalbox/engine/worker/action"
)

// TestWhatCannotBeReadHarmsNobodyElse damages what is stored of one run, which
// waits for a person, and of another, which is owed. Whoever asks for them hears
// it, and the other runs of their shard go on.
func TestWhatCannotBeReadHarmsNobodyElse(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(w *world, runs []uuid.UUID){
		"a machine": func(w *world, _ []uuid.UUID) {
			w.store.PutMachine(w.version, json.RawMessage(`{"format":1,"semantics":1,"nodes":[{"key"`))
		},
		"an event": func(w *world, runs []uuid.UUID) {
			w.store.damage = func(r *runtime.Record) {
				if r.Run == runs[0] || r.Run == runs[1] {
					r.Events[1].Data = json.RawMessage(`{"visit":`)
				}
			}
		},
		"an event of no known type": func(w *world, runs []uuid.UUID) {
			w.store.damage = func(r *runtime.Record) {
				if r.Run == runs[0] || r.Run == runs[1] {
					r.Events[1].Type = "Surprise"
				}
			}
		},
		"a large value": func(w *world, _ []uuid.UUID) { w.store.lost = true },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			never := strings.Replace(patience, `{"id":"b",`, `{"id":"w","key":"work","kind":"mock","config":{"latency_ms":60000}},{"id":"b",`, 1)
			never = strings.Replace(never, `"edges":[`, `"edges":[{"id":"0","from":"s","port":"success","to":"w"},`, 1)
			w := open(t, 0, never)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			var runs []uuid.UUID
			for range 2 {
				s, err := w.engine.Start(ctx, runtime.StartRequest{
					Workspace: "main", Workflow: uuid.MustParse("018f0000-0000-7000-8000-00000000000a"), Version: w.version,
					Trigger: "start", Input: json.RawMessage(`{"n":1,"text":"` + strings.Repeat("long ", 4_000) + `"}`), Source: "test",
				})
				if err != nil {
					t.Fatal(err)
				}
				runs = append(runs, s.Run)
				w.comes(ctx, t, s.Run, func(r *runtime.Rebuilt) bool { return len(r.State.Look(r.Machine)) == 2 })
			}
			raw, err := w.store.Machine(ctx, w.version)
			if err != nil {
				t.Fatal(err)
			}
			good := uuid.New()
			w.store.PutMachine(good, raw)
			w.halt()
			damage(w, runs)
			w.serve(t, action.Mock{}, func(*runtime.Config) {})
			for range 3 {
				_, err := w.engine.Tell(ctx, "main", runs[0], machine.Pause{By: "Ada"})
				if p := problem.Of(err); p == nil || p.Code != problem.Unavailable || !strings.Contains(p.Detail, "cannot be read") {
					t.Fatalf("a run that is damaged was told something: %v", err)
				}
			}
			w.version = good
			s, err := w.rehearse(ctx, &machine.Rig{Virtual: true, Skip: true, Pins: map[string]json.RawMessage{"work": json.RawMessage("1")}}, true, runtime.WaitEnd)
			if err != nil || s.Answer.Run != "succeeded" {
				t.Errorf("another run of the same shard: %+v %v", s.Answer, err)
			}
		})
	}
}
