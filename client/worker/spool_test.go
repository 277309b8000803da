package worker_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"signalbox/client/worker"
)

// line is a server at the end of a line that can be cut: it hands out tasks and
// answers results as it is told.
type line struct {
	mu      sync.Mutex
	cut     bool
	tasks   []string            // leases that are to be handed out
	answers map[string]string   // to complete, by lease; a number is a status
	asked   map[string][]string // leases by question
	bodies  []string            // of results
	swallow func(worker.Question)
	changed chan struct{}
}

func newLine(leases ...string) *line {
	return &line{tasks: leases, answers: map[string]string{}, asked: map[string][]string{}, changed: make(chan struct{}, 1_000)}
}

func (*line) MessageMax() int { return 0 }

func (l *line) Ask(ctx context.Context, q worker.Question) ([]byte, error) {
	if l.swallow != nil {
		l.swallow(q)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	defer func() { l.changed <- struct{}{} }()
	if l.cut {
		l.asked["cut "+q.Op] = append(l.asked["cut "+q.Op], q.Lease)
		return nil, errors.New("the line is down")
	}
	l.asked[q.Op] = append(l.asked[q.Op], q.Lease)
	switch q.Op {
	case "take":
		if len(l.tasks) == 0 {
			l.mu.Unlock()
			select {
			case <-ctx.Done():
			case <-time.After(5 * time.Millisecond):
			}
			l.mu.Lock()
			return []byte(`{"tasks":[]}`), ctx.Err()
		}
		lease := l.tasks[0]
		l.tasks = l.tasks[1:]
		return []byte(`{"tasks":[{"lease":"` + lease + `","type":"work","key":"k","run":"r","node":"n","attempt":1,"lease_seconds":0.2,"heartbeat_seconds":0.1,"input":1,"input_bytes":1}]}`), nil
	case "notices":
		l.mu.Unlock()
		<-ctx.Done()
		l.mu.Lock()
		return nil, ctx.Err()
	case "announce":
		return []byte(`{"types":1,"alive_seconds":60}`), nil
	case "release":
		return []byte(`{"state":"over"}`), nil
	case "complete", "fail":
		l.bodies = append(l.bodies, q.Op+" "+string(q.Body))
		switch a := l.answers[q.Lease]; a {
		case "404", "413", "422", "408":
			status, _ := strconv.Atoi(a)
			if status != 404 { // it answers something else the next time
				l.answers[q.Lease] = ""
			}
			return nil, &worker.Refusal{Status: status, Detail: "no: " + a}
		case "":
			return []byte(`{"outcome":"committed"}`), nil
		default:
			return []byte(a), nil
		}
	}
	return []byte(`{"state":"held"}`), nil
}

func (l *line) set(change func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	change()
}

// until waits for a question about a lease.
func (l *line) until(t *testing.T, op, lease string) {
	t.Helper()
	limit := time.After(20 * time.Second)
	for {
		l.mu.Lock()
		for _, got := range l.asked[op] {
			if got == lease {
				l.mu.Unlock()
				return
			}
		}
		l.mu.Unlock()
		select {
		case <-l.changed:
		case <-limit:
			t.Fatalf("nobody asked %s %s: %v", op, lease, l.asked)
		}
	}
}

// work runs a worker with a spool until the test has stopped it.
func work(t *testing.T, l *line, dir string, do worker.Handler) (stop func()) {
	t.Helper()
	cfg, closed := worker.Config{Transport: l, Name: "w", Slots: 2, Drain: time.Millisecond}, func() error { return nil }
	if dir != "" { // else there is no spool
		spool, err := worker.OpenSpool(dir)
		if err != nil {
			t.Fatal(err)
		}
		cfg.Spool, closed = spool, spool.Close
	}
	w, err := worker.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	w.Handle(worker.Type{Name: "work"}, do)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- w.Run(ctx) }()
	return sync.OnceFunc(func() {
		cancel()
		if err := errors.Join(<-done, closed()); err != nil {
			t.Error(err)
		}
	})
}

