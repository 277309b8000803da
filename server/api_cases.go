package server

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"signalbox/engine/account"
	"signalbox/engine/casebook"
	"signalbox/engine/compile"
	"signalbox/engine/draft"
	"signalbox/engine/event"
	"signalbox/engine/graph"
	"signalbox/engine/problem"
	"signalbox/engine/rehearsal"
)

func (s *Server) registerCases(api huma.API) {
	on(s, api, op(http.MethodGet, "/api/workflows/{id}/cases", "List the past runs that are kept as cases, the oldest first"), s.listCases)
	add := op(http.MethodPost, "/api/workflows/{id}/cases", "Keep a run as a case, once it has shown that it can be repeated from its record")
	add.DefaultStatus = http.StatusCreated
	on(s, api, add, s.addCase)
	on(s, api, op(http.MethodPut, "/api/workflows/{id}/guard", "Publish only when the cases do the same, or not"), s.guardWorkflow)
	rehearse := op(http.MethodPost, "/api/workflows/{id}/rehearsal", "Play the draft, or another drawing, on the cases: nothing outside is called")
	rehearse.MaxBodyBytes = graphMax
	on(s, api, rehearse, s.rehearse)
	on(s, api, op(http.MethodPatch, "/api/cases/{id}", "Give a case another name"), s.renameCase)
	on(s, api, op(http.MethodDelete, "/api/cases/{id}", "Make a case a run like any other"), s.removeCase)
	on(s, api, op(http.MethodGet, "/api/cases/{id}/compare", "Compare a case with what the draft would do: way, data and time"), s.compareCase)
	on(s, api, op(http.MethodGet, "/api/cases/{id}/events/{seq}", "Read one event of what the draft would do, with its values"), s.caseEvent)
}

type caseOut struct {
	ID        uuid.UUID    `json:"id"`
	Workflow  uuid.UUID    `json:"workflow"`
	Run       uuid.UUID    `json:"run"`
	Name      string       `json:"name"`
	Version   int          `json:"version" doc:"That the run ran; 0: a draft"`
	Status    string       `json:"status" doc:"How the run ended"`
	By        string       `json:"by"`
	CreatedAt time.Time    `json:"created_at"`
	Accepted  *acceptedOut `json:"accepted,omitempty" doc:"A difference that an owner has accepted"`
}

type acceptedOut struct {
	By     string    `json:"by"`
	Reason string    `json:"reason"`
	At     time.Time `json:"at"`
}

func showCase(c casebook.Case) caseOut {
	out := caseOut{ID: c.ID, Workflow: c.Workflow, Run: c.Run, Name: c.Name, Version: c.Number, Status: c.Status, By: c.By, CreatedAt: c.CreatedAt}
	if c.Accepted.Digest != "" {
		out.Accepted = &acceptedOut{c.Accepted.By, c.Accepted.Reason, c.Accepted.At}
	}
	return out
}

type casesOut struct {
	Cases   []caseOut `json:"cases"`
	Guarded bool      `json:"guarded" doc:"The workflow is published only when they do the same"`
}

func (s *Server) listCases(ctx context.Context, in *ByID) (*body[casesOut], error) {
	list, guarded, err := s.config.Cases.List(ctx, identityOf(ctx).Workspace, in.ID)
	if err != nil {
		return nil, err
	}
	out := casesOut{Cases: make([]caseOut, 0, len(list)), Guarded: guarded}
	for _, c := range list {
		out.Cases = append(out.Cases, showCase(c))
	}
	return reply(out), nil
}

type addCaseInput struct {
	ByID
	Body struct {
		Run  uuid.UUID `json:"run"`
		Name string    `json:"name" maxLength:"200"`
	}
}

func (s *Server) addCase(ctx context.Context, in *addCaseInput) (*body[caseOut], error) {
	who := identityOf(ctx)
	run, err := s.config.History.Run(ctx, who.Workspace, in.Body.Run)
	if err != nil {
		return nil, err
	}
	if run.Workflow != in.ID {
		return nil, problem.New(problem.Invalid, "This run is one of another workflow.").At("/run", "of another workflow", "a run of this workflow")
	}
	c, err := s.config.Cases.Add(ctx, who.Workspace, in.Body.Run, in.Body.Name, who.Name)
	if err != nil {
		return nil, err
	}
	deedOf(ctx).detail = c.Name
	return reply(showCase(c)), nil
}

type renameCaseInput struct {
	ByID
	Body struct {
		Name string `json:"name" maxLength:"200"`
	}
}

func (s *Server) renameCase(ctx context.Context, in *renameCaseInput) (*body[caseOut], error) {
	c, err := s.config.Cases.Rename(ctx, identityOf(ctx).Workspace, in.ID, in.Body.Name)
	if err != nil {
		return nil, err
	}
	deedOf(ctx).detail = c.Name
	return reply(showCase(c)), nil
}

func (s *Server) removeCase(ctx context.Context, in *ByID) (*struct{}, error) {
	who := identityOf(ctx)
	c, err := s.config.Cases.Case(ctx, who.Workspace, in.ID)
	if err != nil {
		return nil, err
	}
	deedOf(ctx).detail = c.Name
	return nil, s.config.Cases.Remove(ctx, who.Workspace, in.ID)
}

