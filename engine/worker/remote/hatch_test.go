package remote_test

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"signalbox/engine/problem"
	"signalbox/engine/worker/remote"
)

// A worker that asks for more and more types fills the room of its own
// workspace, and not that of others; what nobody asks for makes room again.
func TestOneWorkspaceCannotUseUpTheQueues(t *testing.T) {
	t.Parallel()
	var past atomic.Int64
	h := openWith(t, func(c *remote.Config) { c.Now = func() time.Time { return time.Now().Add(time.Duration(past.Load())) } })
	ask50 := func(c remote.Caller, from int) error {
		r := remote.Request{Worker: "w"}
		for i := range 50 {
			r.Types = append(r.Types, fmt.Sprintf("t%d", from+i))
		}
		_, err := askAs[remote.Taken](h, c, remote.Question{Op: remote.OpTake}, r)
		return err
	}
	greedy := caller(theirs)
	var err error
	asked := 0
	for ; err == nil && asked < 2_000; asked += 50 {
		err = ask50(greedy, asked)
	}
	if p := problem.Of(err); p == nil || p.Code != problem.TooMany || asked != 1_050 {
		t.Fatalf("after %d types: %v", asked, err)
	}
	h.dispatch(work(1, ours, "resize", `"input":1`))
	if got := h.takeOne("w1", "resize"); got.Type != "resize" {
		t.Errorf("got %+v", got)
	}
	past.Store(int64(time.Hour))
	if err := ask50(greedy, 1_000); err != nil {
		t.Errorf("after an hour: %v", err)
	}
	// A queue that made room is served again when somebody asks for it.
	w := work(2, theirs, "t0", `"input":2`)
	h.dispatch(w)
	got, err := askAs[remote.Taken](h, greedy, remote.Question{Op: remote.OpTake}, remote.Request{Worker: "w", Types: []string{"t0"}, WaitSeconds: 20})
	if must(t, got, err); len(got.Tasks) != 1 {
		t.Errorf("got %+v", got)
	}
	r := remote.Request{Worker: "w", Types: make([]string, 51)}
	if _, err := ask[remote.Taken](h, remote.Question{Op: remote.OpTake}, r); problem.Of(err) == nil {
		t.Errorf("51 types in one question: %v", err)
	}
}

// Queues close while others ask for them: nobody waits in vain.
func TestAQueueThatClosesIsOpenedForWhoAsks(t *testing.T) {
	t.Parallel()
	var past atomic.Int64
	h := openWith(t, func(c *remote.Config) { c.Now = func() time.Time { return time.Now().Add(time.Duration(past.Load())) } })
	for round := range 3 {
		for i := range 1_010 {
			if i%50 == 0 {
				past.Add(int64(2 * time.Minute))
			}
			r := remote.Request{Worker: "w", Types: []string{fmt.Sprintf("t%d", i)}}
			if _, err := ask[remote.Taken](h, remote.Question{Op: remote.OpTake}, r); err != nil && problem.Of(err).Code != problem.Unavailable {
				t.Fatal(round, i, err)
			}
		}
	}
	for i := range 20 {
		h.dispatch(work(i, ours, fmt.Sprintf("t%d", i), `"input":1`))
		h.takeOne("w", fmt.Sprintf("t%d", i))
	}
}

// The answer to a take may be lost: until the worker has said that the task is
// there, the lease is the node's.
func TestALongerLeaseBeginsWithTheFirstWord(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.dispatch(work(1, ours, "resize", `"input":1,"lease":"1s"`))
	r := remote.Request{Worker: "w1", Types: []string{"resize"}, Lease: 600, WaitSeconds: 20}
	if got := takeWith(t, h, r); len(got) != 1 || got[0].LeaseSeconds != 600 {
		t.Fatalf("got %+v", got)
	}
	h.counted("silent", 1) // it would be ten minutes
	second := takeWith(t, h, r)[0]
	held, err := ask[remote.Held](h, remote.Question{Op: remote.OpBeat, Lease: second.Lease}, remote.Beat{})
	if must(t, held, err).LeaseSeconds < 590 {
		t.Errorf("got %+v", held)
	}
}

// Who waits for notices while the server stops is told so, and not sent round
// and round.
func TestNoticesOfAServerThatStops(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.stop()
	_, err := ask[remote.Notices](h, remote.Question{Op: remote.OpNotices}, remote.Request{Worker: "w", WaitSeconds: 20})
	if p := problem.Of(err); p == nil || p.Code != problem.Unavailable {
		t.Errorf("got %v", err)
	}
}

// Pieces of outputs are held in memory, of all workers together no more than
// there is room for.
func TestPiecesOfOutputsHaveALimit(t *testing.T) {
	t.Parallel()
	h := open(t)
	piece := make([]byte, 8<<20)
	full := func() (n int) {
		t.Helper()
		var err error
		for i := 0; err == nil && i < 100; i++ {
			h.dispatch(work(i, ours, "resize", `"input":1`))
			lease := h.takeOne("w1", "resize").Lease
			if _, err = ask[remote.Held](h, remote.Question{Op: remote.OpPart, Lease: lease, Body: piece}, nil); err == nil {
				n++
				defer func() {
					_, _ = ask[remote.Held](h, remote.Question{Op: remote.OpRelease, Lease: lease}, remote.Release{})
				}()
			}
		}
		if p := problem.Of(err); p == nil || p.Code != problem.TooMany {
			t.Errorf("after %d: %v", n, err)
		}
		return n
	}
	if n := full(); n != 32 {
		t.Errorf("%d pieces of 8 MiB are here", n)
	}
}
