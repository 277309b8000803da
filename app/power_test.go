//go:build soak && linux

package app_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sys/unix"

	"signalbox/engine/pg"
)

// powered is the whole program, PostgreSQL and NATS with it, on a disk whose
// power is cut.
type powered struct {
	*alone
	disk *disk

	whole, torn, lost int // writes that no flush had followed, over all cuts
}

func newPowered(t *testing.T, seed uint64) *powered {
	t.Helper()
	p := &powered{alone: &alone{arena: newArena(t, seed)}}
	p.disk = newDisk(t, p.dir, "")
	p.v = p.start(p.dir)
	p.awaited(p.v)
	return p
}

// cut ends the power at once for the disk and for everything that runs on it,
// and gives the disk power again.
func (p *powered) cut(keep float64) {
	p.t.Helper()
	whole, torn, lost := p.disk.cut(p.rng.Uint64(), keep)
	_ = p.v.cmd.Process.Kill()
	<-p.v.gone
	p.disk.restore()
	p.whole, p.torn, p.lost = p.whole+whole, p.torn+torn, p.lost+lost
}

// faultsPower lists how the power can go.
func (p *powered) faultsPower() []fault {
	some := func() float64 { return 0.05 + 0.9*p.rng.Float64() }
	return []fault{
		{"power cut, nothing unflushed kept", func(a *alone) {
			p.cut(0)
			a.again()
		}},
		{"power cut, some of it kept, some torn", func(a *alone) {
			p.disk.writeBack()
			a.rest(5 * time.Millisecond)
			p.cut(some())
			a.again()
		}},
		{"power cut, again while it starts", func(a *alone) {
			p.cut(some())
			a.v = a.start(a.dir)
			a.rest(1200 * time.Millisecond)
			p.disk.writeBack()
			p.cut(some())
			a.again()
		}},
	}
}

// again starts the program after a cut.
func (a *alone) again() {
	a.t.Helper()
	a.v = a.start(a.dir)
	a.awaited(a.v)
}

// soakPower cuts the power n times. What was acknowledged before a cut is there
// after it, every time; at the end everything is, as in the other arenas.
func soakPower(t *testing.T, seed uint64, n int) {
	t.Helper()
	p := newPowered(t, seed)
	faults := p.faultsPower()
	for range n {
		time.Sleep(time.Duration(p.rng.Int64N(int64(1500 * time.Millisecond))))
		f := faults[p.rng.IntN(len(faults))]
		acked := p.acknowledged()
		f.do(p.alone)
		if missing, err := p.missing(acked); err != nil || len(missing) > 0 {
			t.Fatalf("%d of %d acknowledged runs are gone after %q: %v %v", len(missing), len(acked), f.name, missing, err)
		}
		p.moves(f.name)
	}
	p.print(p.settle())
	t.Logf("of the writes that no flush had followed %d survived, %d in part, %d did not", p.whole, p.torn, p.lost)
}

// acknowledged are the runs that the client knows of.
func (a *arena) acknowledged() []uuid.UUID {
	a.ledger.mu.Lock()
	defer a.ledger.mu.Unlock()
	list := make([]uuid.UUID, 0, len(a.ledger.acked))
	for _, run := range a.ledger.acked {
		list = append(list, run)
	}
	return list
}

// missing are those of the runs that the database does not have.
func (a *arena) missing(acked []uuid.UUID) (list []string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	dsn, err := a.dsn()
	if err != nil {
		return nil, err
	}
	db, err := pg.Open(ctx, dsn)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	rows, err := db.Pool().Query(ctx, `select a::text from unnest($1::uuid[]) a where not exists (select from runs where id = a)`, acked)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var run string
		if err := rows.Scan(&run); err != nil {
			return nil, err
		}
		list = append(list, run)
	}
	return list, rows.Err()
}

// soakNoFlush is the test of the test: the same disk under a PostgreSQL that
// does not flush loses what was acknowledged, or all, within a few cuts.
func soakNoFlush(t *testing.T, seed uint64) {
	t.Helper()
	p := newPowered(t, seed)
	const cuts = 5
	for i := range cuts {
		p.unflushed()
		if i > 0 {
			p.moves("power cut without flushes")
		}
		p.rest(time.Second)
		acked := p.acknowledged()
		p.cut(0)
		p.v = p.start(p.dir)
		select {
		case <-p.v.ready:
		case <-p.v.gone:
			t.Logf("cut %d: the program does not start again, as it should be without flushes", i+1)
			return
		case <-time.After(time.Minute):
			t.Logf("cut %d: the program does not come back, as it should be without flushes", i+1)
			return
		}
		missing, err := p.missing(acked)
		if err != nil || len(missing) > 0 {
			t.Logf("cut %d: %d of %d acknowledged runs are gone, as it should be without flushes (%v)", i+1, len(missing), len(acked), err)
			return
		}
	}
	t.Errorf("%d cuts under a PostgreSQL that does not flush lost nothing: the disk proves nothing", cuts)
}

// unflushed restarts the program with a PostgreSQL that flushes nothing.
func (p *powered) unflushed() {
	p.t.Helper()
	p.restart(func() {
		p.disk.endProcesses()
		f, err := os.OpenFile(filepath.Join(p.dir, "postgres", "data", "postgresql.conf"), os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			p.t.Fatal(err)
		}
		if _, err := f.WriteString("\nfsync = off\n"); err != nil {
			p.t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			p.t.Fatal(err)
		}
	})
}

// writeBack lets the kernel begin to write what it holds of the files, as it
// may at any time. No flush follows.
func (d *disk) writeBack() {
	_ = filepath.WalkDir(d.at, func(path string, entry os.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return nil //nolint:nilerr // files come and go under a program that runs
		}
		if f, err := os.Open(path); err == nil {
			_ = unix.SyncFileRange(int(f.Fd()), 0, 0, unix.SYNC_FILE_RANGE_WRITE)
			_ = f.Close()
		}
		return nil
	})
}
