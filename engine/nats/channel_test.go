package nats_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	client "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"signalbox/engine/event"
	"signalbox/engine/nats"
	"signalbox/engine/task"
	"signalbox/engine/watch"
	"signalbox/engine/worker"
)

func TestTaskGoesOutAndItsResultComesBack(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	b.own(t)
	b.work(worker.Config{Actions: actions(echo), Name: "w1"})
	b.dispatch(one(7, task.Normal))
	d := b.result()
	if got, want := string(d.Result.Output), `{"answer":7}`; got != want || d.Result.Worker != "w1" || d.Result.Node != "classify" {
		t.Errorf("got %s by %s, want %s by w1", got, d.Result.Worker, want)
	}
	if n := b.tasks(); n != 1 {
		t.Errorf("%d tasks are in the stream before the result is settled, want 1", n)
	}
	d.Settle()
	b.until("the stream is empty", func() bool { return b.tasks() == 0 })
}

func TestSecondDispatchIsAbsorbed(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	b.dispatch(one(1, task.Normal), one(2, task.Normal))
	b.dispatch(one(1, task.Normal), one(2, task.Normal), one(3, task.Normal))
	if n := b.tasks(); n != 3 {
		t.Errorf("%d tasks are in the stream, want 3", n)
	}
	var acted atomic.Int32
	b.own(t)
	b.work(worker.Config{Actions: actions(func(context.Context, worker.Call) (json.RawMessage, error) {
		acted.Add(1)
		return json.RawMessage("1"), nil
	})})
	for range 3 {
		d := b.result()
		b.dispatch(one(1, task.Normal)) // while the first dispatch is not settled, or just was
		if d.Result.Run != one(1, 0).Run {
			d.Settle()
		}
	}
	if n := acted.Load(); n != 3 {
		t.Errorf("%d attempts ran, want 3", n)
	}
}

func TestMostUrgentFirst(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	b.own(t)
	var mu sync.Mutex
	var order []int
	gate := make(chan struct{})
	record := func(_ context.Context, c worker.Call) (json.RawMessage, error) {
		<-gate
		mu.Lock()
		defer mu.Unlock()
		order = append(order, c.Task.Priority)
		return json.RawMessage("1"), nil
	}
	// More of each than there are slots, the least urgent sent first.
	var want []int
	for i, prio := range []int{task.Low, task.Normal, task.High, task.Critical} {
		var list []task.Task
		for n := range 20 {
			list = append(list, one(100*i+n, prio))
			want = append(want, prio)
		}
		b.dispatch(list...)
	}
	slices.Sort(want)
	b.work(worker.Config{Actions: actions(record), Default: 1})
	close(gate)
	for range want {
		b.result().Settle()
	}
	if diff := cmp.Diff(want, order); diff != "" {
		t.Errorf("order of priorities (-want +got):\n%s", diff)
	}
}

// A task that comes while less urgent ones wait takes the next free slot.
func TestUrgentTaskOvertakes(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	b.own(t)
	started, goOn := make(chan int, 1_000), make(chan struct{})
	b.work(worker.Config{Default: 2, Actions: actions(func(_ context.Context, c worker.Call) (json.RawMessage, error) {
		started <- c.Task.Priority
		<-goOn
		return json.RawMessage("1"), nil
	})})
	var low []task.Task
	for n := range 50 {
		low = append(low, one(n, task.Low))
	}
	b.dispatch(low...)
	<-started
	<-started // both slots are taken, others may be held
	b.dispatch(one(1_000, task.Critical), one(1_001, task.Critical))
	b.until("the urgent tasks are with the worker, or wait for it to ask", func() bool {
		i := b.consumer("default", task.Critical)
		return i.NumAckPending == 2 || i.NumPending == 2 && i.NumWaiting == 0
	})
	if err := b.worker.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	goOn <- struct{}{}
	if prio := <-started; prio != task.Critical {
		t.Errorf("a task of priority %d started next, want critical", prio)
	}
	close(goOn)
	for range 52 {
		b.result().Settle()
	}
}

