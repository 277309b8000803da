package remote_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/problem"
	"signalbox/engine/route"
	"signalbox/engine/runtime"
	"signalbox/engine/worker/remote"
)

func TestATaskGoesToAWorkerAndItsResultBack(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.dispatch(work(1, ours, "resize", `"input":{"w":7},"lease":"30s"`))
	got := h.takeOne("w1", "resize")
	if string(got.Input) != `{"w":7}` || got.Key != "key1" || got.Attempt != 1 || got.LeaseSeconds != 30 || got.HeartbeatSeconds != 10 || got.TimeoutSeconds != 60 {
		t.Errorf("got %+v", got)
	}
	held, err := ask[remote.Held](h, remote.Question{Op: remote.OpBeat, Lease: got.Lease}, remote.Beat{Progress: "half of it "})
	if must(t, held, err).State != remote.StateHeld || held.LeaseSeconds < 29 {
		t.Errorf("got %+v", held)
	}
	eventually(t, func() bool {
		select {
		case f := <-h.shown:
			return strings.Contains(string(f.Briefs), "half of it")
		default:
			return false
		}
	}, "progress")
	if out := h.complete(got.Lease, `{"url":"x","token":"`+secret+`"}`); out.Outcome != remote.OutcomeCommitted {
		t.Errorf("got %+v", out)
	}
	r := <-h.results
	if string(r.Output) != `{"url":"x","token":"[redacted]"}` || r.Worker != "w1" || r.Error != nil {
		t.Errorf("got %s by %s, %+v", r.Output, r.Worker, r.Error)
	}
	// Told again, it is not done again.
	if out := h.complete(got.Lease, `{"url":"y"}`); out.Outcome != remote.OutcomeCommitted || len(h.results) != 0 {
		t.Errorf("got %+v, %d more results", out, len(h.results))
	}
	h.counted(remote.OutcomeCommitted, 1)
}

// A worker is told that its result is there only when the owner has settled it.
func TestAResultIsOnlyTakenWhenItIsOnDisk(t *testing.T) {
	t.Parallel()
	h := open(t)
	kept := make(chan runtime.Delivered, 1)
	h.settle = func(d runtime.Delivered) { kept <- d }
	h.dispatch(work(1, ours, "resize", `"input":1`))
	lease := h.takeOne("w1", "resize").Lease
	said := make(chan remote.Outcome, 1)
	go func() { said <- h.complete(lease, `1`) }()
	d := <-kept
	select {
	case out := <-said:
		t.Fatalf("told %+v before it was on disk", out)
	default:
	}
	d.Settle()
	if out := <-said; out.Outcome != remote.OutcomeCommitted {
		t.Errorf("got %+v", out)
	}
}

// A visit that a join has ended while the run goes on: no cancel comes, but the
// engine says that the result changed nothing.
func TestAResultThatTheEngineDoesNotUse(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.settle = func(d runtime.Delivered) { d.Unused() }
	h.dispatch(work(1, ours, "resize", `"input":1`))
	if out := h.complete(h.takeOne("w1", "resize").Lease, `1`); out.Outcome != remote.OutcomeStale || !strings.Contains(out.Message, "no use for it") {
		t.Errorf("got %+v", out)
	}
	h.counted(remote.OutcomeStale, 1)
}

