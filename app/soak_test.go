//go:build soak && linux

package app_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"signalbox/engine/local/postgres"
)

// setting reads a number from the environment.
func setting(t *testing.T, name string, usual int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return usual
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		t.Fatalf("%s is %q, which is no number", name, text)
	}
	return n
}

// TestSoak lets SOAK_KILLS faults happen (1,000 unless it is set) to real
// processes: most to the program alone with its children, a quarter to three
// servers with a PostgreSQL and a NATS of their own, a twelfth on a disk that
// fills up, a twelfth on a disk whose power is cut, a twelfth under clients
// whose history is checked. SOAK_SEED chooses them again.
func TestSoak(t *testing.T) { //nolint:paralleltest // one arena after the other
	faults, seed := setting(t, "SOAK_KILLS", 1_000), uint64(setting(t, "SOAK_SEED", int(time.Now().Unix())))
	t.Logf("SOAK_KILLS=%d SOAK_SEED=%d", faults, seed)
	apartShare, fullShare, powerShare := faults/4, max(2, faults/12), max(2, faults/12)
	t.Run("alone", func(t *testing.T) { //nolint:paralleltest // see above
		a := newAlone(t, seed)
		a.run(max(1, faults-apartShare-fullShare-2*powerShare), faultsAlone())
	})
	t.Run("apart", func(t *testing.T) { soakApart(t, seed+1, apartShare) })         //nolint:paralleltest // see above
	t.Run("full", func(t *testing.T) { soakFull(t, seed+2, fullShare) })            //nolint:paralleltest // see above
	t.Run("power", func(t *testing.T) { soakPower(t, seed+3, powerShare) })         //nolint:paralleltest // see above
	t.Run("histories", func(t *testing.T) { soakHistories(t, seed+5, powerShare) }) //nolint:paralleltest // see above
	t.Run("poison", func(t *testing.T) { soakPoison(t) })                           //nolint:paralleltest // see above
	t.Run("power without flushes", func(t *testing.T) { soakNoFlush(t, seed+4) })   //nolint:paralleltest // see above
}

// soakHistories kills one server, and one of three, under clients whose history
// is then checked.
func soakHistories(t *testing.T, seed uint64, n int) {
	t.Helper()
	for _, servers := range []int{1, 3} {
		w := newTown(t, servers)
		w.live(seed, n/2)
		w.judge()
		w.spoil()
	}
}

// run lets so many faults happen at random and looks at what is left.
func (a *alone) run(n int, faults []fault) {
	for range n {
		a.suffer(faults[a.rng.IntN(len(faults))], time.Duration(a.rng.Int64N(int64(600*time.Millisecond))))
	}
	a.print(a.settle())
}

// soakFull runs the program on a small disk that somebody else fills.
func soakFull(t *testing.T, seed uint64, n int) {
	t.Helper()
	a := &alone{arena: newArena(t, seed)}
	if err := unix.Mount("tmpfs", a.dir, "tmpfs", 0, "size=500m,mode=755"); err != nil {
		t.Logf("a disk that fills up needs root (%v): not tried", err)
		return
	}
	t.Cleanup(func() { _ = unix.Unmount(a.dir, unix.MNT_DETACH) })
	a.v = a.start(a.dir)
	a.awaited(a.v)
	a.run(n, []fault{
		{"disk full", func(a *alone) { a.fill(); a.rest(3 * time.Second); a.empty() }},
		{"disk full, kill -9 of the program", func(a *alone) {
			a.fill()
			a.rest(time.Second)
			a.restart(a.empty)
		}},
		{"disk full, kill -9 of PostgreSQL", func(a *alone) {
			a.fill()
			a.postgres(syscall.SIGKILL)
			a.rest(2 * time.Second)
			a.empty()
		}},
	})
}

