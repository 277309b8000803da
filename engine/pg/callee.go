package pg

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"signalbox/engine/machine"
	"signalbox/engine/problem"
	"signalbox/engine/runtime"
)

// Callee implements runtime.Callees.
func (s *Store) Callee(ctx context.Context, workspace, workflow, version string) (runtime.Target, error) {
	var t runtime.Target
	var raw []byte
	err := s.pool.QueryRow(ctx, `
		select w.id, v.id, v.machine
		from workflows w join versions v on v.workspace_id = w.workspace_id and v.workflow_id = w.id and v.number is not null
		where w.workspace_id = $1 and w.deleted_at is null and (w.id::text = $2 or w.name = $2)
			and v.id::text = coalesce(nullif($3, ''), w.active_version_id::text)
		order by w.id::text = $2 desc, w.created_at limit 1`, workspace, workflow, version).Scan(&t.Workflow, &t.Version, &raw)
	if errors.Is(err, pgx.ErrNoRows) {
		return t, problem.New(problem.NotFound, "There is no published workflow “%.80s” to call.", workflow)
	}
	if err != nil {
		return t, fmt.Errorf("find a workflow to call: %w", err)
	}
	m, err := machine.Load(raw)
	if err != nil {
		return t, fmt.Errorf("load the workflow to call: %w", err)
	}
	for _, n := range m.Nodes {
		if n.Op == machine.OpTrigger && (t.Trigger == "" || n.Kind == "manual") {
			t.Trigger = n.Key
		}
	}
	return t, nil
}
