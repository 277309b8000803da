package nats_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats-server/v2/server"

	"signalbox/engine/event"
	"signalbox/engine/nats"
	"signalbox/engine/runtime"
	"signalbox/engine/task"
	"signalbox/engine/worker"
)

const patience = 15 * time.Second // after it a test gives up

// bundle is an embedded server with an engine's end and workers' ends.
type bundle struct {
	tb      testing.TB
	dir     string
	server  *server.Server
	engine  *nats.Conn
	worker  *nats.Conn // of the pool that was started last
	channel *nats.Channel
	results chan runtime.Delivered
	stop    func() // of the channel's own work
}

func startServer(tb testing.TB, dir string, port int) *server.Server {
	tb.Helper()
	o := &server.Options{ServerName: "test", DontListen: port == 0, Host: "127.0.0.1", Port: port, JetStream: true, StoreDir: dir, NoSigs: true, NoLog: true}
	s, err := server.NewServer(o)
	if err != nil {
		tb.Fatal(err)
	}
	s.Start()
	if !s.ReadyForConnections(patience) {
		tb.Fatal("the server does not start")
	}
	return s
}

func newBundle(tb testing.TB) *bundle {
	tb.Helper()
	b := &bundle{tb: tb, dir: tb.TempDir(), results: make(chan runtime.Delivered, 100_000)}
	b.server = startServer(tb, b.dir, 0)
	b.engine = b.connect()
	b.open(nats.ChannelConfig{Queues: []string{"express", "default"}, Fresh: true})
	tb.Cleanup(func() {
		b.stop()
		b.server.Shutdown()
		b.server.WaitForShutdown()
	})
	return b
}

func (b *bundle) connect() *nats.Conn {
	b.tb.Helper()
	c, err := nats.Connect(nats.Config{InProcess: b.server, Name: b.tb.Name()})
	if err != nil {
		b.tb.Fatal(err)
	}
	b.tb.Cleanup(c.Close)
	return c
}

// open starts the engine's end.
func (b *bundle) open(cfg nats.ChannelConfig) {
	b.tb.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	c, err := nats.NewChannel(ctx, b.engine, cfg)
	if err != nil {
		b.tb.Fatal(err)
	}
	b.channel = c
	var wg sync.WaitGroup
	wg.Go(func() { _ = c.Run(ctx) })
	b.stop = func() { cancel(); wg.Wait() }
}

// own receives the results of shard 0 until stop is called.
func (b *bundle) own(tb testing.TB) (stop func()) {
	tb.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		done <- b.channel.Results(ctx, 0, func(d runtime.Delivered) { b.results <- d })
	}()
	var once sync.Once
	stop = func() {
		once.Do(func() {
			cancel()
			if err := <-done; err != nil {
				tb.Error(err)
			}
		})
	}
	tb.Cleanup(stop)
	return stop
}

// result waits for one.
func (b *bundle) result() runtime.Delivered {
	b.tb.Helper()
	select {
	case d := <-b.results:
		return d
	case <-time.After(patience):
		b.tb.Fatal("no result came")
		return runtime.Delivered{}
	}
}

func (b *bundle) dispatch(tasks ...task.Task) {
	b.tb.Helper()
	if err := b.channel.Dispatch(b.tb.Context(), tasks); err != nil {
		b.tb.Fatal(err)
	}
}

// work starts a pool; stop drains it.
func (b *bundle) work(cfg worker.Config) (stop func()) {
	b.tb.Helper()
	return b.workOn(b.connect(), cfg)
}

// drained is work that can be told to stop and be waited for apart.
func (b *bundle) drained(cfg worker.Config) (halt, wait func()) {
	b.tb.Helper()
	ctx, halt := context.WithCancel(context.Background())
	return halt, b.workUntil(ctx, b.connect(), cfg)
}

// workOn is work over a connection of its own.
func (b *bundle) workOn(c *nats.Conn, cfg worker.Config) (stop func()) {
	b.tb.Helper()
	return b.workUntil(context.Background(), c, cfg)
}

// workUntil is workOn until the context ends, or stop is called.
func (b *bundle) workUntil(ctx context.Context, c *nats.Conn, cfg worker.Config) (stop func()) {
	b.tb.Helper()
	b.worker = c
	cfg.Source = nats.NewSource(c)
	if cfg.Payloads == nil {
		cfg.Payloads = &payloads{}
	}
	p, err := worker.New(cfg)
	if err != nil {
		b.tb.Fatal(err)
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() { done <- p.Run(ctx) }()
	var once sync.Once
	stop = func() {
		once.Do(func() {
			cancel()
			if err := <-done; err != nil {
				b.tb.Error(err)
			}
		})
	}
	b.tb.Cleanup(stop)
	return stop
}

// act is an action made of a function.
type act func(ctx context.Context, c worker.Call) (json.RawMessage, error)

func (f act) Do(ctx context.Context, c worker.Call) (json.RawMessage, error) { return f(ctx, c) }

func actions(f act) map[string]worker.Action { return map[string]worker.Action{"mock": f} }

// one makes the task of a run of its own.
func one(n, priority int) task.Task {
	return task.Task{
		Workspace: "main", Run: uuid.NewSHA1(uuid.Nil, fmt.Append(nil, n)).String(), Node: "classify", Visit: 1, Attempt: 1,
		Kind: "mock", Queue: "default", Priority: priority, Key: fmt.Sprint("key", n), Timeout: time.Minute,
		Config: event.Value{Inline: json.RawMessage(fmt.Sprintf(`{"answer":%d}`, n))},
	}
}

// echo answers with the task's configuration.
func echo(_ context.Context, c worker.Call) (json.RawMessage, error) { return c.Config, nil }

// payloads keeps large values in memory.
type payloads struct{ m sync.Map }

func (p *payloads) PutPayload(_ context.Context, workspace, digest string, data []byte) error {
	p.m.Store(workspace+"/"+digest, data)
	return nil
}

func (p *payloads) Payload(_ context.Context, workspace, digest string) ([]byte, error) {
	v, ok := p.m.Load(workspace + "/" + digest)
	if !ok {
		return nil, runtime.ErrNotFound
	}
	return v.([]byte), nil
}
