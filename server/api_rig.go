package server

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"signalbox/engine/graph"
	"signalbox/engine/machine"
	"signalbox/engine/problem"
)

// registerRig are the routes that control test runs: their clock, their
// breakpoints, and where they are held.
func (s *Server) registerRig(api huma.API) {
	on(s, api, op(http.MethodPost, "/api/runs/{id}/clock", "Move the virtual clock of a test run, or let it skip waits by itself"), s.moveClock)
	on(s, api, op(http.MethodPost, "/api/runs/{id}/arrange", "Change the breakpoints of a test run that is going on"), s.arrangeRun)
	release := op(http.MethodPost, "/api/runs/{id}/release", "Let a test run go on from the visit that it is held at, perhaps with another input")
	release.MaxBodyBytes = graphMax
	on(s, api, release, s.releaseRun)
}

// Clocks and data of a test run.
const (
	clockReal    = "real"
	clockVirtual = "virtual"

	dataNone     = "none"
	dataPinned   = "pinned"
	dataRecorded = "recorded"
)

// testInput is what a test run is set up with.
type testInput struct {
	Clock  string                     `json:"clock,omitempty" enum:"real,virtual" doc:"virtual: its timers do not wait for real time; its clock can be moved"`
	Skip   bool                       `json:"skip_waits,omitempty" doc:"With a virtual clock: it moves to the next timer whenever nothing else is at work"`
	Step   bool                       `json:"step,omitempty" doc:"Hold before every step"`
	Breaks []string                   `json:"breakpoints,omitempty" maxItems:"150" doc:"Keys of steps to hold before"`
	To     string                     `json:"to,omitempty" maxLength:"40" doc:"Key of the step behind which the run ends; only what leads there runs"`
	Only   string                     `json:"only,omitempty" maxLength:"40" doc:"Key of the one step that runs"`
	Given  json.RawMessage            `json:"given,omitempty" doc:"With only: what it gets; absent: what the steps before it put out last"`
	Data   string                     `json:"data,omitempty" enum:"none,pinned,recorded" doc:"What stands in for steps that are not run: nothing, pinned outputs, or also those recorded last. Absent: recorded with to and only, else none"`
	Pins   map[string]json.RawMessage `json:"pins,omitempty" doc:"Outputs that stand in for steps, by key; they go before all others"`
}

// rigOf is the rig that a test run is asked to have; nil: none.
func (s *Server) rigOf(ctx context.Context, in *startInput, raw json.RawMessage) (*machine.Rig, error) {
	t := in.Body.Test
	if t == nil {
		return nil, nil //nolint:nilnil // there is none
	}
	if t.Skip && t.Clock != clockVirtual {
		return nil, problem.New(problem.Invalid, "Only a virtual clock can skip waits.").At("/test/skip_waits", "not possible here", `"clock": "virtual"`)
	}
	g, err := graph.Decode(raw)
	if err != nil {
		return nil, err
	}
	if err := aims(g, t); err != nil {
		return nil, err
	}
	r := &machine.Rig{Virtual: t.Clock == clockVirtual, Skip: t.Skip, Step: t.Step, Breaks: t.Breaks, Stop: t.To, Only: t.Only, Given: t.Given, Pins: map[string]json.RawMessage{}}
	if err := s.standIns(ctx, in, r); err != nil {
		return nil, err
	}
	for key, pin := range t.Pins {
		r.Pins[key] = orNull(pin)
	}
	return r, nil
}

// aims checks the steps that a test run is to stop behind, or to be of.
func aims(g graph.Graph, t *testInput) error {
	find := func(key string) (graph.Node, bool) {
		for _, n := range g.Nodes {
			if n.Key == key && !isTrigger(n.Kind) {
				return n, true
			}
		}
		return graph.Node{}, false
	}
	if t.To != "" && t.Only != "" {
		return problem.New(problem.Invalid, "A test run goes up to a step, or is of one step, not both.").At("/test/only", "not together with to", "one of them")
	}
	if _, ok := find(t.To); t.To != "" && !ok {
		return problem.New(problem.Invalid, "There is no such step.").At("/test/to", "unknown", "the key of a step that is no trigger")
	}
	n, ok := find(t.Only)
	switch {
	case t.Only == "":
		return nil
	case !ok:
		return problem.New(problem.Invalid, "There is no such step.").At("/test/only", "unknown", "the key of a step that is no trigger")
	case n.In != "":
		return problem.New(problem.Invalid, "A step inside a frame cannot be run by itself, for what is around it gives it its item. Run up to it instead.").At("/test/only", "inside a frame", "a step of the workflow itself, or to")
	default:
		return nil
	}
}

