package drawing_test

import (
	"bytes"
	"encoding/json"
	"errors"
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
)

// run is the id of every run: jitter is drawn from it, so it never changes.
const run = "018f0000-0000-7000-8000-000000000001"

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// drawn is a workflow file and the machine that it compiles to.
type drawn struct {
	path   string
	graph  graph.Graph
	issues []graph.Issue
	m      *machine.Machine
}

// load reads and compiles a workflow file the way "signalbox check" does.
func load(t testing.TB, path string) drawn {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	g, err := graph.Decode(raw)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	m, issues := compile.Compile(g)
	return drawn{path, g, issues, m}
}

// findings are the codes of what the compiler says, with the nodes' keys.
func (d drawn) findings() string {
	var b strings.Builder
	for _, i := range d.issues {
		fmt.Fprintf(&b, "%s %s", i.Severity, i.Code)
		if n := d.graph.Node(i.Node); n != nil {
			b.WriteString(" at " + n.Key)
		}
		b.WriteByte('\n')
	}
	if d.m != nil {
		b.WriteString("it can be published\n")
	}
	return b.String()
}

// stage plays a machine by hand. Every event goes through its stored form.
type stage struct {
	d   drawn
	s   *machine.Snapshot
	at  time.Time
	log []machine.Event
}

// begin starts a run at the drawing's trigger.
func begin(d drawn, input json.RawMessage) (*stage, []machine.Event, error) {
	if d.m == nil {
		return nil, nil, fmt.Errorf("%s does not compile", d.path)
	}
	st := &stage{d: d, s: d.m.New(run), at: noon}
	st.s.Workflow = d.graph.Name
	for _, n := range d.m.Nodes {
		if n.Op == machine.OpTrigger {
			events, err := st.step(machine.Start{Trigger: n.Key, Value: input, Source: "test"})
			return st, events, err
		}
	}
	return nil, nil, fmt.Errorf("%s has no trigger", d.path)
}

// step takes an input, and all that is due at once because of it.
func (st *stage) step(in machine.Input) ([]machine.Event, error) {
	var all []machine.Event
	for {
		events, err := st.d.m.Step(st.s, in, st.at)
		if err != nil {
			return nil, err
		}
		for _, e := range events {
			stored, err := machine.Encode(e)
			if err != nil {
				return nil, err
			}
			back, err := machine.Decode(stored)
			if err != nil {
				return nil, err
			}
			all = append(all, back)
		}
		if w := st.d.m.WakeAt(st.s); w.IsZero() || w.After(st.at) {
			break
		}
		in = machine.Wake{}
	}
	st.log = append(st.log, all...)
	return all, nil
}

// replayed folds the log alone and compares: state is the fold of events.
func (st *stage) replayed() error {
	again := st.d.m.New(run)
	again.Workflow = st.d.graph.Name
	if err := st.d.m.Fold(again, st.log...); err != nil {
		return err
	}
	one, err := st.s.Result(st.d.m)
	if err != nil {
		return err
	}
	two, err := again.Result(st.d.m)
	if err != nil {
		return err
	}
	if again.Status != st.s.Status || again.Tokens() != st.s.Tokens() || !bytes.Equal(one, two) {
		return fmt.Errorf("the log folds to %s %s with %d tokens, the run is %s %s with %d", again.Status, two, again.Tokens(), st.s.Status, one, st.s.Tokens())
	}
	if st.s.Status == machine.StatusSucceeded && st.s.Tokens() > 0 {
		return fmt.Errorf("the run succeeded and %d tokens are left", st.s.Tokens())
	}
	return nil
}

// place is a visit as scripts name it: node, node@scope, node#visit or both.
type place struct {
	node         string
	scope, visit int // -1: any
}

func placeOf(s string) (place, error) {
	p := place{scope: -1, visit: -1}
	rest, visit, has := strings.Cut(s, "#")
	if has {
		if _, err := fmt.Sscan(visit, &p.visit); err != nil {
			return p, fmt.Errorf("%q names no visit", s)
		}
	}
	node, scope, has := strings.Cut(rest, "@")
	if has {
		if _, err := fmt.Sscan(scope, &p.scope); err != nil {
			return p, fmt.Errorf("%q names no scope", s)
		}
	}
	p.node = node
	return p, nil
}

