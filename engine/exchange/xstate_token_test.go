package exchange_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"signalbox/engine/compile"
	"signalbox/engine/graph"
	"signalbox/engine/machine"
)

// tokenDriver plays what stands in games.jsonl: a machine's configuration,
// events, and after each the steps that must wait.
const tokenDriver = `
import { readFileSync } from "node:fs";
import { createActor, createMachine, SimulatedClock } from "xstate";
let steps = 0;
for (const line of readFileSync("games.jsonl", "utf8").trim().split("\n")) {
  const { id, config, moves } = JSON.parse(line);
  const clock = new SimulatedClock();
  const actor = createActor(createMachine(config), { clock });
  for (const [i, move] of moves.entries()) {
    if (move.advance) clock.increment(move.advance);
    else if (move.send) actor.send({ type: move.send });
    else actor.start();
    const s = actor.getSnapshot();
    const waits = Object.values(s.getMeta()).map((m) => m.waits).sort().join(" ");
    if (waits !== move.waits || s.status !== move.status) {
      console.log(id + " move " + i + ": " + waits + " " + s.status + ", want " + JSON.stringify(move) + "\n" + line);
      break;
    }
    steps++;
  }
}
console.log("steps " + steps);
`

// move is an event and what must wait after it.
type move struct {
	Send    string `json:"send,omitempty"`
	Advance int    `json:"advance,omitempty"`
	Waits   string `json:"waits"`
	Status  string `json:"status"`
}

// TestRealXStateAgreesOnTokens plays random drawings of tokens that a
// statechart can say as well: splits and joins that match are parallel states,
// choices and loops are transitions. The steps that wait are the same after
// every event, also after those that nobody waits for.
func TestRealXStateAgreesOnTokens(t *testing.T) {
	t.Parallel()
	var games bytes.Buffer
	steps, ended, atOnce := 0, 0, 0
	for seed := range uint64(workflows) {
		w := &weaver{author: author{Rand: rand.New(rand.NewPCG(seed, 17))}}
		id := fmt.Sprintf("t%d", seed)
		config := w.weave(id)
		m, issues := compile.Compile(w.g)
		if m == nil {
			t.Fatalf("%s does not compile: %+v", id, issues)
		}
		moves := w.play(t, m)
		for _, v := range moves {
			atOnce = max(atOnce, len(strings.Fields(v.Waits)))
		}
		if moves[len(moves)-1].Status == "done" {
			ended++
		}
		line, err := json.Marshal(map[string]any{"id": id, "config": config, "moves": moves})
		if err != nil {
			t.Fatal(err)
		}
		games.Write(append(line, '\n'))
		steps += len(moves)
	}
	if ended < workflows/3 || atOnce < 3 {
		t.Errorf("%d of %d runs came to their end, at most %d steps waited at once: that proves little", ended, workflows, atOnce)
	}
	node(t, map[string]string{"driver.mjs": tokenDriver, "games.jsonl": games.String()}, steps)
}

// weaver makes a drawing and, from the same plan, a statechart.
type weaver struct {
	author
	g     graph.Graph
	waits []string // events that can come: node.port
	loops int      // around
	tight bool     // between a loop and here stands a split
}

// merge is how a join takes tokens of which one comes at a time. In a loop,
// beside other branches, only each will do: an inclusive one would wait for
// what those could send round the loop, and they for it (join_cycle).
func (w *weaver) merge() *graph.Join {
	if !w.tight && w.chance(50) {
		return &graph.Join{Mode: machine.JoinInclusive}
	}
	return &graph.Join{Mode: machine.JoinEach}
}

// beside makes a branch beside others.
func (w *weaver) beside(from end, depth int, leave func(end)) states {
	was := w.tight
	w.tight = was || w.loops > 0
	defer func() { w.tight = was }()
	return w.several(from, depth, leave)
}

// end is where a part of the drawing is left.
type end struct{ node, port string }

type states = map[string]any

func (w *weaver) weave(id string) states {
	w.g = graph.Graph{Name: id, Nodes: []graph.Node{{ID: "begin", Key: "begin", Kind: "manual"}}}
	config := w.several(end{"begin", "success"}, 2, func(end) {})
	config["id"] = id
	return config
}