// What quality demands of results that nobody can use.
func TestResultsThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	big := `"` + strings.Repeat("x", 10<<20) + `"`
	for name, c := range map[string]struct {
		config, output string
		outcome, class string
	}{
		"no JSON is an error of the node": {`"input":1`, `{"a":`, remote.OutcomeRefused, "invalid_output"},
		"it does not fit the schema":      {`"input":1,"result_schema":{"type":"object","required":["url"]}`, `{"a":1}`, remote.OutcomeRefused, "invalid_output"},
		"it fits the schema":              {`"input":1,"result_schema":{"type":"object","required":["url"]}`, `{"url":"x"}`, remote.OutcomeCommitted, ""},
		"10 MB are stored and named":      {`"input":1`, big, remote.OutcomeCommitted, ""},
		"a schema that is none":           {`"input":1,"result_schema":{"type":"picture"}`, "", "", "invalid_input"},
		"two names that are the same":     {`"input":1`, `{"a":1,"a":2}`, remote.OutcomeRefused, "invalid_output"},
		"no output at all is null":        {`"input":1`, ``, remote.OutcomeCommitted, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := open(t)
			h.dispatch(work(1, ours, "resize", c.config))
			if c.outcome == "" {
				go func() {
					_, _ = ask[remote.Taken](h, remote.Question{Op: remote.OpTake}, remote.Request{Worker: "w", Types: []string{"resize"}, WaitSeconds: 1})
				}()
			} else if out := h.complete(h.takeOne("w1", "resize").Lease, c.output); out.Outcome != c.outcome || out.Class != c.class {
				t.Errorf("got %+v", out)
			}
			r := <-h.results
			switch {
			case c.class != "" && (r.Error == nil || r.Error.Class != c.class):
				t.Errorf("got %.80s %+v", r.Output, r.Error)
			case c.class == "" && r.Error != nil:
				t.Errorf("got %+v", r.Error)
			case len(c.output) > 1<<20:
				if r.OutputRef == nil || r.Output != nil {
					t.Fatalf("a result of %d bytes came as it is", len(c.output))
				}
				stored, err := h.store.Payload(t.Context(), ours, r.OutputRef.Digest)
				if err != nil || string(stored) != c.output {
					t.Errorf("stored %d bytes of %d: %v", len(stored), len(c.output), err)
				}
			}
		})
	}
}

func TestAWorkerFails(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.dispatch(work(1, ours, "resize", `"input":1`))
	lease := h.takeOne("w1", "resize").Lease
	if _, err := ask[remote.Outcome](h, remote.Question{Op: remote.OpFail, Lease: lease}, remote.Fault{Class: "No Class", Message: "x"}); problem.Of(err) == nil {
		t.Errorf("a class with a space: %v", err)
	}
	out, err := ask[remote.Outcome](h, remote.Question{Op: remote.OpFail, Lease: lease}, remote.Fault{
		Class: "rate_limited", Message: "Later, " + secret + ".", Details: json.RawMessage(`{"n":1}`), RetryAfterSeconds: 60,
	})
	if must(t, out, err).Outcome != remote.OutcomeCommitted {
		t.Errorf("got %+v", out)
	}
	if r := <-h.results; r.Error == nil || r.Error.Class != "rate_limited" || r.Error.Message != "Later, [redacted]." || r.RetryAfter != time.Minute || string(r.Error.Details) != `{"n":1}` {
		t.Errorf("got %+v", r)
	}
}

func TestASilentWorkerLosesItsTask(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.dispatch(work(1, ours, "resize", `"input":1,"lease":"1s"`))
	first := h.takeOne("dead", "resize")
	second := h.takeOne("alive", "resize")
	if second.Key != first.Key || second.Attempt != 1 || second.Lease == first.Lease {
		t.Errorf("first %+v, then %+v", first, second)
	}
	// The first one wakes up: its result changes nothing.
	if out := h.complete(first.Lease, `"late"`); out.Outcome != remote.OutcomeStale || !strings.Contains(out.Message, "silent") {
		t.Errorf("got %+v", out)
	}
	held, err := ask[remote.Held](h, remote.Question{Op: remote.OpBeat, Lease: first.Lease}, remote.Beat{})
	if must(t, held, err).State != remote.StateOver {
		t.Errorf("got %+v", held)
	}
	if out := h.complete(second.Lease, `"done"`); out.Outcome != remote.OutcomeCommitted {
		t.Errorf("got %+v", out)
	}
	if r := <-h.results; string(r.Output) != `"done"` || r.Worker != "alive" {
		t.Errorf("got %+v", r)
	}
	h.counted("silent", 1)
	h.counted(remote.OutcomeStale, 1)
}

