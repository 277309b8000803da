package server

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"signalbox/engine/compile"
	"signalbox/engine/draft"
	"signalbox/engine/graph"
	"signalbox/engine/kind"
	"signalbox/engine/problem"
	"signalbox/engine/runtime"
	"signalbox/engine/runtime/brief"
)

// eventsMax is how many events one answer has.
const eventsMax = 1_000

// startWithin bounds the wait for the engine to take a run.
const startWithin = 15 * time.Second

// draftVersion asks for a test run of the draft.
const draftVersion = "draft"

func (s *Server) registerRuns(api huma.API) {
	start := op(http.MethodPost, "/api/workflows/{id}/runs", "Start a run of the active version, of another one, or of the draft")
	start.DefaultStatus, start.MaxBodyBytes = http.StatusAccepted, graphMax
	on(s, api, start, s.startRun)
	on(s, api, op(http.MethodGet, "/api/workflows/{id}/samples", "Read what the nodes put out last"), s.readSamples)
	on(s, api, op(http.MethodGet, "/api/runs", "List runs, the newest first"), s.listRuns)
	on(s, api, op(http.MethodGet, "/api/runs/{id}", "Read a run with its drawing"), s.readRun)
	on(s, api, op(http.MethodGet, "/api/runs/{id}/events", "Read events of a run, in order"), s.readEvents)
	on(s, api, op(http.MethodGet, "/api/runs/{id}/events/{seq}", "Read one event with its values"), s.readEvent)
	cancel := op(http.MethodPost, "/api/runs/{id}/cancel", "Cancel a run")
	cancel.DefaultStatus = http.StatusAccepted
	on(s, api, cancel, s.cancelRun)
	s.registerForks(api)
	s.registerActs(api)
	s.registerRig(api)
	s.registerExpr(api)
	s.registerPorts(api)
}

type runOut struct {
	ID       uuid.UUID `json:"id"`
	Workflow struct {
		ID   uuid.UUID `json:"id"`
		Name string    `json:"name"`
	} `json:"workflow"`
	Version struct {
		ID     uuid.UUID `json:"id"`
		Number int       `json:"number" doc:"0: a test version of a draft"`
	} `json:"version"`
	Status     string          `json:"status"`
	Source     string          `json:"source"`
	Test       bool            `json:"test"`
	Trigger    string          `json:"trigger"`
	Attributes json.RawMessage `json:"attributes"`
	Seq        int             `json:"seq"`
	CreatedAt  time.Time       `json:"created_at"`
	EndedAt    *time.Time      `json:"ended_at,omitempty"`
	Error      string          `json:"error,omitempty"`
	DurationMS *float64        `json:"duration_ms,omitempty"`
	ForkedFrom *forkOut        `json:"forked_from,omitempty" doc:"The run that this one began as"`
	Labels     []string        `json:"labels" doc:"Words that people put on it"`
	Stuck      *stuckOut       `json:"stuck,omitempty" doc:"Of an open run that nothing seems to move: why"`
}

type stuckOut struct {
	Reason  string    `json:"reason" enum:"nothing,timer,silent,waits" doc:"It owes nothing and waits for nothing; a timer is overdue; an attempt is silent; it waits longer than usual"`
	Node    string    `json:"node,omitempty"`
	Since   time.Time `json:"since"`
	UsualMS float64   `json:"usual_ms" doc:"How long it takes in 99 of 100 visits, or the setting"`
}

