package sim

import (
	"math/rand/v2"
	"time"
)

// plan says what a seed does to its world.
type plan struct {
	Name    string
	Exact   bool // nothing makes a timer late: the reference must tell the same, event by event
	Servers int  // without Peers the first one owns all shards, others stand by
	Shards  int
	Peers   bool          // servers share the shards, and ask each other
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
	Calls                       bool    // some tasks are other workflows
	Nursery                     bool    // some drawings are made to start runs that live for a while
	Inside                      int     // items of a map that are done inside its run; 0: all
	Late                        float64 // of what is asked from beside the turns
}

// rough reports whether more than messages and results is lost.
func (p *plan) rough() bool {
	return p.Peers || p.Crash+p.CommitFails+p.CommitLies+p.ReadFails > 0 || p.Kills+p.Freezes+p.Steps > 0
}

// draft draws the plan of a seed.
func draft(r *rand.Rand) plan {
	p := plan{
		Servers: 1, Shards: 1, Runs: 1 + r.IntN(3), Horizon: time.Duration(5+r.IntN(30)) * time.Second,
		Drop: r.Float64() * 0.3, Repeat: r.Float64() * 0.4, Slow: r.Float64() * 0.4, Unacked: r.Float64() * 0.2,
		Poison: 0.05, Large: 0.05,
	}
	switch r.IntN(7) {
	case 0, 1:
		p.Name, p.Exact = "messages", true
		return p
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
	case 5:
		p.Name, p.Hold = "families", 0.3*r.Float64()
	case 6:
		p.Name, p.Peers, p.Servers, p.Shards = "peers", true, 2+r.IntN(2), 2+r.IntN(3)
		p.Freezes, p.Kills, p.Crash, p.Hold = r.IntN(3), r.IntN(2), 0.03*r.Float64(), 0.3*r.Float64()
		p.CommitFails, p.DispatchFails = r.Float64()*0.03, r.Float64()*0.1
	}
	p.Acts, p.Waits = 0.5*r.Float64(), r.IntN(3) == 0
	p.Late = 0.3 * r.Float64()
	p.Nursery = r.IntN(3) > 0
	if p.Name == "families" {
		p.Acts = 0.5 + 0.5*r.Float64()
	}
	switch kin := r.IntN(5); {
	case kin == 0 && p.Name != "families": // nobody starts a run but from outside
	case kin < 3:
		p.Calls = true
	default:
		p.Inside, p.Calls = 1+r.IntN(2), r.IntN(3) == 0
	}
	p.Nursery = p.Nursery && p.families()
	return p
}

// families reports whether runs may start others.
func (p *plan) families() bool { return p.Calls || p.Inside > 0 }