// A task that kills whoever takes it does not go round for ever.
func TestATaskThatSilencesItsWorkersFails(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.dispatch(work(1, ours, "resize", `"input":1,"lease":"1s"`))
	for i := range 3 {
		h.takeOne(fmt.Sprint("w", i), "resize")
	}
	none, err := ask[remote.Taken](h, remote.Question{Op: remote.OpTake}, remote.Request{Worker: "w4", Types: []string{"resize"}, WaitSeconds: 2})
	if len(must(t, none, err).Tasks) != 0 {
		t.Errorf("a fourth worker got it: %+v", none)
	}
	if r := <-h.results; r.Error == nil || r.Error.Class != "timeout" || !strings.Contains(r.Error.Message, "3 workers") {
		t.Errorf("got %+v", r.Error)
	}
}

func TestACanceledTaskIsTaken(t *testing.T) {
	t.Parallel()
	h := open(t)
	tk := work(1, ours, "resize", `"input":1`)
	h.dispatch(tk)
	lease := h.takeOne("w1", "resize").Lease
	heard := make(chan remote.Notices, 1)
	go func() {
		n, err := ask[remote.Notices](h, remote.Question{Op: remote.OpNotices}, remote.Request{Worker: "w1", WaitSeconds: 20})
		if err != nil {
			t.Error(err)
		}
		heard <- n
	}()
	h.channel.CancelTasks(ours, uuid.MustParse(tk.Run))
	if n := <-heard; len(n.Canceled) != 1 || n.Canceled[0] != lease {
		t.Errorf("got %+v", n)
	}
	held, err := ask[remote.Held](h, remote.Question{Op: remote.OpBeat, Lease: lease}, remote.Beat{})
	if must(t, held, err).State != remote.StateCanceled {
		t.Errorf("got %+v", held)
	}
	if out := h.complete(lease, `1`); out.Outcome != remote.OutcomeStale || !strings.Contains(out.Message, "run is over") {
		t.Errorf("got %+v", out)
	}
	if len(h.results) != 0 {
		t.Errorf("the engine got %+v", <-h.results)
	}
}

func TestATaskIsGivenBack(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.dispatch(work(1, ours, "resize", `"input":1`))
	first := h.takeOne("w1", "resize")
	held, err := ask[remote.Held](h, remote.Question{Op: remote.OpRelease, Lease: first.Lease}, struct{}{})
	if must(t, held, err).State != remote.StateOver {
		t.Errorf("got %+v", held)
	}
	if second := h.takeOne("w2", "resize"); second.Key != first.Key {
		t.Errorf("got %+v", second)
	}
}

// Nobody can name what belongs to another workspace, nor guess it.
func TestWorkspacesAreApart(t *testing.T) {
	t.Parallel()
	h := open(t)
	stranger := caller(theirs)
	h.dispatch(work(1, ours, "resize", `"input":1`))
	list, err := askAs[remote.Taken](h, stranger, remote.Question{Op: remote.OpTake}, remote.Request{Worker: "w", Types: []string{"resize"}})
	if len(must(t, list, err).Tasks) != 0 {
		t.Fatalf("a stranger got %+v", list.Tasks)
	}
	for _, name := range []string{"main:resize", "../main", "resize.>", "*", "", "worker:main:resize"} {
		if _, err := askAs[remote.Taken](h, stranger, remote.Question{Op: remote.OpTake}, remote.Request{Worker: "w", Types: []string{name}}); problem.Of(err) == nil {
			t.Errorf("type %q: %v", name, err)
		}
	}
	lease := h.takeOne("w1", "resize").Lease
	for _, op := range []string{remote.OpBeat, remote.OpComplete, remote.OpFail, remote.OpRelease, remote.OpInput, remote.OpPart} {
		_, err := askAs[map[string]any](h, stranger, remote.Question{Op: op, Lease: lease}, `{}`)
		_, unknown := askAs[map[string]any](h, stranger, remote.Question{Op: op, Lease: "one.guess"}, `{}`)
		if p := problem.Of(err); p == nil || p.Code != problem.NotFound || err.Error() != unknown.Error() {
			t.Errorf("%s: %v, a guess %v", op, err, unknown)
		}
		if got := <-h.refused; got != lease {
			t.Errorf("refused %s", got)
		}
	}
	for i := range 1_000 {
		if _, err := askAs[map[string]any](h, stranger, remote.Question{Op: remote.OpComplete, Lease: fmt.Sprintf("one.%026d", i)}, `1`); problem.Of(err) == nil {
			t.Fatalf("guess %d: %v", i, err)
		}
	}
	if len(h.results) != 0 {
		t.Errorf("the engine got %+v", <-h.results)
	}
	if out := h.complete(lease, `1`); out.Outcome != remote.OutcomeCommitted {
		t.Errorf("got %+v", out)
	}
}

