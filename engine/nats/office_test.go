package nats_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	natsserver "github.com/nats-io/nats-server/v2/server"
	client "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	localnats "signalbox/engine/local/nats"
	"signalbox/engine/nats"
	"signalbox/engine/problem"
	"signalbox/engine/runtime"
	"signalbox/engine/task"
	"signalbox/engine/worker"
	"signalbox/engine/worker/remote"
)

// hall is a server that workers reach, with the engine's end of everything.
type hall struct {
	url     string
	engine  *nats.Conn
	channel *nats.Channel
	spy     jetstream.JetStream // in the engine's account
	raw     *client.Conn        // the same
	options func(token string) []client.Option
	asked   chan remote.Question
}

// tokens are API tokens, with the workspaces that they are of.
var tokens = map[string]string{"sb_ours": "main", "sb_theirs": "other"}

// embedded is our own server, as --worker-listen makes it.
func embedded(t *testing.T) *hall {
	t.Helper()
	s, err := localnats.Start(localnats.Config{
		Dir: t.TempDir(), Listen: "127.0.0.1:0",
		Admit: func(token string) (string, bool) { w, ok := tokens[token]; return w, ok },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Stop() })
	h := &hall{url: "nats://" + s.Address(), options: func(token string) []client.Option {
		return []client.Option{client.Token(token), client.CustomInboxPrefix(localnats.Inbox(token))}
	}}
	h.open(t, nats.Config{InProcess: s.Raw(), Token: s.Secret()}, client.InProcessServer(s.Raw()), client.Token(s.Secret()))
	return h
}

// configured is a server of somebody's own with the configuration that we ship.
func configured(t *testing.T) *hall {
	t.Helper()
	raw, err := os.ReadFile(filepath.FromSlash("../../deploy/nats/workers.conf"))
	if err != nil {
		t.Fatal(err)
	}
	text := strings.NewReplacer(
		`"127.0.0.1:4222"`, `"127.0.0.1:-1"`, `"/var/lib/nats"`, `"`+t.TempDir()+`"`, "$ENGINE_PASSWORD", "engine-password",
		"$WORKER_PASSWORD", "worker-password", "$WORKER_INBOX", localnats.Inbox("sb_ours")+".>",
	).Replace(string(raw))
	file := filepath.Join(t.TempDir(), "workers.conf")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	opts, err := natsserver.ProcessConfigFile(file)
	if err != nil {
		t.Fatal(err)
	}
	opts.NoSigs, opts.NoLog = true, true
	s, err := natsserver.NewServer(opts)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	if !s.ReadyForConnections(20 * time.Second) {
		t.Fatal("the NATS server was not ready")
	}
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	h := &hall{url: s.ClientURL(), options: func(token string) []client.Option {
		return []client.Option{client.UserInfo("worker", "worker-password"), client.CustomInboxPrefix(localnats.Inbox(token))}
	}}
	url := "nats://engine:engine-password@" + s.Addr().String()
	h.open(t, nats.Config{URL: url}, client.UserInfo("engine", "engine-password"))
	return h
}

func (h *hall) open(t *testing.T, cfg nats.Config, spy ...client.Option) {
	t.Helper()
	var err error
	if h.engine, err = nats.Connect(cfg); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.engine.Close)
	if h.channel, err = nats.NewChannel(t.Context(), h.engine, nats.ChannelConfig{Queues: []string{"default"}}); err != nil {
		t.Fatal(err)
	}
	if h.raw, err = client.Connect(h.url, spy...); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.raw.Close)
	if h.spy, err = jetstream.New(h.raw); err != nil {
		t.Fatal(err)
	}
	h.asked = make(chan remote.Question, 100)
	ask := func(_ context.Context, c remote.Caller, q remote.Question) ([]byte, error) {
		h.asked <- q
		if q.Op == "refuse" {
			return nil, problem.New(problem.NotFound, "There is no such lease.").At("/lease", "unknown", "a lease")
		}
		return json.Marshal(map[string]any{"workspace": c.Workspace, "op": q.Op, "lease": q.Lease, "offset": q.Offset, "body": string(q.Body)})
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		done <- h.engine.ServeOffice(ctx, nats.Office{Name: "one", Ask: ask, Answer: ask, Who: func(_ context.Context, token string) (remote.Caller, error) {
			if w, ok := tokens[token]; ok {
				return remote.Caller{Workspace: w}, nil
			}
			return remote.Caller{}, problem.New(problem.Unauthorized, "Send a valid API token.")
		}})
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	if err := h.raw.Flush(); err != nil {
		t.Fatal(err)
	}
}