func files(t *testing.T, dir string) []string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func gone(t *testing.T, dir string) {
	t.Helper()
	limit := time.After(20 * time.Second)
	for len(files(t, dir)) > 0 {
		select {
		case <-limit:
			t.Fatalf("the spool still has %v", files(t, dir))
		case <-time.After(time.Millisecond):
		}
	}
}

// The line fails while a task is at work, for longer than its lease; the worker
// goes on, ends, and the next one brings what it did.
func TestAResultOutlivesTheLineAndTheProcess(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "spool")
	l := newLine("one")
	stop := work(t, l, dir, func(ctx context.Context, _ *worker.Task) (any, error) {
		l.set(func() { l.cut = true })
		for range 4 { // without a spool it would be given up after 0.2 s of silence
			l.until(t, "cut beat", "one")
			l.set(func() { delete(l.asked, "cut beat") })
		}
		return map[string]string{"text": "<done>"}, ctx.Err()
	})
	l.until(t, "cut complete", "one")
	kept := files(t, dir)
	if len(kept) != 1 {
		t.Fatalf("the spool has %v", kept)
	}
	raw, err := os.ReadFile(kept[0])
	if err != nil {
		t.Fatal(err)
	}
	var e struct {
		Op   string
		Body map[string]string
	}
	if err := json.Unmarshal(raw, &e); err != nil || e.Op != "complete" || e.Body["text"] != "<done>" {
		t.Errorf("kept %s, %v", raw, err)
	}
	if info, err := os.Stat(kept[0]); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file's mode is %v, %v", info.Mode(), err)
	}
	stop()
	l.set(func() { l.cut = false })
	again := work(t, l, dir, func(context.Context, *worker.Task) (any, error) { return nil, errors.New("it is done twice") })
	l.until(t, "complete", "one")
	gone(t, dir)
	again()
}

// A lease ran out, or its server went, and nobody has ended the attempt: the
// result answers the next delivery, and nothing is done twice.
func TestAKeptResultAnswersTheNextDelivery(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]string{"over": `{"outcome":"stale","open":true}`, "unknown": "404"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "spool")
			l := newLine("one")
			l.answers["one"] = answer
			var done sync.Map
			stop := work(t, l, dir, func(_ context.Context, tk *worker.Task) (any, error) {
				if _, twice := done.LoadOrStore(tk.Key, true); twice {
					t.Error("it is done twice")
				}
				return 1, nil
			})
			l.until(t, "complete", "one")
			l.set(func() { l.tasks = []string{"two"} })
			l.until(t, "complete", "two")
			gone(t, dir)
			stop()
		})
	}
}

// What another worker has ended meanwhile is forgotten.
func TestAStaleResultIsForgotten(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "spool")
	l := newLine("one")
	l.answers["one"] = `{"outcome":"stale"}`
	stop := work(t, l, dir, func(context.Context, *worker.Task) (any, error) { return 1, nil })
	l.until(t, "complete", "one")
	gone(t, dir)
	stop()
}

// A task without a result, of a process that died, is given back at once.
func TestATaskOfADeadProcessIsGivenBack(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "spool")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "a.json"), []byte(`{"lease":"one","key":"k","run":"r"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "b.json.part"), []byte(`{"lea`), 0o600); err != nil {
		t.Fatal(err)
	}
	l := newLine()
	stop := work(t, l, dir, func(context.Context, *worker.Task) (any, error) { return 1, nil })
	l.until(t, "release", "one")
	gone(t, dir)
	stop()
	if _, err := os.Stat(filepath.Join(dir, "b.json.part")); !os.IsNotExist(err) {
		t.Errorf("half a file is still there: %v", err)
	}
}

