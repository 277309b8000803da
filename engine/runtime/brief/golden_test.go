package brief_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"signalbox/engine/compile"
	"signalbox/engine/event"
	"signalbox/engine/graph"
	"signalbox/engine/machine"
	"signalbox/engine/picture"
	"signalbox/engine/runtime/brief"
)

var update = flag.Bool("update", false, "write the golden logs anew")

// golden is a scripted run with what the machine holds after each event. The
// browser's fold replays the briefs and has to see the same (web/core).
type golden struct {
	Graph graph.Graph  `json:"graph"`
	Edges []string     `json:"edges"` // ids, by position in the machine
	Steps []goldenStep `json:"steps"`
}

type goldenStep struct {
	Event  brief.Brief              `json:"event"`
	Status string                   `json:"status"`
	Visits map[string]int           `json:"visits"` // started so far, by node
	Live   []string                 `json:"live"`   // visits that are not over, by start
	Tokens map[string]int           `json:"tokens"` // on each edge that holds one
	Shown  map[string]picture.State `json:"shown"`  // by node: what the server's picture shows
}

type script struct {
	name  string
	graph []string // "key:kind{config}" and "from.port>to"
	moves []string // start, ok NODE, fail NODE CLASS, wake, cancel
}

func scripts() []script {
	return []script{
		{"linear", []string{
			"start:manual", `tidy:set{"fields":{"n":"=input.n + 1"}}`, "work:mock", `reply:respond{"body":"=input"}`,
			"start>tidy", "tidy>work", "work>reply",
		}, []string{"start", "ok work"}},
		{"choice-and-join", []string{
			"start:manual", `pick:route{"match":"every","rules":[{"port":"express","when":"input.n > 0"},{"port":"vision","when":"input.n > 1"}]}`,
			"fast:mock", "look:mock", "slow:mock", "meet:join", "last:mock",
			"start>pick", "pick.express>fast", "pick.vision>look", "pick.default>slow", "fast>meet", "look>meet", "slow>meet", "meet>last",
		}, []string{"start", "ok look", "ok fast", "ok last"}},
		{
			"retry",
			[]string{"start:manual", `work:mock{"retries":2}`, "start>work"},
			[]string{"start", "fail work unavailable", "wake", "fail work timeout", "wake", "ok work"},
		},
		{"failure-port", []string{
			"start:manual", "work:mock", "fix:mock", "go:mock", "start>work", "work>go", "work.failure>fix",
		}, []string{"start", "fail work invalid_input", "ok fix"}},
		{"failure-ends-the-run", []string{
			"start:manual", "a:mock", "b:mock", `pause:wait{"duration":"1h"}`, "never:mock",
			"start>a", "start>b", "start>pause", "a>never",
		}, []string{"start", "fail a unauthorized"}},
		{
			"wait",
			[]string{"start:manual", `pause:wait{"duration":"2s"}`, "work:mock", "start>pause", "pause>work"},
			[]string{"start", "wake", "ok work"},
		},
		{"loop", []string{
			"start:manual", "head:join/each", "work:mock", `again:if{"condition":"input.id == 'y'"}`, "done:mock",
			"start>head", "head>work", "work>again", "again.true>done", "again.false>head",
		}, []string{"start", "ok work", "ok work", "ok work", "cancel"}},
		{"visits-overlap", []string{
			"start:manual", "a:mock", "b:mock", `meet:mock/each{"retries":1}`, "end:mock/each",
			"start>a", "start>b", "a>meet", "b>meet", "meet>end",
		}, []string{"start", "ok a", "ok b", "fail meet timeout", "ok meet", "wake", "ok end", "ok meet", "ok end"}},
		{"map", []string{
			"start:manual", `each:map{"items":"=[1,2,3]","concurrency":2,"on_item_error":"collect"}`,
			"each/work:mock", "each/after:mock", "last:mock", "start>each", "work>after", "each>last",
		}, []string{"start", "ok work", "fail work invalid_input", "ok after", "ok work", "ok after", "ok last"}},
		{"map-that-fails", []string{
			"start:manual", `each:map{"items":"=[1,2,3]","concurrency":3}`, "each/work:mock", "fix:mock", "start>each", "each.failure>fix",
		}, []string{"start", "ok work", "fail work invalid_input", "ok fix"}},
		{"repeat", []string{
			"start:manual", `again:loop{"condition":"index < 2","max":5}`, "again/work:mock", "last:mock", "start>again", "again>last",
		}, []string{"start", "ok work", "ok work", "ok last"}},
		{"group-in-group", []string{
			"start:manual", "outer:group", "outer/inner:group", "inner/a:mock", "inner/b:mock", "outer/c:mock", "last:mock",
			"start>outer", "inner>c", "outer.failure>last",
		}, []string{"start", "ok a", "fail b invalid_input", "ok last"}},
		{"first-cancels", []string{
			"start:manual", "a:mock", "b:mock", "b2:mock", "meet:join/first+cancel", "last:mock",
			"start>a", "start>b", "a>meet", "b>b2", "b2>meet", "meet>last",
		}, []string{"start", "ok a", "ok last"}},
		{"two-of-three-absorb", []string{
			"start:manual", "a:mock", "b:mock", "c:mock", "meet:join/n2+absorb", "last:mock",
			"start>a", "start>b", "start>c", "a>meet", "b>meet", "c>meet", "meet>last",
		}, []string{"start", "ok a", "ok c", "ok b", "ok last"}},
		{"signal-and-pause", []string{
			"start:manual", `hear:signal{"name":"go"}`, "work:mock", "start>hear", "hear>work",
		}, []string{"start", "pause", "signal go", "resume", "ok work"}},
		{"saga", []string{
			"transaction", "start:manual", "book:mock", "pay:mock", "ship:mock", "unbook:mock", "unpay:mock",
			"start>book", "book>pay", "pay>ship", "book.compensate>unbook", "pay.compensate>unpay",
		}, []string{"start", "ok book", "ok pay", "fail ship invalid_input", "ok unpay", "ok unbook"}},
		{"saga-needs-a-person", []string{
			"transaction", "start:manual", "book:mock", "ship:mock", "unbook:mock",
			"start>book", "book>ship", "book.compensate>unbook",
		}, []string{"start", "ok book", "fail ship invalid_input", "fail unbook invalid_input", "skip unbook"}},
		{"held", []string{
			"start:manual", `tidy:set{"fields":{"n":"=input.n + 1"}}`, "a:mock", "b:mock", "meet:join", "last:mock",
			"start>tidy", "tidy>a", "tidy>b", "a>meet", "b>meet", "meet>last",
		}, []string{`start {"Breaks":["tidy","meet"]}`, "step tidy", "continue a", "ok a", "ok b", "step meet", "continue last", "ok last"}},
		{"held-and-canceled", []string{
			"start:manual", "a:mock", "start>a",
		}, []string{`start {"Step":true}`, "cancel"}},
		{"virtual-clock", []string{
			"start:manual", `ask:signal{"name":"go","timeout":"72h"}`, "late:mock", `rest:wait{"duration":"1h"}`, "start>ask", "ask.timeout>late", "late>rest",
		}, []string{`start {"Virtual":true}`, "advance 71h", "advance 2h", "ok late"}},
		{"run-to-here", []string{
			"start:manual", "a:mock", "b:mock", "c:mock", "side:mock", "start>a", "a>b", "b>c", "start>side",
		}, []string{`start {"Stop":"b","Pins":{"a":1}}`, "ok b"}},
		{"one-step", []string{
			"start:manual", "a:mock", "b:mock", "c:mock", "start>a", "a>b", "b>c",
		}, []string{`start {"Only":"b","Given":7}`, "ok b"}},
		{"cancel", []string{
			"start:manual", "a:mock", `pause:wait{"duration":"1h"}`, "after:mock", "start>a", "start>pause", "a>after",
		}, []string{"start", "ok a", "cancel"}},
	}
}

