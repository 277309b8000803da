package remote_test

import (
	"encoding/json"
	"strings"
	"testing"

	"signalbox/engine/problem"
	"signalbox/engine/route"
	"signalbox/engine/vault"
	"signalbox/engine/worker"
	"signalbox/engine/worker/action"
	"signalbox/engine/worker/remote"
)

func takeWith(t *testing.T, h *hall, r remote.Request) []remote.Task {
	t.Helper()
	taken, err := ask[remote.Taken](h, remote.Question{Op: remote.OpTake}, r)
	return must(t, taken, err).Tasks
}

// A task that asks for a location waits for a worker there; one that asks for
// none goes to any.
func TestATaskGoesToItsLocation(t *testing.T) {
	t.Parallel()
	h := open(t)
	here := work(1, ours, "resize", `"input":1`)
	here.Queue = route.In(ours, route.OwnAt("resize", "shop-7"))
	h.dispatch(here)
	for name, r := range map[string]remote.Request{
		"nowhere":    {Worker: "w1", Types: []string{"resize"}},
		"elsewhere":  {Worker: "w2", Types: []string{"resize"}, Location: "shop-8"},
		"other type": {Worker: "w3", Types: []string{"scan"}, Location: "shop-7"},
	} {
		if got := takeWith(t, h, r); len(got) != 0 {
			t.Fatalf("%s got %+v", name, got)
		}
	}
	if got := takeWith(t, h, remote.Request{Worker: "w4", Types: []string{"resize"}, Location: "shop-7", WaitSeconds: 20}); len(got) != 1 || got[0].Location != "shop-7" {
		t.Errorf("got %+v", got)
	}
	h.dispatch(work(2, ours, "resize", `"input":1`))
	if got := takeWith(t, h, remote.Request{Worker: "w4", Types: []string{"resize"}, Location: "shop-7", WaitSeconds: 20}); len(got) != 1 || got[0].Location != "" {
		t.Errorf("got %+v", got)
	}
}

// Steps of the program's own go to a location by a route, in their workspace.
func TestStepsAreDoneAtALocation(t *testing.T) {
	t.Parallel()
	h := open(t)
	step := work(1, ours, "", "")
	step.Kind, step.Queue = "http", route.In(ours, route.At("shop-7"))
	step.Config.Inline = json.RawMessage(`{"url":"http://scale.local/"}`)
	h.dispatch(step)
	r := remote.Request{Worker: "w1", Location: "shop-7", Steps: true}
	stranger, err := askAs[remote.Taken](h, caller(theirs), remote.Question{Op: remote.OpTake}, r)
	if len(must(t, stranger, err).Tasks) != 0 {
		t.Fatalf("a stranger got %+v", stranger)
	}
	r.WaitSeconds = 20
	got := takeWith(t, h, r)
	if len(got) != 1 || got[0].Kind != "http" || string(got[0].Input) != `{"url":"http://scale.local/"}` {
		t.Fatalf("got %+v", got)
	}
	if out := h.complete(got[0].Lease, `{"status":200}`); out.Outcome != remote.OutcomeCommitted {
		t.Errorf("got %+v", out)
	}
	list, err := h.office.Workers(t.Context(), ours)
	if err != nil || len(list) != 1 || list[0].Location != "shop-7" || !list[0].Serves("at:shop-7") || list[0].Serves("at:shop-8") || list[0].Serves("worker:resize") {
		t.Errorf("got %+v, %v", list, err)
	}
}

// A worker with a bad line asks for a longer lease; it beats as often as before.
func TestAWorkerAsksForALongerLease(t *testing.T) {
	t.Parallel()
	h := open(t)
	for i, c := range []struct{ asked, lease float64 }{{0, 3}, {2, 3}, {300, 300}, {6_000, 600}} {
		h.dispatch(work(i, ours, "resize", `"input":1,"lease":"3s"`))
		got := takeWith(t, h, remote.Request{Worker: "w1", Types: []string{"resize"}, Lease: c.asked, WaitSeconds: 20})
		if len(got) != 1 || got[0].LeaseSeconds != c.lease || got[0].HeartbeatSeconds != 1 {
			t.Errorf("asked for %v, got %+v", c.asked, got)
		}
	}
}

