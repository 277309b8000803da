package pg_test

import (
	"context"
	"io"
	"net"
	"net/url"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"signalbox/engine/pg/pgtest"
)

// wire stands between the program and PostgreSQL, and can be cut.
type wire struct {
	upstream string // socket of the server
	refuse   atomic.Int64
	fault    atomic.Int32
	conns    sync.WaitGroup
}

// What happens to the next bytes on the wire.
const (
	faultNone    = iota
	faultRequest // what the program says never arrives
	faultReply   // what the server answers never arrives
)

// newWire returns a wire to a new database, and the address that leads through
// it.
func newWire(t *testing.T) (*wire, string) {
	t.Helper()
	u, err := url.Parse(pgtest.DSN(t))
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	w := &wire{upstream: filepath.Join(q.Get("host"), ".s.PGSQL."+q.Get("port"))}
	dir := t.TempDir()
	var lc net.ListenConfig
	l, err := lc.Listen(context.Background(), "unix", filepath.Join(dir, ".s.PGSQL.5432"))
	if err != nil {
		t.Fatal(err)
	}
	w.conns.Go(func() { w.accept(l) })
	t.Cleanup(func() {
		_ = l.Close()
		w.conns.Wait()
	})
	q.Set("host", dir)
	q.Set("port", "5432")
	u.RawQuery = q.Encode()
	return w, u.String()
}

func (w *wire) accept(l net.Listener) {
	for {
		client, err := l.Accept()
		if err != nil {
			return
		}
		if w.refuse.Add(-1) >= 0 {
			_ = client.Close()
			continue
		}
		var d net.Dialer
		server, err := d.DialContext(context.Background(), "unix", w.upstream)
		if err != nil {
			_ = client.Close()
			continue
		}
		w.conns.Go(func() { w.carry(server, client, faultRequest) })
		w.conns.Go(func() { w.carry(client, server, faultReply) })
	}
}

// carry moves bytes until one side ends or the fault strikes.
func (w *wire) carry(to io.WriteCloser, from io.ReadCloser, fault int32) {
	defer func() { _, _ = to.Close(), from.Close() }()
	buf := make([]byte, 64<<10)
	for {
		n, err := from.Read(buf)
		if err != nil || w.fault.Load() == fault {
			return
		}
		if _, err := to.Write(buf[:n]); err != nil {
			return
		}
	}
}
