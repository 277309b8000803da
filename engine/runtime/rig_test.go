package runtime_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/invariant"
	"signalbox/engine/machine"
	"signalbox/engine/runtime"
)

// patience asks a person for three days, then waits for one more.
const patience = `{"signalbox":1,"nodes":[
 {"id":"s","key":"start","kind":"manual"},
 {"id":"a","key":"tidy","kind":"set","config":{"fields":{"n":"=input.n + 1"}}},
 {"id":"b","key":"ask","kind":"human","config":{"title":"Approve?","decisions":[{"port":"yes","title":"Yes"}],"timeout":"72h"}},
 {"id":"c","key":"late","kind":"mock","config":{"answer":"=\"late \" + string(int(input.n))","fail_times":1},"retry":{"max_attempts":2,"initial":"1h"}},
 {"id":"d","key":"rest","kind":"wait","config":{"duration":"24h"}}],
 "edges":[{"id":"1","from":"s","port":"success","to":"a"},{"id":"2","from":"a","port":"success","to":"b"},{"id":"3","from":"b","port":"timeout","to":"c"},{"id":"4","from":"c","port":"success","to":"d"}],"layout":{}}`

func (w *world) rehearse(ctx context.Context, rig *machine.Rig, test bool, wait runtime.Wait) (runtime.Started, error) {
	return w.engine.Start(ctx, runtime.StartRequest{
		Workspace: "main", Workflow: uuid.MustParse("018f0000-0000-7000-8000-00000000000a"), Version: w.version,
		Trigger: "start", Input: json.RawMessage(`{"n":1}`), Source: "test", Test: test, Rig: rig, Wait: wait,
	})
}

// comes waits for the stored run to be as it should.
func (w *world) comes(ctx context.Context, t *testing.T, run uuid.UUID, is func(*runtime.Rebuilt) bool) *runtime.Rebuilt {
	t.Helper()
	for {
		r, err := runtime.Rebuild(ctx, w.store, run)
		if err == nil && is(r) {
			return r
		}
		select {
		case <-w.shown:
		case <-time.After(20 * time.Millisecond): // a commit whose word was lost is not shown
		case <-ctx.Done():
			t.Fatalf("the run did not come there: %+v %v", r, err)
		}
	}
}

func (w *world) sound(t *testing.T, run uuid.UUID) {
	t.Helper()
	rec, err := w.store.Load(t.Context(), run)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := w.store.Machine(t.Context(), rec.Version)
	if err != nil {
		t.Fatal(err)
	}
	m, err := machine.Load(raw)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range invariant.Check(rec, m, time.Now()) {
		t.Errorf("%+v", v)
	}
}

func TestATestRunSkipsItsWaits(t *testing.T) {
	t.Parallel()
	for _, every := range []int64{0, 3} {
		w := open(t, every, patience)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		s, err := w.rehearse(ctx, &machine.Rig{Virtual: true, Skip: true}, true, runtime.WaitEnd)
		if err != nil || s.Answer == nil || string(s.Answer.Body) != `"late 2"` {
			t.Fatalf("%+v %v", s, err)
		}
		w.check(t, s.Run)
		w.sound(t, s.Run)
		rec, err := w.store.Load(ctx, s.Run)
		if err != nil {
			t.Fatal(err)
		}
		if took := rec.Events[len(rec.Events)-1].At.Sub(rec.Events[0].At); took < 96*time.Hour || took > 97*time.Hour {
			t.Errorf("by its own clock the run took %s", took)
		}
	}
}