// Who comes too late is told whether the attempt is still open: then a result
// that was kept is of use when the task comes again.
func TestALapsedLeaseSaysWhetherTheAttemptIsOpen(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.dispatch(work(1, ours, "resize", `"input":1,"lease":"1s"`))
	first := h.takeOne("w1", "resize")
	h.counted("silent", 1)
	if out := h.complete(first.Lease, `1`); out.Outcome != remote.OutcomeStale || !out.Open {
		t.Errorf("before anybody ended it: %+v", out)
	}
	held, err := ask[remote.Held](h, remote.Question{Op: remote.OpBeat, Lease: first.Lease}, remote.Beat{})
	if must(t, held, err).State != remote.StateOver || !held.Open {
		t.Errorf("got %+v", held)
	}
	second := h.takeOne("w2", "resize")
	if out := h.complete(second.Lease, `2`); out.Outcome != remote.OutcomeCommitted {
		t.Errorf("got %+v", out)
	}
	if out := h.complete(first.Lease, `1`); out.Outcome != remote.OutcomeStale || out.Open {
		t.Errorf("after another ended it: %+v", out)
	}
	if r := <-h.results; string(r.Output) != "2" || len(h.results) != 0 {
		t.Errorf("got %s and %d more", r.Output, len(h.results))
	}
}

func TestBadLocationsAreRefused(t *testing.T) {
	t.Parallel()
	h := open(t)
	for name, r := range map[string]remote.Request{
		"capitals":               {Worker: "w", Types: []string{"x"}, Location: "Shop 7"},
		"a wildcard":             {Worker: "w", Types: []string{"x"}, Location: "*"},
		"a colon":                {Worker: "w", Types: []string{"x"}, Location: "main:x"},
		"steps without location": {Worker: "w", Steps: true},
	} {
		_, err := ask[remote.Taken](h, remote.Question{Op: remote.OpTake}, r)
		if p := problem.Of(err); p == nil || len(p.Fields) != 1 || p.Fields[0].Location != "/location" || p.Fields[0].Expected == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A task that kills its worker again and again ends, though each start gives it
// back; what is given back without a death does not count.
func TestATaskThatKillsItsWorkerEnds(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.dispatch(work(1, ours, "resize", `"input":1`))
	for _, r := range []remote.Release{{}, {Died: true}, {Died: true}, {}, {Died: true}} {
		got := h.takeOne("w1", "resize")
		held, err := ask[remote.Held](h, remote.Question{Op: remote.OpRelease, Lease: got.Lease}, r)
		if must(t, held, err).State != remote.StateOver {
			t.Fatalf("got %+v", held)
		}
	}
	go func() { // a task comes out only while somebody asks for its type
		_, _ = ask[remote.Taken](h, remote.Question{Op: remote.OpTake}, remote.Request{Worker: "w1", Types: []string{"resize"}, WaitSeconds: 20})
	}()
	if r := <-h.results; r.Error == nil || r.Error.Class != "timeout" {
		t.Errorf("got %+v", r)
	}
}

// The request of a callback is made at a location, too: the address is written
// into it here, and what comes back is kept without it.
func TestACallbackIsToldAtALocation(t *testing.T) {
	t.Parallel()
	const address = "https://flows.example.org/callback/t0ken"
	h := openWith(t, func(c *remote.Config) {
		c.Callback = func(request worker.Action) worker.Action {
			return action.Callback{HTTP: request, Address: func(vault.Wait) string { return address }}
		}
	})
	for i, last := range []string{"complete", "fail"} {
		step := work(i, ours, "", "")
		step.Kind, step.Queue = "callback", route.In(ours, route.At("shop-7"))
		step.Config.Inline = json.RawMessage(`{"call":{"url":"http://scale.local/","body":{"to":"{callback}"}},"wait":{"scope":1,"node":"reply","visit":1}}`)
		h.dispatch(step)
		got := takeWith(t, h, remote.Request{Worker: "w1", Location: "shop-7", Steps: true, WaitSeconds: 20})
		if len(got) != 1 || got[0].Kind != "http" || string(got[0].Input) != `{"url":"http://scale.local/","body":{"to":"`+address+`"}}` {
			t.Fatalf("got %+v", got)
		}
		if _, err := ask[remote.Held](h, remote.Question{Op: remote.OpBeat, Lease: got[0].Lease}, remote.Beat{Progress: address}); err != nil {
			t.Fatal(err)
		}
		body := `{"class":"unavailable","message":"I got ` + address + `","details":{"to":"` + address + `"}}`
		out, err := ask[remote.Outcome](h, remote.Question{Op: last, Lease: got[0].Lease}, body)
		if must(t, out, err).Outcome != remote.OutcomeCommitted {
			t.Errorf("got %+v", out)
		}
		raw, err := json.Marshal(<-h.results)
		if err != nil || strings.Contains(string(raw), "t0ken") || !strings.Contains(string(raw), "I got https://flows.example.org/callback/…") {
			t.Errorf("kept is %s, %v", raw, err)
		}
	}
	for len(h.shown) > 0 {
		if f := <-h.shown; strings.Contains(string(f.Briefs), "t0ken") {
			t.Errorf("shown is %s", f.Briefs)
		}
	}
}