func TestASpoolThatOthersCanReadIsRefused(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "spool")
	for _, mode := range []os.FileMode{0o755, 0o750, 0o701} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(dir, mode); err != nil {
			t.Fatal(err)
		}
		if _, err := worker.OpenSpool(dir); err == nil || !strings.Contains(err.Error(), "chmod 700 "+dir) {
			t.Errorf("%o: %v", mode, err)
		}
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	first, err := worker.OpenSpool(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := worker.OpenSpool(dir); err == nil || !strings.Contains(err.Error(), "another process") {
		t.Errorf("a second one opens it: %v", err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, other); err != nil {
		t.Fatal(err)
	}
	if _, err := worker.OpenSpool(other); err == nil {
		t.Error("a link is followed")
	}
}

// What stands between a worker and its server may answer, too: that is no word
// of the server, and the worker asks again.
func TestWhatAProxySaysIsNotTheServersWord(t *testing.T) {
	t.Parallel()
	answers := []func(w http.ResponseWriter){
		func(w http.ResponseWriter) {
			http.Error(w, "<h1>Log in to the shop's network</h1>", http.StatusForbidden)
		},
		func(w http.ResponseWriter) { http.Error(w, "<h1>Not found</h1>", http.StatusNotFound) },
		func(w http.ResponseWriter) { _, _ = io.WriteString(w, "<h1>Welcome</h1>") },
		func(w http.ResponseWriter) {
			w.WriteHeader(http.StatusNotFound)
			_, _ = io.WriteString(w, `{"detail":"Not Found"}`)
		},
		func(w http.ResponseWriter) { _, _ = io.WriteString(w, `{"status":"ok"}`) },
		func(w http.ResponseWriter) {
			w.Header().Set("Location", "http://192.0.2.1/login")
			w.WriteHeader(http.StatusFound)
		},
		func(w http.ResponseWriter) {
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = io.WriteString(w, `{"status":401,"detail":"Send a valid API token."}`)
		},
	}
	n := 0
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		answers[n](w) // the worker asks one after the other
		n++
	}))
	defer srv.Close()
	w, err := worker.New(worker.Config{URL: srv.URL, Token: "sb_x", Name: "w"})
	if err != nil {
		t.Fatal(err)
	}
	w.Handle(worker.Type{Name: "work"}, func(context.Context, *worker.Task) (any, error) { return nil, nil })
	var no *worker.Refusal
	if err := w.Run(t.Context()); !errors.As(err, &no) || no.Status != http.StatusUnauthorized || n != len(answers) {
		t.Errorf("after %d answers: %v", n, err)
	}
}

