package app

import (
	"context"
	"time"

	"github.com/google/uuid"

	auditlog "signalbox/engine/audit"
	"signalbox/engine/meter"
	"signalbox/engine/pg"
	"signalbox/engine/route"
	"signalbox/engine/worker/remote"
)

// notOwn reports whether a queue is for the program's own workers.
func notOwn(queue string) bool { return !route.IsOwn(queue) }

// openOffice makes the place where workers of one's own take tasks.
func (a *App) openOffice(counted *meter.Workers) error {
	audit := auditlog.New(pg.NewAudit(a.base.db.Pool()), time.Now)
	var err error
	a.office, err = remote.New(remote.Config{
		Source: a.source, Payloads: a.store, Redact: a.vault.Redactor().Bytes, Kept: pg.NewWorkers(a.base.db.Pool()),
		Name: uuid.NewString(), Log: a.log, Meter: counted.Attempt, Count: counted.Outcome,
		Refused: func(ctx context.Context, c remote.Caller, lease, _, what string) {
			user, _ := uuid.Parse(c.User)
			token, _ := uuid.Parse(c.Token)
			e := auditlog.Entry{Actor: user, Name: c.Name, Token: token, Action: "worker.refused", Target: lease, Detail: what}
			if err := audit.Append(context.WithoutCancel(ctx), c.Workspace, e); err != nil {
				a.log.ErrorContext(ctx, "an entry of the audit log was lost", "action", e.Action, "err", err)
			}
		},
	})
	return err
}
