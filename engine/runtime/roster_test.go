package runtime

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/event"
	"signalbox/engine/machine"
)

// TestQuotaSettles lets any number of servers follow the rule from any
// beginning: everything gets an owner, no one more than the others, and then
// nothing moves.
func TestQuotaSettles(t *testing.T) {
	t.Parallel()
	for shards := 1; shards <= 16; shards++ {
		for servers := 1; servers <= 6; servers++ {
			for all := range servers { // the one that has everything at first; with 0 it is nobody
				owner := make([]int, shards) // 1-based, 0 nobody
				for i := range owner {
					owner[i] = all
				}
				if rounds := settle(owner, servers); rounds < 0 {
					t.Fatalf("%d shards of %d servers never come to rest: %v", shards, servers, owner)
				}
				count := map[int]int{}
				for _, o := range owner {
					count[o]++
				}
				for s := 1; s <= servers; s++ {
					if n := count[s]; n < shards/servers || n > (shards+servers-1)/servers {
						t.Fatalf("%d shards of %d servers: %v", shards, servers, owner)
					}
				}
				if count[0] > 0 {
					t.Fatalf("%d shards of %d servers: %d have no owner", shards, servers, count[0])
				}
			}
		}
	}
}

// settle lets the servers look in turn and returns after how many rounds
// nothing changed; -1: never.
func settle(owner []int, servers int) int {
	for round := range 50 {
		changed := false
		for self := 1; self <= servers; self++ {
			seen := Roster{Owners: map[int]Holding{}}
			for s := 1; s <= servers; s++ {
				seen.Servers = append(seen.Servers, Member{Server: fmt.Sprint(s), Able: true})
			}
			var mine, free []int
			for i, o := range owner {
				switch o {
				case 0:
					free = append(free, i)
				case self:
					mine = append(mine, i)
					fallthrough
				default:
					seen.Owners[i] = Holding{Server: fmt.Sprint(o)}
				}
			}
			want := quota(seen, fmt.Sprint(self), len(owner), len(mine), len(free))
			for n := len(mine); n > want; n-- {
				owner[mine[n-1]], changed = 0, true
			}
			for i := range max(0, min(len(free), want-len(mine))) {
				owner[free[i]], changed = self, true
			}
		}
		if !changed {
			return round
		}
	}
	return -1
}

func TestQuotaOfServersThatAreNotAble(t *testing.T) {
	t.Parallel()
	seen := Roster{Servers: []Member{{Server: "a"}, {Server: "b", Able: true}}, Owners: map[int]Holding{0: {Server: "a"}}}
	if n := quota(seen, "a", 4, 1, 3); n != 0 {
		t.Errorf("a server that is cut off keeps %d", n)
	}
	if n := quota(seen, "b", 4, 0, 3); n != 4 {
		t.Errorf("the other one wants %d of 4", n)
	}
	seen.Servers[1].Able = false
	if a, b := quota(seen, "a", 4, 1, 3), quota(seen, "b", 4, 0, 3); a != 2 || b != 2 {
		t.Errorf("when all are cut off they want %d and %d of 4", a, b)
	}
}

// TestInputsTravel makes sure that the owner gets what was handed in elsewhere.
func TestInputsTravel(t *testing.T) {
	t.Parallel()
	for _, in := range []machine.Input{
		machine.Signal{Name: "n", Correlation: "c", ID: "1", Value: json.RawMessage(`{"a":1}`), By: "ada"},
		machine.Signal{Name: "n"},
		machine.Decide{Scope: 1, Node: "n", Visit: 2, Port: "yes", Value: json.RawMessage(`null`), By: "ada"},
		machine.Called{Scope: 1, Node: "n", Visit: 2, Child: "x", Over: true, Output: json.RawMessage(`[1]`), Ref: &event.Payload{Digest: "d", Size: 3}, Error: &event.Error{Class: "c", Message: "m"}},
		machine.Called{Node: "n", Child: "x"},
		machine.Pause{By: "ada"},
		machine.Resume{By: "ada"},
		machine.RollBack{By: "ada"},
		machine.Resolve{Scope: 1, Node: "n", Visit: 2, Action: "skip", By: "ada"},
		machine.Wake{},
		machine.Arrange{Skip: new(true), Breaks: &[]string{"n"}, By: "ada"},
		machine.Advance{For: time.Hour, ID: "1", By: "ada"},
		machine.Release{Scope: 1, Node: "n", Visit: 2, Step: true, Input: json.RawMessage(`{"a":1}`), By: "ada"},
		machine.Release{Node: "n", Visit: 1},
		machine.Cancel{By: "ada", Reason: "because"},
	} {
		travel(t, &job{run: uuid.New(), workspace: "main", input: in})
	}
	start := &StartRequest{
		Workspace: "main", Workflow: uuid.New(), Version: uuid.New(), Trigger: "t", Input: json.RawMessage(`{"n":12345678901234567890}`),
		Attributes: json.RawMessage(`{}`), Source: "api", Test: true, Key: "k", Wait: WaitEnd,
		Rig: &machine.Rig{Virtual: true, Step: true, Breaks: []string{"n"}, Stop: "n", Pins: map[string]json.RawMessage{"n": json.RawMessage(`1`)}},
	}
	travel(t, &job{run: uuid.New(), fresh: true, start: start, wait: WaitEnd, input: start.input()})
	travel(t, &job{run: uuid.New(), input: machine.Wake{}, revive: true})
	if _, err := questionOf(&job{input: machine.Abort{}}); err == nil {
		t.Error("an input that is nobody else's business was written")
	}
	if _, err := (&question{Kind: "abort"}).job(); err == nil {
		t.Error("an input that is nobody else's business was read")
	}
}

func travel(t *testing.T, j *job) {
	t.Helper()
	q, err := questionOf(j)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(q)
	if err != nil {
		t.Fatal(err)
	}
	var there question
	if err := json.Unmarshal(raw, &there); err != nil {
		t.Fatal(err)
	}
	got, err := there.job()
	if err != nil {
		t.Fatal(err)
	}
	if got.run != j.run || got.workspace != j.workspace || got.fresh != j.fresh || got.wait != j.wait || got.revive != j.revive ||
		!reflect.DeepEqual(got.input, j.input) || !reflect.DeepEqual(got.start, j.start) {
		t.Errorf("sent %+v of %+v, came %+v of %+v", j.input, j.start, got.input, got.start)
	}
}

func TestTenureEnds(t *testing.T) {
	t.Parallel()
	now := time.Now()
	u := tenure{born: now}
	if u.sure(now) {
		t.Error("sure of a lease that was never given")
	}
	u.extend(now.Add(time.Second), time.Minute)
	if !u.sure(now.Add(time.Minute)) || u.sure(now.Add(61*time.Second)) {
		t.Error("the lease does not end a minute after it was asked for")
	}
}
