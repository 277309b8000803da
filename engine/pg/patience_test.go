package pg_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"signalbox/engine/pg"
	"signalbox/engine/runtime"
)

func TestPatienceIsForADatabaseThatIsAway(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err   error
		again bool
	}{
		"it starts":                 {&pgconn.PgError{Code: "57P03"}, true},
		"it stops":                  {fmt.Errorf("load payload: %w", &pgconn.PgError{Code: "57P01"}), true},
		"it has no connection":      {&pgconn.PgError{Code: "53300"}, true},
		"it is not there":           {&net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}, true},
		"it was killed":             {fmt.Errorf("load payload: %w", io.ErrUnexpectedEOF), true},
		"the question is wrong":     {&pgconn.PgError{Code: "42601"}, false},
		"it took too long":          {&pgconn.PgError{Code: "57014"}, false},
		"there is no such value":    {runtime.ErrNotFound, false},
		"something that we broke":   {errors.New("it cannot be read"), false},
		"the pool waits for nobody": {context.Canceled, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			asked := 0
			began := time.Now()
			err := pg.Patiently(t.Context(), func() error {
				if asked++; asked < 20 {
					return c.err
				}
				return nil
			})
			switch took := time.Since(began); {
			case c.again && (err != nil || took < 10*time.Second || took > 20*time.Second):
				t.Errorf("%s: asked %d times in %s: %v", name, asked, took, err)
			case !c.again && (!errors.Is(err, c.err) || asked != 1):
				t.Errorf("%s: asked %d times: %v", name, asked, err)
			}
		})
	}
}

func TestPatienceEndsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithTimeout(t.Context(), 5*time.Second)
		defer stop()
		began := time.Now()
		err := pg.Patiently(ctx, func() error { return io.ErrUnexpectedEOF })
		if took := time.Since(began); !errors.Is(err, io.ErrUnexpectedEOF) || took != 5*time.Second {
			t.Errorf("after %s: %v", took, err)
		}
	})
}
