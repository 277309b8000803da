package app

import "testing"

func TestTheHeapGrowsByRoomUnderLoadOnly(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		live, second uint64
		want         int
	}{
		{live: 0, second: 1 << 30, want: 75},           // nothing was collected yet
		{live: 20 << 20, second: 1 << 20, want: 75},    // idle
		{live: 1 << 20, second: 200 << 20, want: 400},  // never more than five times what lives
		{live: 20 << 20, second: 200 << 20, want: 200}, // 40 MB
		{live: 800 << 20, second: 200 << 20, want: 75}, // never less than three quarters of what lives
	} {
		if got := garbagePercent(c.live, c.second); got != c.want {
			t.Errorf("%d bytes live, %d a second: %d %%, want %d", c.live, c.second, got, c.want)
		}
	}
}
