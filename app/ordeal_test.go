package app_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"signalbox/app"
	"signalbox/engine/invariant"
	"signalbox/engine/pg"
)

// childVariable makes this test binary be the program that gets killed; its
// value is the directory of the data.
const childVariable = "SIGNALBOX_TEST_CHILD"

// child is the whole program. It reads keys from standard input, starts a run
// for each, and says which run that is when the start is on disk.
func child(dir string) error {
	signal.Ignore(syscall.SIGXFSZ)
	log, err := os.OpenFile(filepath.Join(dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	cfg, err := app.Parse([]string{"--data", dir, "--listen", "127.0.0.1:0"}, os.Getenv, io.Discard)
	if err != nil {
		return err
	}
	cfg.Inside(app.CrowdInside)
	a, err := app.New(ctx, cfg, slog.New(slog.NewTextHandler(log, nil)))
	if err != nil {
		return err
	}
	ready, failed := make(chan struct{}), make(chan error, 1)
	go func() { failed <- a.Run(ctx, func() { close(ready) }) }()
	select {
	case <-ready:
	case err := <-failed: // nil: it was told to stop before
		if err != nil {
			err = fmt.Errorf("did not start: %w", err)
		}
		return err
	}
	start, err := a.Ordeal(ctx)
	if err != nil {
		return err
	}
	var out sync.Mutex
	say := func(format string, args ...any) {
		out.Lock()
		defer out.Unlock()
		fmt.Printf(format+"\n", args...)
	}
	say("ready")
	go func() {
		for in := bufio.NewScanner(os.Stdin); in.Scan(); {
			key := in.Text()
			go func() {
				if !a.Able() { // not ready: a balancer would send nobody here
					say("failed %s", key)
					return
				}
				ctx, cancel := context.WithTimeout(ctx, app.StartMax)
				defer cancel()
				if id, err := start(ctx, key); err == nil {
					say("ok %s %s", key, id)
				} else {
					say("failed %s", key)
				}
			}()
		}
	}()
	return <-failed
}

// ledger is what the client of a fault run knows: which keys it gave out, and
// which of them were acknowledged with which run.
type ledger struct {
	mu     sync.Mutex
	given  int
	again  []string // without an answer: to be asked again
	acked  map[string]uuid.UUID
	twice  []string // acknowledged with two different runs
	closed bool     // nothing new is given out
}

// next is a key to ask for; empty: none at the moment.
func (l *ledger) next() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n := len(l.again); n > 0 {
		key := l.again[n-1]
		l.again = l.again[:n-1]
		return key
	}
	if l.closed {
		return ""
	}
	l.given++
	return fmt.Sprintf("key-%d", l.given)
}

func (l *ledger) back(key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.again = append(l.again, key)
}

func (l *ledger) ack(key string, run uuid.UUID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if was, ok := l.acked[key]; ok && was != run {
		l.twice = append(l.twice, key)
	}
	l.acked[key] = run
}

func (l *ledger) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
}

// counts says how many keys were acknowledged and how many given out.
func (l *ledger) counts() (acked, given int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.acked), l.given
}

// victim is one process of the program, and its client.
type victim struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	ready chan struct{}
	gone  chan struct{} // it has ended, and so has its client
	said  *strings.Builder
}

// Limits of the client.
const (
	askEvery = 15 * time.Millisecond
	askedMax = 60 // without an answer yet
)

// arena is one set of processes under fault.
type arena struct {
	t      *testing.T
	dir    string
	env    []string // of the victims
	rng    *rand.Rand
	ledger *ledger
	dsn    func() (string, error)

	mu      sync.Mutex
	victims []*victim
	faults  map[string]int
	slowest map[string]time.Duration // from a fault's end to the next acknowledgement
	order   []string
}

func newArena(t *testing.T, seed uint64) *arena {
	t.Helper()
	dir, err := os.MkdirTemp("", "signalbox-ordeal-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil { // PostgreSQL's user must enter
		t.Fatal(err)
	}
	return &arena{
		t: t, dir: dir, rng: rand.New(rand.NewPCG(seed, 1)), ledger: &ledger{acked: map[string]uuid.UUID{}},
		faults: map[string]int{}, slowest: map[string]time.Duration{},
		dsn: func() (string, error) { return app.RunningDSN(dir) },
	}
}

// start runs the program in a directory of the arena and feeds it.
func (a *arena) start(dir string) *victim {
	a.t.Helper()
	exe, err := os.Executable()
	if err != nil {
		a.t.Fatal(err)
	}
	v := &victim{cmd: exec.Command(exe), ready: make(chan struct{}), gone: make(chan struct{}), said: &strings.Builder{}}
	v.cmd.Env = append(append(os.Environ(), a.env...), "GOTRACEBACK=all", childVariable+"="+dir)
	v.cmd.Stderr = v.said
	out, err := v.cmd.StdoutPipe()
	if err == nil {
		v.in, err = v.cmd.StdinPipe()
	}
	if err == nil {
		err = v.cmd.Start()
	}
	if err != nil {
		a.t.Fatal(err)
	}
	a.mu.Lock()
	a.victims = append(a.victims, v)
	a.mu.Unlock()
	go func() {
		defer close(v.gone)
		a.serve(v, out)
		if err := v.cmd.Wait(); err != nil && v.said.Len() > 0 {
			a.t.Logf("a process ended: %v\n%s", err, v.said)
		}
	}()
	a.t.Cleanup(func() {
		_ = v.cmd.Process.Signal(syscall.SIGCONT)
		_ = v.cmd.Process.Kill()
		<-v.gone
	})
	return v
}