func showRun(r Run) runOut {
	out := runOut{ID: r.ID, Status: r.Status, Source: r.Source, Test: r.Test, Trigger: r.Trigger, Attributes: r.Attributes, Seq: r.Seq, CreatedAt: r.CreatedAt, EndedAt: whenSet(r.EndedAt), Error: r.Error, ForkedFrom: forkOf(r)}
	out.Workflow.ID, out.Workflow.Name = r.Workflow, r.WorkflowName
	out.Version.ID, out.Version.Number = r.Version, r.VersionNumber
	if out.EndedAt != nil {
		ms := float64(r.Lasted().Microseconds()) / 1000
		out.DurationMS = &ms
	}
	if out.Labels = r.Labels; out.Labels == nil {
		out.Labels = []string{}
	}
	if r.Stuck != nil {
		out.Stuck = &stuckOut{r.Stuck.Reason, r.Stuck.Node, r.Stuck.Since, millis(r.Stuck.Usual)}
	}
	if len(out.Attributes) == 0 {
		out.Attributes = json.RawMessage("{}")
	}
	return out
}

// versionChoice is a number, "draft", or absent.
type versionChoice struct {
	draft  bool
	number int // 0: the active one
}

func parseVersion(raw json.RawMessage) (versionChoice, error) {
	if len(raw) == 0 {
		return versionChoice{}, nil
	}
	var text string
	if json.Unmarshal(raw, &text) == nil && text == draftVersion {
		return versionChoice{draft: true}, nil
	}
	var n int
	if json.Unmarshal(raw, &n) == nil && n > 0 {
		return versionChoice{number: n}, nil
	}
	return versionChoice{}, problem.New(problem.Invalid, "There is no such version.").At("/version", "not readable", `a number or "draft"`)
}

type startInput struct {
	ByID
	Body struct {
		Input   json.RawMessage `json:"input,omitempty" doc:"What the trigger gets; absent: null"`
		Trigger string          `json:"trigger,omitempty" maxLength:"40" doc:"Key of the trigger node; absent: the only one"`
		Version json.RawMessage `json:"version,omitempty" doc:"A number, or \"draft\" for a test run; absent: the active version"`
		Key     string          `json:"idempotency_key,omitempty" maxLength:"256" doc:"The same key starts one run"`
		Test    *testInput      `json:"test,omitempty" doc:"Makes it a test run, and says how it is controlled"`
	}
}

type oneRunOut struct {
	Run runOut `json:"run"`
}

func (s *Server) startRun(ctx context.Context, in *startInput) (*body[oneRunOut], error) {
	who := identityOf(ctx)
	choice, err := parseVersion(in.Body.Version)
	if err != nil {
		return nil, err
	}
	v, err := s.chooseVersion(ctx, in.ID, choice)
	if err != nil {
		return nil, err
	}
	trigger, err := chooseTrigger(v.Graph, in.Body.Trigger)
	if err != nil {
		return nil, err
	}
	rig, err := s.rigOf(ctx, in, v.Graph)
	if err != nil {
		return nil, err
	}
	if rig == nil || rig.Only == "" {
		if err := demanded(demandOf(v.Graph, trigger), in.Body.Input); err != nil {
			return nil, err
		}
	}
	test := choice.draft || rig != nil
	req := runtime.StartRequest{
		Workspace: who.Workspace, Workflow: in.ID, Version: v.ID, Trigger: trigger, Input: orNull(in.Body.Input),
		Source: sourceOf(ctx, test), Test: test, Rig: rig, Key: in.Body.Key,
	}
	ctx, cancel := context.WithTimeout(ctx, startWithin)
	defer cancel()
	started, err := s.config.Engine.Start(ctx, req)
	if errors.Is(err, context.DeadlineExceeded) {
		return nil, problem.New(problem.Unavailable, "The engine did not take the run in time. Try again; with an idempotency key it starts once.")
	}
	if err != nil {
		return nil, err
	}
	run, err := s.config.History.Run(ctx, who.Workspace, started.Run)
	d := deedOf(ctx)
	d.target, d.detail = started.Run.String(), run.WorkflowName
	return reply(oneRunOut{Run: showRun(run)}), err
}

func sourceOf(ctx context.Context, test bool) string {
	switch {
	case test:
		return "test"
	case identityOf(ctx).Token != uuid.Nil:
		return "api"
	default:
		return "manual"
	}
}