// worker connects as a worker does.
func (h *hall) worker(t *testing.T, token string) (*client.Conn, chan error) {
	t.Helper()
	faults := make(chan error, 100)
	c, err := client.Connect(h.url, append(h.options(token), client.ErrorHandler(func(_ *client.Conn, _ *client.Subscription, err error) { faults <- err }))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c, faults
}

func question(op, token string) *client.Msg {
	m := client.NewMsg("worker.v1." + op)
	m.Header.Set(nats.HeaderToken, token)
	return m
}

func halls() map[string]func(*testing.T) *hall {
	return map[string]func(*testing.T) *hall{"embedded": embedded, "configured": configured}
}

func TestWorkersAskOverNATS(t *testing.T) {
	t.Parallel()
	for name, open := range halls() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := open(t)
			c, _ := h.worker(t, "sb_ours")
			m := question("beat", "sb_ours")
			m.Header.Set(nats.HeaderLease, "one.x")
			m.Header.Set(nats.HeaderOffset, "7")
			m.Data = []byte("hello")
			// The service is there once the engine's subscription is.
			var answer *client.Msg
			eventually(t, func() (err error) { answer, err = c.RequestMsg(m, time.Second); return err })
			if got := string(answer.Data); answer.Header.Get(nats.HeaderStatus) != "200" || got != `{"body":"hello","lease":"one.x","offset":7,"op":"beat","workspace":"main"}` {
				t.Errorf("%s %s", answer.Header.Get(nats.HeaderStatus), got)
			}
			answer, err := c.RequestMsg(question("refuse", "sb_ours"), time.Second)
			if err != nil || answer.Header.Get(nats.HeaderStatus) != "404" || !strings.Contains(string(answer.Data), "no such lease") {
				t.Errorf("%+v, %v", answer, err)
			}
			answer, err = c.RequestMsg(question("take", "sb_wrong"), time.Second)
			if err != nil || answer.Header.Get(nats.HeaderStatus) != "401" {
				t.Errorf("%+v, %v", answer, err)
			}
		})
	}
}

