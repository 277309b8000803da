package app_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"signalbox/app"
	client "signalbox/client/worker"
	"signalbox/engine/worker"
)

// wire is the line between an edge and its server.
type wire struct {
	listen net.Listener

	mu     sync.Mutex
	target string
	cut    bool
	conns  map[net.Conn]struct{}
}

func newWire(t *testing.T) *wire {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{listen: l, conns: map[net.Conn]struct{}{}}
	t.Cleanup(func() { _ = l.Close(); w.fail(true) })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go w.carry(c)
		}
	}()
	return w
}

func (w *wire) address() string { return "http://" + w.listen.Addr().String() }

// fail cuts the line, or mends it.
func (w *wire) fail(cut bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cut = cut
	for c := range w.conns {
		if cut {
			_ = c.Close()
		}
	}
}

func (w *wire) carry(c net.Conn) {
	w.mu.Lock()
	target := w.target
	w.mu.Unlock()
	far, err := net.Dial("tcp", target)
	if err != nil {
		_ = c.Close()
		return
	}
	w.mu.Lock()
	if w.cut {
		w.mu.Unlock()
		_, _ = c.Close(), far.Close()
		return
	}
	w.conns[c], w.conns[far] = struct{}{}, struct{}{}
	w.mu.Unlock()
	var both sync.WaitGroup
	both.Go(func() { _, _ = io.Copy(far, c); _ = far.Close() })
	both.Go(func() { _, _ = io.Copy(c, far); _ = c.Close() })
	both.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.conns, c)
	delete(w.conns, far)
}

// newEdge is a plant that is reached by people and workers over a wire, and by
// the test itself in any case.
func newEdge(t *testing.T) (*plant, *wire) {
	t.Helper()
	w := newWire(t)
	p := newPlantWith(t, func(c *app.Config) { c.PublicURL = w.address() }, func(a *app.App) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.target = strings.TrimPrefix(a.Listening(), "http://")
	})
	p.origin = p.app.Listening()
	return p, w
}

// scale is a device at the edge: it answers when it is let, and counts how often
// it was asked for each key.
type scale struct {
	*httptest.Server
	came chan string
	let  map[string]chan struct{} // by article

	mu    sync.Mutex
	asked map[string]int
}

