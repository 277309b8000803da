package pg

import (
	"context"
	"fmt"
)

// FreeShards ends all leases at once. Only who knows that no other process can
// be alive may call it: whoever holds the lock of a private database's
// directory. An owner that lives nevertheless is fenced by its epoch.
func (s *Store) FreeShards(ctx context.Context) error {
	if _, err := s.pool.Exec(ctx, `update shards set lease_until = 'epoch' where lease_until > clock_timestamp()`); err != nil {
		return fmt.Errorf("free the shards: %w", err)
	}
	return nil
}
