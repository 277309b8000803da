package runtime_test

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/problem"
	"signalbox/engine/runtime"
	"signalbox/engine/worker/local"
)

// TestWhatANewerProgramWroteIsRefusedAndHarmsNobody: whoever starts or tells
// such a run hears why nothing happens, and the others go on.
func TestWhatANewerProgramWroteIsRefusedAndHarmsNobody(t *testing.T) {
	t.Parallel()
	w := open(t, 0, chain)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	old, err := w.start(ctx, `{"n":1}`, "", runtime.WaitNone)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := w.store.Machine(ctx, w.version)
	if err != nil {
		t.Fatal(err)
	}
	ours := w.version
	w.version = uuid.New()
	w.store.PutMachine(w.version, bytes.Replace(raw, []byte(`"semantics":1`), []byte(`"semantics":2`), 1))
	_, err = w.start(ctx, `{"n":1}`, "", runtime.WaitEnd)
	if p := problem.Of(err); p == nil || p.Code != problem.Unavailable || !strings.Contains(p.Detail, "(format 1, semantics 2)") {
		t.Errorf("a start: %v", err)
	}
	w.version = ours
	s, err := w.start(ctx, `{"n":1}`, "", runtime.WaitEnd)
	if err != nil || string(s.Answer.Body) != `{"n":4}` {
		t.Errorf("another run: %+v %v", s, err)
	}
	w.comes(ctx, t, old.Run, func(r *runtime.Rebuilt) bool { return r.State.Status.Over() })
	w.store.PutMachine(w.version, bytes.Replace(raw, []byte(`"format":1`), []byte(`"format":4`), 1))
	fresh, err := runtime.New(runtime.Config{Store: w.store, Channel: local.New(nil), Owner: "fresh"}) // it has no machine in memory
	if err != nil {
		t.Fatal(err)
	}
	if _, err = fresh.Fork(ctx, runtime.ForkRequest{Workspace: "main", Run: s.Run, At: 1, Source: "test"}); problem.Of(err) == nil || problem.Of(err).Code != problem.Unavailable {
		t.Errorf("a fork: %v", err)
	}
	rec, err := w.store.Load(ctx, s.Run)
	if err != nil || rec.Format != 1 || rec.Semantics != 1 || !rec.Knows() {
		t.Errorf("the row says format %d and semantics %d: %v", rec.Format, rec.Semantics, err)
	}
}
