package sim

import (
	"math/rand/v2"
	"time"
)

// plan says what a seed does to its world.
type plan struct {
	Name    string
	Exact   bool          // nothing makes a timer late: the reference must tell the same, event by event
	Servers int           // the first one owns the shard, others stand by
	Runs    int           // of each drawing
	Horizon time.Duration // until then there are faults

	Drop, Repeat, Slow, Unacked float64 // of a message or a result
	Poison                      float64 // of a task: its worker dies of it a few times
	CommitFails, CommitLies     float64 // nothing written; written, and reported as failed
	ReadFails, DispatchFails    float64
	Crash                       float64 // at a commit, a dispatch or an acknowledgment, before or after
	Hold                        float64 // of a commit: inputs pile up behind it, or time passes
	Steps                       int     // of the clock
	Wipes, Freezes, Kills       int     // of the channel, of a server
	Acts                        float64 // of a person, per run
	Waits                       bool    // some waits are for signals and people
	Large                       float64 // values above what an event holds
}

// draft draws the plan of a seed.
func draft(r *rand.Rand) plan {
	p := plan{
		Servers: 1, Runs: 1 + r.IntN(3), Horizon: time.Duration(5+r.IntN(30)) * time.Second,
		Drop: r.Float64() * 0.3, Repeat: r.Float64() * 0.4, Slow: r.Float64() * 0.4, Unacked: r.Float64() * 0.2,
		Poison: 0.05, Large: 0.05,
	}
	switch r.IntN(5) {
	case 0, 1:
		p.Name, p.Exact = "messages", true
	case 2:
		p.Name = "store"
		p.CommitFails, p.CommitLies, p.ReadFails, p.DispatchFails = r.Float64()*0.1, r.Float64()*0.1, r.Float64()*0.02, r.Float64()*0.2
		p.Hold, p.Steps, p.Wipes = 0.4*r.Float64(), r.IntN(4), r.IntN(3)
	case 3:
		p.Name = "crashes"
		p.Crash, p.Kills, p.Hold = 0.08*r.Float64(), r.IntN(4), 0.4*r.Float64()
		p.CommitFails, p.CommitLies = r.Float64()*0.03, r.Float64()*0.03
		p.Wipes, p.Steps = r.IntN(2), r.IntN(2)
	case 4:
		p.Name, p.Servers = "owners", 2
		p.Freezes, p.Kills, p.Crash, p.Hold = 1+r.IntN(3), r.IntN(2), 0.03*r.Float64(), 0.5*r.Float64()
		p.CommitFails, p.DispatchFails = r.Float64()*0.03, r.Float64()*0.1
	}
	if !p.Exact {
		p.Acts, p.Waits = 0.5*r.Float64(), r.IntN(3) == 0
	}
	return p
}
