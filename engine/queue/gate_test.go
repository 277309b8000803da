package queue_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"signalbox/engine/queue"
	"signalbox/engine/task"
)

// yard is a gate with a book of slots, at a time that a test moves.
type yard struct {
	*queue.Gate
	book     queue.Book
	settings map[string]queue.Settings
	now      time.Time
	held     map[task.ID][]string
	n        int
}

func newYard(settings map[string]queue.Settings) *yard {
	y := &yard{book: queue.Book{}, settings: settings, now: time.Unix(1_800_000_000, 0), held: map[task.ID][]string{}}
	y.Gate = queue.NewGate(func(_, name string) queue.Settings { return y.settings[name] })
	return y
}

func (y *yard) add(e queue.Entry) task.ID {
	y.n++
	e.Task.Workspace, e.Task.Run, e.Task.Node, e.Task.Visit, e.Task.Attempt = "main", fmt.Sprint("run", y.n), "n", 1, 1
	if e.Queue == "" {
		e.Queue = "q"
	}
	e.At = y.now
	s := y.settings[e.Queue]
	y.Add(e, len(e.Needs) > 0 || e.Trip != nil || s.Gated())
	return e.Task.ID()
}

// let lets out what may go now and returns it.
func (y *yard) let() []task.Task {
	var out []task.Task
	for {
		list := y.Pick(y.now, 10)
		if len(list) == 0 {
			return out
		}
		for _, e := range list {
			if limit, until := y.book.Grant(e.Asked(), y.now); limit != "" {
				y.Refuse(e, limit, until, y.now)
				continue
			}
			var names []string
			for _, n := range e.Asked() {
				names = append(names, n.Name)
			}
			if !y.Let(e) {
				y.book.Free(names)
				continue
			}
			y.held[e.Task.ID()] = names
			out = append(out, e.Task)
		}
	}
}

func (y *yard) end(id task.ID, class string) {
	y.End(id, class, class == "", y.now)
	y.book.Free(y.held[id])
	delete(y.held, id)
}

func TestMostUrgentGoesFirst(t *testing.T) {
	t.Parallel()
	y := newYard(map[string]queue.Settings{"q": {Concurrency: 1}})
	var want []int
	for _, p := range []int{3, 2, 0, 1, 3, 0, 2} {
		y.add(queue.Entry{Task: task.Task{Priority: p}})
		want = append(want, p)
	}
	slices.Sort(want)
	var got []int
	for range want {
		out := y.let()
		if len(out) != 1 {
			t.Fatalf("%d went out at once, want 1", len(out))
		}
		got = append(got, out[0].Priority)
		y.end(out[0].ID(), "")
	}
	if !slices.Equal(got, want) {
		t.Errorf("went out as %v, want %v", got, want)
	}
}

func TestFairQueueLetsWorkflowsTakeTurns(t *testing.T) {
	t.Parallel()
	for _, fair := range []string{"workflow", "labels.customer"} {
		y := newYard(map[string]queue.Settings{"q": {Concurrency: 1, Fair: fair}})
		for range 100 {
			y.add(queue.Entry{Task: task.Task{Workflow: "heavy"}, Labels: map[string]string{"customer": "heavy"}})
		}
		first := y.let()[0]
		for range 3 {
			y.add(queue.Entry{Task: task.Task{Workflow: "light"}, Labels: map[string]string{"customer": "light"}})
		}
		light := 0
		y.end(first.ID(), "")
		for range 8 {
			out := y.let()
			if out[0].Workflow == "light" {
				light++
			}
			y.end(out[0].ID(), "")
		}
		if light != 3 {
			t.Errorf("%s: %d of the 3 light tasks were among the next 8", fair, light)
		}
	}
}

func TestRateHoldsInEveryWindow(t *testing.T) {
	t.Parallel()
	y := newYard(map[string]queue.Settings{"q": {Rate: 5, Per: "1s"}})
	random := rand.New(rand.NewPCG(1, 2))
	var took []time.Time
	for range 3_000 {
		if random.IntN(3) == 0 {
			y.add(queue.Entry{})
		}
		for _, o := range y.let() {
			took = append(took, y.now)
			y.end(o.ID(), "")
		}
		y.now = y.now.Add(time.Duration(random.IntN(60)) * time.Millisecond)
	}
	if len(took) < 200 {
		t.Fatalf("only %d went out", len(took))
	}
	for i := 5; i < len(took); i++ {
		if took[i].Sub(took[i-5]) < time.Second {
			t.Fatalf("6 went out within %s", took[i].Sub(took[i-5]))
		}
	}
	if at := y.Next(y.now); y.Waiting() > 0 && (at.IsZero() || at.Sub(y.now) > time.Second) {
		t.Errorf("%d wait, but the next look is at %s", y.Waiting(), at)
	}
}