func TestRedeliveredTaskIsNotActedUponTwice(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	stop := b.own(t)
	var acted atomic.Int32
	b.work(worker.Config{Actions: actions(func(context.Context, worker.Call) (json.RawMessage, error) {
		acted.Add(1)
		return json.RawMessage("1"), nil
	})})
	b.dispatch(one(1, task.Normal))
	first := b.result() // and the owner dies before it settles
	stop()
	b.own(t)
	again := b.result()
	if diff := cmp.Diff(first.Result, again.Result); diff != "" {
		t.Errorf("the result that came again differs:\n%s", diff)
	}
	// The server itself hands it out again: as after a worker's silence.
	b.nak("default", task.Normal)
	b.result()
	if n := acted.Load(); n != 1 {
		t.Errorf("the attempt ran %d times, want once", n)
	}
	again.Settle()
	b.until("the stream is empty", func() bool { return b.tasks() == 0 })
}

// What a worker did while a shard had no owner reaches the next one at once.
func TestResultsWithoutAnOwnerAreKept(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	sent := make(chan struct{}, 10)
	b.work(worker.Config{Actions: actions(echo), Meter: func(string, string, string, time.Duration) { sent <- struct{}{} }})
	for n := range cap(sent) {
		b.dispatch(one(n, task.Normal))
	}
	for range cap(sent) {
		<-sent
	}
	if err := b.worker.Flush(t.Context()); err != nil { // the server has said that nobody listens
		t.Fatal(err)
	}
	b.own(t)
	for range cap(sent) {
		b.result().Settle()
	}
	b.until("the stream is empty", func() bool { return b.tasks() == 0 })
}

// A result that its owner never settled, because it was lost, comes again soon.
func TestUnsettledResultsComeAgain(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	b.own(t)
	var acted atomic.Int32
	b.work(worker.Config{Actions: actions(func(context.Context, worker.Call) (json.RawMessage, error) {
		acted.Add(1)
		return json.RawMessage("1"), nil
	})})
	b.dispatch(one(1, task.Normal))
	first, again := b.result(), b.result()
	if diff := cmp.Diff(first.Result, again.Result); diff != "" || acted.Load() != 1 {
		t.Errorf("%d attempts; the result that came again differs:\n%s", acted.Load(), diff)
	}
	again.Settle()
	b.until("the stream is empty", func() bool { return b.tasks() == 0 })
}

// While a shard has no owner, nobody does again what is done.
func TestDoneTasksStayWithTheirWorker(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	b.stop()
	const silence = 5 * time.Second
	b.open(nats.ChannelConfig{Queues: []string{"kept"}, Silence: silence, Fresh: true})
	var acted atomic.Int32
	act := actions(func(context.Context, worker.Call) (json.RawMessage, error) {
		acted.Add(1)
		return json.RawMessage("1"), nil
	})
	b.work(worker.Config{Actions: act})
	b.work(worker.Config{Actions: act})
	const tasks = 5
	for n := range tasks {
		t := one(n, task.Normal)
		t.Queue = "kept"
		b.dispatch(t)
	}
	began := time.Now()
	b.until("the silence is over", func() bool { return time.Since(began) > silence+2*time.Second })
	b.own(t)
	for range tasks {
		b.result().Settle()
	}
	if n := acted.Load(); n != tasks {
		t.Errorf("%d attempts for %d tasks", n, tasks)
	}
}

// A new owner is not bothered with what its predecessor has settled.
func TestSettledResultsAreNotSentAgain(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	stop := b.own(t)
	b.work(worker.Config{Actions: actions(echo)})
	for n := range 20 {
		b.dispatch(one(n, task.Normal))
	}
	for range 20 {
		b.result().Settle()
	}
	round := 100
	b.until("the worker knows what is settled", func() bool {
		stop()
		stop = b.own(t)
		round++
		b.dispatch(one(round, task.Normal))
		others := 0
		for {
			d := b.result()
			d.Settle()
			if d.Result.Run == one(round, 0).Run {
				return others == 0
			}
			others++
		}
	})
}

