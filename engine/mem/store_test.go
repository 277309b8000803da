package mem_test

import (
	"testing"
	"time"

	"signalbox/engine/mem"
	"signalbox/engine/runtime/runtimetest"
)

func TestStore(t *testing.T) {
	t.Parallel()
	runtimetest.Run(t, func(*testing.T) runtimetest.Store { return mem.NewStore(time.Now) })
}

func TestSlots(t *testing.T) {
	t.Parallel()
	runtimetest.Slotted(t, func(*testing.T) runtimetest.Slots { return mem.NewStore(time.Now) })
}
