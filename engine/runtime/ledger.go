package runtime

import (
	"context"

	"github.com/google/uuid"
)

// Ledger keeps idempotency keys: one trigger event, one run.
type Ledger interface {
	// ClaimStart ties the key to the run unless it is tied already, and
	// returns the run that it is tied to.
	ClaimStart(ctx context.Context, workspace, trigger, key string, run uuid.UUID) (winner uuid.UUID, err error)
}
