package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"sync"
	"time"
)

// How a worker behaves.
const (
	slotsUsual = 4
	drainUsual = 20 * time.Second
	takeWait   = 20 * time.Second
	pauseMin   = 100 * time.Millisecond // between tries, doubled each time
	pauseMax   = 10 * time.Second
	goodbye    = 5 * time.Second

	// LeaseMax is the longest lease that the server gives.
	LeaseMax = 10 * time.Minute

	// outputMax is how many bytes of an output the server takes.
	outputMax = 16 << 20

	statusUnknown = 404 // of a lease that the server does not know
	statusSlow    = 408 // the question did not come in in time
	statusLarge   = 413
	statusBusy    = 429
)

// Handler does a task. What it returns becomes JSON and the node's output; an
// error that is a *Failure keeps its class, any other one is internal. Its
// context ends when the task is canceled, lost to another worker, or when the
// worker stops and the time for draining is over.
type Handler func(ctx context.Context, t *Task) (output any, err error)

// Causes of the end of a handler's context.
var (
	ErrCanceled = errors.New("nobody wants the result any more")
	ErrLost     = errors.New("the task went to another worker, or its time is over")
	ErrStopped  = errors.New("the worker is stopping")
)

// Config is what a Worker is made of: URL and Token, or a Transport.
type Config struct {
	URL       string // of the server, for example https://flows.example.org
	Token     string // of the role worker
	Client    *http.Client
	Transport Transport
	Name      string        // unlike any other worker's; empty: host and process
	Slots     int           // tasks at once; 0 is 4
	Drain     time.Duration // for tasks under way when the worker stops; 0 is 20 s
	Log       *slog.Logger  // nil: nothing is logged

	// Location is where the worker is, for example shop-7: it also gets the tasks
	// that ask for it. Empty: nowhere in particular.
	Location string
	// Lease is how long the worker may be silent over a task before another one
	// gets it, 10 minutes at most: longer than the line usually fails. 0, or less
	// than the node's lease: the node's.
	Lease time.Duration
	// Spool keeps results while the line is down, and after the process has ended.
	// nil: a result that does not get through within a minute is given up.
	Spool *Spool
}

// Worker takes tasks and does them.
type Worker struct {
	cfg      Config
	types    []Type
	handlers map[string]Handler
	steps    map[string]Handler // by kind

	mu     sync.Mutex
	tasks  map[string]context.CancelCauseFunc // by lease
	visits map[string]chan struct{}           // at work, by key; with a spool only
}

// New makes a worker. Handle says what it does, Run starts it.
func New(cfg Config) (*Worker, error) {
	if cfg.Transport == nil {
		var err error
		if cfg.Transport, err = HTTP(cfg.URL, cfg.Token, cfg.Client); err != nil {
			return nil, err
		}
	}
	if cfg.Slots < 0 || cfg.Slots > 1_000 {
		return nil, fmt.Errorf("%d tasks at once; expected 1 to 1,000", cfg.Slots)
	}
	if cfg.Lease < 0 || cfg.Lease > LeaseMax {
		return nil, fmt.Errorf("a lease of %s; expected 0 to %s", cfg.Lease, LeaseMax)
	}
	if cfg.Slots == 0 {
		cfg.Slots = slotsUsual
	}
	if cfg.Drain == 0 {
		cfg.Drain = drainUsual
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Name == "" {
		host, err := os.Hostname()
		if err != nil {
			host = "worker"
		}
		cfg.Name = fmt.Sprintf("%s-%d", host, os.Getpid())
	}
	if cfg.Spool != nil {
		for _, path := range cfg.Spool.aside {
			cfg.Log.Error("a file of the spool cannot be read and was put aside: if its task is still wanted, it comes again", "file", path)
		}
	}
	return &Worker{
		cfg: cfg, handlers: map[string]Handler{}, steps: map[string]Handler{}, tasks: map[string]context.CancelCauseFunc{}, visits: map[string]chan struct{}{},
	}, nil
}

// Handle adds a task type. Call it before Run.
func (w *Worker) Handle(t Type, h Handler) {
	w.types = append(w.types, t)
	w.handlers[t.Name] = h
}

// HandleStep adds a kind of the program's own steps, for example http, that a
// route sends to at:<location>. The input of such a task is the step's
// configuration, with its expressions filled in and without secrets. Call it
// before Run; it needs a location.
func (w *Worker) HandleStep(kind string, h Handler) { w.steps[kind] = h }

// Run works until the context ends. Then it takes no more tasks, lets those
// under way end within the time for draining, gives back the rest, and says
// goodbye. It returns an error when the server refuses it for good.
func (w *Worker) Run(ctx context.Context) error {
	if len(w.types) == 0 && len(w.steps) == 0 {
		return errors.New("the worker does nothing: add a type with Handle")
	}
	var known welcome
	if err := w.insist(ctx, Question{Op: "announce"}, announcement{w.cfg.Name, w.cfg.Location, w.types, len(w.steps) > 0}, &known); err != nil {
		return ended(ctx, err)
	}
	w.cfg.Log.InfoContext(ctx, "working", "worker", w.cfg.Name, "types", len(w.types))
	work, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	defer stop(ErrStopped)
	var listening sync.WaitGroup
	hear, deaf := context.WithCancel(work)
	listening.Go(func() { w.listen(hear) })

	var tasks sync.WaitGroup
	left := w.cfg.Spool.left()
	tasks.Go(func() { w.resume(work, left) })
	err := w.takeAll(ctx, work, &tasks)
	done := make(chan struct{})
	go func() { tasks.Wait(); close(done) }()
	drain := time.NewTimer(w.cfg.Drain)
	defer drain.Stop()
	select {
	case <-done:
	case <-drain.C:
		stop(ErrStopped) // handlers end, and their tasks are given back
		<-done
	}
	deaf()
	listening.Wait()
	w.leave(ctx)
	return ended(ctx, err)
}

// ended is no error when it was asked for.
func ended(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil //nolint:nilerr // the end was asked for
	}
	return err
}

