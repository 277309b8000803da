package soundness_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"signalbox/engine/machine"
	"signalbox/engine/soundness"
)

// oracleRuns is how many drawings are compared; make soak-soundness asks for
// more.
var oracleRuns = flag.Int("oracle", 2_000, "random drawings to compare with the oracle")

// flavor is what random drawings hold.
type flavor struct {
	name     string
	joins    []string
	cancel   bool
	deadline bool
	fails    bool
	every    bool // choices that take every match
	back     int  // one edge in so many may lead back; 0: none
	larger   int  // by so many boxes

	prove func(*machine.Machine) []soundness.Finding
	loose bool // the proof may say more than there is, never less
}

func flavors() []flavor {
	plain := []string{"inclusive", "inclusive", "each", "all"}
	some := []string{"inclusive", "each", "all", "n", "first"}
	exact := []flavor{
		{name: "no loops", joins: plain},
		{name: "loops", joins: plain, back: 4},
		{name: "inclusive loops", joins: []string{"inclusive", "inclusive", "each"}, back: 3},
		{name: "absorbing", joins: some},
		{name: "failing", joins: plain, fails: true, back: 6},
		{name: "canceling", joins: some, cancel: true},
		{name: "canceling loops", joins: some, cancel: true, back: 5},
		{name: "deadlines", joins: some, deadline: true},
		{name: "every match", joins: some, every: true},
		{name: "every match in loops", joins: plain, every: true, back: 6},
		{name: "deadlines of joins that count, in brief", joins: []string{"all", "n", "first", "each"}, deadline: true, prove: soundness.ProveBriefly},
		{name: "deadlines in brief", joins: some, deadline: true, prove: soundness.ProveBriefly, loose: true},
	}
	for i := range exact {
		if exact[i].prove == nil {
			exact[i].prove = soundness.Prove
		}
	}
	return exact
}

// scribble draws at random; the first box is the trigger.
func scribble(r *rand.Rand, f flavor) sketch {
	n := 4 + r.IntN(5) + f.larger
	s := sketch{boxes: make([]box, n)}
	for i := range s.boxes {
		b := &s.boxes[i]
		b.join = f.joins[r.IntN(len(f.joins))]
		b.n = 2
		some := b.join == "n" || b.join == "first"
		b.cancel = some && f.cancel && r.IntN(3) > 0
		b.deadline = f.deadline && b.join != "each" && r.IntN(3) == 0
		if f.fails && i > 0 && r.IntN(6) == 0 {
			b.fails, b.join = true, "each"
			continue
		}
		ways := 1
		if i > 0 {
			ways += r.IntN(5) / 2
		}
		b.every = f.every && i > 0 && r.IntN(3) == 0
		for range ways {
			b.ways = append(b.ways, s.connect(r, f, i, r.IntN(4)))
		}
		if b.every {
			b.rules, b.ways = b.ways, unions(b.ways)
		}
		if b.deadline {
			b.late = s.connect(r, f, i, r.IntN(2))
		}
	}
	return s
}

// unions lists what any choice of the rules emits together.
func unions(rules [][]int) [][]int {
	var all [][]int
	for set := 1; set < 1<<len(rules); set++ {
		var union []int
		for i, r := range rules {
			if set&(1<<i) != 0 {
				union = append(union, r...)
			}
		}
		all = append(all, union)
	}
	return all
}

// connect draws up to so many edges from a box, all on one port.
func (s *sketch) connect(r *rand.Rand, f flavor, from, most int) []int {
	var edges, to []int
	for range max(most, r.IntN(2)) {
		t := 1 + r.IntN(len(s.boxes)-1)
		if back := t <= from; back && (f.back == 0 || r.IntN(f.back) > 0) || slices.Contains(to, t) {
			continue
		}
		to = append(to, t)
		edges = append(edges, len(s.wires))
		s.wires = append(s.wires, wire{from, t})
	}
	return edges
}

// build makes the machine of a sketch, and gives the sketch the machine's
// order of edges.
func (s sketch) build(t testing.TB) *machine.Machine {
	t.Helper()
	m := &machine.Machine{Format: machine.Format, Semantics: machine.Semantics}
	for i, b := range s.boxes {
		n := machine.Node{Key: fmt.Sprintf("n%02d", i), Kind: "mock", Op: machine.OpTask, Join: b.join, Cancel: b.cancel, MaxVisits: 1_000, Config: json.RawMessage(`{}`)}
		if b.join == "n" {
			n.JoinN = b.n
		}
		if b.deadline {
			n.Deadline = time.Minute
		}
		if b.fails {
			n.Op = machine.OpFail
		}
		if i == 0 {
			n.Op = machine.OpTrigger
		}
		ways := b.ways
		if b.every {
			ways = b.rules
			n.Op, n.Config = machine.OpRoute, everyMatch(len(ways))
		}
		for k, w := range ways {
			n.Ports = append(n.Ports, fmt.Sprintf("p%d", k))
			for _, e := range w {
				m.Edges = append(m.Edges, machine.Edge{From: i, Port: fmt.Sprintf("p%d", k), To: s.wires[e].to})
			}
		}
		for _, e := range b.late {
			m.Edges = append(m.Edges, machine.Edge{From: i, Port: machine.PortTimeout, To: s.wires[e].to})
		}
		if i == 0 {
			n.Ports = []string{"p0"}
		}
		m.Nodes = append(m.Nodes, n)
	}
	if err := m.Link(); err != nil {
		t.Fatal(err)
	}
	return m
}

