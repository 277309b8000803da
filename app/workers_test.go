package app_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"signalbox/app"
	"signalbox/client/worker"
	"signalbox/client/worker/overnats"
	"signalbox/engine/pg/pgtest"
	enginework "signalbox/engine/worker"
)

// plant is a running program with an owner who is logged in.
type plant struct {
	t      *testing.T
	app    *app.App
	origin string
	client *http.Client
	token  string // of the role worker
}

func newPlant(t *testing.T, set func(*app.Config)) *plant {
	t.Helper()
	return newPlantWith(t, set, func(*app.App) {})
}

// newPlantWith tells of the program before it runs.
func newPlantWith(t *testing.T, set func(*app.Config), told func(*app.App)) *plant {
	t.Helper()
	cfg := config(t, t.TempDir())
	cfg.DatabaseURL = pgtest.DSN(t)
	if set != nil {
		set(&cfg)
	}
	log := slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	a, err := app.New(t.Context(), cfg, log)
	if err != nil {
		t.Fatal(err)
	}
	told(a)
	ctx, stop := context.WithCancel(context.Background())
	ready, done := make(chan struct{}), make(chan error, 1)
	go func() { done <- a.Run(ctx, func() { close(ready) }) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	<-ready
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	p := &plant{t: t, app: a, origin: a.Origin, client: &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
	var welcome bytes.Buffer
	if err := a.Welcome(t.Context(), &welcome); err != nil {
		t.Fatal(err)
	}
	link := regexp.MustCompile(`http\S+/setup/\S+`).FindString(welcome.String())
	res, err := p.client.PostForm(link, url.Values{"name": {"Ada"}, "email": {"ada@example.org"}, "password": {"a long enough password"}})
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	var made struct{ Token struct{ Token string } }
	p.ask("POST", "/api/tokens", map[string]any{"name": "worker", "role": "worker"}, &made)
	p.token = made.Token.Token
	return p
}

func (p *plant) ask(method, path string, body, answer any) {
	p.t.Helper()
	raw, err := json.Marshal(body)
	if err != nil {
		p.t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(context.Background(), method, p.origin+path, bytes.NewReader(raw))
	if err != nil {
		p.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := p.client.Do(req)
	if err != nil {
		p.t.Fatal(err)
	}
	text, err := io.ReadAll(res.Body)
	_ = res.Body.Close()
	if err != nil || res.StatusCode >= 300 {
		p.t.Fatalf("%s %s: %s %s", method, path, res.Status, text)
	}
	if answer != nil {
		if err := json.Unmarshal(text, answer); err != nil {
			p.t.Fatalf("%s: %v", text, err)
		}
	}
}

// workflow publishes one with a single external task.
func (p *plant) workflow(taskType string) (id string) {
	p.t.Helper()
	return p.publish(map[string]any{"id": "work", "key": "work", "kind": "external", "config": map[string]any{"type": taskType, "input": "=input", "lease": "1s"}})
}

// publish publishes a workflow with a single step.
func (p *plant) publish(work map[string]any) (id string) {
	p.t.Helper()
	return p.publishGraph(map[string]any{"signalbox": 1, "name": "One step", "nodes": []any{
		map[string]any{"id": "start", "key": "start", "kind": "manual"},
		work,
		map[string]any{"id": "out", "key": "out", "kind": "output", "config": map[string]any{"value": "=input"}},
	}, "edges": []any{
		map[string]any{"id": "a", "from": "start", "port": "success", "to": "work"},
		map[string]any{"id": "b", "from": "work", "port": "success", "to": "out"},
	}, "layout": map[string]any{}})
}

func (p *plant) publishGraph(graph map[string]any) (id string) {
	p.t.Helper()
	var made struct{ ID string }
	p.ask("POST", "/api/workflows", map[string]any{"graph": graph}, &made)
	var draft struct{ Seq int64 }
	p.ask("GET", "/api/workflows/"+made.ID+"/draft", nil, &draft)
	p.ask("POST", "/api/workflows/"+made.ID+"/publish", map[string]any{"seq": draft.Seq}, nil)
	return made.ID
}

func (p *plant) start(workflow string, input any) (run string) {
	p.t.Helper()
	var made struct{ Run struct{ ID string } }
	p.ask("POST", "/api/workflows/"+workflow+"/runs", map[string]any{"input": input}, &made)
	return made.Run.ID
}

// event waits for an event of a run and returns it.
func (p *plant) event(run, kind string) map[string]any {
	p.t.Helper()
	limit := time.After(30 * time.Second)
	for {
		var list struct{ Events []map[string]any }
		p.ask("GET", "/api/runs/"+run+"/events", nil, &list)
		for _, e := range list.Events {
			if e["type"] == kind {
				return e
			}
			if s, _ := e["type"].(string); strings.HasPrefix(s, "Run") && s != "RunStarted" && s != "RunCancelRequested" && kind != s {
				p.t.Fatalf("the run ended with %v, without %s", e, kind)
			}
		}
		select {
		case <-limit:
			p.t.Fatalf("no %s of run %s among %v", kind, run, list.Events)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// output waits for the end of a run and returns what the task put out.
func (p *plant) output(run string) map[string]any {
	p.t.Helper()
	p.event(run, "RunSucceeded")
	e := p.event(run, "TaskCompleted")
	var full struct {
		Data struct{ Output map[string]any }
	}
	p.ask("GET", fmt.Sprintf("/api/runs/%s/events/%v", run, e["seq"]), nil, &full)
	return full.Data.Output
}

// process is a worker in a process of its own.
type process struct {
	cmd  *exec.Cmd
	name string
	gone chan error

	mu  sync.Mutex
	log bytes.Buffer
}

// Write takes what the process says.
func (w *process) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.log.Write(b)
}

func (w *process) said() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.log.String()
}

// says waits until the process has said something.
func (w *process) says(t *testing.T, text string) {
	t.Helper()
	limit := time.After(30 * time.Second)
	for !strings.Contains(w.said(), text) {
		select {
		case <-limit:
			t.Fatalf("%s never said %q:\n%s", w.name, text, w.said())
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// launch starts a worker and waits until it works.
func (p *plant) launch(name, dir, program string, args ...string) *process {
	p.t.Helper()
	return p.launchWith(name, dir, nil, program, args...)
}

// launchWith starts it with variables of its own.
func (p *plant) launchWith(name, dir string, env []string, program string, args ...string) *process {
	p.t.Helper()
	w := &process{name: name, gone: make(chan error, 1)}
	w.cmd = exec.Command(program, args...)
	w.cmd.Dir = dir
	w.cmd.Env = append(os.Environ(), "SIGNALBOX_URL="+p.app.Origin, "SIGNALBOX_TOKEN="+p.token, "WORKER_NAME="+name)
	w.cmd.Env = append(w.cmd.Env, env...)
	w.cmd.Stdout, w.cmd.Stderr = w, w
	if err := w.cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	go func() { w.gone <- w.cmd.Wait() }()
	p.t.Cleanup(func() { _ = w.cmd.Process.Kill() })
	w.says(p.t, "working")
	return w
}

// alive is how many workers do a type.
func (p *plant) alive(taskType string) int {
	p.t.Helper()
	var list struct {
		Types []struct {
			Name  string
			Alive int
		}
	}
	p.ask("GET", "/api/workers", nil, &list)
	for _, t := range list.Types {
		if t.Name == taskType {
			return t.Alive
		}
	}
	return -1
}

// held waits until a worker has a run's task.
func (w *process) held(p *plant, run string) {
	p.t.Helper()
	limit := time.After(30 * time.Second)
	for p.app.HeldBy(w.name) == 0 {
		select {
		case <-limit:
			p.t.Fatalf("%s never got the task of run %s", w.name, run)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// TestTheExampleInGo runs the example as a process: it works, is killed in the
// middle of a task, hears of a cancel, and ends what it has when it is stopped.
func TestTheExampleInGo(t *testing.T) {
	t.Parallel()
	p := newPlant(t, nil)
	program := filepath.Join(t.TempDir(), "example")
	if out, err := exec.Command("go", "build", "-o", program, "signalbox/client/worker/example").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	id := p.workflow("count_words")

	first := p.launch("first", ".", program)
	if out := p.output(p.start(id, map[string]any{"text": "one two three"})); out["words"] != 3.0 || out["worker"] != "first" {
		t.Errorf("got %v", out)
	}
	slow := map[string]any{"text": "one two three four", "pause_ms": 100_000}
	// Killed: its lease ends, and another one takes the task.
	quick := map[string]any{"text": "one two", "pause_ms": 1_500}
	run := p.start(id, quick)
	first.held(p, run)
	if err := first.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-first.gone //nolint:errcheck // that it was killed
	second := p.launch("second", ".", program)
	if out := p.output(run); out["words"] != 2.0 || out["worker"] != "second" {
		t.Errorf("after the kill: %v", out)
	}
	// Canceled: it hears.
	run = p.start(id, slow)
	second.held(p, run)
	p.ask("POST", "/api/runs/"+run+"/cancel", struct{}{}, nil)
	second.says(t, "of no use any more")
	// Stopped: it ends what it has.
	run = p.start(id, quick)
	second.held(p, run)
	if err := second.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := <-second.gone; err != nil {
		t.Errorf("%v\n%s", err, second.said())
	}
	if out := p.output(run); out["worker"] != "second" {
		t.Errorf("after it was stopped: %v", out)
	}
	if n := p.alive("count_words"); n != 1 { // the one that was killed has not been forgotten yet
		t.Errorf("%d workers count as alive", n)
	}
}

// TestTheExampleInJavaScript builds the package as npm would and runs its
// example.
func TestTheExampleInJavaScript(t *testing.T) {
	t.Parallel()
	p := newPlant(t, nil)
	dir := t.TempDir()
	home := filepath.Join(dir, "node_modules", "@signalbox", "worker")
	source, err := filepath.Abs(filepath.FromSlash("../client/typescript"))
	if err != nil {
		t.Fatal(err)
	}
	tsc := exec.Command("node", filepath.FromSlash("../node_modules/typescript/bin/tsc"), "-p", source, "--outDir", filepath.Join(home, "dist"))
	if out, err := tsc.CombinedOutput(); err != nil {
		t.Fatalf("tsc: %v\n%s", err, out)
	}
	for from, to := range map[string]string{"package.json": filepath.Join(home, "package.json"), "example/worker.mjs": filepath.Join(dir, "worker.mjs")} {
		raw, err := os.ReadFile(filepath.Join(source, filepath.FromSlash(from)))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, raw, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	id := p.workflow("turn_around")
	w := p.launch("js", dir, "node", "worker.mjs")
	if out := p.output(p.start(id, map[string]any{"text": "signal box"})); out["text"] != "xob langis" {
		t.Errorf("got %v", out)
	}
	if e := p.event(p.start(id, map[string]any{"wrong": 1}), "TaskFailed"); !strings.Contains(fmt.Sprint(e), "invalid_input") {
		t.Errorf("got %v", e)
	}
	if err := w.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := <-w.gone; err != nil {
		t.Errorf("%v\n%s", err, w.said())
	}
	if n := p.alive("turn_around"); n != 0 {
		t.Errorf("%d workers count as alive after it left", n)
	}
}

// TestAWorkerOverNATS: values that fit in no message come and go in pieces.
func TestAWorkerOverNATS(t *testing.T) {
	t.Parallel()
	p := newPlant(t, func(c *app.Config) { c.WorkerListen = "127.0.0.1:0" })
	transport, err := overnats.Dial("nats://"+p.app.WorkerAddress(), p.token)
	if err != nil {
		t.Fatal(err)
	}
	defer transport.Close()
	w, err := worker.New(worker.Config{Transport: transport, Name: "nats"})
	if err != nil {
		t.Fatal(err)
	}
	w.Handle(worker.Type{Name: "twice", Input: json.RawMessage(`{"type":"object"}`)}, func(_ context.Context, t *worker.Task) (any, error) {
		var in struct{ Text string }
		if err := t.Bind(&in); err != nil {
			return nil, err
		}
		return map[string]any{"text": in.Text + in.Text}, nil
	})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- w.Run(ctx) }()
	id := p.workflow("twice")
	if out := p.output(p.start(id, map[string]any{"text": "ab"})); out["text"] != "abab" {
		t.Errorf("got %v", out)
	}
	large := strings.Repeat("x", 700<<10)
	run := p.start(id, map[string]any{"text": large})
	p.event(run, "RunSucceeded")
	size, err := p.app.LargestOutput(t.Context(), run)
	if err != nil || size != 2*len(large)+len(`{"text":""}`) {
		t.Errorf("an output of %d bytes is stored, %v", size, err)
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if _, err := overnats.Dial("nats://"+p.app.WorkerAddress(), "sb_WRONGWRONGWRONGWRONGWRONGW"); err == nil {
		t.Error("a wrong token is let in")
	}
}

// TestThePoolGrows: with --slots-min there are few slots until tasks wait.
func TestThePoolGrows(t *testing.T) {
	t.Parallel()
	p := newPlant(t, func(c *app.Config) { c.SlotsMin, c.Slots = 1, 8 })
	limit := time.After(30 * time.Second)
	until := func(what string, ok func(enginework.Slots) bool) {
		t.Helper()
		for !ok(p.app.Slots("default")) {
			select {
			case <-limit:
				t.Fatalf("never %s: %+v", what, p.app.Slots("default"))
			case <-time.After(20 * time.Millisecond):
			}
		}
	}
	until("small", func(s enginework.Slots) bool { return s.Open == 1 })
	id := p.publish(map[string]any{"id": "work", "key": "work", "kind": "mock", "config": map[string]any{"latency_ms": 2_500}})
	for range 12 {
		p.start(id, nil)
	}
	until("large", func(s enginework.Slots) bool { return s.Open == 8 && s.Busy > 4 })
}
