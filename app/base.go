package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"signalbox/engine/local/postgres"
	"signalbox/engine/machine"
	"signalbox/engine/pg"
	"signalbox/engine/vault"
)

// base is what every command that touches data needs: the database.
type base struct {
	cfg    Config
	log    *slog.Logger
	server *postgres.Server // nil: DATABASE_URL
	db     *pg.DB
}

// openBase starts or reaches the database and brings its schema up to date.
func openBase(ctx context.Context, cfg Config, log *slog.Logger) (_ *base, err error) {
	b := &base{cfg: cfg, log: log}
	dsn := cfg.DatabaseURL
	if dsn == "" {
		wd, err := os.Getwd()
		if err != nil {
			return nil, fmt.Errorf("find the working directory: %w", err)
		}
		from := []string{wd}
		if exe, err := os.Executable(); err == nil {
			from = append(from, filepath.Dir(exe))
		}
		b.server, err = postgres.Start(ctx, postgres.Config{Dir: filepath.Join(cfg.Data, "postgres"), BinDir: cfg.PGBin, SearchFrom: from, Log: log})
		if err != nil {
			return nil, err
		}
		dsn = b.server.DSN()
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, b.close(context.WithoutCancel(ctx)))
		}
	}()
	if b.db, err = pg.Open(ctx, dsn); err != nil {
		return nil, err
	}
	if _, err = b.db.Migrate(ctx); err != nil {
		return nil, err
	}
	return b, nil
}

// refuse says why this program must not work on the database: there are runs
// that it would have to carry on and does not understand.
func (b *base) refuse(ctx context.Context) error {
	newer, err := b.db.Newer(ctx)
	if err != nil || len(newer) == 0 {
		return err
	}
	total, list := 0, ""
	for _, n := range newer {
		total += n.Open
		list += fmt.Sprintf("\n  %s of format %d and semantics %d", counted(n.Open), n.Format, n.Semantics)
	}
	return fmt.Errorf("the database holds %s that a newer Signalbox began and that still go on:%s\nThis program %s.\nStart the newer program again; or let those runs end there, or cancel them there, and then start this one",
		counted(total), list, machine.Released())
}

func counted(n int) string {
	if n == 1 {
		return "1 run"
	}
	return fmt.Sprintf("%d runs", n)
}

func (b *base) close(ctx context.Context) error {
	if b.db != nil {
		b.db.Close()
	}
	if b.server != nil {
		return b.server.Stop(ctx)
	}
	return nil
}

// openKey reads the key of the vault, or makes it at the first start.
func (c *Config) openKey() (*vault.Key, error) {
	return vault.OpenKeyFile(c.keyPath())
}

func (c *Config) keyPath() string {
	if c.KeyFile != "" {
		return c.KeyFile
	}
	return filepath.Join(c.Data, "key")
}

// runningDSN finds the socket of the private database of a running server.
func runningDSN(data string) (string, error) {
	dsn, err := postgres.Running(filepath.Join(data, "postgres"), "signalbox")
	if err != nil {
		return "", fmt.Errorf("no Signalbox is running with the data in %s: %w", data, err)
	}
	return dsn, nil
}