func TestGoldenLogs(t *testing.T) {
	t.Parallel()
	for _, s := range scripts() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			raw := play(t, s).encode(t)
			file := filepath.Join("..", "..", "..", "web", "core", "fixtures", "run-"+s.name+".json")
			if *update {
				if err := os.WriteFile(file, raw, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(raw, want) {
				t.Errorf("%s is not what the machine does; if the machine is right, run: go test ./engine/runtime/brief -update", file)
			}
		})
	}
}

// encode writes a step in a line, so that a change shows where it is.
func (g golden) encode(t *testing.T) []byte {
	t.Helper()
	line := func(v any) []byte {
		raw, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "{\"graph\":%s,\n\"edges\":%s,\n\"steps\":[", line(g.Graph), line(g.Edges))
	for i, s := range g.Steps {
		if i > 0 {
			out.WriteByte(',')
		}
		fmt.Fprintf(&out, "\n%s", line(s))
	}
	out.WriteString("\n]}\n")
	return out.Bytes()
}

// play runs a script and notes the state after every event.
func play(t *testing.T, s script) golden {
	t.Helper()
	g := draw(s.graph)
	m, issues := compile.Compile(g)
	if m == nil {
		t.Fatalf("does not compile: %+v", issues)
	}
	out := golden{Graph: g, Edges: compile.EdgeIDs(g)}
	state, copied := m.New(runID), m.New(runID)
	at := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	var briefs []brief.Brief
	for _, move := range s.moves {
		at = at.Add(100 * time.Millisecond)
		if move == "wake" {
			at = m.WakeAt(state)
		}
		moment := state.Clock(at)
		if n := len(out.Steps); n > 0 && brief.Millis(moment) < out.Steps[n-1].Event.At {
			moment = time.UnixMilli(int64(out.Steps[n-1].Event.At)).UTC()
		}
		events, err := m.Step(state, input(t, m, state, move, at), moment)
		if err != nil || len(events) == 0 {
			t.Fatalf("%q made %d events: %v", move, len(events), err)
		}
		for _, e := range events {
			if err := m.Fold(copied, e); err != nil {
				t.Fatal(err)
			}
			briefs = append(briefs, brief.Of(e))
			out.Steps = append(out.Steps, look(g, m, copied, out.Edges, briefs))
		}
	}
	return out
}

