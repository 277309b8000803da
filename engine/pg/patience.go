package pg

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// Patiently asks again while the database is away, until the context ends. It
// is for questions that may be asked twice.
func Patiently(ctx context.Context, ask func() error) error {
	const first, most = 50 * time.Millisecond, time.Second
	for wait := first; ; wait = min(2*wait, most) {
		err := ask()
		if err == nil || !away(err) || ctx.Err() != nil {
			return err
		}
		again := time.NewTimer(wait) //nolint:forbidigo // the pause between two tries
		select {
		case <-again.C:
		case <-ctx.Done():
			again.Stop()
			return err
		}
	}
}

// away reports whether an error says that the database cannot be reached, is
// starting or stops, rather than that it has answered.
func away(err error) bool {
	var pe *pgconn.PgError
	if errors.As(err, &pe) {
		return strings.HasPrefix(pe.Code, "57P") || strings.HasPrefix(pe.Code, "08") || pe.Code == tooManyConnections
	}
	var connect *pgconn.ConnectError
	var network *net.OpError
	return errors.As(err, &connect) || errors.As(err, &network) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || pgconn.SafeToRetry(err)
}