func TestTasksOfAWorkerThatDiedGoToAnother(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	b.own(t)
	taken := make(chan struct{})
	stop := b.work(worker.Config{Drain: time.Millisecond, Actions: actions(func(ctx context.Context, _ worker.Call) (json.RawMessage, error) {
		close(taken)
		<-ctx.Done()
		return nil, context.Cause(ctx)
	})})
	b.dispatch(one(1, task.Normal))
	<-taken
	stop() // its attempt does not end within the drain time: it gives the task back
	b.work(worker.Config{Actions: actions(echo), Name: "second"})
	if d := b.result(); d.Result.Worker != "second" || d.Result.Error != nil {
		t.Errorf("got %+v", d.Result)
	}
}

func TestDrainLetsAttemptsEnd(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	b.own(t)
	taken, goOn := make(chan struct{}), make(chan struct{})
	halt, wait := b.drained(worker.Config{Actions: actions(func(context.Context, worker.Call) (json.RawMessage, error) {
		close(taken)
		<-goOn
		return json.RawMessage(`"done"`), nil
	})})
	b.dispatch(one(1, task.Normal))
	<-taken
	halt()
	b.dispatch(one(2, task.Normal)) // must stay for another worker
	close(goOn)
	wait()
	if d := b.result(); string(d.Result.Output) != `"done"` {
		t.Errorf("got %+v", d.Result)
	}
	b.work(worker.Config{Actions: actions(echo)})
	if d := b.result(); d.Result.Run != one(2, 0).Run {
		t.Errorf("got %+v", d.Result)
	}
}

func TestCancelEndsAttemptsAndTakesWaitingTasksOut(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	b.own(t)
	taken, ended := make(chan struct{}, 1), make(chan struct{}, 1)
	b.work(worker.Config{Default: 1, Actions: actions(func(ctx context.Context, _ worker.Call) (json.RawMessage, error) {
		taken <- struct{}{}
		<-ctx.Done()
		ended <- struct{}{}
		return nil, context.Cause(ctx)
	})})
	first, second := one(1, task.Normal), one(1, task.Normal)
	second.Node = "charge"
	b.dispatch(first, second)
	<-taken
	b.channel.CancelTasks("main", uuid.MustParse(first.Run))
	<-ended
	b.until("the stream is empty", func() bool { return b.tasks() == 0 })
	select {
	case <-taken:
		t.Error("the waiting task of the canceled run was started")
	case d := <-b.results:
		t.Errorf("a result came: %+v", d.Result)
	default:
	}
}

func TestLargeOutputGoesByReference(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	b.own(t)
	large, store := `"`+strings.Repeat("x", 2<<20)+`"`, &payloads{}
	b.work(worker.Config{Payloads: store, Actions: actions(func(context.Context, worker.Call) (json.RawMessage, error) {
		return json.RawMessage(large), nil
	})})
	b.dispatch(one(1, task.Normal))
	r := b.result().Result
	if r.Error != nil || r.OutputRef == nil || r.Output != nil || r.OutputRef.Size != len(large) {
		t.Fatalf("got error %v, reference %v, %d bytes inline", r.Error, r.OutputRef, len(r.Output))
	}
	data, err := store.Payload(t.Context(), "main", r.OutputRef.Digest)
	if err != nil || string(data) != large {
		t.Errorf("the stored output differs: %d bytes, %v", len(data), err)
	}
}