const runID = "018f0000-0000-7000-8000-000000000001"

func look(g graph.Graph, m *machine.Machine, s *machine.Snapshot, edges []string, briefs []brief.Brief) goldenStep {
	step := goldenStep{Event: briefs[len(briefs)-1], Status: string(s.Status), Visits: map[string]int{}, Live: []string{}, Tokens: map[string]int{}, Shown: map[string]picture.State{}}
	switch {
	case s.Paused():
		step.Status = "paused"
	case s.Status == machine.StatusRunning && s.Waiting():
		step.Status = "waiting"
	}
	begun := map[string]bool{}
	for _, b := range briefs {
		visit := fmt.Sprint(picture.NodeOf(b), b.Scope, b.Visit)
		if b.Visit > 0 && !begun[visit] && b.Type != "VisitHeld" && b.Type != "VisitReleased" {
			begun[visit] = true
			step.Visits[picture.NodeOf(b)]++
		}
	}
	for _, v := range s.Look(m) {
		step.Live = append(step.Live, fmt.Sprintf("%d %s %d.%d %s", v.Scope, v.Node, v.Visit, max(1, v.Attempt), v.Phase))
	}
	for i, n := range s.Standing(m) {
		if n > 0 {
			step.Tokens[edges[i]] = n
		}
	}
	step.Shown, _ = picture.Trace(g, step.Status, briefs) // ids are keys here
	return step
}

