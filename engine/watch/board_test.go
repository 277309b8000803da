package watch_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"signalbox/engine/runtime/brief"
	"signalbox/engine/watch"
)

func TestBoard(t *testing.T) {
	t.Parallel()
	board, run := watch.NewBoard(), uuid.MustParse("0197f0e2-0000-7000-8000-000000000001")
	events, stop := board.Watch("main", run)
	other, stopOther := board.Watch("another", run)
	defer stopOther()

	want := []brief.Brief{{Seq: 1, Type: "RunStarted"}, {Seq: 2, Type: "NodeCompleted"}}
	raw, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	board.Deliver(watch.Frame{Workspace: "main", Run: run.String(), Briefs: raw})
	if diff := cmp.Diff(want, <-events); diff != "" {
		t.Error(diff)
	}
	if len(other) != 0 {
		t.Error("another workspace's watcher got the frame")
	}

	for range 1_000 { // nobody reads: it must not block
		board.Deliver(watch.Frame{Workspace: "main", Run: run.String(), Briefs: raw})
	}
	if n := len(events); n == 0 || n == 1_000 {
		t.Errorf("%d frames wait, want a bounded number", n)
	}
	stop()
	before := len(events)
	board.Deliver(watch.Frame{Workspace: "main", Run: run.String(), Briefs: raw})
	if len(events) != before {
		t.Error("a stopped watcher still gets frames")
	}
}

func TestAgeOfWatchedEventsIsTold(t *testing.T) {
	t.Parallel()
	board, run := watch.NewBoard(), uuid.New()
	var ages []time.Duration
	board.Seen = func(age time.Duration) { ages = append(ages, age) }
	frame := func(live bool) watch.Frame {
		raw, err := json.Marshal([]brief.Brief{{Seq: 1, At: brief.Millis(time.Now().Add(-time.Hour))}, {Seq: 2, At: brief.Millis(time.Now().Add(-time.Minute))}})
		if err != nil {
			t.Fatal(err)
		}
		return watch.Frame{Live: live, Workspace: "main", Run: run.String(), Briefs: raw}
	}
	board.Deliver(frame(false)) // nobody watches
	_, stop := board.Watch("main", run)
	defer stop()
	board.Deliver(frame(true)) // not in the log
	board.Deliver(frame(false))
	if len(ages) != 1 || ages[0] < time.Minute || ages[0] > 2*time.Minute {
		t.Errorf("ages are %v, want one of a minute", ages)
	}
}