func TestLargeConfigurationIsLoaded(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	b.own(t)
	config := json.RawMessage(`{"answer":"` + strings.Repeat("y", 50_000) + `"}`)
	v, data := event.NewValue(config)
	store := &payloads{}
	if err := store.PutPayload(t.Context(), "main", v.Payload.Digest, data); err != nil {
		t.Fatal(err)
	}
	b.work(worker.Config{Payloads: store, Actions: actions(echo)})
	tk := one(1, task.Normal)
	tk.Config = v
	b.dispatch(tk)
	if r := b.result().Result; string(r.Output) != string(config) {
		t.Errorf("got %d bytes, error %v", len(r.Output), r.Error)
	}
}

func TestNewQueueIsServed(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	b.own(t)
	b.work(worker.Config{Actions: actions(echo)})
	b.dispatch(one(0, task.Normal)) // the pool is up
	b.result().Settle()
	for n, queue := range []string{"vision", "GPU large.1", "über>*"} {
		tk := one(n+1, task.High)
		tk.Queue = queue
		b.dispatch(tk)
		b.result().Settle()
	}
}

func TestDispatchWithoutStreamFails(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	b.stop() // nobody mends it
	if err := b.jetstream().DeleteStream(t.Context(), "TASKS"); err != nil {
		t.Fatal(err)
	}
	if err := b.channel.Dispatch(t.Context(), []task.Task{one(1, 0)}); err == nil {
		t.Error("a task that no stream holds was reported as dispatched")
	}
}

func TestFeedCarriesTracesAndLiveNews(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	frames := make(chan watch.Frame, 100)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	feed := b.connect()
	go func() {
		defer close(done)
		if err := feed.Feed(ctx, func(f watch.Frame) { frames <- f }); err != nil {
			t.Error(err)
		}
	}()
	run := uuid.MustParse(one(1, 0).Run)
	b.until("the feed is there", func() bool {
		b.channel.Trace("main", run, []byte(`[{"seq":1}]`))
		return len(frames) > 0
	})
	got := <-frames
	if diff := cmp.Diff(watch.Frame{Workspace: "main", Run: run.String(), Briefs: []byte(`[{"seq":1}]`)}, got); diff != "" {
		t.Error(diff)
	}
	b.own(t)
	b.work(worker.Config{Name: "w1", Actions: actions(func(ctx context.Context, c worker.Call) (json.RawMessage, error) {
		c.Progress("half")
		c.Progress(" a secret word")
		<-time.After(60 * time.Millisecond)
		return json.RawMessage("1"), nil
	}), Redact: func(b []byte) []byte { return []byte(strings.ReplaceAll(string(b), "secret", "[redacted]")) }})
	b.dispatch(one(1, task.Normal))
	b.result().Settle()
	b.until("all news is there", func() bool { return len(frames) >= 2 })
	cancel()
	<-done
	close(frames)
	var text, types []string
	for f := range frames {
		if !f.Live {
			continue
		}
		var list []struct{ Type, Text, Worker string }
		if err := json.Unmarshal(f.Briefs, &list); err != nil {
			t.Fatal(err)
		}
		types, text = append(types, list[0].Type), append(text, list[0].Text)
	}
	if !slices.Contains(types, "TaskRunning") || strings.Contains(strings.Join(text, ""), "secret") || !strings.HasPrefix(strings.Join(text, ""), "half a") {
		t.Errorf("got %v %q", types, text)
	}
}

func TestBusReachesOtherServersOnly(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	here, there := nats.NewBus(b.connect()), nats.NewBus(b.connect())
	heard := make(chan string, 10)
	for who, bus := range map[string]*nats.Bus{"here": here, "there": there} {
		stop, err := bus.Subscribe("draft.*", func(topic string, data []byte) { heard <- fmt.Sprint(who, " ", topic, " ", string(data)) })
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(stop)
	}
	b.until("the other server listens", func() bool {
		if err := here.Publish("draft.a b", []byte("1")); err != nil {
			t.Fatal(err)
		}
		return len(heard) > 0
	})
	if got := <-heard; got != "there draft.a b 1" {
		t.Errorf("heard %q", got)
	}
}