func TestATestRunIsAdvanced(t *testing.T) {
	t.Parallel()
	w := open(t, 4, patience)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	s, err := w.rehearse(ctx, &machine.Rig{Virtual: true}, true, runtime.WaitNone)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.engine.Tell(ctx, "main", s.Run, machine.Advance{For: 95*time.Hour + 31*time.Minute, ID: "one", By: "Ada"}); err != nil {
		t.Fatal(err) // the answer is no when the commit was there and its word was lost
	}
	r := w.comes(ctx, t, s.Run, func(r *runtime.Rebuilt) bool {
		return r.State.Waiting() && len(r.State.Look(r.Machine)) == 1 && r.State.Look(r.Machine)[0].Node == "rest"
	})
	w.sound(t, s.Run)
	if wake := time.Until(r.Record.WakeAt); wake < 25*time.Minute || wake > 31*time.Minute {
		t.Errorf("the row wants to be woken in %s of real time", wake)
	}
	if _, err := w.engine.Tell(ctx, "main", s.Run, machine.Advance{Next: true, ID: "two", By: "Ada"}); err != nil {
		t.Fatal(err)
	}
	w.comes(ctx, t, s.Run, func(r *runtime.Rebuilt) bool { return r.State.Status == machine.StatusSucceeded })
	w.check(t, s.Run)
	w.sound(t, s.Run)
}

// The hold is in the log: commits that fail make the engine forget the run and
// read it again, and it is still held there.
func TestAHoldOutlivesTheMemoryOfTheEngine(t *testing.T) {
	t.Parallel()
	w := open(t, 2, patience)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	s, err := w.rehearse(ctx, &machine.Rig{Virtual: true, Skip: true, Step: true}, true, runtime.WaitNone)
	if err != nil {
		t.Fatal(err)
	}
	for _, node := range []string{"tidy", "ask", "late", "rest"} {
		var at machine.VisitRef
		r := w.comes(ctx, t, s.Run, func(r *runtime.Rebuilt) bool {
			var held bool
			at, held = r.State.Held()
			return held && at.Node == node
		})
		if r.Record.Status != runtime.StatusWaiting {
			t.Errorf("held at %s, the row says %s", node, r.Record.Status)
		}
		w.sound(t, s.Run)
		in := machine.Release{Node: node, Visit: 1, Step: node != "late", By: "Ada"}
		if node == "tidy" {
			in.Input = json.RawMessage(`{"n":40}`)
		}
		if _, err := w.engine.Tell(ctx, "main", s.Run, in); err != nil {
			t.Fatalf("%s: %v", node, err)
		}
		if node == "late" {
			break // it goes on to the end from here
		}
	}
	r := w.comes(ctx, t, s.Run, func(r *runtime.Rebuilt) bool { return r.State.Status.Over() })
	if raw, err := r.State.Result(r.Machine); err != nil || string(raw) != `"late 41"` {
		t.Errorf("%s %s %v", r.State.Status, raw, err)
	}
	w.check(t, s.Run)
	w.sound(t, s.Run)
}

func TestARunThatIsNoTestHasNoRig(t *testing.T) {
	t.Parallel()
	w := open(t, 0, patience)
	s, err := w.rehearse(t.Context(), &machine.Rig{Virtual: true, Skip: true, Step: true}, false, runtime.WaitNone)
	if err != nil {
		t.Fatal(err)
	}
	rec, err := w.store.Load(t.Context(), s.Run)
	if err != nil || len(rec.Events) != 3 || rec.Events[2].Type != "WaitStarted" {
		t.Fatalf("%+v %v", rec.Events, err)
	}
	if changed, err := w.engine.Tell(t.Context(), "main", s.Run, machine.Advance{Next: true}); err != nil || changed {
		t.Errorf("its clock was moved: %v %v", changed, err)
	}
}

func TestACalledRunSkipsWithTheOneThatCalls(t *testing.T) {
	t.Parallel()
	w := open(t, 0, `{"signalbox":1,"nodes":[{"id":"s","key":"start","kind":"manual"},{"id":"c","key":"sub","kind":"call","config":{"workflow":"sleeper"}}],
		"edges":[{"id":"1","from":"s","port":"success","to":"c"}],"layout":{}}`)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	w.teach(t, "sleeper", patience)
	s, err := w.rehearse(ctx, &machine.Rig{Virtual: true}, true, runtime.WaitEnd)
	if err != nil || s.Answer == nil || string(s.Answer.Body) != `"late 2"` {
		t.Fatalf("%+v %v", s.Answer, err)
	}
}