// standIns adds the outputs of steps that are not run: what was pinned, and
// what they put out last, as the request wants.
func (s *Server) standIns(ctx context.Context, in *startInput, r *machine.Rig) error {
	data := in.Body.Test.Data
	if data == "" {
		data = dataNone
		if r.Stop != "" || r.Only != "" {
			data = dataRecorded
		}
	}
	if data == dataNone && r.Only == "" {
		return nil
	}
	seen, err := s.samples(ctx, in.ID)
	if err != nil {
		return err
	}
	for key, n := range seen.out.Nodes {
		if n.Pinned || data == dataRecorded {
			r.Pins[key] = orNull(n.Output)
		}
	}
	if r.Only == "" || len(r.Given) > 0 {
		return nil
	}
	if r.Given, err = json.Marshal(seen.values(r.Only)["input"]); err != nil {
		return problem.New(problem.Invalid, "What the steps before it put out last cannot be handed on.").At("/test/given", "missing", "what the step gets")
	}
	return nil
}

// onTest acts on a run that has to be a test.
func (s *Server) onTest(ctx context.Context, id ByID, in machine.Input, otherwise string) (*struct{}, error) {
	run, err := s.config.History.Run(ctx, identityOf(ctx).Workspace, id.ID)
	if err != nil {
		return nil, err
	}
	if !run.Test {
		return nil, problem.New(problem.Conflict, "This is no test run.")
	}
	return s.act(ctx, id, in, otherwise)
}

type clockInput struct {
	ByID
	Body struct {
		Advance string `json:"advance,omitempty" maxLength:"40" doc:"How far: 90s, 72h, 3d. What its timers set off is waited for"`
		To      string `json:"to,omitempty" enum:"next" doc:"next: to the next timer, at once"`
		Skip    *bool  `json:"skip_waits,omitempty" doc:"Move to the next timer whenever nothing else is at work"`
	}
}

func (s *Server) moveClock(ctx context.Context, in *clockInput) (*struct{}, error) {
	b := &in.Body
	asked := 0
	for _, is := range []bool{b.Advance != "", b.To != "", b.Skip != nil} {
		if is {
			asked++
		}
	}
	if asked != 1 {
		return nil, problem.New(problem.Invalid, "The clock needs one of advance, to and skip_waits.").At("/advance", "missing", `a duration like "72h"`)
	}
	by := identityOf(ctx).Name
	if b.Skip != nil {
		deedOf(ctx).detail = "skip waits: " + strconv.FormatBool(*b.Skip)
		return s.onTest(ctx, in.ByID, machine.Arrange{Skip: b.Skip, By: by}, "The run has no virtual clock, or its clock does so already.")
	}
	move := machine.Advance{Next: b.To != "", ID: uuid.NewString(), By: by}
	deedOf(ctx).detail = "to the next timer"
	if b.Advance != "" {
		d, ok := daysOr(b.Advance)
		if !ok {
			return nil, problem.New(problem.Invalid, "This is no time to move the clock by.").At("/advance", "not readable", "a duration like 90s, 72h or 3d, up to ten years")
		}
		move.For = d
		deedOf(ctx).detail = "by " + b.Advance
	}
	return s.onTest(ctx, in.ByID, move, "The clock was not moved: the run has no virtual clock, no timer is set, it is held or paused, or it is over.")
}

// daysOr reads a duration; days count as 24 hours.
func daysOr(text string) (time.Duration, bool) {
	if n, err := strconv.Atoi(strings.TrimSuffix(text, "d")); err == nil && strings.HasSuffix(text, "d") && n <= 3650 {
		text = strconv.Itoa(24*n) + "h"
	}
	d, err := time.ParseDuration(text)
	return d, err == nil && d > 0 && d <= machine.WaitMax
}

type arrangeInput struct {
	ByID
	Body struct {
		Breaks []string `json:"breakpoints" maxItems:"150" doc:"Keys of steps to hold before, all of them"`
	}
}

func (s *Server) arrangeRun(ctx context.Context, in *arrangeInput) (*struct{}, error) {
	deedOf(ctx).detail = strings.Join(in.Body.Breaks, ", ")
	return s.onTest(ctx, in.ByID, machine.Arrange{Breaks: &in.Body.Breaks, By: identityOf(ctx).Name}, "The run has these breakpoints already, or is over.")
}

type releaseInput struct {
	ByID
	Body struct {
		Node  string          `json:"node" minLength:"1" maxLength:"40" doc:"Key of the step"`
		Scope int             `json:"scope,omitempty" minimum:"0" doc:"Where it is visited; 0 is the run itself"`
		Visit int             `json:"visit" minimum:"1" doc:"Which of its visits"`
		Step  bool            `json:"step,omitempty" doc:"Hold before the next step again; absent: go on to the next breakpoint"`
		Input json.RawMessage `json:"input,omitempty" doc:"Instead of what the visit would get"`
	}
}

func (s *Server) releaseRun(ctx context.Context, in *releaseInput) (*struct{}, error) {
	deedOf(ctx).detail = in.Body.Node
	return s.onTest(ctx, in.ByID, machine.Release{
		Scope: in.Body.Scope, Node: in.Body.Node, Visit: in.Body.Visit, Step: in.Body.Step, Input: in.Body.Input, By: identityOf(ctx).Name,
	}, "The run is not held there any more.")
}
