package pg

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"signalbox/engine/audit"
)

// Audit stores the audit log.
type Audit struct{ pool *pgxpool.Pool }

var _ audit.Store = (*Audit)(nil)

// NewAudit makes the adapter.
func NewAudit(pool *pgxpool.Pool) *Audit { return &Audit{pool} }

// Append implements audit.Store. A lock for each workspace keeps the chain one
// chain, also between programs.
func (a *Audit) Append(ctx context.Context, workspace string, entries []audit.Entry) error {
	err := inTx(ctx, a.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `select pg_advisory_xact_lock(hashtextextended('audit ' || $1, 0))`, workspace); err != nil {
			return err //nolint:wrapcheck // wrapped below
		}
		var seq int64
		var head []byte
		err := tx.QueryRow(ctx, `select seq, hash from audit_log where workspace_id = $1 order by seq desc limit 1`, workspace).Scan(&seq, &head)
		if err != nil && !errors.Is(err, pgx.ErrNoRows) {
			return err
		}
		batch := &pgx.Batch{}
		for _, e := range entries {
			seq++
			e.Seq = seq
			head = e.Sum(workspace, head)
			batch.Queue(`insert into audit_log (workspace_id, seq, at, actor_id, actor, token_id, action, target, detail, address, hash)
				values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
				workspace, e.Seq, e.At, nullID(e.Actor), e.Name, nullID(e.Token), e.Action, e.Target, e.Detail, e.Address, head)
		}
		return tx.SendBatch(ctx, batch).Close()
	})
	if err != nil {
		return fmt.Errorf("append to the audit log: %w", err)
	}
	return nil
}

const auditColumns = `seq, at, actor_id, actor, token_id, action, target, detail, address, hash`

// List implements audit.Store.
func (a *Audit) List(ctx context.Context, workspace string, q audit.Query) ([]audit.Entry, error) {
	rows, err := a.pool.Query(ctx, `select `+auditColumns+` from audit_log
		where workspace_id = $1 and ($2::bigint = 0 or seq < $2::bigint)
		and ($3 = '' or action = $3 or starts_with(action, $3 || '.'))
		and ($4::uuid is null or actor_id = $4)
		and ($5::timestamptz is null or at >= $5) and ($6::timestamptz is null or at < $6)
		order by seq desc limit $7`,
		workspace, q.Before, q.Action, nullID(q.Actor), nullTime(q.From), nullTime(q.To), q.Limit)
	if err != nil {
		return nil, err //nolint:wrapcheck // named by the service
	}
	return pgx.CollectRows(rows, scanEntry) //nolint:wrapcheck // named by the service
}

// After implements audit.Store.
func (a *Audit) After(ctx context.Context, workspace string, seq int64, limit int) ([]audit.Entry, error) {
	rows, err := a.pool.Query(ctx, `select `+auditColumns+` from audit_log where workspace_id = $1 and seq > $2 order by seq limit $3`, workspace, seq, limit)
	if err != nil {
		return nil, err //nolint:wrapcheck // named by the service
	}
	return pgx.CollectRows(rows, scanEntry) //nolint:wrapcheck // named by the service
}

func scanEntry(row pgx.CollectableRow) (audit.Entry, error) {
	var e audit.Entry
	var actor, token *uuid.UUID
	var at time.Time
	err := row.Scan(&e.Seq, &at, &actor, &e.Name, &token, &e.Action, &e.Target, &e.Detail, &e.Address, &e.Hash)
	e.At, e.Actor, e.Token = at.UTC(), orNil(actor), orNil(token)
	return e, err
}

func orNil(id *uuid.UUID) uuid.UUID {
	if id == nil {
		return uuid.Nil
	}
	return *id
}