func (p place) is(scope int, node string, visit int) bool {
	return p.node == node && (p.scope < 0 || p.scope == scope) && (p.visit < 0 || p.visit == visit)
}

// task finds the oldest pending task of a place.
func (st *stage) task(p place) (machine.Dispatch, error) {
	for _, c := range st.d.m.Pending(st.s) {
		if d, ok := c.(machine.Dispatch); ok && p.is(d.Scope, d.Node, d.Visit) {
			return d, nil
		}
	}
	return machine.Dispatch{}, fmt.Errorf("%s has no task", p.node)
}

// done completes a task; no output gives {"from": node}.
func (st *stage) done(p place, output string) ([]machine.Event, error) {
	d, err := st.task(p)
	if err != nil {
		return nil, err
	}
	if output == "" {
		output = fmt.Sprintf(`{"from":%q}`, d.Node)
	}
	return st.step(machine.Complete{Scope: d.Scope, Node: d.Node, Visit: d.Visit, Attempt: d.Attempt, Output: json.RawMessage(output)})
}

// failed ends an attempt with an error of a class.
func (st *stage) failed(p place, class string) ([]machine.Event, error) {
	d, err := st.task(p)
	if err != nil {
		return nil, err
	}
	if class == "" {
		class = "invalid_input" // one that is not tried again
	}
	return st.step(machine.Fail{Scope: d.Scope, Node: d.Node, Visit: d.Visit, Attempt: d.Attempt, Error: event.Error{Class: class, Message: "it broke"}})
}

// decided answers an open question by a port.
func (st *stage) decided(p place, port, value string) ([]machine.Event, error) {
	for _, v := range st.s.Look(st.d.m) {
		if p.is(v.Scope, v.Node, v.Visit) {
			return st.step(machine.Decide{Scope: v.Scope, Node: v.Node, Visit: v.Visit, Port: port, Value: json.RawMessage(value), By: "ada"})
		}
	}
	return st.step(machine.Decide{Node: p.node, Visit: max(1, p.visit), Scope: max(0, p.scope), Port: port, Value: json.RawMessage(value), By: "ada"})
}

// serve plays the runs that are called, of the same drawing, and hands their
// results back. None of their nodes may be a task.
func (st *stage) serve(depth int) ([]machine.Event, error) {
	const most = 8
	if depth > most {
		return nil, errors.New("the calls of a script go no deeper than 8")
	}
	var all []machine.Event
	for _, c := range st.d.m.Pending(st.s) {
		call, ok := c.(machine.Call)
		if !ok {
			continue
		}
		if call.Workflow != st.d.graph.Name {
			return nil, fmt.Errorf("%s is not the workflow that is drawn here", call.Workflow)
		}
		child, _, err := begin(st.d, call.Input.Inline)
		if err != nil {
			return nil, err
		}
		if _, err := child.serve(depth + 1); err != nil {
			return nil, err
		}
		if !child.s.Status.Over() {
			return nil, fmt.Errorf("a called run is %s and nothing moves it", child.s.Status)
		}
		out, err := child.s.Result(st.d.m)
		if err != nil {
			return nil, err
		}
		events, err := st.step(machine.Called{Scope: call.Scope, Node: call.Node, Visit: call.Visit, Child: fmt.Sprintf("child-%d", depth+1), Over: true, Output: out, Error: child.s.Failure})
		if err != nil {
			return nil, err
		}
		all = append(all, events...)
	}
	return all, nil
}

// files lists the drawings of a folder by name, without extension.
func files(t testing.TB, dir, ext string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*"+ext))
	if err != nil {
		t.Fatal(err)
	}
	names := make([]string, len(paths))
	for i, p := range paths {
		names[i] = strings.TrimSuffix(filepath.Base(p), ext)
	}
	return names
}