func TestLargeValuesComeInPieces(t *testing.T) {
	t.Parallel()
	h := open(t)
	in := `"` + strings.Repeat("i", 600<<10) + `"`
	h.dispatch(work(1, ours, "resize", `"input":`+in))
	taken, err := ask[remote.Taken](h, remote.Question{Op: remote.OpTake}, remote.Request{Worker: "w", Types: []string{"resize"}, WaitSeconds: 20, InlineBytes: 1_000})
	tk := must(t, taken, err).Tasks[0]
	if tk.Input != nil || tk.InputBytes != len(in) {
		t.Errorf("%d bytes were told", len(tk.Input))
	}
	var got []byte
	for more := true; more; {
		p, err := ask[remote.Piece](h, remote.Question{Op: remote.OpInput, Lease: tk.Lease, Offset: len(got)}, nil)
		got, more = append(got, must(t, p, err).Data...), p.More
	}
	if string(got) != in {
		t.Errorf("got %d bytes of %d", len(got), len(in))
	}
	if _, err := ask[remote.Held](h, remote.Question{Op: remote.OpPart, Lease: tk.Lease, Offset: 3}, `gap`); problem.Of(err) == nil {
		t.Errorf("a gap: %v", err)
	}
	for at := 0; at < len(in); at += 100_000 {
		if _, err := ask[remote.Held](h, remote.Question{Op: remote.OpPart, Lease: tk.Lease, Offset: at}, in[at:min(at+100_000, len(in))]); err != nil {
			t.Fatal(err)
		}
	}
	if out := h.complete(tk.Lease, ""); out.Outcome != remote.OutcomeCommitted {
		t.Errorf("got %+v", out)
	}
	r := <-h.results
	stored, err := h.store.Payload(t.Context(), ours, r.OutputRef.Digest)
	if err != nil || string(stored) != in {
		t.Errorf("stored %d bytes, %v", len(stored), err)
	}
}

func TestAStoppingOfficeGivesBackWhatIsHeld(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.dispatch(work(1, ours, "resize", `"input":1`))
	lease := h.takeOne("w1", "resize").Lease
	waits := make(chan error, 1)
	go func() {
		_, err := ask[remote.Taken](h, remote.Question{Op: remote.OpTake}, remote.Request{Worker: "w2", Types: []string{"other"}, WaitSeconds: 30})
		waits <- err
	}()
	h.stop()
	if err := <-waits; err != nil && problem.Of(err) == nil {
		t.Error(err)
	}
	if _, err := ask[remote.Taken](h, remote.Question{Op: remote.OpTake}, remote.Request{Worker: "w3", Types: []string{"resize"}}); problem.Of(err) == nil || problem.Of(err).Code != problem.Unavailable {
		t.Errorf("after the end: %v", err)
	}
	if out := h.complete(lease, `1`); out.Outcome != remote.OutcomeStale {
		t.Errorf("got %+v", out)
	}
	if waiting, _ := h.channel.Depth(); waiting[route.In(ours, route.Own("resize"))] != 1 {
		t.Errorf("waiting: %v", waiting)
	}
}

