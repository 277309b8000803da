package runtime

import (
	"time"

	"signalbox/engine/machine"
)

// Meter is told what the engine has done, for whoever counts it. The shards
// call it between turns: it must be quick and safe for several goroutines.
type Meter interface {
	// Turn says that so many inputs were committed in one turn.
	Turn(inputs int, commit time.Duration)
	// Events says that events of a run are on disk.
	Events(run *NewRun, m *machine.Machine, events []machine.Event)
}

// unmetered counts nothing.
type unmetered struct{}

// Turn implements Meter.
func (unmetered) Turn(int, time.Duration) {}

// Events implements Meter.
func (unmetered) Events(*NewRun, *machine.Machine, []machine.Event) {}