func input(t *testing.T, m *machine.Machine, s *machine.Snapshot, move string, at time.Time) machine.Input {
	t.Helper()
	word := strings.Fields(move)
	switch word[0] {
	case "start":
		start := machine.Start{Trigger: "start", Value: json.RawMessage(`{"n":7}`), Source: "test"}
		if len(word) > 1 {
			if err := json.Unmarshal([]byte(word[1]), &start.Rig); err != nil {
				t.Fatal(err)
			}
		}
		return start
	case "advance":
		d, err := time.ParseDuration(word[1])
		if err != nil {
			t.Fatal(err)
		}
		return machine.Advance{For: d, By: "Ada"}
	case "step", "continue":
		return machine.Release{Node: word[1], Visit: 1, Step: word[0] == "step", By: "Ada", Now: at}
	case "wake":
		return machine.Wake{}
	case "cancel":
		return machine.Cancel{By: "Ada"}
	case "pause":
		return machine.Pause{By: "Ada"}
	case "resume":
		return machine.Resume{By: "Ada"}
	case "signal":
		return machine.Signal{Name: word[1], Value: json.RawMessage(`{"id":"s"}`), By: "Ada"}
	case "skip":
		return machine.Resolve{Node: word[1], Visit: 1, Action: machine.ActionSkip, By: "Ada"}
	}
	for _, c := range m.Pending(s) {
		d, ok := c.(machine.Dispatch)
		if !ok || d.Node != word[1] {
			continue
		}
		began := at.Add(-40 * time.Millisecond)
		if word[0] == "ok" {
			return machine.Complete{Scope: d.Scope, Node: d.Node, Visit: d.Visit, Attempt: d.Attempt, Output: json.RawMessage(`{"id":"x"}`), Worker: "w1", Began: began}
		}
		return machine.Fail{Scope: d.Scope, Node: d.Node, Visit: d.Visit, Attempt: d.Attempt, Worker: "w1", Began: began, Error: event.Error{Class: word[2], Message: "It did not work."}}
	}
	t.Fatalf("nothing is queued for %q", move)
	return nil
}

// draw makes a graph whose ids are its keys, from "container/key:kind/join{…}"
// and "from.port>to". A mock's "retries" become its policy.
func draw(lines []string) graph.Graph {
	g := graph.Graph{Format: graph.Format}
	for _, l := range lines {
		if l == "transaction" {
			g.Transaction = true
			continue
		}
		if from, to, ok := strings.Cut(l, ">"); ok && !strings.Contains(from, "{") {
			n, port, _ := strings.Cut(from, ".")
			if port == "" {
				port = machine.PortSuccess
			}
			g.Edges = append(g.Edges, graph.Edge{ID: n + "." + port + ">" + to, From: n, Port: port, To: to})
			continue
		}
		key, rest, _ := strings.Cut(l, ":")
		kind, config, configured := strings.Cut(rest, "{")
		kind, join, joins := strings.Cut(kind, "/")
		in, key, inside := strings.Cut(key, "/")
		if !inside {
			in, key = "", in
		}
		n := graph.Node{ID: key, Key: key, Kind: kind, In: in}
		if joins {
			mode, then, _ := strings.Cut(join, "+")
			n.Join = &graph.Join{Mode: mode, Then: then}
			if count, ok := strings.CutPrefix(mode, "n"); ok {
				n.Join.Mode = "n"
				_, _ = fmt.Sscanf(count, "%d", &n.Join.N)
			}
		}
		if retries, ok := strings.CutPrefix(config, `"retries":`); ok {
			var more int
			_, _ = fmt.Sscanf(retries, "%d", &more)
			n.Retry = &graph.Retry{MaxAttempts: 1 + more, Initial: "1s"}
		} else if configured {
			n.Config = json.RawMessage("{" + config)
		}
		g.Nodes = append(g.Nodes, n)
	}
	return g
}