func (s *Server) chooseVersion(ctx context.Context, workflow uuid.UUID, choice versionChoice) (draft.Version, error) {
	who := identityOf(ctx)
	if choice.draft {
		return s.config.Drafts.TestVersion(ctx, who.Workspace, workflow, personOf(who))
	}
	if choice.number > 0 {
		return s.config.Drafts.Numbered(ctx, who.Workspace, workflow, choice.number)
	}
	w, err := s.config.Drafts.Workflow(ctx, who.Workspace, workflow)
	if err != nil {
		return draft.Version{}, err
	}
	if w.ActiveID == uuid.Nil {
		return draft.Version{}, problem.New(problem.Conflict, "This workflow has no published version yet. Publish it, or start a test run of the draft.")
	}
	return s.config.Drafts.Version(ctx, who.Workspace, w.ActiveID)
}

// chooseTrigger finds the trigger that is meant.
func chooseTrigger(raw json.RawMessage, key string) (string, error) {
	g, err := graph.Decode(raw)
	if err != nil {
		return "", err
	}
	var found []string
	for _, n := range g.Nodes {
		if isTrigger(n.Kind) && !n.Disabled && (key == "" || n.Key == key) {
			found = append(found, n.Key)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) == 0 && key != "":
		return "", problem.New(problem.Invalid, "This version has no such trigger.").At("/trigger", "unknown", "the key of a trigger node")
	case len(found) == 0:
		return "", problem.New(problem.Invalid, "This version has no trigger.")
	default:
		return "", problem.New(problem.Invalid, "This version has several triggers.").At("/trigger", "missing", "the key of one of them")
	}
}

func isTrigger(name string) bool {
	spec, ok := kind.Find(name)
	return ok && spec.Work == kind.WorkTrigger
}

type runsInput struct {
	Workflow  string `query:"workflow" format:"uuid"`
	Status    string `query:"status" enum:"running,waiting,paused,compensating,needs_attention,succeeded,failed,compensated,canceled"`
	Source    string `query:"source" maxLength:"40" doc:"What started them: manual, api, webhook, test, fork, retry and so on"`
	Version   string `query:"version" maxLength:"10" doc:"A number; with a workflow"`
	Trigger   string `query:"trigger" maxLength:"40" doc:"Key of the trigger node; with a workflow"`
	Attribute string `query:"attribute" maxLength:"300" doc:"name=value, as the run was given it"`
	Text      string `query:"text" maxLength:"200" doc:"Words of the error, or their beginnings"`
	From      string `query:"from" maxLength:"40" doc:"Started at this time or later"`
	To        string `query:"to" maxLength:"40" doc:"Started before this time"`
	After     string `query:"after" format:"uuid" doc:"The next of an earlier answer"`
	Limit     int    `query:"limit" minimum:"1" maximum:"200" default:"50"`
}

type runsOut struct {
	Runs []runOut `json:"runs"`
	Next string   `json:"next,omitempty"`
}

func (s *Server) listRuns(ctx context.Context, in *runsInput) (*body[runsOut], error) {
	workspace, workflow := identityOf(ctx).Workspace, uuid.Nil
	if in.Workflow != "" {
		id, err := uuid.Parse(in.Workflow)
		if err != nil {
			return nil, problem.New(problem.Invalid, "This is not an id.").At("workflow", "not readable", "the id of a workflow")
		}
		workflow = id
	}
	q, err := s.runQuery(ctx, workspace, workflow, url.Values{
		"status": {in.Status}, "source": {in.Source}, "version": {in.Version}, "trigger": {in.Trigger},
		"attribute": {in.Attribute}, "text": {in.Text}, "from": {in.From}, "to": {in.To}, "after": {in.After},
	})
	if err != nil {
		return nil, err
	}
	q.Limit = in.Limit
	list, err := s.config.History.Runs(ctx, workspace, q)
	if err != nil {
		return nil, err
	}
	out := runsOut{Runs: make([]runOut, 0, len(list))}
	for _, r := range list {
		out.Runs = append(out.Runs, showRun(r))
	}
	if len(list) == in.Limit {
		out.Next = list[len(list)-1].ID.String()
	}
	return reply(out), nil
}