func everyMatch(rules int) json.RawMessage {
	var list []string
	for k := range rules {
		list = append(list, fmt.Sprintf(`{"port":"p%d","when":"true"}`, k))
	}
	return json.RawMessage(`{"match":"every","rules":[` + strings.Join(list, ",") + `]}`)
}

// absorbsInLoop reports whether the drawing is one that is refused anyway.
func absorbsInLoop(found []soundness.Finding) bool {
	return slices.ContainsFunc(found, func(f soundness.Finding) bool { return f.Code == soundness.AbsorbInLoop })
}

// nodes lists where a finding is.
func nodes(found []soundness.Finding, code string) []int {
	list := []int{}
	for _, f := range found {
		if f.Code == code {
			list = append(list, f.Node)
			if code == soundness.RunsTwice {
				list = append(list, f.Related...) // those that follow
			}
		}
	}
	slices.Sort(list)
	return list
}

// compare returns how the proof and the oracle differ.
func compare(s sketch, f flavor, found []soundness.Finding, v verdict) []string {
	var differ []string
	say := func(what string, got, want any) {
		if fmt.Sprint(got) != fmt.Sprint(want) {
			differ = append(differ, fmt.Sprintf("%s: proof %v, oracle %v", what, got, want))
		}
	}
	dead := map[int]bool{}
	for i := range s.boxes {
		if !v.ran[i] {
			dead[i] = true
		}
	}
	has := func(code string) bool { return len(nodes(found, code)) > 0 }
	if v.grows {
		if !has(soundness.GrowsWithoutEnd) && !has(soundness.NoExit) {
			say("tokens pile up", false, true)
		}
		return differ
	}
	if v.trap { // the proof stops where a run cannot end, and says so
		if !has(soundness.NoExit) {
			say("no_exit", false, true)
		}
		return differ
	}
	if f.loose {
		return missed(found, v)
	}
	say("join_stuck", nodes(found, soundness.JoinStuck), keys(v.stuck))
	say("join_cycle", has(soundness.JoinCycle), v.cycle)
	say("dead_node", nodes(found, soundness.DeadNode), keys(dead))
	say("runs_twice", nodes(found, soundness.RunsTwice), keys(v.twice))
	say("grows", has(soundness.GrowsWithoutEnd), false)
	return differ
}

// missed returns what the oracle saw and the proof did not.
func missed(found []soundness.Finding, v verdict) []string {
	var list []string
	for _, n := range keys(v.stuck) {
		if !slices.Contains(nodes(found, soundness.JoinStuck), n) {
			list = append(list, fmt.Sprintf("join_stuck %d is missed", n))
		}
	}
	for _, n := range keys(v.twice) {
		if !slices.Contains(nodes(found, soundness.RunsTwice), n) {
			list = append(list, fmt.Sprintf("runs_twice %d is missed", n))
		}
	}
	if v.cycle && len(nodes(found, soundness.JoinCycle)) == 0 {
		list = append(list, "join_cycle is missed")
	}
	return list
}

func TestProofAgreesWithEveryInterleaving(t *testing.T) {
	t.Parallel()
	for k, f := range flavors() {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			compared, wrong, big, honest, refused := 0, 0, 0, 0, 0
			for seed := 0; compared < *oracleRuns/len(flavors()); seed++ {
				s := scribble(rand.New(rand.NewPCG(uint64(seed), uint64(k))), f)
				m := s.build(t)
				found := f.prove(m)
				if absorbsInLoop(found) {
					refused++
					continue
				}
				v, ok := judge(s)
				if !ok {
					big++
					continue
				}
				if len(nodes(found, soundness.TooLarge)) > 0 {
					honest++
					continue
				}
				compared++
				if differ := compare(s, f, found, v); len(differ) > 0 {
					if wrong++; wrong <= 3 {
						t.Errorf("seed %d:\n%s%v\n%s", seed, s, differ, say(m, found))
					}
				}
			}
			t.Logf("%d compared, %d differ, %d too large for the oracle, %d for the proof, %d refused", compared, wrong, big, honest, refused)
		})
	}
}

// TestStatesThatStandForOthersLoseNothing compares larger drawings with a
// proof in which each state stands for itself.
func TestStatesThatStandForOthersLoseNothing(t *testing.T) {
	t.Parallel()
	f := flavor{name: "larger loops", joins: []string{"inclusive", "each", "each", "all"}, back: 9, larger: 6}
	compared := 0
	for seed := range *oracleRuns / 3 {
		s := scribble(rand.New(rand.NewPCG(uint64(seed), 77)), f)
		m := s.build(t)
		found, apart := soundness.Prove(m), soundness.ProveApart(m)
		if len(nodes(found, soundness.TooLarge))+len(nodes(apart, soundness.TooLarge)) > 0 {
			continue
		}
		compared++
		for _, code := range []string{soundness.JoinStuck, soundness.JoinCycle, soundness.DeadNode, soundness.RunsTwice, soundness.NoExit} {
			if got, want := nodes(found, code), nodes(apart, code); !slices.Equal(got, want) {
				t.Errorf("seed %d: %s %v, apart %v\n%s", seed, code, got, want, s)
			}
		}
	}
	if compared == 0 {
		t.Error("nothing was compared")
	}
	t.Logf("%d compared", compared)
}