func newScale(t *testing.T, articles ...string) *scale {
	t.Helper()
	s := &scale{came: make(chan string, 100), let: map[string]chan struct{}{}, asked: map[string]int{}}
	for _, a := range articles {
		s.let[a] = make(chan struct{})
	}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		article := strings.Trim(r.URL.Path, "/")
		s.mu.Lock()
		s.asked[article]++
		s.mu.Unlock()
		s.came <- article
		select {
		case <-s.let[article]:
		case <-r.Context().Done():
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"article":%q,"grams":7}`, article)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *scale) times(article string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked[article]
}

// until waits for something that has to come.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	limit := time.After(30 * time.Second)
	for !ok() {
		select {
		case <-limit:
			t.Fatalf("waited in vain: %s", what)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// spooled is how many results are in a spool.
func spooled(t *testing.T, dir string) (n int) {
	t.Helper()
	for _, name := range spoolFiles(t, dir) {
		if raw, err := os.ReadFile(name); err == nil && strings.Contains(string(raw), `"op":"complete"`) {
			n++
		}
	}
	return n
}

// spoolFiles lists the tasks in a spool.
func spoolFiles(t *testing.T, dir string) []string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// completed lists who completed the tasks of a run.
func (p *plant) completed(run string) (by []string) {
	p.t.Helper()
	var list struct{ Events []map[string]any }
	p.ask("GET", "/api/runs/"+run+"/events", nil, &list)
	for _, e := range list.Events {
		if e["type"] == "TaskCompleted" {
			by = append(by, fmt.Sprint(e["worker"]))
		}
	}
	return by
}

// edgeVariable makes this test binary be signalbox worker at the edge.
const edgeVariable = "SIGNALBOX_TEST_EDGE"

// edgeChild is that worker; it ends by being killed.
func edgeChild(reach string) error {
	cfg, err := app.Parse([]string{"--reach", reach}, os.Getenv, io.Discard)
	if err != nil {
		return err
	}
	return app.Command(context.Background(), "worker", cfg, slog.New(slog.NewTextHandler(os.Stderr, nil)), io.Discard)
}

// TestTheEdgeOutlivesItsLine cuts the line while steps are at work at the edge,
// kills the worker there, starts it again and mends the line: every run ends,
// each result is taken once, and what was done is not done again.
func TestTheEdgeOutlivesItsLine(t *testing.T) {
	t.Parallel()
	p, w := newEdge(t)
	device := newScale(t, "apples", "pears", "plums")
	spool := filepath.Join(t.TempDir(), "spool")
	p.ask("PUT", "/api/routes", map[string]any{"revision": 0, "default": "default", "rules": []any{map[string]any{
		"name": "In the shop", "when": []any{map[string]any{"attribute": "location", "op": "is", "value": "shop-7"}}, "queue": "at:shop-7",
	}}}, nil)
	id := p.publish(map[string]any{
		"id": "work", "key": "work", "kind": "http", "config": map[string]any{"method": "GET", "url": device.URL + "/{{input.article}}"},
		"task": map[string]any{"location": "=input.shop"}, "timeout": map[string]any{"attempt": "10m"},
	})
	start := func() *process {
		one := &process{name: "edge", gone: make(chan error, 1)}
		one.cmd = exec.Command(os.Args[0]) //nolint:gosec // ourselves
		one.cmd.Env = append(os.Environ(), edgeVariable+"="+device.URL, "SIGNALBOX_URL="+w.address(), "SIGNALBOX_TOKEN="+p.token,
			"SIGNALBOX_LOCATION=shop-7", "SIGNALBOX_SPOOL="+spool, "SIGNALBOX_LEASE=10m")
		one.cmd.Stdout, one.cmd.Stderr = one, one
		if err := one.cmd.Start(); err != nil {
			t.Fatal(err)
		}
		go func() { one.gone <- one.cmd.Wait() }()
		t.Cleanup(func() {
			_ = one.cmd.Process.Kill()
			if t.Failed() {
				t.Log(one.said())
			}
		})
		return one
	}
	first := start()
	first.says(t, "working")
	runs := map[string]string{}
	for article := range device.let {
		runs[article] = p.start(id, map[string]any{"article": article, "shop": "shop-7"})
	}
	for range runs {
		<-device.came
	}
	w.fail(true)
	close(device.let["apples"])
	close(device.let["pears"])
	until(t, "two results in the spool", func() bool { return spooled(t, spool) == 2 })
	if err := first.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-first.gone //nolint:errcheck // that it was killed
	close(device.let["plums"])
	for article, run := range runs {
		if by := p.completed(run); len(by) > 0 {
			t.Errorf("%s was completed by %v over a line that is cut", article, by)
		}
	}
	second := start()
	second.says(t, "the server does not answer")
	w.fail(false)
	for article, run := range runs {
		p.event(run, "RunSucceeded")
		if by := p.completed(run); len(by) != 1 {
			t.Errorf("%s was completed by %v", article, by)
		}
		want := 1
		if article == "plums" { // its process was killed before the device had answered
			want = 2
		}
		if n := device.times(article); n != want {
			t.Errorf("the device was asked %d times for %s", n, article)
		}
	}
	until(t, "an empty spool", func() bool {
		list, err := filepath.Glob(filepath.Join(spool, "*.json"))
		return err == nil && len(list) == 0
	})
}

// TestALineThatFailsForLongerThanALease: the result of the lease that ran out
// either answers the next delivery, or has come too late, and then it is
// forgotten. The run takes one in any case.
func TestALineThatFailsForLongerThanALease(t *testing.T) {
	t.Parallel()
	p, w := newEdge(t)
	dir := t.TempDir()
	program := filepath.Join(dir, "example")
	if out, err := exec.Command("go", "build", "-o", program, "signalbox/client/worker/example").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	id := p.publish(map[string]any{
		"id": "work", "key": "work", "kind": "external", "config": map[string]any{"type": "count_words", "input": "=input", "lease": "1s"},
		"task": map[string]any{"location": "shop-7"},
	})
	spool := filepath.Join(dir, "spool")
	env := []string{"SIGNALBOX_LOCATION=shop-7", "SIGNALBOX_SPOOL=" + spool}
	far := p.launchWith("far", dir, env, program)
	lapse := func() (run string) {
		t.Helper()
		for {
			run = p.start(id, map[string]any{"text": "one two", "pause_ms": 1_500})
			until(t, "the task at work", func() bool { return len(spoolFiles(t, spool)) == 1 || len(p.completed(run)) > 0 })
			w.fail(true)
			until(t, "the end of the lease", func() bool { return p.app.HeldBy("far") == 0 })
			if len(p.completed(run)) == 0 {
				until(t, "a result in the spool", func() bool { return spooled(t, spool) == 1 })
				return run
			}
			w.fail(false) // it was done before the line was cut: once more
		}
	}
	empty := func() bool {
		list, err := filepath.Glob(filepath.Join(spool, "*.json"))
		return err == nil && len(list) == 0
	}

	// Nobody else is there: the task comes again, and is not done again.
	run := lapse()
	w.fail(false)
	if out := p.output(run); out["worker"] != "far" {
		t.Errorf("got %v", out)
	}
	far.says(t, "whose result is in the spool")
	until(t, "an empty spool", empty)

	// Somebody else is there: it is done by them, and what was kept is forgotten.
	run = lapse()
	near := p.launchWith("near", dir, []string{"SIGNALBOX_LOCATION=shop-7", "SIGNALBOX_URL=" + p.origin}, program)
	if out := p.output(run); out["worker"] != "near" {
		t.Errorf("got %v", out)
	}
	w.fail(false)
	far.says(t, "a result changed nothing; the spool forgets it")
	until(t, "an empty spool", empty)
	if by := p.completed(run); len(by) != 1 || by[0] != "near" {
		t.Errorf("the task was completed by %v", by)
	}
	if t.Failed() {
		t.Log(far.said(), near.said())
	}
}

func TestSettingsOfTheEdge(t *testing.T) {
	t.Parallel()
	open := t.TempDir()
	if err := os.Chmod(open, 0o755); err != nil { //nolint:gosec // it has to be refused
		t.Fatal(err)
	}
	good := []string{"--server", "https://flows.example.org", "--token", "sb_x", "--location", "shop-7"}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--server", "http://flows.example.org"}, "without TLS; expected: https"},
		{[]string{"--server", "flows.example.org"}, "expected for example https://flows.example.org"},
		{[]string{"--token", ""}, "expected: an API token of the role worker"},
		{[]string{"--location", "Shop 7"}, "small letters, digits, - and _"},
		{[]string{"--lease", "2h"}, "from 1s to 10m"},
		{[]string{"--reach", "192.168.1.20"}, "http://192.168.1.20:8080"},
		{[]string{"--database-url", "postgres://x"}, "neither DATABASE_URL nor NATS_URL"},
		{[]string{"--spool", open}, "chmod 700 " + open},
	} {
		cfg, err := app.Parse(append(append([]string{}, good...), c.args...), none, io.Discard)
		if err == nil {
			err = app.Command(t.Context(), "worker", cfg, slog.New(slog.DiscardHandler), io.Discard)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v", c.args, err)
		}
	}
}

// seen is an action that gives back the time it has.
type seen struct{}

func (seen) Do(_ context.Context, c worker.Call) (json.RawMessage, error) {
	return json.Marshal(c.Task.Timeout)
}

// An action that knows no time limit sets one of its own, and would end a slow
// device's answer though the step lets it take longer.
func TestStepsAtTheEdgeHaveTheirOwnTime(t *testing.T) {
	t.Parallel()
	out, err := app.AtTheEdge(seen{})(t.Context(), &client.Task{TimeoutSeconds: 600, Input: json.RawMessage(`{}`)})
	if raw, ok := out.(json.RawMessage); err != nil || !ok || string(raw) != fmt.Sprint(int64(10*time.Minute)) {
		t.Errorf("the action has %s, %v", out, err)
	}
}
