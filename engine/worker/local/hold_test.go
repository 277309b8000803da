package local_test

import (
	"testing"

	"signalbox/engine/worker/local"
)

func TestPausedQueueHandsNothingOutUntilItIsResumed(t *testing.T) {
	t.Parallel()
	c := local.New(nil)
	if err := c.PauseQueue(t.Context(), "default", true); err != nil {
		t.Fatal(err)
	}
	jobs, release := serve(t, c, 1)
	defer close(release)
	dispatch(t, c, one(1, 0))
	select {
	case j := <-jobs:
		t.Fatalf("a paused queue handed %s out", j.Task().Run)
	default:
	}
	if waiting, _ := c.Depth(); waiting["default"] != 1 {
		t.Errorf("%v wait, want the task", waiting)
	}
	if err := c.PauseQueue(t.Context(), "default", false); err != nil {
		t.Fatal(err)
	}
	if j := <-jobs; j.Task().Run != func() string { x := one(1, 0); return x.Run }() {
		t.Errorf("got %s", j.Task().Run)
	}
}
