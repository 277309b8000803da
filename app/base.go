package app

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"signalbox/engine/local/postgres"
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
			return nil, err //nolint:wrapcheck // says what to do
		}
		dsn = b.server.DSN()
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, b.close(context.WithoutCancel(ctx)))
		}
	}()
	if b.db, err = pg.Open(ctx, dsn); err != nil {
		return nil, err //nolint:wrapcheck // says what to do
	}
	if _, err = b.db.Migrate(ctx); err != nil {
		return nil, err //nolint:wrapcheck // says what to do
	}
	return b, nil
}

func (b *base) close(ctx context.Context) error {
	if b.db != nil {
		b.db.Close()
	}
	if b.server != nil {
		return b.server.Stop(ctx) //nolint:wrapcheck // the last word
	}
	return nil
}

// openKey reads the key of the vault, or makes it at the first start.
func openKey(dir string) (*vault.Key, error) {
	path := filepath.Join(dir, "key")
	raw, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		raw = make([]byte, 32)
		if _, err := rand.Read(raw); err != nil {
			return nil, fmt.Errorf("make a key: %w", err)
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return nil, fmt.Errorf("make the data directory: %w", err)
		}
		if err := os.WriteFile(path, raw, 0o600); err != nil {
			return nil, fmt.Errorf("keep the key: %w", err)
		}
	} else if err != nil {
		return nil, fmt.Errorf("read the key: %w", err)
	}
	key, err := vault.NewKey(raw)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return key, nil
}

// runningDSN finds the socket of the private database of a running server.
func runningDSN(data string) (string, error) {
	dsn, err := postgres.Running(filepath.Join(data, "postgres"), "signalbox")
	if err != nil {
		return "", fmt.Errorf("no Signalbox is running with the data in %s: %w", data, err)
	}
	return dsn, nil
}
