package server

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"signalbox/engine/insight"
	"signalbox/engine/problem"
)

func (s *Server) registerBoards(api huma.API) {
	on(s, api, op(http.MethodGet, "/api/boards/infrastructure", "Read what the infrastructure did in a range of time"), s.readInfrastructure)
	on(s, api, op(http.MethodGet, "/api/boards/events", "Read what runs did in a range of time, of all workflows or of one"), s.readEventBoard)
	on(s, api, op(http.MethodGet, "/api/boards/business", "Read what metric and outcome nodes wrote down in a range of time"), s.readBusiness)
	on(s, api, op(http.MethodPost, "/api/outcomes", "Say what turned out to be true of decisions"), s.tellOutcomes)
}

// lastUsual is the range of time when the caller names none.
const lastUsual = time.Hour

// SpanInput is a range of time: the last so long, or from one moment to
// another.
type SpanInput struct {
	Last string `query:"last" maxLength:"20" doc:"The last so long, for example 15m, 1h or 168h; without it and without from: 1h"`
	From string `query:"from" maxLength:"40" doc:"A moment, for example 2026-11-30T14:05Z"`
	To   string `query:"to" maxLength:"40" doc:"Absent: now"`
}

func (s *Server) span(in SpanInput) (insight.Span, error) {
	now := s.config.Now().UTC()
	from, to, last := time.Time{}, now, lastUsual
	if in.Last != "" && in.From+in.To != "" {
		return insight.Span{}, problem.New(problem.Invalid, "A range of time is either the last so long, or from one moment to another.").At("last", "with from or to", "one of both")
	}
	if in.Last != "" {
		d, err := time.ParseDuration(in.Last)
		if err != nil || d <= 0 {
			return insight.Span{}, problem.New(problem.Invalid, "This is not a length of time.").At("last", "not readable", "for example 15m, 1h or 168h")
		}
		last = d
	}
	for name, field := range map[string]struct {
		text string
		into *time.Time
	}{"from": {in.From, &from}, "to": {in.To, &to}} {
		at, err := parseMoment(field.text)
		if err != nil {
			return insight.Span{}, problem.New(problem.Invalid, "This is not a time.").At(name, "not readable", "2026-11-30T14:05Z")
		}
		if !at.IsZero() {
			*field.into = at
		}
	}
	if from.IsZero() {
		from = to.Add(-last)
	}
	return insight.SpanOf(from, to, now)
}

type boardOut struct {
	From    time.Time        `json:"from"`
	To      time.Time        `json:"to"`
	Now     time.Time        `json:"now"`
	Step    int              `json:"step" doc:"Seconds of an interval"`
	Times   []int64          `json:"times" doc:"The beginnings of the intervals, in seconds since 1970"`
	Covered insight.Column   `json:"covered" doc:"Seconds of each interval in which a server counted; null: nobody did"`
	Series  []insight.Series `json:"series"`
	Numbers map[string]int   `json:"numbers" doc:"Numbers of the versions that series name, by id"`
	Marks   []insight.Mark   `json:"marks"`
}

type infrastructureInput struct{ SpanInput }

func (s *Server) readInfrastructure(ctx context.Context, in *infrastructureInput) (*body[boardOut], error) {
	return s.board(ctx, "", uuid.Nil, in.SpanInput)
}

type boardInput struct {
	SpanInput
	Workflow uuid.UUID `query:"workflow" doc:"Absent: all"`
}

func (s *Server) readEventBoard(ctx context.Context, in *boardInput) (*body[boardOut], error) {
	return s.board(ctx, identityOf(ctx).Workspace, in.Workflow, in.SpanInput)
}

func (s *Server) board(ctx context.Context, workspace string, workflow uuid.UUID, in SpanInput) (*body[boardOut], error) {
	span, err := s.span(in)
	if err != nil {
		return nil, err
	}
	rows, err := s.config.Boards.Rollups(ctx, workspace, workflow, span)
	if err != nil {
		return nil, err
	}
	var split []string
	if workflow != uuid.Nil {
		split = []string{insight.RunTime, insight.Failure}
	}
	b := insight.Fold(span, rows, split...)
	out := boardOut{From: span.From, To: span.To, Now: s.config.Now().UTC(), Step: span.Step, Times: span.Times(), Covered: b.Covered, Series: b.Series, Numbers: map[string]int{}, Marks: []insight.Mark{}}
	if out.Series == nil {
		out.Series = []insight.Series{}
	}
	var versions []uuid.UUID
	for _, one := range b.Series {
		if one.Version != uuid.Nil && !slices.Contains(versions, one.Version) {
			versions = append(versions, one.Version)
		}
	}
	own := identityOf(ctx).Workspace
	if out.Numbers, err = s.versionNumbers(ctx, own, versions); err != nil {
		return nil, err
	}
	if out.Marks, err = s.config.Boards.Marks(ctx, own, workflow, span); err != nil {
		return nil, err
	}
	return reply(out), nil
}

