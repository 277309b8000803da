package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/draft"
	"signalbox/engine/graph"
	sbruntime "signalbox/engine/runtime"
)

// figure is one line of the bench: one workload over one path.
type figure struct {
	Workload    string  `json:"workload"`
	Path        string  `json:"path"` // jetstream, or local hand-over
	Branches    int     `json:"branches,omitempty"`
	Concurrency int     `json:"concurrency,omitempty"`
	Way         string  `json:"way,omitempty"`  // W5: shared or routed
	Load        float64 `json:"load,omitempty"` // W5: 1 is all that the slots can do
	P50         float64 `json:"p50_ms,omitempty"`
	P95         float64 `json:"p95_ms,omitempty"`
	P99         float64 `json:"p99_ms,omitempty"`
	Runs        float64 `json:"runs_per_s,omitempty"`
	Steps       float64 `json:"steps_per_s,omitempty"`
	Requests    float64 `json:"requests_per_s,omitempty"`
	CPU         float64 `json:"cpu_s_per_1k_steps,omitempty"` // of this process and PostgreSQL together
	PSS         float64 `json:"pss_mb,omitempty"`             // of both
	ReadyMS     float64 `json:"ready_ms,omitempty"`
}

// bench measures one program in a directory of its own. fsync is on.
type bench struct {
	app  *App
	path string
	took time.Duration // of each workload
	only string        // the workload to run; empty: all
	prof string        // where profiles go; empty: none are taken
	emit func(figure)
}

// Bench measures this machine: every workload over JetStream, then over local
// hand-over. The workloads are those of docs/bench.md.
func Bench(ctx context.Context, args []string, out, errOut io.Writer) int {
	fs := flag.NewFlagSet("bench", flag.ContinueOnError)
	fs.SetOutput(errOut)
	asJSON := fs.Bool("json", false, "one JSON object a line")
	took := fs.Duration("duration", 4*time.Second, "of each workload")
	only := fs.String("only", "", "one workload: W1, W2, W3, W4 or W5")
	path := fs.String("path", "", "one path: jetstream or local")
	prof := fs.String("profile", "", "directory for a profile of each workload")
	if fs.Parse(args) != nil {
		return exitUsage
	}
	emit := func(f figure) { printFigure(out, f) }
	if *asJSON {
		enc := json.NewEncoder(out)
		emit = func(f figure) { _ = enc.Encode(f) }
	} else {
		fmt.Fprintf(out, "%d processors, %s, fsync on\n", runtime.NumCPU(), runtime.Version())
	}
	for _, p := range []string{"jetstream", "local"} {
		if *path != "" && *path != p {
			continue
		}
		if err := benchPath(ctx, &bench{path: p, took: *took, only: *only, prof: *prof, emit: emit}); err != nil {
			fmt.Fprintln(errOut, "signalbox:", err)
			return exitFailed
		}
	}
	return exitOK
}

func printFigure(out io.Writer, f figure) {
	fmt.Fprintf(out, "%-5s %-9s", f.Workload, f.Path)
	if f.Way != "" {
		fmt.Fprintf(out, "  %s", f.Way)
	}
	for _, c := range []struct {
		name string
		v    float64
	}{
		{"branches", float64(f.Branches)},
		{"concurrency", float64(f.Concurrency)},
		{"p50 ms", f.P50},
		{"p95 ms", f.P95},
		{"p99 ms", f.P99},
		{"load", f.Load},
		{"runs/s", f.Runs},
		{"steps/s", f.Steps},
		{"requests/s", f.Requests},
		{"CPU s/1k steps", f.CPU},
		{"MB", f.PSS},
		{"ready ms", f.ReadyMS},
	} {
		if c.v != 0 {
			fmt.Fprintf(out, "  %s %.4g", c.name, c.v)
		}
	}
	fmt.Fprintln(out)
}