type guardInput struct {
	ByID
	Body struct {
		Guarded bool `json:"guarded"`
	}
}

func (s *Server) guardWorkflow(ctx context.Context, in *guardInput) (*struct{}, error) {
	deedOf(ctx).detail = fmt.Sprint(in.Body.Guarded)
	return nil, s.config.Cases.Guard(ctx, identityOf(ctx).Workspace, in.ID, in.Body.Guarded)
}

type rehearseInput struct {
	ByID
	Body *struct {
		Graph json.RawMessage `json:"graph,omitempty" doc:"A drawing; absent: the draft"`
	}
}

type reportOut struct {
	OK       bool         `json:"ok" doc:"All cases do the same, or what an owner has accepted"`
	Guarded  bool         `json:"guarded"`
	Same     int          `json:"same"`
	Differs  int          `json:"differs"`
	Stopped  int          `json:"stopped" doc:"They need a real call, or an answer that was not recorded"`
	Accepted int          `json:"accepted" doc:"Of those that differ or stop: accepted by an owner"`
	Cases    []outcomeOut `json:"cases"`
}

type outcomeOut struct {
	Case        caseOut         `json:"case"`
	Verdict     string          `json:"verdict" enum:"same,differs,stopped"`
	Accepted    bool            `json:"accepted"`
	Stopped     *caseStop       `json:"stopped,omitempty" doc:"Where it ended before the run did"`
	Was         endingOut       `json:"was"`
	Now         endingOut       `json:"now"`
	Pinned      []string        `json:"pinned" doc:"Steps that gave what is pinned to them"`
	Differences []differenceOut `json:"differences" doc:"Those that count first"`
	More        int             `json:"more" doc:"Differences beyond those listed"`
	Compare     string          `json:"compare" doc:"Address of the page that shows both"`
}

type caseStop struct {
	Node string `json:"node,omitempty"`
	Why  string `json:"why" enum:"not_recorded,waits,no_trigger,too_long,open"`
}

