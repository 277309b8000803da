package history

import "time"

// Why an open run counts as stuck.
const (
	StuckNothing = "nothing" // it owes nothing and waits for nothing, and is not over
	StuckTimer   = "timer"   // a timer of it is overdue
	StuckSilent  = "silent"  // an attempt is out, and nothing is heard of it
	StuckWaits   = "waits"   // it waits for somebody longer than usual
)

// Stuck says why a run counts as stuck.
type Stuck struct {
	Reason string
	Node   string // key; empty: the run as a whole
	Since  time.Time
	Usual  time.Duration // in 99 of 100 visits, or the setting; 0: it should not take at all
}
