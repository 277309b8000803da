package pg

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"signalbox/engine/runtime"
)

// chunkSize is how payloads are cut.
const chunkSize = 256 << 10

// Sealer seals pieces of large values, so that whoever reads the database's
// files does not read them. *vault.Values implements it.
type Sealer interface {
	Seal(workspace, digest string, piece int, plain []byte) ([]byte, error)
	Open(workspace, digest string, piece int, sealed []byte) ([]byte, error)
}

var errNoKey = errors.New("the value is sealed, and the key is not here")

// SealWith gives the store the key: to open what is sealed and, when it is to
// seal, for what is stored from now on. It is called before the store is used.
func (s *Store) SealWith(sealer Sealer, seal bool) { s.sealer, s.seals = sealer, seal }

// PutPayload implements runtime.Payloads.
func (s *Store) PutPayload(ctx context.Context, workspace, digest string, data []byte) error {
	b := &pgx.Batch{} // one implicit transaction: all pieces or none
	for i := 0; i == 0 || i*chunkSize < len(data); i++ {
		piece := data[i*chunkSize : min(len(data), (i+1)*chunkSize)]
		if s.seals {
			var err error
			if piece, err = s.sealer.Seal(workspace, digest, i, piece); err != nil {
				return fmt.Errorf("seal payload: %w", err)
			}
		}
		b.Queue(`insert into payloads (workspace_id, digest, chunk, bytes, sealed) values ($1, $2, $3, $4, $5)
			on conflict (workspace_id, digest, chunk) do update set stored_at = now() where payloads.stored_at < now() - interval '1 hour'`,
			workspace, digest, i, piece, s.seals)
	}
	if err := s.pool.SendBatch(ctx, b).Close(); err != nil {
		return fmt.Errorf("store payload: %w", err)
	}
	return nil
}

// Payload implements runtime.Payloads.
func (s *Store) Payload(ctx context.Context, workspace, digest string) ([]byte, error) {
	data, err := s.payload(ctx, s.pool, workspace, digest)
	if err != nil && !errors.Is(err, runtime.ErrNotFound) {
		return nil, fmt.Errorf("load payload: %w", err)
	}
	return data, err
}

type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

func (s *Store) payload(ctx context.Context, q querier, workspace, digest string) ([]byte, error) {
	rows, err := q.Query(ctx, `select chunk, sealed, bytes from payloads where workspace_id = $1 and digest = $2 order by chunk`, workspace, digest)
	if err != nil {
		return nil, err //nolint:wrapcheck // by the callers
	}
	pieces, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) ([]byte, error) {
		var n int
		var sealed bool
		var piece []byte
		if err := row.Scan(&n, &sealed, &piece); err != nil || !sealed {
			return piece, err //nolint:wrapcheck // by the callers
		}
		if s.sealer == nil {
			return nil, errNoKey
		}
		return s.sealer.Open(workspace, digest, n, piece) //nolint:wrapcheck // by the callers
	})
	if err != nil {
		return nil, err //nolint:wrapcheck // by the callers
	}
	if len(pieces) == 0 {
		return nil, runtime.ErrNotFound
	}
	data := pieces[0]
	for _, p := range pieces[1:] {
		data = append(data, p...)
	}
	return data, nil
}

// Spoiled returns those of the digests that a run names whose large value is
// missing, is not what the digest says, or is not kept for that run. A run that
// was deleted meanwhile misses nothing. What is sealed is opened for it.
func (s *Store) Spoiled(ctx context.Context, run uuid.UUID, workspace string, digests []string) ([]string, error) {
	rows, err := s.pool.Query(ctx, `
		select d, coalesce(p.sealed, false) and exists (select from payload_uses u where u.digest = d and u.run_id = $3)
		from unnest($2::text[]) d left join lateral (
			select string_agg(bytes, ''::bytea order by chunk) whole, bool_or(sealed) sealed from payloads where workspace_id = $1 and digest = d) p on true
		where exists (select from runs where id = $3) and (coalesce(p.sealed, false) or
			encode(sha256(p.whole), 'hex') is distinct from d or not exists (select from payload_uses u where u.digest = d and u.run_id = $3))`, workspace, digests, run)
	if err != nil {
		return nil, fmt.Errorf("look at large values: %w", err)
	}
	type suspect struct {
		Digest string
		Sealed bool
	}
	list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[suspect])
	if err != nil {
		return nil, fmt.Errorf("look at large values: %w", err)
	}
	var spoiled []string
	for _, v := range list {
		if v.Sealed {
			data, err := s.payload(ctx, s.pool, workspace, v.Digest)
			if errors.Is(err, errNoKey) {
				return nil, fmt.Errorf("look at large values: %w", err)
			}
			if sum := sha256.Sum256(data); err == nil && hex.EncodeToString(sum[:]) == v.Digest {
				continue
			}
		}
		spoiled = append(spoiled, v.Digest)
	}
	return spoiled, nil
}