// serve is the client of a victim, until its end.
func (a *arena) serve(v *victim, out io.Reader) {
	var mu sync.Mutex
	asked := map[string]bool{}
	stop := make(chan struct{})
	var feeding sync.WaitGroup
	feed := func() {
		tick := time.NewTicker(askEvery)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
			case <-stop:
				return
			}
			mu.Lock()
			full := len(asked) >= askedMax
			mu.Unlock()
			key := ""
			if !full {
				key = a.ledger.next()
			}
			if key == "" {
				continue
			}
			mu.Lock()
			asked[key] = true
			mu.Unlock()
			_, _ = io.WriteString(v.in, key+"\n") // when it is dead, all that was asked comes again
		}
	}
	for sc := bufio.NewScanner(out); sc.Scan(); {
		words := strings.Fields(sc.Text())
		switch {
		case len(words) == 1 && words[0] == "ready":
			close(v.ready)
			feeding.Go(feed)
			continue
		case len(words) == 3 && words[0] == "ok":
			if id, err := uuid.Parse(words[2]); err == nil {
				a.ledger.ack(words[1], id)
			}
		case len(words) == 2 && words[0] == "failed":
			a.ledger.back(words[1])
		default:
			continue // a line that the kill has cut
		}
		mu.Lock()
		delete(asked, words[1])
		mu.Unlock()
	}
	close(stop)
	feeding.Wait()
	for key := range asked {
		a.ledger.back(key)
	}
}

// awaited waits until a victim can work.
func (a *arena) awaited(v *victim) {
	a.t.Helper()
	select {
	case <-v.ready:
	case <-v.gone:
		a.t.Fatalf("the program does not start again\n%s", a.log())
	case <-time.After(time.Minute):
		a.stuck()
		a.t.Fatalf("the program is not ready after a minute\n%s", a.log())
	}
}

// log is the end of what the victims wrote.
func (a *arena) log() string {
	var all strings.Builder
	files, _ := filepath.Glob(filepath.Join(a.dir, "*log"))
	more, _ := filepath.Glob(filepath.Join(a.dir, "*", "log"))
	for _, name := range append(files, more...) {
		raw, _ := os.ReadFile(name)
		fmt.Fprintf(&all, "--- %s\n%s\n", name, raw[max(0, len(raw)-4_000):])
	}
	return all.String()
}

// rest lets things go on for a random time.
func (a *arena) rest(most time.Duration) { time.Sleep(time.Duration(a.rng.Int64N(int64(most)))) }

// moves waits for a new acknowledgement: the program works again.
func (a *arena) moves(fault string) {
	a.t.Helper()
	const patience = 30 * time.Second
	began := time.Now()
	was, _ := a.ledger.counts()
	for now := was; now == was; now, _ = a.ledger.counts() {
		if time.Since(began) > patience {
			a.stuck()
			a.t.Fatalf("nothing moves after %q\n%s", fault, a.log())
		}
		time.Sleep(5 * time.Millisecond)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.faults[fault] == 0 {
		a.order = append(a.order, fault)
	}
	a.faults[fault]++
	a.slowest[fault] = max(a.slowest[fault], time.Since(began))
}

// stuck lets every process that lives say what its goroutines do, and end.
func (a *arena) stuck() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, v := range a.victims {
		_ = v.cmd.Process.Signal(syscall.SIGQUIT)
		select {
		case <-v.gone: // what it said is in the log of the test
		case <-time.After(10 * time.Second):
			a.t.Log("a process does not even end at SIGQUIT")
		}
	}
}

// verdict is what a fault run comes to.
type verdict struct {
	acked, lost, double, open, failed int
	report                            *invariant.Report
	took                              time.Duration // until all runs were over
}

