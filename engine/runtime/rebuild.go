package runtime

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"signalbox/engine/machine"
)

// Rebuilt is a run made again from its events alone.
type Rebuilt struct {
	Record  *Record
	Machine *machine.Machine
	State   *machine.Snapshot
}

// Reader is what rebuilding needs of a store.
type Reader interface {
	Load(ctx context.Context, run uuid.UUID) (*Record, error)
	Versions
	Payload(ctx context.Context, workspace, digest string) ([]byte, error)
}

// Rebuild makes the state of a run from its events, with the large values that
// it still holds. It changes nothing.
func Rebuild(ctx context.Context, store Reader, run uuid.UUID) (*Rebuilt, error) {
	rec, err := store.Load(ctx, run)
	if err != nil {
		return nil, fmt.Errorf("load run %s: %w", run, err)
	}
	raw, err := store.Machine(ctx, rec.Version)
	if err != nil {
		return nil, fmt.Errorf("load the machine of run %s: %w", run, err)
	}
	m, err := machine.Load(raw)
	if err != nil {
		return nil, fmt.Errorf("run %s: %w", run, err)
	}
	s := m.New(run.String())
	for _, stored := range rec.Events {
		e, err := machine.Decode(stored)
		if err == nil {
			err = m.Fold(s, e)
		}
		if err != nil {
			return nil, fmt.Errorf("rebuild run %s: %w", run, err)
		}
	}
	for _, digest := range s.Needs() {
		data, err := store.Payload(ctx, rec.Workspace, digest)
		if err != nil {
			return nil, fmt.Errorf("load a large value of run %s: %w", run, err)
		}
		s.Supply(digest, data)
	}
	return &Rebuilt{rec, m, s}, nil
}
