package worker_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/event"
	"signalbox/engine/problem"
	"signalbox/engine/runtime"
	"signalbox/engine/task"
	"signalbox/engine/vault"
	"signalbox/engine/watch"
	"signalbox/engine/worker"
	"signalbox/engine/worker/local"
)

// act is an action made of a function.
type act func(ctx context.Context, c worker.Call) (json.RawMessage, error)

func (f act) Do(ctx context.Context, c worker.Call) (json.RawMessage, error) { return f(ctx, c) }

// bundle is a local channel with an owner and a pool.
type bundle struct {
	t       *testing.T
	channel *local.Channel
	results chan runtime.Delivered
	pool    *worker.Pool
	log     *bytes.Buffer
	shown   chan watch.Frame
	stop    func() // drains the pool
}

// start runs a pool; call bundle.end before the test ends.
func start(t *testing.T, cfg worker.Config, action act) *bundle {
	t.Helper()
	b := &bundle{t: t, results: make(chan runtime.Delivered, 1_000), log: &bytes.Buffer{}, shown: make(chan watch.Frame, 1_000)}
	b.channel = local.New(func(f watch.Frame) { b.shown <- f })
	cfg.Source, cfg.Actions, cfg.Payloads = b.channel, map[string]worker.Action{"mock": action}, &payloads{}
	cfg.Log = slog.New(slog.NewTextHandler(b.log, nil))
	p, err := worker.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	b.pool = p
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	own, disown := context.WithCancel(context.Background())
	wg.Go(func() {
		if err := b.channel.Results(own, 0, func(d runtime.Delivered) { b.results <- d }); err != nil {
			t.Error(err)
		}
	})
	done := make(chan error, 1)
	go func() { done <- p.Run(ctx) }()
	b.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		disown()
		wg.Wait()
	})
	return b
}

func (b *bundle) dispatch(tasks ...task.Task) {
	b.t.Helper()
	if err := b.channel.Dispatch(b.t.Context(), tasks); err != nil {
		b.t.Fatal(err)
	}
}

func one(n int) task.Task {
	return task.Task{
		Workspace: "main", Run: uuid.NewSHA1(uuid.Nil, fmt.Append(nil, n)).String(), Node: "classify", Visit: 1, Attempt: 1,
		Kind: "mock", Queue: "default", Priority: task.Normal, Timeout: time.Minute, Config: event.Value{Inline: json.RawMessage(`{"n":1}`)},
	}
}

// payloads keeps large values in memory.
type payloads struct{ m sync.Map }

func (p *payloads) PutPayload(_ context.Context, workspace, digest string, data []byte) error {
	p.m.Store(workspace+digest, data)
	return nil
}

func (p *payloads) Payload(_ context.Context, workspace, digest string) ([]byte, error) {
	if v, ok := p.m.Load(workspace + digest); ok {
		return v.([]byte), nil
	}
	return nil, errors.New("there is no such value")
}

const secret = "kY5-very-secret-0042"

func redact(b []byte) []byte {
	b = bytes.ReplaceAll(b, []byte(secret), []byte("[redacted]"))
	return bytes.ReplaceAll(b, []byte("987654321"), []byte("[redacted]"))
}