// The six attacks: what a worker must not reach, whatever it names.
func TestWorkersReachNothingElse(t *testing.T) {
	t.Parallel()
	publish := func(subject string) func(*testing.T, *hall, *client.Conn) {
		return func(t *testing.T, _ *hall, c *client.Conn) {
			t.Helper()
			if err := c.Publish(subject, []byte(`{}`)); err != nil {
				t.Fatal(err)
			}
		}
	}
	listen := func(subject string) func(*testing.T, *hall, *client.Conn) {
		return func(t *testing.T, h *hall, c *client.Conn) {
			t.Helper()
			sub, err := c.SubscribeSync(subject)
			if err != nil {
				t.Fatal(err)
			}
			if err := c.Flush(); err != nil {
				t.Fatal(err)
			}
			for _, s := range []string{"trace.main.run", "live.main.run", "control.cancel.main.run", "_INBOX_other.x"} {
				if err := h.raw.Publish(s, []byte("secret")); err != nil {
					t.Fatal(err)
				}
			}
			if err := h.raw.Flush(); err != nil {
				t.Fatal(err)
			}
			if m, err := sub.NextMsg(200 * time.Millisecond); err == nil {
				t.Errorf("heard %s: %s", m.Subject, m.Data)
			}
		}
	}
	request := func(subject, body string) func(*testing.T, *hall, *client.Conn) {
		return func(t *testing.T, _ *hall, c *client.Conn) {
			t.Helper()
			if m, err := c.Request(subject, []byte(body), 200*time.Millisecond); err == nil {
				t.Errorf("%s answered %s", subject, m.Data)
			}
		}
	}
	// The trick: the service's answer would be published where one says.
	reply := func(subject string) func(*testing.T, *hall, *client.Conn) {
		return func(t *testing.T, h *hall, c *client.Conn) {
			t.Helper()
			m := question("take", "sb_ours")
			m.Reply = subject
			if err := c.PublishMsg(m); err != nil {
				t.Fatal(err)
			}
			// What was asked before this is with the office when it answers.
			if _, err := c.RequestMsg(question("beat", "sb_ours"), 10*time.Second); err != nil {
				t.Fatal(err)
			}
			for q := (remote.Question{}); q.Op != "beat"; {
				q = <-h.asked
			}
		}
	}
	attacks := map[string]map[string]func(*testing.T, *hall, *client.Conn){
		"1 write into streams": {
			"a task": publish("task.main.default.2.run.node.0.1.2"), "an input": publish("in.0.main.run"), "an event": publish("event.main.w.done"),
			"a probe": publish("task.probe"),
		},
		"2 listen to others": {
			"traces": listen("trace.>"), "live": listen("live.>"), "everything": listen(">"), "cancels": listen("control.>"),
			"results": listen("result.*"), "another's answers": listen("_INBOX_other.>"), "questions": listen("worker.v1.*"),
		},
		"3 ask JetStream": {
			"what is there": request("$JS.API.STREAM.INFO.TASKS", ""), "names": request("$JS.API.STREAM.NAMES", ""), "purge": request("$JS.API.STREAM.PURGE.TASKS", "{}"),
			"delete": request("$JS.API.STREAM.DELETE.TASKS", ""), "a message": request("$JS.API.STREAM.MSG.GET.TASKS", `{"seq":1}`),
			"the next task": request("$JS.API.CONSUMER.MSG.NEXT.TASKS.default-2", `{"batch":1}`), "the system": request("$SYS.REQ.SERVER.PING", ""),
		},
		"4 name a reply subject": {
			"a task": reply("task.main.default.2.run.node.0.1.3"), "an acknowledgment": reply("$JS.ACK.TASKS.default-2.1.1.1.1.0"),
			"the next message": reply("$JS.API.CONSUMER.MSG.NEXT.TASKS.default-2"), "a deletion": reply("$JS.API.STREAM.DELETE.TASKS"), "an input": reply("in.0.main.run"),
		},
		"5 forge what servers say": {
			"a result": publish("result.0"), "a cancel": publish("control.cancel.main.run"), "an owner": publish("control.owner.0"),
			"another server": request("control.office.one", `{"caller":{"workspace":"main"},"question":{"op":"take"}}`), "a trace": publish("trace.main.run"),
		},
		"6 acknowledge": {
			"a task": publish("$JS.ACK.TASKS.default-2.1.1.1.1.0"), "with a pull": publish("$JS.ACK.TASKS.default-2.1.1.2.1.0.+NXT"),
		},
	}
	for place, open := range halls() {
		t.Run(place, func(t *testing.T) {
			t.Parallel()
			h := open(t)
			ours := task.Task{Workspace: "main", Run: "run", Node: "node", Visit: 1, Attempt: 1, Kind: "mock", Queue: "default", Priority: task.Normal}
			if err := h.channel.Dispatch(t.Context(), []task.Task{ours}); err != nil {
				t.Fatal(err)
			}
			heard := make(chan string, 100)
			for _, subject := range []string{"result.>", "control.cancel.>", "control.owner.>", "trace.>"} {
				if _, err := h.raw.Subscribe(subject, func(m *client.Msg) { heard <- m.Subject }); err != nil {
					t.Fatal(err)
				}
			}
			c, faults := h.worker(t, "sb_ours")
			eventually(t, func() error { _, err := c.RequestMsg(question("beat", "sb_ours"), time.Second); return err })
			<-h.asked
			for name, ways := range attacks {
				for way, attack := range ways {
					attack(t, h, c)
					if err := c.Flush(); err != nil {
						t.Fatalf("%s, %s: %v", name, way, err)
					}
				}
			}
			if err := h.raw.Flush(); err != nil {
				t.Fatal(err)
			}
			want := map[string]uint64{"TASKS": 1}
			list := h.spy.ListStreams(t.Context())
			for s := range list.Info() {
				if s.State.Msgs != want[s.Config.Name] || s.State.LastSeq != want[s.Config.Name] {
					t.Errorf("%s holds %d messages, up to %d, want %d", s.Config.Name, s.State.Msgs, s.State.LastSeq, want[s.Config.Name])
				}
				delete(want, s.Config.Name)
			}
			if err := list.Err(); err != nil || len(want) > 0 {
				t.Errorf("streams are missing: %v, %v", want, err)
			}
			if len(faults) < 15 {
				t.Errorf("only %d refusals were told", len(faults))
			}
			for len(heard) > 0 {
				if s := <-heard; s != "trace.main.run" && s != "control.cancel.main.run" { // those the test itself sends
					t.Errorf("the engine heard %s", s)
				}
			}
		})
	}
}

func TestOnlyWorkersAreLetIn(t *testing.T) {
	t.Parallel()
	h := embedded(t)
	for name, options := range map[string][]client.Option{
		"nobody": nil, "a wrong token": {client.Token("sb_wrong")}, "no token": {client.Token("")}, "the engine's name": {client.UserInfo("engine", "engine")},
		"a password": {client.UserInfo("worker", "sb_wrong")},
	} {
		if c, err := client.Connect(h.url, options...); err == nil {
			c.Close()
			t.Errorf("%s is let in", name)
		}
	}
	// Over the network not even the engine's own secret opens its account.
	ours, _ := h.worker(t, "sb_ours")
	theirs, faults := h.worker(t, "sb_theirs")
	sub, err := theirs.SubscribeSync(localnats.Inbox("sb_ours") + ".>")
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, func() error { _, err := ours.RequestMsg(question("beat", "sb_ours"), time.Second); return err })
	if m, err := sub.NextMsg(100 * time.Millisecond); err == nil {
		t.Errorf("another workspace heard %s", m.Data)
	}
	select {
	case <-faults: //nolint:errcheck // that there is one
	case <-time.After(10 * time.Second):
		t.Error("it may listen to another's answers")
	}
}

