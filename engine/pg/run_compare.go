package pg

import (
	"context"

	"github.com/google/uuid"

	"signalbox/engine/compare"
	"signalbox/engine/machine"
)

// comparedMax is how many events of each run are compared.
const comparedMax = 20_000

// Compare lays two runs side by side. Whole: neither was too long for that.
func (h *History) Compare(ctx context.Context, workspace string, a, b uuid.UUID) (rows []compare.Row, whole bool, err error) {
	left, err := h.facts(ctx, workspace, a)
	if err != nil {
		return nil, false, err
	}
	right, err := h.facts(ctx, workspace, b)
	if err != nil {
		return nil, false, err
	}
	return compare.Logs(left, right), len(left) < comparedMax && len(right) < comparedMax, nil
}

// facts reads the first events of a run.
func (h *History) facts(ctx context.Context, workspace string, run uuid.UUID) ([]machine.Event, error) {
	if err := h.Exists(ctx, workspace, run); err != nil {
		return nil, err
	}
	stored, err := h.store.Beginning(ctx, run, comparedMax)
	if err != nil {
		return nil, err
	}
	list := make([]machine.Event, len(stored))
	for i, s := range stored {
		if list[i], err = machine.Decode(s); err != nil {
			return nil, err //nolint:wrapcheck // it names the event
		}
	}
	return list, nil
}