// settle waits until every key is acknowledged and every run is over, and
// compares the database with what was acknowledged.
func (a *arena) settle() verdict {
	a.t.Helper()
	a.ledger.close()
	began := time.Now()
	const patience = 90 * time.Second
	for acked, given := a.ledger.counts(); acked < given; acked, given = a.ledger.counts() {
		if time.Since(began) > patience {
			a.stuck()
			a.t.Fatalf("%d of %d starts were acknowledged\n%s", acked, given, a.log())
		}
		time.Sleep(10 * time.Millisecond)
	}
	ctx := context.Background()
	dsn, err := a.dsn()
	if err != nil {
		a.t.Fatal(err)
	}
	db, err := pg.Open(ctx, dsn)
	if err != nil {
		a.t.Fatal(err)
	}
	defer db.Close()
	var v verdict
	count := func(sql string, args ...any) (n int) {
		if err := db.Pool().QueryRow(ctx, sql, args...).Scan(&n); err != nil {
			a.t.Fatal(err)
		}
		return n
	}
	for {
		v.open = count(`select count(*) from runs where ended_at is null`)
		if v.open == 0 || time.Since(began) > patience {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	v.took = time.Since(began)
	v.acked = len(a.ledger.acked)
	var keys []string
	var runs []uuid.UUID
	for key, run := range a.ledger.acked {
		keys, runs = append(keys, key), append(runs, run)
	}
	v.lost = count(`select count(*) from unnest($1::text[], $2::uuid[]) a(key, run) where not exists (
		select from trigger_ledger l join runs r on r.id = l.run_id where l.key = a.key and l.run_id = a.run)`, keys, runs)
	v.double = len(a.ledger.twice) + count(`select count(*) from runs r where source = 'bench' and not exists (select from trigger_ledger l where l.run_id = r.id)`)
	crowded := 0
	for key := range a.ledger.acked {
		if app.Crowded(key) {
			crowded++
		}
	}
	if children := count(`select count(*) from runs where source = 'call'`); children != v.acked+crowded*app.CrowdItems {
		a.t.Errorf("%d runs were called by %d, of which %d have %d items that are runs", children, v.acked, crowded, app.CrowdItems)
	}
	if items := count(`select count(distinct (attributes->>'parent', attributes->>'item')) from runs where source = 'call' and attributes->>'item' is not null`); items != crowded*app.CrowdItems {
		a.t.Errorf("%d items were runs of %d maps of %d", items, crowded, app.CrowdItems)
	}
	a.written(count, v.acked)
	v.failed = count(`select count(*) from runs where ended_at is not null and status <> 'succeeded'`)
	if v.report, err = invariant.Audit(ctx, pg.NewStore(db), time.Time{}, time.Now()); err != nil {
		a.t.Fatal(err)
	}
	if v.lost+v.double+v.open+v.failed > 0 || !v.report.OK() {
		a.t.Errorf("%d lost, %d double, %d stuck, %d failed; %+v\n%s%s", v.lost, v.double, v.open, v.failed, v.report.Violations, reasons(ctx, db), a.log())
	}
	return v
}

// reasons lists why attempts failed that were not meant to.
func reasons(ctx context.Context, db *pg.DB) string {
	rows, err := db.Pool().Query(ctx, `select node || ': ' || (data->'error'->>'class') || ': ' || (data->'error'->>'message') || ' (' || count(*) || ' times)'
		from workflow_events where type = 'NodeFailed' and node not in ('pay', 'deal') group by node, data->'error'->>'class', data->'error'->>'message' limit 20`)
	if err != nil {
		return err.Error()
	}
	list, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err.Error()
	}
	return strings.Join(list, "\n") + "\n"
}

// written checks that what runs wrote down for the boards is there exactly once:
// one point, one prediction and one truth for each run, whatever was killed,
// and as the events say.
func (a *arena) written(count func(string, ...any) int, runs int) {
	a.t.Helper()
	for table, column := range map[string]string{"metric_points": "point", "predictions": "outcome"} {
		if n := count(`select count(*) from ` + table); n != runs {
			a.t.Errorf("%d rows in %s of %d runs", n, table, runs)
		}
		if n := count(`select count(*) from ` + table + ` p where not exists (
			select from workflow_events e where e.run_id = p.run_id and e.seq = p.seq and e.at = p.at and e.data->>'` + column + `' is not null)`); n > 0 {
			a.t.Errorf("%d rows in %s have no event", n, table)
		}
	}
	if n := count(`select count(*) from truths t join predictions p on p.name = t.name and p.decision = t.decision and p.value = t.value and p.decision = p.run_id::text`); n != runs {
		a.t.Errorf("%d predictions of %d came true", n, runs)
	}
}

// print writes the table of a fault run.
func (a *arena) print(v verdict) {
	var b strings.Builder
	total := 0
	for _, f := range a.order {
		total += a.faults[f]
		fmt.Fprintf(&b, "\n%-38s %5d times, back within %s", f, a.faults[f], a.slowest[f].Round(time.Millisecond))
	}
	fmt.Fprintf(&b, "\n%d faults, %d starts acknowledged, %d runs, %d events; all over %s after the last start", total, v.acked, v.report.Runs, v.report.Events, v.took.Round(time.Millisecond))
	fmt.Fprintf(&b, "\n%d lost, %d double, %d stuck, %d failed, %d violations", v.lost, v.double, v.open, v.failed, len(v.report.Violations))
	a.t.Log(b.String())
}

var errNoProcess = errors.New("no such process")

// postgresOf is the process of the private PostgreSQL in a directory.
func postgresOf(dir string) (*os.Process, error) {
	raw, err := os.ReadFile(filepath.Join(dir, "postgres", "data", "postmaster.pid"))
	if err != nil {
		return nil, err
	}
	var pid int
	if _, err := fmt.Sscan(string(raw), &pid); err != nil || pid <= 1 {
		return nil, errNoProcess
	}
	return os.FindProcess(pid)
}
