package app

import (
	"context"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// How often garbage is collected. A collection costs what lives, not what is
// thrown away, so under load a small heap may grow to a multiple of itself for
// the same memory that a large one takes at Go's own 100 %.
const (
	garbageRoom  = 40 << 20 // bytes that the heap may grow by between two collections
	garbageMin   = 75       // percent of what lives; also when there is little to do
	garbageMax   = 400
	garbageQuiet = 4 << 20 // bytes a second: less is little to do
	garbageLook  = time.Second
	garbageStep  = 10 // percent: a smaller change is not worth the stop that it costs
)

// TuneGarbage sets the share of garbage by what lives and how fast garbage
// comes, until the context ends.
func TuneGarbage(ctx context.Context) {
	tick := time.NewTicker(garbageLook)
	defer tick.Stop()
	samples := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/gc/heap/allocs:bytes"}}
	percent, before := garbageMin, uint64(0)
	debug.SetGCPercent(percent)
	for {
		metrics.Read(samples)
		live, so := samples[0].Value.Uint64(), samples[1].Value.Uint64()
		if p := garbagePercent(live, so-before); max(p-percent, percent-p) >= garbageStep {
			percent = p
			debug.SetGCPercent(percent)
		}
		before = so
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// garbagePercent is how much the heap may grow, in percent of what lives.
func garbagePercent(live, second uint64) int {
	if live == 0 || second < garbageQuiet {
		return garbageMin
	}
	return int(min(max(garbageRoom*100/live, garbageMin), garbageMax)) //nolint:gosec // at most garbageMax
}