type runDetailOut struct {
	Run    runOut          `json:"run"`
	Graph  json.RawMessage `json:"graph"`
	Edges  []string        `json:"edges" doc:"Edge ids by their position in the machine"`
	Result json.RawMessage `json:"result,omitempty"`
}

func (s *Server) readRun(ctx context.Context, in *ByID) (*body[runDetailOut], error) {
	workspace := identityOf(ctx).Workspace
	run, err := s.config.History.Run(ctx, workspace, in.ID)
	if err != nil {
		return nil, err
	}
	v, err := s.config.Drafts.Version(ctx, workspace, run.Version)
	if err != nil {
		return nil, err
	}
	g, err := graph.Decode(v.Graph)
	if err != nil {
		return nil, err
	}
	out := runDetailOut{Run: showRun(run), Graph: v.Graph, Edges: compile.EdgeIDs(g)}
	if run.Status == runtime.StatusSucceeded {
		if out.Result, err = s.config.History.Result(ctx, workspace, in.ID); err != nil {
			return nil, err
		}
	}
	return reply(out), nil
}

type eventsInput struct {
	ByID
	After int `query:"after" minimum:"0" maximum:"2147483647"`
	Limit int `query:"limit" minimum:"1" maximum:"1000" default:"1000"`
}

type briefsOut struct {
	Events json.RawMessage `json:"events"`
	Last   int             `json:"last" doc:"Number of the last one here"`
}

func (s *Server) readEvents(ctx context.Context, in *eventsInput) (*body[briefsOut], error) {
	workspace := identityOf(ctx).Workspace
	if err := s.config.Events.Exists(ctx, workspace, in.ID); err != nil {
		return nil, err
	}
	list, err := s.config.Events.Briefs(ctx, workspace, in.ID, in.After, in.Limit)
	if err != nil {
		return nil, err
	}
	if list == nil {
		list = []brief.Brief{}
	}
	return reply(briefsOut{Events: encodeFrame(list), Last: lastSeq(list, in.After)}), nil
}

func lastSeq(list []brief.Brief, after int) int {
	if len(list) == 0 {
		return after
	}
	return list[len(list)-1].Seq
}

type eventInput struct {
	ByID
	Seq int `path:"seq" minimum:"1" maximum:"2147483647"`
}

type fullEventOut struct {
	Seq  int             `json:"seq"`
	At   time.Time       `json:"at"`
	Type string          `json:"type"`
	Node string          `json:"node,omitempty"`
	Data json.RawMessage `json:"data"`
}

func (s *Server) readEvent(ctx context.Context, in *eventInput) (*body[fullEventOut], error) {
	e, err := s.config.History.Event(ctx, identityOf(ctx).Workspace, in.ID, in.Seq)
	if err != nil {
		return nil, err
	}
	return reply(fullEventOut(e)), nil
}

type cancelInput struct {
	ByID
	Body *struct {
		Reason string `json:"reason,omitempty" maxLength:"1000"`
	}
}

func (s *Server) cancelRun(ctx context.Context, in *cancelInput) (*struct{}, error) {
	who := identityOf(ctx)
	if err := s.config.Events.Exists(ctx, who.Workspace, in.ID); err != nil {
		return nil, err
	}
	reason := ""
	if in.Body != nil {
		reason = in.Body.Reason
	}
	deedOf(ctx).detail = reason
	ctx, cancel := context.WithTimeout(ctx, startWithin)
	defer cancel()
	return nil, s.config.Engine.Cancel(ctx, who.Workspace, in.ID, who.Name, reason)
}