// fill leaves no room on the disk.
func (a *alone) fill() {
	f, err := os.Create(filepath.Join(a.dir, "filler"))
	if err != nil {
		a.t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	for size := 1 << 20; size >= 512; {
		if _, err := f.Write(make([]byte, size)); err != nil {
			size /= 2
		}
	}
}

func (a *alone) empty() { _ = os.Remove(filepath.Join(a.dir, "filler")) }

// apart is three servers with a PostgreSQL and a NATS elsewhere, each behind a
// proxy that can be cut.
type apart struct {
	*arena
	servers  [3]*victim
	postgres *postgres.Server
	nats     *exec.Cmd
	natsDir  string
	natsPort int
	toPG     *proxy
	toNATS   *proxy
}

func soakApart(t *testing.T, seed uint64, n int) {
	t.Helper()
	a := &apart{arena: newArena(t, seed)}
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	pgDir := filepath.Join(a.dir, "pg")
	if a.postgres, err = postgres.Start(context.Background(), postgres.Config{Dir: pgDir, SearchFrom: []string{root}}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.postgres.Stop(context.Background()) })
	a.dsn = func() (string, error) { return a.postgres.DSN(), nil }
	a.toPG = newProxy(t, func() (net.Conn, error) { return net.Dial("unix", filepath.Join(pgDir, "sock", ".s.PGSQL.5432")) })
	a.natsDir, a.natsPort = filepath.Join(a.dir, "nats"), freePort(t)
	a.startNATS()
	t.Cleanup(func() { a.stopNATS() })
	a.toNATS = newProxy(t, func() (net.Conn, error) { return net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", a.natsPort)) })
	a.env = []string{
		"DATABASE_URL=postgres://signalbox@" + a.toPG.address() + "/signalbox?sslmode=disable", "NATS_URL=nats://" + a.toNATS.address(),
		"SIGNALBOX_KEY_FILE=" + filepath.Join(a.dir, "key"),
	}
	for i := range a.servers {
		a.startServer(i)
		if i == 0 {
			a.awaited(a.servers[0])
		}
	}
	faults := a.faults()
	for range n {
		a.rest(800 * time.Millisecond)
		f := faults[a.rng.IntN(len(faults))]
		f.do()
		a.moves(f.name)
	}
	a.print(a.settle())
}

type apartFault struct {
	name string
	do   func()
}

func (a *apart) faults() []apartFault {
	return []apartFault{
		{"kill -9 of a server", func() { a.killServer(a.rng.IntN(len(a.servers))) }},
		{"kill -9 of all servers", func() {
			for i := range a.servers {
				a.killServer(i)
			}
		}},
		{"a server is restarted", func() {
			i := a.rng.IntN(len(a.servers))
			_ = a.servers[i].cmd.Process.Signal(syscall.SIGTERM)
			<-a.servers[i].gone
			a.startServer(i)
		}},
		{"SIGSTOP of a server, up to 8 s", func() {
			p := a.servers[a.rng.IntN(len(a.servers))].cmd.Process
			_ = p.Signal(syscall.SIGSTOP)
			a.rest(8 * time.Second)
			_ = p.Signal(syscall.SIGCONT)
		}},
		{"PostgreSQL cut off", func() { a.toPG.cut(a.some(2 * time.Second)) }},
		{"PostgreSQL silent", func() { a.toPG.stall(a.some(3 * time.Second)) }},
		{"NATS cut off", func() { a.toNATS.cut(a.some(2 * time.Second)) }},
		{"NATS silent", func() { a.toNATS.stall(a.some(3 * time.Second)) }},
		{"kill -9 of PostgreSQL", func() {
			if p, err := os.FindProcess(a.postgres.PID()); err == nil {
				_ = p.Kill()
			}
		}},
		{"kill -9 of NATS", func() { a.stopNATS(); a.startNATS() }},
		{"kill -9 of NATS, its files wiped", func() {
			a.stopNATS()
			_ = os.RemoveAll(a.natsDir)
			a.startNATS()
		}},
	}
}

func (a *apart) some(most time.Duration) time.Duration {
	return time.Duration(a.rng.Int64N(int64(most)))
}

func (a *apart) startServer(i int) {
	dir := filepath.Join(a.dir, fmt.Sprint("server", i))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		a.t.Fatal(err)
	}
	a.servers[i] = a.start(dir)
}

func (a *apart) killServer(i int) {
	_ = a.servers[i].cmd.Process.Kill()
	<-a.servers[i].gone
	a.startServer(i)
}

func (a *apart) startNATS() {
	exe, err := os.Executable()
	if err != nil {
		a.t.Fatal(err)
	}
	a.nats = exec.Command(exe)
	a.nats.Env = append(os.Environ(), natsVariable+"="+a.natsDir, fmt.Sprintf("%s=%d", natsPortVariable, a.natsPort))
	if err := a.nats.Start(); err != nil {
		a.t.Fatal(err)
	}
}

func (a *apart) stopNATS() {
	_ = a.nats.Process.Kill()
	_ = a.nats.Wait()
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().(*net.TCPAddr).Port
}

// proxy passes bytes on, until it is told to be a bad network.
type proxy struct {
	listener net.Listener
	dial     func() (net.Conn, error)

	mu    sync.Mutex
	conns map[net.Conn]bool
	down  bool
	held  sync.RWMutex // written while bytes stand still
}

func newProxy(t *testing.T, dial func() (net.Conn, error)) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{listener: l, dial: dial, conns: map[net.Conn]bool{}}
	go p.accept()
	t.Cleanup(func() { _ = l.Close(); p.drop() })
	return p
}

func (p *proxy) address() string { return p.listener.Addr().String() }

func (p *proxy) accept() {
	for {
		in, err := p.listener.Accept()
		if err != nil {
			return
		}
		go p.join(in)
	}
}

func (p *proxy) join(in net.Conn) {
	defer func() { _ = in.Close() }()
	p.held.RLock()
	p.held.RUnlock() //nolint:staticcheck // only to wait
	out, err := p.dial()
	if err != nil {
		return
	}
	defer func() { _ = out.Close() }()
	p.mu.Lock()
	down := p.down
	p.conns[in], p.conns[out] = !down, !down
	p.mu.Unlock()
	if down {
		return
	}
	var both sync.WaitGroup
	both.Go(func() { p.copy(out, in) })
	both.Go(func() { p.copy(in, out) })
	both.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.conns, in)
	delete(p.conns, out)
}

func (p *proxy) copy(to, from net.Conn) {
	defer func() { _ = to.Close(); _ = from.Close() }()
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		p.held.RLock()
		p.held.RUnlock() //nolint:staticcheck // only to wait
		if n > 0 {
			if _, err := to.Write(buf[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// drop closes every connection.
func (p *proxy) drop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.conns {
		_ = c.Close()
	}
}

// cut closes every connection and lets no new one in for a while.
func (p *proxy) cut(d time.Duration) {
	p.setDown(true)
	p.drop()
	time.Sleep(d)
	p.setDown(false)
}

func (p *proxy) setDown(down bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.down = down
}

// stall lets no byte through for a while.
func (p *proxy) stall(d time.Duration) {
	p.held.Lock()
	time.Sleep(d)
	p.held.Unlock()
}
