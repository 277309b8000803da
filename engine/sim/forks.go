package sim

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"signalbox/engine/event"
	"signalbox/engine/runtime"
)

var errNoForks = errors.New("no run of a simulation begins as another one did")

// Beginning implements runtime.Forks, which nothing here asks for.
func (s *server) Beginning(context.Context, uuid.UUID, int) ([]event.Event, error) {
	return nil, errNoForks
}

// Fork implements runtime.Forks, the same.
func (s *server) Fork(context.Context, *runtime.Fork) error { return errNoForks }