// What is damaged is put aside, and the worker does the rest: nobody may be near.
func TestDamagedFilesOfASpoolArePutAside(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "spool")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	bad := map[string]string{
		"cut": `{"lease":"one","key":"k"`, "empty": "", "zeros": strings.Repeat("\x00", 100), "other": `{"name":"x"}`, "op": `{"lease":"l","op":"../announce","body":1}`,
		"nothing": `{"lease":"l","op":"complete"}`,
	}
	for name, text := range bad {
		if err := os.WriteFile(filepath.Join(dir, name+".json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	outside := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(outside, []byte(`{"lease":"l","op":"complete","body":1}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, "link.json")); err != nil {
		t.Fatal(err)
	}
	good := `{"lease":"two","key":"k","run":"r","op":"complete","body":{"a":1},"lapsed_at":"2999-01-01T00:00:00Z"}`
	if err := os.WriteFile(filepath.Join(dir, "good.json"), []byte(good), 0o600); err != nil {
		t.Fatal(err)
	}
	l := newLine()
	stop := work(t, l, dir, func(context.Context, *worker.Task) (any, error) { return 1, nil })
	l.until(t, "complete", "two")
	gone(t, dir)
	stop()
	aside, err := filepath.Glob(filepath.Join(dir, "*.json.damaged"))
	if err != nil || len(aside) != len(bad)+1 {
		t.Errorf("put aside: %v, %v", aside, err)
	}
	if _, err := os.Stat(outside); err != nil {
		t.Error(err)
	}
	for _, leases := range l.asked {
		for _, lease := range leases {
			if lease == "l" || lease == "one" {
				t.Errorf("the server was asked about %s", lease)
			}
		}
	}
}

// A word that the server does not take becomes a failure that it takes: else
// the task would only be done again, for the same.
func TestAWordThatIsNotTakenBecomesAFailure(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer string
		do     worker.Handler
		want   string
	}{
		"too large for us": {"", func(context.Context, *worker.Task) (any, error) { return strings.Repeat("x", 17<<20), nil }, `fail {"class":"limit","message":"The worker's output has 17825794 bytes; 16777216 are possible."}`},
		"too large":        {"413", func(context.Context, *worker.Task) (any, error) { return 1, nil }, `fail {"class":"limit","message":"The server does not take what the worker brought: no: 413"}`},
		"unfit":            {"422", func(context.Context, *worker.Task) (any, error) { return 1, nil }, `fail {"class":"invalid_output","message":"The server does not take what the worker brought: no: 422"}`},
		"too slow":         {"408", func(context.Context, *worker.Task) (any, error) { return 1, nil }, `complete 1`},
		"no JSON":          {"", func(context.Context, *worker.Task) (any, error) { return func() {}, nil }, `fail {"class":"invalid_output","message":"What the worker gave back is not JSON: json: unsupported type: func()"}`},
		"a strange class":  {"", func(context.Context, *worker.Task) (any, error) { return nil, worker.Fail("Not Found", "gone") }, `fail {"message":"Not Found: gone"}`},
		"a long sentence": {"", func(context.Context, *worker.Task) (any, error) {
			return nil, worker.Fail("x", strings.Repeat("é", 2_001))
		}, `fail {"class":"x","message":"` + strings.Repeat("é", 1_999) + `…"}`},
		"signs of HTML": {"", func(context.Context, *worker.Task) (any, error) { return "<&>", nil }, `complete "<&>"`},
		"a long wait": {"", func(context.Context, *worker.Task) (any, error) {
			return nil, &worker.Failure{Class: "x", Message: "m", RetryAfter: 1_000 * time.Hour}
		}, `fail {"class":"x","message":"m","retry_after_seconds":86400}`},
	} {
		for _, spooled := range []bool{true, false} {
			t.Run(name+" "+strconv.FormatBool(spooled), func(t *testing.T) {
				t.Parallel()
				l := newLine("one")
				l.answers["one"] = c.answer
				dir := ""
				if spooled {
					dir = filepath.Join(t.TempDir(), "spool")
				}
				stop := work(t, l, dir, c.do)
				l.until(t, strings.Fields(c.want)[0], "one")
				if spooled {
					gone(t, dir)
				}
				stop()
				if last := l.bodies[len(l.bodies)-1]; last != c.want {
					t.Errorf("it brought %.300s", last)
				}
			})
		}
	}
}

// A line that swallows what is sent holds a heartbeat up; the result is on disk
// all the same.
func TestAResultIsKeptBeforeTheLastHeartbeat(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "spool")
	l := newLine("one")
	let, swallowed := make(chan struct{}), make(chan struct{}, 100)
	l.swallow = func(q worker.Question) {
		if q.Op == "beat" {
			swallowed <- struct{}{}
			<-let
		}
	}
	stop := work(t, l, dir, func(context.Context, *worker.Task) (any, error) {
		<-swallowed
		return "done", nil
	})
	limit := time.After(20 * time.Second)
	for {
		if list := files(t, dir); len(list) == 1 {
			if raw, err := os.ReadFile(list[0]); err == nil && strings.Contains(string(raw), `"done"`) {
				break
			}
		}
		select {
		case <-limit:
			t.Fatal("no result is in the spool while a heartbeat is under way")
		case <-time.After(time.Millisecond):
		}
	}
	close(let)
	l.until(t, "complete", "one")
	gone(t, dir)
	stop()
}