// A question about a lease of another server goes there and back, however
// large the result is.
func TestQuestionsGoOnToTheServerThatKnows(t *testing.T) {
	t.Parallel()
	h := embedded(t)
	ctx := t.Context()
	var raw []byte
	eventually(t, func() (err error) {
		raw, err = h.engine.Forward(ctx, "one", remote.Caller{Workspace: "main"}, remote.Question{Op: "beat", Lease: "one.x"})
		return err
	})
	if !strings.Contains(string(raw), `"workspace":"main"`) {
		t.Errorf("got %s", raw)
	}
	<-h.asked
	if _, err := h.engine.Forward(ctx, "one", remote.Caller{}, remote.Question{Op: "refuse"}); problem.Of(err) == nil || problem.Of(err).Code != problem.NotFound || len(problem.Of(err).Fields) != 1 {
		t.Errorf("got %v", err)
	}
	<-h.asked
	if _, err := h.engine.Forward(ctx, "two", remote.Caller{}, remote.Question{Op: "beat"}); problem.Of(err) == nil || problem.Of(err).Code != problem.NotFound {
		t.Errorf("a server that has gone: %v", err)
	}
	large := strings.Repeat("x", 1_300_000)
	if _, err := h.engine.Forward(ctx, "one", remote.Caller{}, remote.Question{Op: remote.OpComplete, Lease: "one.x", Body: []byte(large)}); err != nil {
		t.Fatal(err)
	}
	got := ""
	for range 3 {
		q := <-h.asked
		if q.Op != remote.OpPart || q.Offset != len(got) {
			t.Errorf("%s at %d", q.Op, q.Offset)
		}
		got += string(q.Body)
	}
	if q := <-h.asked; q.Op != remote.OpComplete || len(q.Body) != 0 || got != large {
		t.Errorf("then %s with %d bytes; %d bytes came", q.Op, len(q.Body), len(got))
	}
}

func eventually(t *testing.T, try func() error) {
	t.Helper()
	limit := time.After(20 * time.Second)
	for {
		err := try()
		if err == nil {
			return
		}
		select {
		case <-limit:
			t.Fatal(err)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// The wait of the oldest task is what the workers' number follows.
func TestTheWaitOfTheOldestTask(t *testing.T) {
	t.Parallel()
	h := embedded(t)
	one := task.Task{Workspace: "main", Run: "a", Node: "n", Visit: 1, Attempt: 1, Kind: "mock", Queue: "default", Priority: task.Low}
	two := one
	two.Run, two.Priority = "b", task.High
	if err := h.channel.Dispatch(t.Context(), []task.Task{one}); err != nil {
		t.Fatal(err)
	}
	m, err := h.spy.Stream(t.Context(), "TASKS")
	if err != nil {
		t.Fatal(err)
	}
	first, err := m.GetMsg(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := h.channel.Dispatch(t.Context(), []task.Task{two}); err != nil {
		t.Fatal(err)
	}
	d, err := h.engine.Depth(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	q := d.Queues["default"]
	if age := time.Since(first.Time); q.Waiting != 2 || q.Oldest <= 0 || q.Oldest > age {
		t.Errorf("got %+v, the first is %s old", q, age)
	}
}

// Whether a result was of use comes back to who brought it.
func TestWorkersHearWhetherAResultWasUsed(t *testing.T) {
	t.Parallel()
	for used, settle := range map[bool]func(runtime.Delivered){true: func(d runtime.Delivered) { d.Settle() }, false: func(d runtime.Delivered) { d.Unused() }} {
		h := embedded(t)
		ctx, cancel := context.WithCancel(context.Background())
		source, heard, done := nats.NewSource(h.engine), make(chan bool, 1), make(chan error, 3)
		desk := worker.NewDesk(1, func(j worker.Job) { j.Finish(&task.Result{Run: j.Task().Run}, func(used bool) { heard <- used }) })
		go func() { done <- h.channel.Results(ctx, 0, settle) }()
		go func() { done <- source.Canceled(ctx, func(string, string) {}) }()
		go func() { done <- source.Serve(ctx, "default", desk) }()
		if err := h.channel.Dispatch(ctx, []task.Task{{Workspace: "main", Run: "a", Node: "n", Visit: 1, Attempt: 1, Queue: "default"}}); err != nil {
			t.Fatal(err)
		}
		if got := <-heard; got != used {
			t.Errorf("told %v instead of %v", got, used)
		}
		cancel()
		for range 3 {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
	}
}
