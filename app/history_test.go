package app_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"signalbox/app"
	"signalbox/engine/account"
	"signalbox/engine/pg"
	"signalbox/engine/pg/pgtest"
)

// serverVariable makes this test binary be a server; its value is the
// directory of the data.
const serverVariable = "SIGNALBOX_TEST_SERVER"

func serverChild(dir string) error {
	log, err := os.OpenFile(filepath.Join(dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	cfg, err := app.Parse([]string{"--data", dir}, os.Getenv, io.Discard)
	if err != nil {
		return err
	}
	return app.Command(ctx, "serve", cfg, slog.New(slog.NewTextHandler(log, nil)), io.Discard)
}

// town is some servers, its clients, and the history of what these saw.
type town struct {
	t        *testing.T
	dir      string
	env      []string
	at       []string // addresses of the servers
	workflow string
	token    string
	client   *http.Client
	began    time.Time

	mu      sync.Mutex
	procs   []*exec.Cmd
	given   int               // operations so far
	runs    map[string]string // by key
	history []porcupine.Operation
	pending int
	faults  int
}

// newTown starts so many servers on one PostgreSQL, several also on one NATS.
func newTown(t *testing.T, servers int) *town {
	t.Helper()
	w := &town{t: t, dir: t.TempDir(), began: time.Now(), runs: map[string]string{}, client: &http.Client{Timeout: 3 * time.Second}}
	dsn := pgtest.DSN(t)
	w.env = []string{"DATABASE_URL=" + dsn, "SIGNALBOX_KEY_FILE=" + filepath.Join(w.dir, "key")}
	if servers > 1 {
		at, _ := startNATS(t)
		w.env = append(w.env, "NATS_URL="+at)
	}
	w.procs = make([]*exec.Cmd, servers)
	for i := range servers {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		w.at = append(w.at, "http://"+l.Addr().String())
		_ = l.Close()
		if err := os.Mkdir(filepath.Join(w.dir, fmt.Sprint(i)), 0o700); err != nil {
			t.Fatal(err)
		}
		w.begin(i)
		if i == 0 {
			w.awaited() // it makes the schema and the key
		}
	}
	t.Cleanup(func() {
		for _, p := range w.procs {
			_ = p.Process.Kill()
			_ = p.Wait()
		}
	})
	w.awaited()
	w.settleIn(dsn)
	return w
}

func (w *town) begin(i int) {
	w.t.Helper()
	exe, err := os.Executable()
	if err != nil {
		w.t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(append(os.Environ(), w.env...), serverVariable+"="+filepath.Join(w.dir, fmt.Sprint(i)), "SIGNALBOX_LISTEN="+strings.TrimPrefix(w.at[i], "http://"))
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	w.procs[i] = cmd
}

// awaited waits until every server that was started can work.
func (w *town) awaited() {
	w.t.Helper()
	for i, p := range w.procs {
		if p == nil {
			continue
		}
		for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
			res, err := w.client.Get(w.at[i] + "/readyz")
			if err == nil {
				_ = res.Body.Close()
				if res.StatusCode == http.StatusOK {
					break
				}
			}
			if time.Since(began) > time.Minute {
				raw, _ := os.ReadFile(filepath.Join(w.dir, fmt.Sprint(i), "log"))
				w.t.Fatalf("server %d is not ready: %v\n%s", i, err, raw)
			}
		}
	}
}

// settleIn makes an owner, a token and the workflow: it waits for a signal and
// does a little work then.
func (w *town) settleIn(dsn string) {
	w.t.Helper()
	db, err := pg.Open(w.t.Context(), dsn)
	if err != nil {
		w.t.Fatal(err)
	}
	defer db.Close()
	jar, err := cookiejar.New(nil)
	if err != nil {
		w.t.Fatal(err)
	}
	origin, err := url.Parse(w.at[0])
	if err != nil {
		w.t.Fatal(err)
	}
	p := &plant{t: w.t, origin: w.at[0], client: &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
	// A server that is ready may still be about to print its own link, which
	// takes the place of this one.
	for tries := 0; len(jar.Cookies(origin)) == 0; tries++ {
		link, err := account.New(pg.NewAccounts(db.Pool()), time.Now).SetupLink(w.t.Context())
		if err != nil {
			w.t.Fatal(err)
		}
		res, err := p.client.PostForm(w.at[0]+"/setup/"+link, url.Values{"name": {"Ada"}, "email": {"ada@example.org"}, "password": {"a long enough password"}})
		if err != nil {
			w.t.Fatal(err)
		}
		if _ = res.Body.Close(); len(jar.Cookies(origin)) == 0 && tries == len(w.procs) { // each prints one
			w.t.Fatalf("nobody became the owner: %s", res.Status)
		}
	}
	var made struct{ Token struct{ Token string } }
	p.ask("POST", "/api/tokens", map[string]any{"name": "client", "role": "operator"}, &made)
	w.token = made.Token.Token
	w.workflow = p.publishGraph(map[string]any{"signalbox": 1, "name": "Lives", "nodes": []any{
		map[string]any{"id": "start", "key": "start", "kind": "manual"},
		map[string]any{"id": "hear", "key": "hear", "kind": "signal", "config": map[string]any{"name": "go"}},
		map[string]any{"id": "work", "key": "work", "kind": "mock", "config": map[string]any{"answer": 1, "latency_ms": 15}},
	}, "edges": []any{
		map[string]any{"id": "a", "from": "start", "port": "success", "to": "hear"},
		map[string]any{"id": "b", "from": "hear", "port": "success", "to": "work"},
	}, "layout": map[string]any{}})
}

// ask does an operation at some server and writes it down.
func (w *town) ask(q question, at int) (answered bool) {
	w.mu.Lock()
	run := w.runs[q.key]
	w.mu.Unlock()
	method, path, body := http.MethodPost, "/api/runs/"+run+"/"+q.what, `{}`
	switch q.what {
	case askStart:
		path, body = "/api/workflows/"+w.workflow+"/runs", `{"input":1,"idempotency_key":"`+q.key+`"}`
	case askRead:
		method, path, body = http.MethodGet, "/api/runs/"+run, ""
	case askSignal:
		body = `{"name":"go","id":"only"}`
	}
	req, err := http.NewRequest(method, w.at[at]+path, strings.NewReader(body))
	if err != nil {
		w.t.Error(err)
		return false
	}
	req.Header.Set("Authorization", "Bearer "+w.token)
	req.Header.Set("Content-Type", "application/json")
	called := time.Since(w.began)
	res, err := w.client.Do(req)
	var text []byte
	if err == nil {
		text, err = io.ReadAll(res.Body)
		_ = res.Body.Close()
	}
	returned := time.Since(w.began)
	out := word{run: run}
	var dial *net.OpError
	switch {
	case err != nil && errors.As(err, &dial) && dial.Op == "dial":
		return false // it has not even been asked
	case err != nil || res.StatusCode >= 500:
		out.unknown = true
	case res.StatusCode == http.StatusTooManyRequests:
		return false
	case res.StatusCode == http.StatusConflict && q.what != askStart && q.what != askRead:
		out.refused = true
	case res.StatusCode >= 300:
		w.t.Errorf("%+v: %s %s", q, res.Status, text)
		return false
	case q.what == askStart || q.what == askRead:
		var got struct {
			Run struct {
				ID, Status string
				Seq        int
			}
		}
		if err := json.NewDecoder(bytes.NewReader(text)).Decode(&got); err != nil {
			w.t.Errorf("%+v: %v: %s", q, err, text)
		}
		out.run, out.status, out.seq = got.Run.ID, got.Run.Status, got.Run.Seq
	}
	w.note(q, out, called, returned)
	return !out.unknown
}

// note writes an operation down. One without an answer may take its effect at
// any later time; one that only asked is of no use then.
func (w *town) note(q question, out word, called, returned time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	op := porcupine.Operation{Input: q, Output: out, Call: int64(called), Return: int64(returned)}
	if out.unknown {
		if q.what == askRead {
			return
		}
		w.pending++
		op.Return = math.MaxInt64
	} else if q.what == askStart && w.runs[q.key] == "" {
		w.runs[q.key] = out.run
	}
	w.history = append(w.history, op)
}

const clients = 12

// Operations on one key before the next one is begun, and keys in use at once.
const (
	opsPerKey = 40
	keysInUse = 3
)

// next chooses an operation.
func (w *town) next(rng *rand.Rand) question {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.given++
	key := fmt.Sprint("key-", w.given/opsPerKey+rng.IntN(keysInUse))
	if w.runs[key] == "" {
		return question{key, askStart}
	}
	what := askRead
	switch n := rng.IntN(100); {
	case n < 20:
		what = askStart
	case n < 32:
		what = askPause
	case n < 46:
		what = askResume
	case n < 52:
		what = askSignal
	case n < 55:
		what = askCancel
	}
	return question{key, what}
}

// live lets clients ask while servers are killed at random or stand still so
// many times, and asks everything again at the end.
func (w *town) live(seed uint64, faults int) {
	w.t.Helper()
	stop := make(chan struct{})
	var asking sync.WaitGroup
	for i := range clients {
		asking.Go(func() {
			for rng := rand.New(rand.NewPCG(seed, uint64(i))); ; {
				select {
				case <-stop:
					return
				case <-time.After(time.Duration(rng.IntN(6)) * time.Millisecond):
				}
				if !w.ask(w.next(rng), rng.IntN(len(w.at))) {
					time.Sleep(20 * time.Millisecond)
				}
			}
		})
	}
	rng := rand.New(rand.NewPCG(seed, 99))
	for range faults {
		w.moves()
		time.Sleep(time.Duration(rng.IntN(400)) * time.Millisecond)
		w.fault(rng)
	}
	w.moves()
	close(stop)
	asking.Wait()
	w.awaited()
	w.mu.Lock()
	last := w.given/opsPerKey + keysInUse
	w.mu.Unlock()
	for n := range last {
		for _, what := range []string{askStart, askRead, askRead} {
			for tries := 0; !w.ask(question{fmt.Sprint("key-", n), what}, rng.IntN(len(w.at))); tries++ {
				if tries > 200 {
					w.t.Fatalf("key-%d is not answered for", n)
				}
				time.Sleep(50 * time.Millisecond)
			}
		}
	}
}

// moves waits for some more answers.
func (w *town) moves() {
	w.t.Helper()
	const more = 60
	answers := func() int {
		w.mu.Lock()
		defer w.mu.Unlock()
		return len(w.history) - w.pending
	}
	want := answers() + more
	for began := time.Now(); answers() < want; time.Sleep(5 * time.Millisecond) {
		if time.Since(began) > time.Minute {
			w.t.Fatal("nothing moves")
		}
	}
}

// fault kills a server and starts it again, or lets it stand still.
func (w *town) fault(rng *rand.Rand) {
	w.t.Helper()
	i := rng.IntN(len(w.procs))
	p := w.procs[i].Process
	w.faults++
	if rng.IntN(3) == 0 {
		_ = p.Signal(syscall.SIGSTOP)
		time.Sleep(time.Duration(rng.IntN(2_500)) * time.Millisecond)
		_ = p.Signal(syscall.SIGCONT)
		return
	}
	_ = p.Kill()
	_ = w.procs[i].Wait()
	w.begin(i)
}

// judge checks the history of every key.
func (w *town) judge() {
	w.t.Helper()
	began := time.Now()
	m := lives()
	for _, part := range m.Partition(w.history) {
		if res := porcupine.CheckOperationsTimeout(m, part, time.Minute); res != porcupine.Ok {
			slices.SortFunc(part, func(a, b porcupine.Operation) int { return int(min(1, max(-1, a.Call-b.Call))) })
			var b strings.Builder
			for _, op := range part {
				fmt.Fprintf(&b, "\n%9.3f–%9.3f ms  %-8s %+v", float64(op.Call)/1e6, float64(op.Return)/1e6, op.Input.(question).what, op.Output)
			}
			w.t.Errorf("the history of %s is %s:%s", part[0].Input.(question).key, res, b.String())
		}
	}
	counts := map[string]int{}
	for _, op := range w.history {
		counts[op.Input.(question).what]++
	}
	w.t.Logf("%d operations on %d keys at %d servers, %d faults, %d without an answer; %v; checked in %s",
		len(w.history), len(w.runs), len(w.at), w.faults, w.pending, counts, time.Since(began).Round(time.Millisecond))
}

// TestHistoriesAreLinearizable lets clients start, pause, resume, signal, cancel
// and read runs over HTTP while their server is killed. What they saw has an
// explanation in which everything happened at one moment.
func TestHistoriesAreLinearizable(t *testing.T) {
	t.Parallel()
	w := newTown(t, 1)
	w.live(1, 3)
	w.judge()
	w.spoil()
}

// spoil changes the history that was just found to be right, one answer at a
// time, in ways that would be faults of ours: each is found.
func (w *town) spoil() {
	w.t.Helper()
	m := lives()
	found := map[string]int{}
	for i, op := range w.history {
		out := op.Output.(word)
		if op.Input.(question).what != askRead {
			continue
		}
		for name, wrong := range map[string]word{
			"an end that changes": {run: out.run, seq: out.seq, status: map[string]string{"succeeded": "canceled", "canceled": "running"}[out.status]},
			"a second run":        {run: "another", seq: out.seq, status: out.status},
			"an earlier state":    {run: out.run, seq: 0, status: out.status},
		} {
			if wrong.status == "" || found[name] >= 5 {
				continue
			}
			spoiled := slices.Clone(w.history)
			spoiled[i].Output = wrong
			var part []porcupine.Operation
			for _, other := range spoiled {
				if other.Input.(question).key == op.Input.(question).key {
					part = append(part, other)
				}
			}
			if porcupine.CheckOperations(m, part) {
				continue // it may have been so: nobody asked before or after
			}
			found[name]++
		}
	}
	if len(found) < 3 {
		w.t.Errorf("only these faults were found in a spoiled history: %v", found)
	}
}