// takeAll takes tasks while there are free slots.
func (w *Worker) takeAll(ctx, work context.Context, tasks *sync.WaitGroup) error {
	slots := make(chan struct{}, w.cfg.Slots)
	names := make([]string, len(w.types))
	for i, t := range w.types {
		names[i] = t.Name
	}
	for {
		select {
		case slots <- struct{}{}:
		case <-ctx.Done():
			return nil
		}
		if !w.room(ctx) {
			<-slots
			pause(ctx, pauseMax)
			continue
		}
		var got taken
		asked := time.Now()
		r := request{Worker: w.cfg.Name, Location: w.cfg.Location, Types: names, Steps: len(w.steps) > 0, Lease: w.cfg.Lease.Seconds(), Max: 1 + cap(slots) - len(slots), WaitSeconds: takeWait.Seconds(), InlineBytes: w.cfg.Transport.MessageMax() / 2}
		err := w.insist(ctx, Question{Op: "take"}, r, &got)
		<-slots
		if err != nil {
			return err
		}
		if len(got.Tasks) == 0 && time.Since(asked) < time.Second { // it waits for tasks, unless it stops
			pause(ctx, pauseMin)
		}
		for _, t := range got.Tasks {
			slots <- struct{}{} // there is room: no more came than were asked for
			tasks.Go(func() {
				defer func() { <-slots }()
				w.do(work, t)
			})
		}
	}
}

// listen hears which tasks are canceled; heartbeats hear it later too.
func (w *Worker) listen(ctx context.Context) {
	for ctx.Err() == nil {
		var n notices
		asked := time.Now()
		if err := w.insist(ctx, Question{Op: "notices"}, request{Worker: w.cfg.Name, WaitSeconds: takeWait.Seconds()}, &n); err != nil {
			return // the worker ends, or hears it by its heartbeats
		}
		for _, lease := range n.Canceled {
			w.end(lease, ErrCanceled)
		}
		if time.Since(asked) < pauseMin { // also where many come
			pause(ctx, pauseMin)
		}
	}
}

// end ends the context of a task's handler.
func (w *Worker) end(lease string, cause error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if cancel := w.tasks[lease]; cancel != nil {
		cancel(cause)
	}
}

// leave says goodbye.
func (w *Worker) leave(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), goodbye)
	defer cancel()
	if err := w.ask(ctx, Question{Op: "leave"}, request{Worker: w.cfg.Name}, nil); err != nil {
		w.cfg.Log.WarnContext(ctx, "the server did not hear the goodbye", "err", err)
	}
}

// ask asks once.
func (w *Worker) ask(ctx context.Context, q Question, body any, told answer) error {
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			return fmt.Errorf("write a question: %w", err)
		}
		q.Body = raw
	}
	raw, err := w.cfg.Transport.Ask(ctx, q)
	if err != nil || told == nil {
		return err //nolint:wrapcheck // a refusal, or it says what was asked
	}
	if err := json.Unmarshal(raw, told); err != nil {
		return fmt.Errorf("read the answer to %s: %w", q.Op, err)
	}
	if !told.whole() {
		return fmt.Errorf("the answer to %s is not Signalbox's", q.Op)
	}
	return nil
}

// insist asks until there is an answer, or the context ends.
func (w *Worker) insist(ctx context.Context, q Question, body any, told answer) error {
	for wait := pauseMin; ; wait = min(2*wait, pauseMax) {
		err := w.ask(ctx, q, body, told)
		var no *Refusal
		if err == nil || ctx.Err() != nil || errors.As(err, &no) && !no.later() {
			return err
		}
		w.cfg.Log.WarnContext(ctx, "the server does not answer", "question", q.Op, "err", err)
		pause(ctx, wait)
	}
}

// pause waits, or less when the context ends.
func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}