// What the limit of one node holds back does not hold back others.
func TestLimitOfANodeHoldsOnlyItsOwn(t *testing.T) {
	t.Parallel()
	y := newYard(map[string]queue.Settings{"q": {Concurrency: 3}})
	need := []queue.Need{{Name: "node/a", Slots: 1}}
	y.add(queue.Entry{Needs: need})
	y.add(queue.Entry{Needs: need})
	y.add(queue.Entry{})
	y.add(queue.Entry{})
	y.add(queue.Entry{})
	if out := y.let(); len(out) != 3 || out[0].Run != "run1" || out[1].Run != "run3" || out[2].Run != "run4" {
		t.Fatalf("%d went out: %+v", len(out), out)
	}
	y.end(task.ID{Run: "run1", Node: "n", Visit: 1, Attempt: 1}, "")
	if out := y.let(); len(out) != 1 || out[0].Run != "run2" {
		t.Errorf("%+v went out, want run2", out)
	}
}

func TestPausedQueueHoldsEverything(t *testing.T) {
	t.Parallel()
	y := newYard(map[string]queue.Settings{"q": {Paused: true}})
	id := y.add(queue.Entry{})
	if out := y.let(); len(out) != 0 {
		t.Fatalf("%d went out", len(out))
	}
	y.settings["q"] = queue.Settings{}
	y.Resort()
	if out := y.let(); len(out) != 1 || out[0].ID() != id {
		t.Errorf("%+v went out", out)
	}
}

func TestOpenCircuitLetsOneThroughWhenItHasCooledDown(t *testing.T) {
	t.Parallel()
	y := newYard(map[string]queue.Settings{})
	trip := &queue.Trip{Name: "node/a", Threshold: 3, Cooldown: 10 * time.Second}
	add := func() task.ID { return y.add(queue.Entry{Trip: trip}) }
	for range 3 {
		id := add()
		if len(y.let()) != 1 {
			t.Fatal("a closed circuit holds back")
		}
		y.end(id, "unavailable")
	}
	a, b := add(), add()
	if out := y.let(); len(out) != 0 {
		t.Fatalf("%d went through an open circuit", len(out))
	}
	if at := y.Next(y.now); !at.Equal(y.now.Add(10 * time.Second)) {
		t.Errorf("the next look is in %s, want 10s", at.Sub(y.now))
	}
	y.now = y.now.Add(10 * time.Second)
	if out := y.let(); len(out) != 1 || out[0].ID() != a {
		t.Fatalf("%+v went to see, want the first only", out)
	}
	y.end(a, "timeout")
	if out := y.let(); len(out) != 0 {
		t.Fatalf("%d went out although it is still down", len(out))
	}
	y.now = y.now.Add(10 * time.Second)
	if out := y.let(); len(out) != 1 || out[0].ID() != b {
		t.Fatalf("%+v went to see", out)
	}
	c := add()
	y.end(b, "")
	if out := y.let(); len(out) != 1 || out[0].ID() != c {
		t.Errorf("%+v went out of a circuit that is closed again", out)
	}
}

func TestAnswersThatSayNoDoNotOpenACircuit(t *testing.T) {
	t.Parallel()
	y := newYard(map[string]queue.Settings{})
	trip := &queue.Trip{Name: "node/a", Threshold: 2, Cooldown: time.Second}
	for _, class := range []string{"unavailable", "invalid_input", "unavailable", "unauthorized"} {
		id := y.add(queue.Entry{Trip: trip})
		if len(y.let()) != 1 {
			t.Fatalf("held back before %s", class)
		}
		y.end(id, class)
	}
	if len(y.Open()) != 0 {
		t.Error("the circuit is open")
	}
}