// versionNumbers are those of versions, by their id as text. A test version of
// a draft has none.
func (s *Server) versionNumbers(ctx context.Context, workspace string, ids []uuid.UUID) (map[string]int, error) {
	numbers := map[string]int{}
	if len(ids) == 0 {
		return numbers, nil
	}
	found, err := s.config.Boards.VersionNumbers(ctx, workspace, ids)
	for id, n := range found {
		numbers[id.String()] = n
	}
	return numbers, err
}

type businessOut struct {
	From      time.Time          `json:"from"`
	To        time.Time          `json:"to"`
	Now       time.Time          `json:"now"`
	Step      int                `json:"step"`
	Times     []int64            `json:"times"`
	Metrics   []insight.Metric   `json:"metrics"`
	Decisions []insight.Decision `json:"decisions"`
	Numbers   map[string]int     `json:"numbers"`
	Marks     []insight.Mark     `json:"marks"`
}

func (s *Server) readBusiness(ctx context.Context, in *boardInput) (*body[businessOut], error) {
	span, err := s.span(in.SpanInput)
	if err != nil {
		return nil, err
	}
	workspace := identityOf(ctx).Workspace
	out := businessOut{From: span.From, To: span.To, Now: s.config.Now().UTC(), Step: span.Step, Times: span.Times(), Metrics: []insight.Metric{}}
	metrics, err := s.config.Boards.Metrics(ctx, workspace, in.Workflow, span)
	if err != nil {
		return nil, err
	}
	out.Metrics = append(out.Metrics, metrics...)
	verdicts, err := s.config.Boards.Verdicts(ctx, workspace, in.Workflow, span)
	if err != nil {
		return nil, err
	}
	out.Decisions = insight.Decide(span, verdicts)
	var versions []uuid.UUID
	for _, d := range out.Decisions {
		for _, score := range d.Scores {
			versions = append(versions, score.Version)
		}
	}
	if out.Numbers, err = s.versionNumbers(ctx, workspace, versions); err != nil {
		return nil, err
	}
	if out.Marks, err = s.config.Boards.Marks(ctx, workspace, in.Workflow, span); err != nil {
		return nil, err
	}
	return reply(out), nil
}

type outcomeIn struct {
	Name     string `json:"name" doc:"What is decided, as the outcome node names it"`
	Decision string `json:"decision" doc:"Its id"`
	Value    string `json:"value" doc:"What turned out to be true"`
}

type outcomesInput struct {
	Body struct {
		Outcomes []outcomeIn `json:"outcomes" doc:"At most 1,000; the latest word on a decision counts"`
	}
}

type outcomesOut struct {
	Told      int `json:"told"`
	Predicted int `json:"predicted" doc:"Decisions among them of which there is a prediction by now; others may follow"`
}

func (s *Server) tellOutcomes(ctx context.Context, in *outcomesInput) (*body[outcomesOut], error) {
	list := in.Body.Outcomes
	if len(list) == 0 || len(list) > insight.TruthsMax {
		return nil, problem.New(problem.Invalid, "The list of outcomes has %d entries.", len(list)).At("/outcomes", "too few or too many", fmt.Sprintf("1 to %d", insight.TruthsMax))
	}
	now, truths := s.config.Now().UTC(), make([]insight.Truth, len(list))
	for i, o := range list {
		truths[i] = insight.Truth{Name: o.Name, Decision: o.Decision, Value: o.Value, At: now}
		if err := truths[i].Check("/outcomes/" + strconv.Itoa(i)); err != nil {
			return nil, err
		}
	}
	predicted, err := s.config.Boards.TellTruths(ctx, identityOf(ctx).Workspace, truths)
	if err != nil {
		return nil, err
	}
	deedOf(ctx).target, deedOf(ctx).detail = list[0].Name, fmt.Sprintf("%d", len(list))
	return reply(outcomesOut{Told: len(list), Predicted: predicted}), nil
}