// tasks counts what is in the stream.
func (b *bundle) tasks() int {
	b.tb.Helper()
	s, err := b.jetstream().Stream(b.tb.Context(), "TASKS")
	if err != nil {
		b.tb.Fatal(err)
	}
	return int(s.CachedInfo().State.Msgs)
}

// storage is where a stream is kept.
func (b *bundle) storage(name string) jetstream.StorageType {
	b.tb.Helper()
	s, err := b.jetstream().Stream(b.tb.Context(), name)
	if err != nil {
		b.tb.Fatal(err)
	}
	return s.CachedInfo().Config.Storage
}

func (b *bundle) jetstream() jetstream.JetStream {
	b.tb.Helper()
	nc, err := client.Connect("", client.InProcessServer(b.server))
	if err != nil {
		b.tb.Fatal(err)
	}
	b.tb.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	if err != nil {
		b.tb.Fatal(err)
	}
	return js
}

// consumer is the server's view of a queue's consumer.
func (b *bundle) consumer(queue string, prio int) *jetstream.ConsumerInfo {
	b.tb.Helper()
	c, err := b.jetstream().Consumer(b.tb.Context(), "TASKS", fmt.Sprintf("%s-%d", queue, prio))
	if err != nil {
		b.tb.Fatal(err)
	}
	return c.CachedInfo()
}

// fetch takes one message and never says a word about it again.
func (b *bundle) fetch(queue string, prio int) error {
	c, err := b.jetstream().Consumer(b.tb.Context(), "TASKS", fmt.Sprintf("%s-%d", queue, prio))
	if err != nil {
		return err
	}
	_, err = c.Next(jetstream.FetchMaxWait(patience))
	return err
}

// nak makes the server hand out again what is under way: it takes the
// consumer's word back.
func (b *bundle) nak(queue string, prio int) {
	b.tb.Helper()
	js := b.jetstream()
	c, err := js.Consumer(b.tb.Context(), "TASKS", fmt.Sprintf("%s-%d", queue, prio))
	if err != nil {
		b.tb.Fatal(err)
	}
	s := c.CachedInfo()
	if s.NumAckPending == 0 {
		b.tb.Fatal("nothing is under way")
	}
	seq := s.Delivered.Stream
	subject := fmt.Sprintf("$JS.ACK.TASKS.%s-%d.1.%d.%d.%d.0", queue, prio, seq, s.Delivered.Consumer, time.Now().UnixNano())
	if err := js.Conn().Publish(subject, []byte("-NAK")); err != nil {
		b.tb.Fatal(err)
	}
}

// until waits for something that the server does by itself.
func (b *bundle) until(what string, ok func() bool) {
	b.tb.Helper()
	for end := time.Now().Add(patience); !ok(); {
		if time.Now().After(end) {
			b.tb.Fatalf("waited in vain until %s", what)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func TestTasksOfAFreshServerAreInMemory(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	b.dispatch(one(1, task.Normal))
	if got := b.storage("TASKS"); got != jetstream.MemoryStorage {
		t.Errorf("with a server of its own the tasks are kept in %v, want memory", got)
	}
	if got := b.storage("EVENTS"); got != jetstream.FileStorage {
		t.Errorf("published facts are kept in %v, want files: others read them later", got)
	}

	b.stop() // a server elsewhere outlives this process and so do its tasks
	b.open(nats.ChannelConfig{Queues: []string{"default"}})
	if got := b.storage("TASKS"); got != jetstream.FileStorage {
		t.Errorf("with a server elsewhere the tasks are kept in %v, want files", got)
	}
	b.dispatch(one(1, task.Normal)) // the stream is another one now
	if n := b.tasks(); n != 1 {
		t.Errorf("%d tasks are in the stream, want 1", n)
	}
}