func TestManyWorkersShareManyTasks(t *testing.T) {
	t.Parallel()
	h := open(t)
	const tasks, workers = 200, 10
	var wg sync.WaitGroup
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for w := range workers {
		wg.Go(func() {
			for ctx.Err() == nil {
				q := remote.Question{Op: remote.OpTake}
				q.Body, _ = json.Marshal(remote.Request{Worker: fmt.Sprint("w", w), Types: []string{"a", "b"}, Max: 3, WaitSeconds: 20})
				raw, err := h.office.Ask(ctx, caller(ours), q)
				if errors.Is(err, context.Canceled) {
					return
				}
				var got remote.Taken
				if err != nil || json.Unmarshal(raw, &got) != nil {
					t.Errorf("%v", err)
					return
				}
				for _, tk := range got.Tasks {
					if out := h.complete(tk.Lease, `"`+tk.Key+`"`); out.Outcome != remote.OutcomeCommitted {
						t.Errorf("got %+v", out)
					}
				}
			}
		})
	}
	for i := range tasks {
		h.dispatch(work(i, ours, []string{"a", "b"}[i%2], `"input":1`))
	}
	got := map[string]int{}
	for range tasks {
		r := <-h.results
		got[string(r.Output)]++
	}
	cancel()
	wg.Wait()
	if len(got) != tasks {
		t.Errorf("%d different results of %d", len(got), tasks)
	}
	eventually(t, func() bool { return h.channel.Held() == 0 }, "an empty channel")
}

func TestTypesAreAnnounced(t *testing.T) {
	t.Parallel()
	h := open(t)
	in := json.RawMessage(`{"type":"object","properties":{"url":{"type":"string"}}}`)
	w, err := ask[remote.Welcome](h, remote.Question{Op: remote.OpAnnounce}, remote.Announcement{Worker: "w1", Types: []remote.Type{{Name: "resize", Icon: "image", Input: in}, {Name: "scan", Title: "Scan it"}}})
	if must(t, w, err).Types != 2 || w.AliveSeconds != 60 {
		t.Errorf("got %+v", w)
	}
	list, err := h.office.Types(t.Context(), ours)
	if err != nil || len(list) != 2 || list[0].Title != "resize" || list[1].Title != "Scan it" || list[0].Alive != 1 || string(list[0].Input) != string(in) || string(list[1].Input) != "{}" {
		t.Errorf("got %+v, %v", list, err)
	}
	if list, err := h.office.Types(t.Context(), theirs); err != nil || len(list) != 0 {
		t.Errorf("others see %+v, %v", list, err)
	}
	if _, err := ask[remote.Held](h, remote.Question{Op: remote.OpLeave}, remote.Request{Worker: "w1"}); err != nil {
		t.Fatal(err)
	}
	if list, err := h.office.Types(t.Context(), ours); err != nil || list[0].Alive != 0 || list[0].SeenAt.IsZero() {
		t.Errorf("after it left: %+v, %v", list, err)
	}
	for name, a := range map[string]remote.Announcement{
		"no name":          {Types: []remote.Type{{Name: "x"}}},
		"no type":          {Worker: "w"},
		"a type's name":    {Worker: "w", Types: []remote.Type{{Name: "A B"}}},
		"a schema":         {Worker: "w", Types: []remote.Type{{Name: "x", Input: json.RawMessage(`{"type":"picture"}`)}}},
		"an icon":          {Worker: "w", Types: []remote.Type{{Name: "x", Icon: "<svg>"}}},
		"a title too long": {Worker: "w", Types: []remote.Type{{Name: "x", Title: strings.Repeat("x", 81)}}},
	} {
		if _, err := ask[remote.Welcome](h, remote.Question{Op: remote.OpAnnounce}, a); problem.Of(err) == nil || len(problem.Of(err).Fields) == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	for i := range 4 {
		a := remote.Announcement{Worker: "w"}
		for j := range 50 {
			a.Types = append(a.Types, remote.Type{Name: fmt.Sprintf("t%d_%d", i, j)})
		}
		_, err := ask[remote.Welcome](h, remote.Question{Op: remote.OpAnnounce}, a)
		if full := i == 3; full != (err != nil) {
			t.Errorf("batch %d: %v", i, err)
		}
	}
	if list, err := h.office.Types(t.Context(), ours); err != nil || len(list) != 152 {
		t.Errorf("%d types, %v", len(list), err)
	}
	if err := h.office.ForgetType(t.Context(), ours, "scan"); err != nil {
		t.Error(err)
	}
	if err := h.office.ForgetType(t.Context(), ours, "scan"); problem.Of(err) == nil {
		t.Error("a type that is not there was forgotten")
	}
}
