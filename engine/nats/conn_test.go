package nats_test

import (
	"net"
	"strconv"
	"strings"
	"testing"
	"time"

	"signalbox/engine/nats"
	"signalbox/engine/runtime"
	"signalbox/engine/task"
	"signalbox/engine/worker"
)

// freePort finds a port that nobody listens on.
func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().(*net.TCPAddr).Port
}

// A server elsewhere is not there at first, then goes away and comes back
// without anything that it held.
func TestServerThatComesAndGoes(t *testing.T) {
	t.Parallel()
	port := freePort(t)
	url := "nats://127.0.0.1:" + strconv.Itoa(port)
	connect := func() *nats.Conn {
		c, err := nats.Connect(nats.Config{URL: url, Name: "test"})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.Close)
		return c
	}
	b := &bundle{tb: t, results: make(chan runtime.Delivered, 100)}
	b.engine = connect()
	b.open(nats.ChannelConfig{Queues: []string{"default"}})
	t.Cleanup(func() { b.stop() })
	if b.engine.Health() == "" {
		t.Error("a connection to nothing is called healthy")
	}
	if err := b.channel.Dispatch(t.Context(), []task.Task{one(1, 0)}); err == nil {
		t.Error("a task was dispatched to nobody")
	}
	b.own(t)
	b.workOn(connect(), worker.Config{Actions: actions(echo)})

	for round := range 2 {
		b.server = startServer(t, t.TempDir(), port)
		select {
		case <-b.channel.Lost():
		case <-time.After(patience):
			t.Fatal("nobody was told that the server is there")
		}
		b.until("it is healthy", func() bool { return b.engine.Health() == "" })
		for n := range 3 {
			b.until("the task is taken", func() bool {
				return b.channel.Dispatch(t.Context(), []task.Task{one(10*round+n, task.Normal)}) == nil
			})
			b.result().Settle()
		}
		b.server.Shutdown()
		b.server.WaitForShutdown()
		b.until("it is not healthy", func() bool { return b.engine.Health() != "" })
		if err := b.channel.Dispatch(t.Context(), []task.Task{one(99, 0)}); err == nil {
			t.Error("a task was dispatched to a server that is gone")
		}
	}
}

func TestConnectSaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	if _, err := nats.Connect(nats.Config{}); err == nil || !strings.Contains(err.Error(), "URL") {
		t.Errorf("got %v", err)
	}
	if _, err := nats.Connect(nats.Config{URL: "nats://127.0.0.1:1", Credentials: "/does/not/exist.creds"}); err == nil {
		t.Error("a missing file of credentials was not noticed")
	}
}