func TestHowAttemptsEnd(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		do     act
		class  string // empty: success
		output string
		saying string // part of the message
	}{
		"the output comes back": {do: answer(`{"a":1}`), output: `{"a":1}`},
		"no output is null":     {do: answer(""), output: `null`},
		"a failure keeps its class, wait and details": {do: func(context.Context, worker.Call) (json.RawMessage, error) {
			return nil, &worker.Failure{Class: "rate_limited", Message: "Later.", RetryAfter: time.Minute, Details: json.RawMessage(`{"status":429}`)}
		}, class: "rate_limited", saying: "Later."},
		"any other error is internal and not shown": {do: func(context.Context, worker.Call) (json.RawMessage, error) {
			return nil, errors.New("dial postgres://user@10.0.0.7")
		}, class: "internal", saying: "its log says why"},
		"a panic is internal":              {do: func(context.Context, worker.Call) (json.RawMessage, error) { panic("index " + secret) }, class: "internal", saying: "index [redacted]"},
		"an output that is not JSON":       {do: answer(`{"a":`), class: "invalid_output", saying: "cannot be stored"},
		"an output with two equal names":   {do: answer(`{"a":1,"a":2}`), class: "invalid_output", saying: "cannot be stored"},
		"an output that is nested deeply":  {do: answer(strings.Repeat("[", 600) + strings.Repeat("]", 600)), class: "invalid_output", saying: "deeper"},
		"an output with a NUL":             {do: answer(`"\u0000"`), class: "invalid_output", saying: "NUL"},
		"an output of more than 4 MiB":     {do: answer(`"` + strings.Repeat("x", worker.OutputMax) + `"`), class: "limit", saying: "4194304"},
		"secrets are cut out of outputs":   {do: answer(`{"token":"Bearer ` + secret + `"}`), output: `{"token":"Bearer [redacted]"}`},
		"a secret that stands as a number": {do: answer(`{"pin":987654321,"n":1.50}`), output: `{"n":1.50,"pin":"[redacted]"}`},
		"secrets are cut out of failures": {do: func(context.Context, worker.Call) (json.RawMessage, error) {
			return nil, &worker.Failure{Class: "unauthorized", Message: "No " + secret + ".", Details: json.RawMessage(`{"sent":"` + secret + `"}`)}
		}, class: "unauthorized", saying: "No [redacted]."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := start(t, worker.Config{Redact: redact}, c.do)
			b.dispatch(one(1))
			r := (<-b.results).Result
			b.stop()
			switch {
			case c.class == "" && (r.Error != nil || string(r.Output) != c.output):
				t.Errorf("got %s %+v, want %s", r.Output, r.Error, c.output)
			case c.class != "" && (r.Error == nil || r.Error.Class != c.class || !strings.Contains(r.Error.Message, c.saying) || r.Output != nil):
				t.Errorf("got %s %+v, want %s: %s", r.Output, r.Error, c.class, c.saying)
			}
			raw, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(raw)+b.log.String(), secret) {
				t.Errorf("the secret got out: %s %s", raw, b.log)
			}
		})
	}
}

func answer(output string) act {
	return func(context.Context, worker.Call) (json.RawMessage, error) { return json.RawMessage(output), nil }
}

func TestUnknownKindFails(t *testing.T) {
	t.Parallel()
	b := start(t, worker.Config{}, answer("1"))
	defer b.stop()
	tk := one(1)
	tk.Kind = "soup"
	b.dispatch(tk)
	if r := (<-b.results).Result; r.Error == nil || r.Error.Class != "invalid_input" || !strings.Contains(r.Error.Message, `"soup"`) {
		t.Errorf("got %+v", r.Error)
	}
}

func TestCredentials(t *testing.T) {
	t.Parallel()
	var asked string
	b := start(t, worker.Config{Secret: func(_ context.Context, workspace, name string) (vault.Secret, error) {
		asked = workspace + "/" + name
		if name == "gone" {
			return vault.Secret{}, problem.New(problem.NotFound, "There is no credential named %q.", name)
		}
		return vault.Secret{Type: vault.TypeBearer, Token: secret}, nil
	}, Redact: redact}, func(ctx context.Context, c worker.Call) (json.RawMessage, error) {
		var cfg struct{ Credential string }
		if err := json.Unmarshal(c.Config, &cfg); err != nil {
			return nil, err
		}
		s, err := c.Secret(ctx, cfg.Credential)
		if err != nil {
			return nil, err
		}
		return json.Marshal(s.Token)
	})
	defer b.stop()
	tk := one(1)
	tk.Config.Inline = json.RawMessage(`{"credential":"openai"}`)
	b.dispatch(tk)
	if r := (<-b.results).Result; string(r.Output) != `"[redacted]"` || asked != "main/openai" {
		t.Errorf("got %s %+v, asked for %s", r.Output, r.Error, asked)
	}
	tk = one(2)
	tk.Config.Inline = json.RawMessage(`{"credential":"gone"}`)
	b.dispatch(tk)
	if r := (<-b.results).Result; r.Error == nil || r.Error.Class != "unauthorized" || r.Error.Message != `There is no credential named "gone".` {
		t.Errorf("got %s %+v", r.Output, r.Error)
	}
}

func TestTimeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := start(t, worker.Config{}, func(ctx context.Context, _ worker.Call) (json.RawMessage, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		})
		defer b.stop()
		began := time.Now()
		tk := one(1)
		tk.Timeout = 3 * time.Second
		b.dispatch(tk)
		r := (<-b.results).Result
		if r.Error == nil || r.Error.Class != "timeout" || !strings.Contains(r.Error.Message, "3s") || time.Since(began) != 3*time.Second {
			t.Errorf("got %+v after %s", r.Error, time.Since(began))
		}
	})
}

func TestDeadlineOfTheVisitCountsToo(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := start(t, worker.Config{}, func(ctx context.Context, _ worker.Call) (json.RawMessage, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		})
		defer b.stop()
		tk, at := one(1), time.Now().Add(2*time.Second)
		tk.Deadline = &at
		b.dispatch(tk)
		if r := (<-b.results).Result; r.Error == nil || r.Error.Class != "timeout" || !r.EndedAt.Equal(at) {
			t.Errorf("got %+v", r)
		}
	})
}

// An action that does not listen keeps its slot, but the run goes on.
func TestActionThatIgnoresItsDeadline(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		goOn := make(chan struct{})
		b := start(t, worker.Config{Default: 1}, func(context.Context, worker.Call) (json.RawMessage, error) {
			<-goOn
			return json.RawMessage(`"late"`), nil
		})
		tk := one(1)
		tk.Timeout = time.Second
		b.dispatch(tk, one(2))
		r := (<-b.results).Result
		if r.Error == nil || r.Error.Class != "timeout" {
			t.Errorf("got %s %+v", r.Output, r.Error)
		}
		synctest.Wait()
		if len(b.results) != 0 {
			t.Error("a second attempt ran in a slot that is taken")
		}
		close(goOn)
		if r := (<-b.results).Result; r.Run != one(2).Run {
			t.Errorf("got %+v: the first attempt must not end twice", r)
		}
		b.stop()
	})
}

func TestDrain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var ended atomic.Int32
		b := start(t, worker.Config{Drain: 10 * time.Second}, func(ctx context.Context, c worker.Call) (json.RawMessage, error) {
			if c.Task.Node == "quick" {
				time.Sleep(5 * time.Second)
				return json.RawMessage(`"done"`), nil
			}
			<-ctx.Done()
			ended.Add(1)
			return nil, ctx.Err()
		})
		quick := one(1)
		quick.Node = "quick"
		b.dispatch(quick, one(2))
		synctest.Wait()
		began := time.Now()
		b.stop()
		if took := time.Since(began); took < 10*time.Second || took > 11*time.Second || ended.Load() != 1 {
			t.Errorf("stopped after %s, %d actions were told", took, ended.Load())
		}
		if r := (<-b.results).Result; string(r.Output) != `"done"` {
			t.Errorf("got %+v", r)
		}
		if len(b.results) != 0 || b.channel.Held() != 2 { // one not settled, one given back
			t.Errorf("%d more results, %d tasks held", len(b.results), b.channel.Held())
		}
	})
}

func TestCancelReachesActions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var told atomic.Int32
		b := start(t, worker.Config{Default: 1}, func(ctx context.Context, _ worker.Call) (json.RawMessage, error) {
			<-ctx.Done()
			told.Add(1)
			return nil, ctx.Err()
		})
		defer b.stop()
		waiting := one(1)
		waiting.Node = "charge"
		b.dispatch(one(1), waiting)
		synctest.Wait()
		b.channel.CancelTasks("main", uuid.MustParse(one(1).Run))
		synctest.Wait()
		if told.Load() != 1 || len(b.results) != 0 || b.channel.Held() != 0 {
			t.Errorf("%d actions were told, %d results, %d tasks held", told.Load(), len(b.results), b.channel.Held())
		}
	})
}

