package history_test

import (
	"testing"
	"time"

	"signalbox/engine/history"
)

func TestNoRunTakesLessThanNothing(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		created, ended time.Time
		want           time.Duration
	}{
		{noon, noon.Add(time.Second), time.Second},
		{noon.Add(225 * time.Microsecond), noon, 0}, // it ended in its first turn
	} {
		r := history.Run{CreatedAt: c.created, EndedAt: c.ended}
		if got := r.Lasted(); got != c.want {
			t.Errorf("from %s to %s: %s, want %s", c.created, c.ended, got, c.want)
		}
	}
}