type endingOut struct {
	Status string          `json:"status"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  *event.Error    `json:"error,omitempty"`
}

type differenceOut struct {
	What   string `json:"what" enum:"status,result,answer,way,request,new,gone,data"`
	Counts bool   `json:"counts" doc:"It makes the case differ"`
	Node   string `json:"node,omitempty"`
	Place  string `json:"place,omitempty"`
	Visit  int    `json:"visit,omitempty"`
	Was    string `json:"was"`
	Now    string `json:"now"`
}

func showOutcome(o casebook.Outcome) outcomeOut {
	out := outcomeOut{
		Case: showCase(o.Case), Verdict: o.Verdict.Says, Accepted: o.Accepted(), Was: showEnding(o.Was), Now: showEnding(o.Now), Pinned: o.Pinned,
		More: o.Verdict.More, Differences: []differenceOut{}, Compare: fmt.Sprintf("/runs/%s?case=%s", o.Case.Run, o.Case.ID),
	}
	if out.Pinned == nil {
		out.Pinned = []string{}
	}
	if o.Stop != nil {
		out.Stopped = &caseStop{o.Stop.Node, o.Stop.Why}
	}
	for _, counts := range []bool{true, false} {
		for _, d := range o.Verdict.Differences {
			if d.Counts() == counts {
				out.Differences = append(out.Differences, differenceOut{What: d.What, Counts: counts, Node: d.Node, Place: d.Place, Visit: d.Visit, Was: d.Was, Now: d.Now})
			}
		}
	}
	return out
}

// resultShown is how many bytes of a result are shown.
const resultShown = 20_000

func showEnding(e casebook.Ending) endingOut {
	out := endingOut{Status: e.Status, Error: e.Error, Result: e.Result}
	if len(out.Result) > resultShown {
		out.Result = nil
	}
	return out
}

func showReport(r casebook.Report) reportOut {
	out := reportOut{OK: r.OK(), Guarded: r.Guarded, Cases: make([]outcomeOut, 0, len(r.Outcomes))}
	for _, o := range r.Outcomes {
		switch o.Verdict.Says {
		case rehearsal.Same:
			out.Same++
		case rehearsal.Differs:
			out.Differs++
		default:
			out.Stopped++
		}
		if o.Accepted() {
			out.Accepted++
		}
		out.Cases = append(out.Cases, showOutcome(o))
	}
	return out
}

func (s *Server) rehearse(ctx context.Context, in *rehearseInput) (*body[reportOut], error) {
	workspace := identityOf(ctx).Workspace
	var d casebook.Draft
	var err error
	if in.Body != nil && len(in.Body.Graph) > 0 {
		var g graph.Graph
		if g, err = graph.Decode(in.Body.Graph); err == nil {
			d, err = castOf(g)
		}
	} else {
		d, _, err = s.draftCast(ctx, workspace, in.ID)
	}
	if err != nil {
		return nil, err
	}
	r, err := s.config.Cases.Rehearse(ctx, workspace, in.ID, d)
	if err != nil {
		return nil, err
	}
	return reply(showReport(r)), nil
}

// draftCast is the draft as it is rehearsed, and where it stands.
func (s *Server) draftCast(ctx context.Context, workspace string, workflow uuid.UUID) (casebook.Draft, draft.Draft, error) {
	open, err := s.config.Drafts.Open(ctx, workspace, workflow)
	if err != nil {
		return casebook.Draft{}, open, err
	}
	d, err := castOf(open.Graph)
	return d, open, err
}

// castOf compiles a drawing, with what is pinned to its steps.
func castOf(g graph.Graph) (casebook.Draft, error) {
	m, issues := compile.Compile(g)
	if m == nil {
		return casebook.Draft{}, &draft.UnsoundError{Issues: issues}
	}
	d := casebook.Draft{Machine: m, Pins: map[string]json.RawMessage{}}
	for _, n := range g.Nodes {
		if pin := g.Layout.Nodes[n.ID].Pin; len(pin) > 0 {
			d.Pins[n.Key] = pin
		}
	}
	return d, nil
}

// lookAtCase rehearses one case on the draft of its workflow.
func (s *Server) lookAtCase(ctx context.Context, id uuid.UUID) (casebook.Outcome, *rehearsal.Played, error) {
	workspace := identityOf(ctx).Workspace
	c, err := s.config.Cases.Case(ctx, workspace, id)
	if err != nil {
		return casebook.Outcome{}, nil, err
	}
	d, _, err := s.draftCast(ctx, workspace, c.Workflow)
	if err != nil {
		return casebook.Outcome{}, nil, err
	}
	return s.config.Cases.Look(ctx, workspace, id, d)
}

type caseCompareOut struct {
	compareOut
	Outcome outcomeOut `json:"outcome"`
}

func (s *Server) compareCase(ctx context.Context, in *ByID) (*body[caseCompareOut], error) {
	o, played, err := s.lookAtCase(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	run, err := s.config.History.Run(ctx, identityOf(ctx).Workspace, o.Case.Run)
	if err != nil {
		return nil, err
	}
	b := showRun(run)
	b.ID, b.Version.ID, b.Version.Number = uuid.Nil, uuid.Nil, 0
	b.Status, b.Seq, b.Test, b.EndedAt, b.DurationMS = o.Now.Status, len(played.Log), true, nil, nil
	out := caseCompareOut{compareOut{A: showRun(run), B: b, Whole: true, Rows: showRows(o.Verdict.Rows)}, showOutcome(o)}
	return reply(out), nil
}

func (s *Server) caseEvent(ctx context.Context, in *eventInput) (*body[fullEventOut], error) {
	_, played, err := s.lookAtCase(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	if in.Seq > len(played.Log) {
		return nil, problem.New(problem.NotFound, "There is no event %d.", in.Seq)
	}
	e, err := played.Event(in.Seq, resultShown)
	if err != nil {
		return nil, err
	}
	return reply(fullEventOut{Seq: e.Seq, At: e.At, Type: e.Type, Node: e.Node, Data: e.Data}), nil
}

// guard stands before publishing: a workflow that is so set is published only
// when its cases do the same with the draft at a position, or an owner says
// why it is right all the same. It returns what to note once that is done.
func (s *Server) guard(ctx context.Context, workflow uuid.UUID, seq int64, override string) (accept func(context.Context) error, err error) {
	none := func(context.Context) error { return nil }
	who := identityOf(ctx)
	list, guarded, err := s.config.Cases.List(ctx, who.Workspace, workflow)
	if err != nil || !guarded || len(list) == 0 {
		return none, err
	}
	d, open, err := s.draftCast(ctx, who.Workspace, workflow)
	if err != nil || open.Seq != seq {
		return none, err // publishing says what is wrong
	}
	r, err := s.config.Cases.Rehearse(ctx, who.Workspace, workflow, d)
	if err != nil || r.OK() {
		return none, err
	}
	override = strings.TrimSpace(override)
	switch {
	case override == "":
		var names []string
		for _, o := range r.Outcomes {
			if !o.OK() && len(names) < 5 {
				names = append(names, o.Case.Name)
			}
		}
		return none, problem.New(problem.Conflict, "With this draft %d of %d cases do not do the same, and this workflow is published only when they do: %s.", r.Faults(), len(r.Outcomes), strings.Join(names, ", ")).
			At("/override", "missing", "a reason, given by an owner")
	case !who.Role.AtLeast(account.Owner):
		return none, problem.New(problem.Forbidden, "Only an owner may publish although cases differ; your role is %s.", who.Role)
	case len([]rune(override)) > casebook.ReasonMax:
		return none, problem.New(problem.Invalid, "The reason is too long.").At("/override", "length", fmt.Sprintf("at most %d characters", casebook.ReasonMax))
	}
	deedOf(ctx).detail = fmt.Sprintf("although %d of %d cases differ: %s", r.Faults(), len(r.Outcomes), override)
	return func(ctx context.Context) error {
		return s.config.Cases.Accept(ctx, who.Workspace, r, who.Name, override)
	}, nil
}