// Whatever happens in whatever order, what is out never passes a limit, and
// nothing that waits is lost.
func TestLimitsHoldAtEveryMoment(t *testing.T) {
	t.Parallel()
	for seed := range uint64(30) {
		random := rand.New(rand.NewPCG(seed, 7))
		y := newYard(map[string]queue.Settings{"q": {Concurrency: 4, Fair: "workflow"}, "r": {Concurrency: 2}})
		var live, out []task.ID
		for range 2_000 {
			switch random.IntN(4) {
			case 0, 1:
				e := queue.Entry{Queue: []string{"q", "r"}[random.IntN(2)], Task: task.Task{Priority: random.IntN(4), Workflow: fmt.Sprint(random.IntN(3))}}
				if random.IntN(3) == 0 {
					e.Needs = []queue.Need{{Name: fmt.Sprint("node/", random.IntN(2)), Slots: 1}}
				}
				live = append(live, y.add(e))
			case 2: // one that is out ends
				if len(out) > 0 {
					i := random.IntN(len(out))
					y.end(out[i], "")
					live = slices.DeleteFunc(live, func(id task.ID) bool { return id == out[i] })
					out = slices.Delete(out, i, i+1)
				}
			case 3: // any run is canceled
				if len(live) > 0 {
					i := random.IntN(len(live))
					y.EndRun(live[i].Run)
					y.book.Free(y.held[live[i]])
					delete(y.held, live[i])
					out = slices.DeleteFunc(out, func(id task.ID) bool { return id == live[i] })
					live = slices.Delete(live, i, i+1)
				}
			}
			for _, o := range y.let() {
				out = append(out, o.ID())
			}
			used := map[string]int{}
			for _, names := range y.held {
				for _, n := range names {
					used[n]++
				}
			}
			for name, most := range map[string]int{"queue/main/q": 4, "queue/main/r": 2, "node/0": 1, "node/1": 1} {
				if used[name] > most {
					t.Fatalf("seed %d: %d of %s are out, more than %d", seed, used[name], name, most)
				}
			}
			if y.Len() != len(live) || y.Waiting() != len(live)-len(out) {
				t.Fatalf("seed %d: the gate knows %d with %d waiting; there are %d and %d", seed, y.Len(), y.Waiting(), len(live), len(live)-len(out))
			}
		}
		for len(out) > 0 { // nothing is stuck
			id := out[0]
			out = out[1:]
			y.end(id, "")
			for _, o := range y.let() {
				out = append(out, o.ID())
			}
		}
		if y.Len() != 0 {
			t.Fatalf("seed %d: %d were never let out", seed, y.Len())
		}
	}
}

func TestBacklogIsFullAndTheLeastUrgentIsShed(t *testing.T) {
	t.Parallel()
	y := newYard(map[string]queue.Settings{"q": {Concurrency: 1, Backlog: 10}})
	for range 10 {
		y.add(queue.Entry{Task: task.Task{Priority: 2}})
	}
	if q, _, _ := y.Full("main"); q != "" {
		t.Fatal("full at its limit")
	}
	for range 12 {
		y.add(queue.Entry{Task: task.Task{Priority: 3}})
	}
	if q, backlog, limit := y.Full("main"); q != "q" || backlog != 22 || limit != 10 {
		t.Errorf("full: %q with %d of %d", q, backlog, limit)
	}
	shed := y.Shed()
	if len(shed) != 2 || shed[0].Run != "run22" || shed[1].Run != "run21" {
		t.Errorf("shed %+v, want the two youngest of the least urgent", shed)
	}
}

func TestNoMoreAreOutThanTheChannelCanHold(t *testing.T) {
	y := newYard(map[string]queue.Settings{})
	var ids []task.ID
	for range queue.OutMax + 10 {
		ids = append(ids, y.add(queue.Entry{Task: task.Task{Priority: task.Normal}}))
	}
	look := func(out, waiting int) {
		t.Helper()
		if k := y.Look()[0]; k.Out != out || k.Waiting != waiting {
			t.Errorf("%d are out and %d wait, want %d and %d", k.Out, k.Waiting, out, waiting)
		}
	}
	look(queue.OutMax, 10)
	if out := y.let(); len(out) != 0 {
		t.Errorf("%d more went out, want none", len(out))
	}
	y.add(queue.Entry{Task: task.Task{Priority: task.High}}) // passes: only its own kind is crowded
	look(queue.OutMax+1, 10)
	y.End(ids[0], "", true, y.now)
	late := y.add(queue.Entry{Task: task.Task{Priority: task.Normal}}) // there is room, but others wait for it
	if out := y.let(); len(out) != 1 || out[0].ID() != ids[queue.OutMax] {
		t.Errorf("went out: %v, want the one that waits longest", out)
	}
	for _, id := range ids[1:20] {
		y.End(id, "", true, y.now)
	}
	if out := y.let(); len(out) != 10 || out[9].ID() != late {
		t.Errorf("%d went out, want the 9 that waited and the one that came last", len(out))
	}
	look(queue.OutMax+1+1-20+10, 0)
}

// An attempt that has its slots from before is out, also where others wait for
// theirs: in the line it would ask for slots that it holds, for ever.
func TestWhoHasSlotsDoesNotWait(t *testing.T) {
	y := newYard(map[string]queue.Settings{"q": {Concurrency: 1}})
	y.add(queue.Entry{})
	e := queue.Entry{Queue: "q", At: y.now, Task: task.Task{Workspace: "main", Run: "before", Node: "n", Visit: 1, Attempt: 1}}
	y.Took(e, []string{"queue/main/q"})
	if k := y.Look()[0]; k.Out != 1 || k.Waiting != 1 {
		t.Errorf("%d are out and %d wait, want 1 and 1", k.Out, k.Waiting)
	}
	if !y.End(e.Task.ID(), "", true, y.now) {
		t.Error("the end of an attempt that was let out before gives no slot back")
	}
}