// node adds a node behind some ends.
func (w *weaver) node(kind, config string, join *graph.Join, from ...end) string {
	w.count++
	key := fmt.Sprintf("n%d", w.count)
	w.g.Nodes = append(w.g.Nodes, graph.Node{ID: key, Key: key, Kind: kind, Config: json.RawMessage(config), Join: join})
	for _, e := range from {
		w.edge(e, key)
	}
	return key
}

func (w *weaver) edge(from end, to string) {
	w.g.Edges = append(w.g.Edges, graph.Edge{ID: fmt.Sprintf("e%d", len(w.g.Edges)), From: from.node, Port: from.port, To: to})
}

// several is one part after the other.
func (w *weaver) several(from end, depth int, leave func(end)) states {
	inner := states{}
	parts := 1 + w.IntN(3)
	for i := range parts {
		next := "end"
		if i+1 < parts {
			next = fmt.Sprint("part", i+1)
		}
		part := w.part(from, depth, func(e end) { from = e })
		part["onDone"] = next
		inner[fmt.Sprint("part", i)] = part
	}
	leave(from)
	inner["end"] = states{"type": "final"}
	return states{"initial": "part0", "states": inner}
}

func (w *weaver) part(from end, depth int, leave func(end)) states {
	kind := w.IntN(7)
	if depth == 0 {
		kind = w.IntN(2)
	}
	switch kind {
	case 0:
		return w.pause(from, leave)
	case 2, 3:
		return w.parallel(from, depth, leave)
	case 4:
		if w.tight {
			return w.parallel(from, depth, leave)
		}
		return w.some(from, depth, leave)
	case 5:
		return w.choice(from, depth, leave)
	case 6:
		return w.loop(from, depth, leave)
	default:
		return w.ask([]string{"ok"}, from, leave)
	}
}

// asking is a state that waits for the answers of a question, each of which
// leads to a state.
func (w *weaver) asking(key string, to map[string]any) states {
	on := states{}
	for port, target := range to {
		on[key+"."+port] = target
		w.waits = append(w.waits, key+"."+port)
	}
	slices.Sort(w.waits)
	return states{"on": on, "meta": states{"waits": key}}
}

func (w *weaver) question(ports []string, from ...end) string {
	var decisions []map[string]string
	for _, p := range ports {
		decisions = append(decisions, map[string]string{"port": p})
	}
	config, err := json.Marshal(map[string]any{"title": "What now?", "decisions": decisions})
	if err != nil {
		panic(err) // maps of texts can be written
	}
	return w.node("human", string(config), nil, from...)
}

// ask waits for a person.
func (w *weaver) ask(ports []string, from end, leave func(end)) states {
	key := w.question(ports, from)
	leave(end{key, ports[0]})
	return states{"initial": "ask", "states": states{"ask": w.asking(key, map[string]any{ports[0]: "end"}), "end": states{"type": "final"}}}
}

// pause lets time pass.
func (w *weaver) pause(from end, leave func(end)) states {
	ms := pick(&w.author, 10, 20, 50)
	key := w.node("wait", fmt.Sprintf(`{"duration":"%dms"}`, ms), nil, from)
	leave(end{key, "success"})
	wait := states{"after": states{fmt.Sprint(ms): "end"}, "meta": states{"waits": key}}
	return states{"initial": "wait", "states": states{"wait": wait, "end": states{"type": "final"}}}
}

// parallel splits and joins all.
func (w *weaver) parallel(from end, depth int, leave func(end)) states {
	regions, ends := states{}, []end{}
	for i := range 2 + w.IntN(2) {
		regions[fmt.Sprint("region", i)] = w.beside(from, depth-1, func(e end) { ends = append(ends, e) })
	}
	join := w.node("join", "{}", &graph.Join{Mode: pick(&w.author, machine.JoinAll, machine.JoinInclusive)}, ends...)
	leave(end{join, "success"})
	return states{"type": "parallel", "states": regions}
}