// benchPath starts the program cold, then warm, and measures everything.
func benchPath(ctx context.Context, b *bench) error {
	dir, err := os.MkdirTemp("", "signalbox-bench-")
	if err != nil {
		return fmt.Errorf("make a directory: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := os.Chmod(dir, 0o755); err != nil {
		return fmt.Errorf("open the directory: %w", err)
	}
	cfg, err := Parse([]string{"--data", dir, "--listen", "127.0.0.1:0"}, func(string) string { return "" }, io.Discard)
	if err != nil {
		return err
	}
	cfg.Local, cfg.Slots = b.path == "local", 64
	for _, start := range []string{"cold", "warm"} {
		if err := b.session(ctx, cfg, start); err != nil {
			return err
		}
	}
	return nil
}

// session runs one program from start to stop; the warm one is measured.
func (b *bench) session(ctx context.Context, cfg Config, start string) error {
	began := time.Now()
	a, err := New(ctx, cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	b.app = a
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	ready, done := make(chan struct{}), make(chan error, 1)
	go func() { done <- a.Run(ctx, func() { close(ready) }) }()
	select {
	case <-ready:
	case err := <-done:
		return errors.Join(errors.New("the program did not start"), err)
	}
	b.emit(figure{Workload: start, Path: b.path, ReadyMS: ms(time.Since(began))})
	if start == "warm" {
		err = b.all(ctx)
	}
	stop()
	return errors.Join(err, <-done)
}

func (b *bench) all(ctx context.Context) error {
	time.Sleep(time.Second)
	b.emit(figure{Workload: "idle", Path: b.path, PSS: memory()})
	for _, l := range []load{
		{"W1", chainGraph(5, "mock"), 1, 5, 0},
		{"W2", chainGraph(5, "mock"), 128, 5, 0},
		{"W2", chainGraph(5, "mock"), 512, 5, 0},
		{"W3", fanGraph(100), 1, 100, 100},
		{"W3", fanGraph(1_000), 1, 1_000, 1_000},
	} {
		if !b.want(l.name) {
			continue
		}
		p, err := b.publish(ctx, l.graph)
		if err != nil {
			return err
		}
		if err := b.runs(ctx, l, p); err != nil {
			return err
		}
	}
	if b.want("W4") {
		if err := b.web(ctx); err != nil {
			return err
		}
	}
	if !b.want("W5") {
		return nil
	}
	return b.route(ctx)
}

// want reports whether a workload is to run.
func (b *bench) want(name string) bool { return b.only == "" || b.only == name }

// profile takes a profile of the processor's time until the returned function
// is called, and one of all memory that was taken up to then.
func (b *bench) profile(name string) (stop func(), err error) {
	if b.prof == "" {
		return func() {}, nil
	}
	f, err := os.Create(filepath.Join(b.prof, name+"-"+b.path+".pprof"))
	if err != nil {
		return nil, fmt.Errorf("make a profile: %w", err)
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return nil, errors.Join(fmt.Errorf("take a profile: %w", err), f.Close())
	}
	return func() {
		pprof.StopCPUProfile()
		_ = f.Close() // a profile that is cut off is seen when it is read
		if f, err := os.Create(filepath.Join(b.prof, name+"-"+b.path+".allocs.pprof")); err == nil {
			_ = pprof.Lookup("allocs").WriteTo(f, 0) // the same
			_ = f.Close()
		}
	}, nil
}

// published is a workflow that the bench starts.
type published struct{ workflow, version uuid.UUID }

func (b *bench) publish(ctx context.Context, g graph.Graph) (published, error) {
	w, err := b.app.drafts.Create(ctx, mainWorkspace, system(), g)
	if err != nil {
		return published{}, fmt.Errorf("bench workflow: %w", err)
	}
	v, err := b.app.drafts.Publish(ctx, mainWorkspace, w.ID, system(), draft.Publication{Note: "bench"})
	if err != nil {
		return published{}, fmt.Errorf("bench workflow: %w", err)
	}
	return published{w.ID, v.ID}, nil
}

// runs keeps so many runs going at once, each awaited to its end.
func (b *bench) runs(ctx context.Context, l load, p published) error {
	stop, err := b.profile(fmt.Sprintf("%s-%d-%d", l.name, l.steps, l.concurrency))
	if err != nil {
		return err
	}
	var count atomic.Int64
	lat := &latencies{}
	deadline := time.Now().Add(b.took)
	cpu := cpuSeconds()
	began := time.Now()
	var wg sync.WaitGroup
	for range l.concurrency {
		wg.Go(func() {
			for time.Now().Before(deadline) && ctx.Err() == nil {
				t := time.Now()
				s, err := b.app.engine.Start(ctx, sbruntime.StartRequest{
					Workspace: mainWorkspace, Workflow: p.workflow, Version: p.version, Trigger: "start",
					Input: json.RawMessage(`{"n":1}`), Source: "bench", Wait: sbruntime.WaitEnd,
				})
				if err != nil || s.Answer == nil || s.Answer.Run != sbruntime.StatusSucceeded {
					return
				}
				lat.add(time.Since(t))
				count.Add(1)
			}
		})
	}
	wg.Wait()
	stop()
	el := time.Since(began).Seconds()
	n := float64(count.Load())
	f := figure{Workload: l.name, Path: b.path, Branches: l.branches, Concurrency: l.concurrency, P50: lat.at(.5), P99: lat.at(.99), Runs: n / el, Steps: n * float64(l.steps) / el, PSS: memory()}
	if n > 0 {
		f.CPU = (cpuSeconds() - cpu) / (n * float64(l.steps)) * 1_000
	}
	b.emit(f)
	return nil
}

// web is W4: a webhook over real HTTP, five nodes inside the machine, an answer.
func (b *bench) web(ctx context.Context) error {
	if _, err := b.publish(ctx, hookGraph()); err != nil {
		return err
	}
	for _, c := range []int{1, 64} {
		stop, err := b.profile(fmt.Sprintf("W4-%d", c))
		if err != nil {
			return err
		}
		var count atomic.Int64
		lat := &latencies{}
		client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: c}}
		deadline := time.Now().Add(b.took)
		began := time.Now()
		var wg sync.WaitGroup
		for range c {
			wg.Go(func() {
				for time.Now().Before(deadline) {
					t := time.Now()
					if !call(ctx, client, b.app.Origin+"/hooks/bench-hook") {
						return
					}
					lat.add(time.Since(t))
					count.Add(1)
				}
			})
		}
		wg.Wait()
		stop()
		b.emit(figure{Workload: "W4", Path: b.path, Concurrency: c, P50: lat.at(.5), P99: lat.at(.99), Requests: float64(count.Load()) / time.Since(began).Seconds(), PSS: memory()})
	}
	return nil
}

func call(ctx context.Context, client *http.Client, url string) bool {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader([]byte(`{"n":1,"name":"Ada"}`)))
	if err != nil {
		return false
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := client.Do(req)
	if err != nil {
		return false
	}
	defer func() { _ = res.Body.Close() }()
	_, err = io.Copy(io.Discard, res.Body)
	return err == nil && res.StatusCode == http.StatusOK
}
