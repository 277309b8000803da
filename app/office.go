package app

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/account"
	auditlog "signalbox/engine/audit"
	"signalbox/engine/meter"
	"signalbox/engine/nats"
	"signalbox/engine/pg"
	"signalbox/engine/problem"
	"signalbox/engine/route"
	"signalbox/engine/worker"
	"signalbox/engine/worker/action"
	"signalbox/engine/worker/remote"
)

// notOwn reports whether a queue is for the program's own workers.
func notOwn(queue string) bool { return !route.IsOwn(queue) }

// admit says in which workspace the holder of an API token works.
func (a *App) admit(token string) (workspace string, ok bool) {
	ctx, cancel := context.WithTimeout(context.Background(), admitMax)
	defer cancel()
	who, err := account.New(pg.NewAccounts(a.base.db.Pool()), time.Now).ByToken(ctx, token)
	return who.Workspace, err == nil && who.Role == account.Worker
}

// admitMax is how long a connection waits to be let in.
const admitMax = 5 * time.Second

// callerOf says whom a token stands for that came with a question over NATS.
func (a *App) callerOf(ctx context.Context, token string) (remote.Caller, error) {
	who, err := a.accounts.ByToken(ctx, token)
	switch {
	case errors.Is(err, account.ErrNotFound):
		return remote.Caller{}, problem.New(problem.Unauthorized, "Send a valid API token of the role worker.")
	case err != nil:
		return remote.Caller{}, err
	case who.Role != account.Worker:
		return remote.Caller{}, problem.New(problem.Forbidden, "This needs the role worker; yours is %s.", who.Role)
	}
	return remote.Caller{Workspace: who.Workspace, User: who.User.String(), Token: who.Token.String(), Name: who.Name}, nil
}

// openOffice makes the place where workers of one's own take tasks.
func (a *App) openOffice(counted *meter.Workers) error {
	audit := auditlog.New(pg.NewAudit(a.base.db.Pool()), time.Now)
	cfg := remote.Config{
		Source: a.source, Payloads: patient{a.store}, Redact: a.vault.Redactor().Bytes, Kept: pg.NewWorkers(a.base.db.Pool()),
		Callback: func(request worker.Action) worker.Action {
			return action.Callback{HTTP: request, Address: addresses(a.Origin, a.vault)}
		},
		Name: uuid.NewString(), Log: a.log, Meter: counted.Attempt, Count: counted.Outcome,
		Refused: func(ctx context.Context, c remote.Caller, lease, _, what string) {
			user, _ := uuid.Parse(c.User)
			token, _ := uuid.Parse(c.Token)
			e := auditlog.Entry{Actor: user, Name: c.Name, Token: token, Action: "worker.refused", Target: lease, Detail: what}
			if err := audit.Append(context.WithoutCancel(ctx), c.Workspace, e); err != nil {
				a.log.ErrorContext(ctx, "an entry of the audit log was lost", "action", e.Action, "err", err)
			}
		},
	}
	if a.conn != nil {
		cfg.Peers = a.conn
	}
	var err error
	if a.office, err = remote.New(cfg); err != nil || a.conn == nil {
		return err
	}
	a.jobs = append(a.jobs, func(ctx context.Context) error {
		return a.conn.ServeOffice(ctx, nats.Office{Name: cfg.Name, Who: a.callerOf, Ask: a.office.Ask, Answer: a.office.Answer})
	})
	return nil
}