// some takes those branches whose conditions hold, and joins what comes. In
// the statechart the others are not there.
func (w *weaver) some(from end, depth int, leave func(end)) states {
	regions, ends := states{}, []end{}
	var rules []map[string]string
	key := w.node("route", "", nil, from)
	at := len(w.g.Nodes) - 1
	for i := range 2 + w.IntN(2) {
		taken := w.chance(60)
		port := fmt.Sprint("way", i)
		rules = append(rules, map[string]string{"port": port, "when": fmt.Sprint(taken)})
		region := w.beside(end{key, port}, depth-1, func(e end) { ends = append(ends, e) })
		if taken {
			regions[fmt.Sprint("region", i)] = region
		}
	}
	config, err := json.Marshal(map[string]any{"match": "every", "rules": rules})
	if err != nil {
		panic(err) // maps of texts can be written
	}
	w.g.Nodes[at].Config = config
	join := w.node("join", "{}", nil, append(ends, end{key, "default"})...)
	leave(end{join, "success"})
	if len(regions) == 0 {
		return states{"initial": "end", "states": states{"end": states{"type": "final"}}}
	}
	return states{"type": "parallel", "states": regions}
}

// choice is a person's.
func (w *weaver) choice(from end, depth int, leave func(end)) states {
	ports := []string{"one", "two", "three"}[:2+w.IntN(2)]
	key := w.question(ports, from)
	inner, to, ends := states{"end": states{"type": "final"}}, map[string]any{}, []end{}
	for _, p := range ports {
		branch := w.several(end{key, p}, depth-1, func(e end) { ends = append(ends, e) })
		branch["onDone"] = "end"
		inner[p], to[p] = branch, p
	}
	inner["ask"] = w.asking(key, to)
	join := w.node("join", "{}", w.merge(), ends...)
	leave(end{join, "success"})
	return states{"initial": "ask", "states": inner}
}

// loop goes round until a person says that it is enough.
func (w *weaver) loop(from end, depth int, leave func(end)) states {
	head := w.node("join", "{}", w.merge(), from)
	var last end
	w.loops++
	body := w.several(end{head, "success"}, depth-1, func(e end) { last = e })
	w.loops--
	key := w.question([]string{"again", "enough"}, last)
	w.edge(end{key, "again"}, head)
	leave(end{key, "enough"})
	body["onDone"] = "ask"
	ask := w.asking(key, map[string]any{"again": "body", "enough": "end"})
	return states{"initial": "body", "states": states{"body": body, "ask": ask, "end": states{"type": "final"}}}
}

// play takes random moves, most of them such as something waits for.
func (w *weaver) play(t *testing.T, m *machine.Machine) []move {
	t.Helper()
	p := player{m: m, s: m.New("018f0000-0000-7000-8000-000000000001"), at: noon}
	p.step(t, machine.Start{Trigger: "begin", Source: "test"})
	moves := []move{w.told(p, move{})}
	for len(moves) < 60 && !p.s.Status.Over() {
		var next move
		open := slices.DeleteFunc(slices.Clone(w.waits), func(event string) bool { return p.visit(event) == 0 })
		switch {
		case w.chance(20) || len(open) == 0:
			next.Advance = pick(&w.author, 5, 10, 30, 60)
			p.at = p.at.Add(time.Duration(next.Advance) * time.Millisecond)
			p.step(t, machine.Wake{})
		case w.chance(20) && len(w.waits) > 0:
			next.Send = pick(&w.author, w.waits...)
		default:
			next.Send = pick(&w.author, open...)
		}
		if next.Send != "" {
			node, port, _ := strings.Cut(next.Send, ".")
			p.step(t, machine.Decide{Node: node, Visit: max(1, p.visit(next.Send)), Port: port})
		}
		moves = append(moves, w.told(p, next))
	}
	return moves
}

// told adds what waits now.
func (w *weaver) told(p player, v move) move {
	var keys []string
	for _, seen := range p.s.Look(p.m) {
		keys = append(keys, seen.Node)
	}
	slices.Sort(keys)
	v.Waits, v.Status = strings.Join(keys, " "), "active"
	if p.s.Status == machine.StatusSucceeded {
		v.Status = "done"
	}
	return v
}

// visit is the number of the visit that waits for an event; 0: none.
func (p *player) visit(event string) int {
	node, _, _ := strings.Cut(event, ".")
	for _, seen := range p.s.Look(p.m) {
		if seen.Node == node {
			return seen.Visit
		}
	}
	return 0
}