// A secret that is streamed in two pieces is found all the same.
func TestStreamedSecretIsCutOut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := start(t, worker.Config{Redact: redact, Name: "w1"}, func(_ context.Context, c worker.Call) (json.RawMessage, error) {
			for _, piece := range []string{"The key ", "is ", secret[:7], secret[7:12], secret[12:], ", so ", "take it."} {
				c.Progress(piece)
				time.Sleep(70 * time.Millisecond)
			}
			return json.RawMessage("1"), nil
		})
		b.dispatch(one(1))
		<-b.results
		b.stop()
		close(b.shown)
		text, running := "", 0
		for f := range b.shown {
			var list []struct{ Type, Text, Worker string }
			if err := json.Unmarshal(f.Briefs, &list); err != nil || !f.Live {
				t.Fatalf("%s %v", f.Briefs, err)
			}
			text += list[0].Text
			if list[0].Type == "TaskRunning" && list[0].Worker == "w1" {
				running++
			}
		}
		if text != "The key is [redacted], so take it." || running != 1 {
			t.Errorf("shown %q, %d times running", text, running)
		}
	})
}

func TestShortAttemptIsNotAnnounced(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := start(t, worker.Config{}, answer("1"))
		b.dispatch(one(1))
		<-b.results
		time.Sleep(time.Second)
		b.stop()
		if len(b.shown) != 0 {
			t.Errorf("shown %s", (<-b.shown).Briefs)
		}
	})
}

func TestSlotsAreKept(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var now, most atomic.Int32
		b := start(t, worker.Config{Slots: map[string]int{"default": 3}}, func(context.Context, worker.Call) (json.RawMessage, error) {
			most.Store(max(most.Load(), now.Add(1)))
			time.Sleep(time.Second)
			now.Add(-1)
			return json.RawMessage("1"), nil
		})
		defer b.stop()
		began := time.Now()
		for n := range 9 {
			b.dispatch(one(n))
		}
		for range 9 {
			<-b.results
		}
		if most.Load() != 3 || time.Since(began) != 3*time.Second {
			t.Errorf("%d at once, %s for nine tasks of a second", most.Load(), time.Since(began))
		}
	})
}

func TestConfigIsChecked(t *testing.T) {
	t.Parallel()
	_, err := worker.New(worker.Config{Slots: map[string]int{"default": 0}})
	for _, want := range []string{"source of tasks", "large values", "actions", "queue default: 0 slots"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not name %q", err, want)
		}
	}
}

// A pool that grows takes what waits at once; one that shrinks lets what runs
// end.
func TestAPoolIsResized(t *testing.T) {
	t.Parallel()
	began, end := make(chan struct{}, 10), make(chan struct{})
	b := start(t, worker.Config{Default: 1, Opened: func(string, *worker.Desk) {}}, func(ctx context.Context, _ worker.Call) (json.RawMessage, error) {
		began <- struct{}{}
		<-end
		return nil, ctx.Err()
	})
	b.dispatch(one(1), one(2), one(3), one(4))
	<-began
	if got := b.pool.Slots()["default"]; got != (worker.Slots{Open: 1, Busy: 1}) {
		t.Errorf("got %+v", got)
	}
	b.pool.Resize("default", 3)
	<-began
	<-began
	b.pool.Resize("default", 1)
	b.pool.Resize("nothing", 1)
	if got := b.pool.Slots()["default"]; got != (worker.Slots{Open: 1, Busy: 3}) {
		t.Errorf("got %+v", got)
	}
	close(end)
	for range 4 {
		<-b.results
	}
	b.stop()
	if len(began) != 1 {
		t.Errorf("%d began behind the third", len(began))
	}
}
