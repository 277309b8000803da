package app

import (
	"context"

	"signalbox/engine/pg"
	"signalbox/engine/vault"
)

// patient is the store as workers see it: while the database is away, a step
// that needs a large value waits, as its run does, and does not fail.
type patient struct{ store *pg.Store }

func (p patient) PutPayload(ctx context.Context, workspace, digest string, data []byte) error {
	return pg.Patiently(ctx, func() error { return p.store.PutPayload(ctx, workspace, digest, data) })
}

func (p patient) Payload(ctx context.Context, workspace, digest string) (data []byte, err error) {
	err = pg.Patiently(ctx, func() (err error) {
		data, err = p.store.Payload(ctx, workspace, digest)
		return err
	})
	return data, err
}

// secrets opens credentials, with the same patience.
func secrets(v *vault.Vault) func(ctx context.Context, workspace, name string) (vault.Secret, error) {
	return func(ctx context.Context, workspace, name string) (s vault.Secret, err error) {
		err = pg.Patiently(ctx, func() (err error) {
			s, err = v.Secret(ctx, workspace, name)
			return err
		})
		return s, err
	}
}
