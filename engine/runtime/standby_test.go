package runtime_test

import (
	"context"
	"testing"
	"time"

	"signalbox/engine/problem"
	"signalbox/engine/runtime"
	"signalbox/engine/worker/local"
)

// TestStandbyRefusesAndTakesOver has two processes on one store: the second one
// refuses work while the first lives, and does it afterwards.
func TestStandbyRefusesAndTakesOver(t *testing.T) {
	t.Parallel()
	w := open(t, 0, chain)
	const lease = time.Second // far longer than a busy machine makes a renewal wait
	run := func(owner string) (e *runtime.Engine, stop func()) {
		e, err := runtime.New(runtime.Config{Store: w.store, Ledger: w.store, Channel: local.New(nil), Owner: owner, Lease: lease})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- e.Run(ctx) }()
		return e, func() {
			cancel()
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	w.halt()
	first, stop := run("first")
	<-first.Ready()
	second, stopSecond := run("second")
	defer stopSecond()
	w.engine = second
	if _, err := w.start(ctx, `{"n":1}`, "", runtime.WaitNone); problem.Of(err) == nil || problem.Of(err).Code != problem.Unavailable {
		t.Errorf("a start at a server that only stands by: %v", err)
	}
	if !first.Owned() || second.Owned() {
		t.Errorf("first owns: %v, second owns: %v", first.Owned(), second.Owned())
	}
	stop()
	<-second.Ready()
	if _, err := w.start(ctx, `{"n":1}`, "", runtime.WaitNone); err != nil {
		t.Errorf("a start after the take-over: %v", err)
	}
	if first.Owned() || !second.Owned() {
		t.Errorf("after the take-over first owns: %v, second owns: %v", first.Owned(), second.Owned())
	}
}
