package app

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	localnats "signalbox/engine/local/nats"
	"signalbox/engine/nats"
	"signalbox/engine/worker/local"
)

// openChannel reaches NATS, or starts it, or does without.
func (a *App) openChannel(ctx context.Context) error {
	switch {
	case a.Config.Local:
		ch := local.New(a.board.Deliver)
		a.channel, a.source = ch, ch
		return nil
	case a.Config.NATSURL != "":
		return a.connect(ctx, nats.Config{URL: a.Config.NATSURL, Credentials: a.Config.NATSCreds})
	}
	dir := filepath.Join(a.Config.Data, "nats")
	err := a.embed(ctx, dir)
	if err == nil || ctx.Err() != nil {
		return err
	}
	// A channel holds nothing that is not in the database too: files that a
	// crash or a disk has spoiled are no reason not to start.
	a.log.WarnContext(ctx, "the files of NATS cannot be used and are put aside", "err", err)
	a.closeChannel()
	aside := dir + ".spoiled" // the last ones only
	if err := os.RemoveAll(aside); err != nil {
		return fmt.Errorf("put the files of NATS aside: %w", err)
	}
	if err := os.Rename(dir, aside); err != nil {
		return fmt.Errorf("put the files of NATS aside: %w", err)
	}
	return a.embed(ctx, dir)
}

// embed starts NATS in this process.
func (a *App) embed(ctx context.Context, dir string) error {
	var err error
	if a.nats, err = localnats.Start(localnats.Config{
		Dir: dir, Listen: a.Config.WorkerListen, Certificate: a.Config.WorkerCert, Key: a.Config.WorkerKey, Admit: a.admit,
	}); err != nil {
		return err
	}
	return a.connect(ctx, nats.Config{InProcess: a.nats.Raw(), Token: a.nats.Secret()})
}

func (a *App) connect(ctx context.Context, cfg nats.Config) error {
	cfg.Name, cfg.Log = "signalbox", a.log
	var err error
	if a.conn, err = nats.Connect(cfg); err != nil {
		return err
	}
	if a.work, err = nats.Connect(cfg); err != nil {
		return err
	}
	if a.Config.shared() {
		a.bus = nats.NewBus(a.conn)
	}
	private := cfg.InProcess != nil // nobody else is there
	channel := nats.ChannelConfig{Queues: []string{"express", "vision", "default"}, Fresh: private}
	if private {
		channel.Watch = a.board.Deliver
	}
	ch, err := nats.NewChannel(ctx, a.conn, channel)
	if err != nil {
		return err
	}
	source := nats.NewSource(a.work)
	source.Near(ch)
	a.channel, a.source = ch, source
	a.jobs = append(a.jobs, ch.Run, func(ctx context.Context) error { return a.conn.Feed(ctx, a.board.Deliver) })
	return nil
}

func (a *App) closeChannel() {
	if a.work != nil {
		a.work.Close()
		a.work = nil
	}
	if a.conn != nil {
		a.conn.Close()
		a.conn = nil
	}
	if a.nats != nil {
		if !a.nats.Stop() {
			a.log.Warn("NATS does not stop and is left behind")
		}
		a.nats = nil
	}
}
