package server

import (
	"context"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"signalbox/engine/bulk"
	"signalbox/engine/problem"
)

func (s *Server) registerBulk(api huma.API) {
	on(s, api, op(http.MethodPost, "/api/bulk/preview", "Count the runs that an act on many would touch"), s.previewBulk)
	start := op(http.MethodPost, "/api/bulk", "Act on many runs: named ones, or all that match a filter")
	start.DefaultStatus = http.StatusAccepted
	on(s, api, start, s.startBulk)
	on(s, api, op(http.MethodGet, "/api/bulk", "List acts on many runs, the newest first"), s.listBulk)
	on(s, api, op(http.MethodGet, "/api/bulk/{id}", "Read how far an act on many runs is, and what was skipped and why"), s.readBulk)
	on(s, api, op(http.MethodPost, "/api/bulk/{id}/stop", "Stop an act on many runs: what is done stays done"), s.stopBulk)
}

// ChosenRuns says which runs are meant.
type ChosenRuns struct {
	IDs      []uuid.UUID       `json:"ids,omitempty" maxItems:"10000" doc:"These runs"`
	Filter   map[string]string `json:"filter,omitempty" doc:"Or all that match: the parameters of the list of runs"`
	Workflow *uuid.UUID        `json:"workflow,omitempty" doc:"With a filter: of this workflow only"`
}

// chooseRuns resolves a choice to runs, the newest first; more: there are more
// than may be acted on at once.
func (s *Server) chooseRuns(ctx context.Context, c ChosenRuns) (runs []Run, more bool, err error) {
	workspace := identityOf(ctx).Workspace
	if (len(c.IDs) == 0) == (c.Filter == nil) {
		return nil, false, problem.New(problem.Invalid, "Name runs, or a filter, not both.").At("/ids", "missing", "ids of runs, or a filter")
	}
	if c.Filter == nil {
		ids := slices.Clone(c.IDs)
		slices.SortFunc(ids, func(a, b uuid.UUID) int { return strings.Compare(b.String(), a.String()) })
		for _, id := range slices.Compact(ids) {
			runs = append(runs, Run{ID: id})
		}
		return runs, false, nil
	}
	values := url.Values{}
	for name, value := range c.Filter {
		if !slices.Contains(runFilters(), name) || name == "after" {
			return nil, false, problem.New(problem.Invalid, "The list of runs has no such filter.").At("/filter/"+name, "unknown", strings.Join(runFilters(), ", "))
		}
		values.Set(name, value)
	}
	workflow := uuid.Nil
	if c.Workflow != nil {
		workflow = *c.Workflow
	}
	q, err := s.runQuery(ctx, workspace, workflow, values)
	if err != nil {
		return nil, false, err
	}
	for q.Limit = pageMax; ; {
		list, err := s.config.History.Runs(ctx, workspace, q)
		if err != nil {
			return nil, false, err
		}
		if runs = append(runs, list...); len(runs) > bulk.RunsMax {
			return runs[:bulk.RunsMax], true, nil
		}
		if len(list) < q.Limit {
			return runs, false, nil
		}
		q.After = list[len(list)-1].ID
	}
}

type countedInput struct {
	Body struct {
		ChosenRuns
	}
}

type countedOut struct {
	Count  int            `json:"count"`
	More   bool           `json:"more" doc:"There are more than may be acted on at once"`
	Most   int            `json:"most"`
	Status map[string]int `json:"status" doc:"Of a filter: how many there are of each status"`
}

func (s *Server) previewBulk(ctx context.Context, in *countedInput) (*body[countedOut], error) {
	runs, more, err := s.chooseRuns(ctx, in.Body.ChosenRuns)
	if err != nil {
		return nil, err
	}
	out := countedOut{Count: len(runs), More: more, Most: bulk.RunsMax, Status: map[string]int{}}
	for _, r := range runs {
		if r.Status != "" {
			out.Status[r.Status]++
		}
	}
	return reply(out), nil
}

type manyInput struct {
	Body struct {
		ChosenRuns
		Act  string `json:"act" enum:"cancel,pause,resume,retry,label,unlabel,discard,case"`
		Word string `json:"word,omitempty" maxLength:"200" doc:"The label; or how the cases are called"`
	}
}

type jobOut struct {
	ID      uuid.UUID   `json:"id"`
	Act     string      `json:"act"`
	Word    string      `json:"word,omitempty"`
	Chosen  string      `json:"chosen" doc:"How the runs were chosen"`
	By      string      `json:"by"`
	At      time.Time   `json:"at"`
	State   string      `json:"state" enum:"working,done,stopped"`
	Total   int         `json:"total"`
	Done    int         `json:"done"`
	Skipped int         `json:"skipped"`
	EndedAt *time.Time  `json:"ended_at,omitempty"`
	Results []resultOut `json:"results,omitempty" doc:"What became of runs, those that were skipped first; not all when there are many"`
}

type resultOut struct {
	Run    uuid.UUID  `json:"run"`
	State  string     `json:"state" enum:"done,skipped"`
	Reason string     `json:"reason,omitempty"`
	NewRun *uuid.UUID `json:"new_run,omitempty" doc:"That a retry started"`
}

func showJob(j bulk.Job, results []bulk.Result) jobOut {
	out := jobOut{ID: j.ID, Act: j.Act, Word: j.Word, Chosen: j.Filter, By: j.ByName, At: j.At, State: j.State, Total: j.Total, Done: j.Done, Skipped: j.Skipped, EndedAt: whenSet(j.EndedAt)}
	for _, r := range results {
		out.Results = append(out.Results, resultOut{Run: r.Run, State: r.State, Reason: r.Reason, NewRun: idSet(r.NewRun)})
	}
	return out
}

func (s *Server) startBulk(ctx context.Context, in *manyInput) (*body[jobOut], error) {
	runs, more, err := s.chooseRuns(ctx, in.Body.ChosenRuns)
	if err != nil {
		return nil, err
	}
	if more {
		return nil, problem.New(problem.TooLarge, "At most %d runs are acted on at once; these are more. Narrow the filter.", bulk.RunsMax)
	}
	ids := make([]uuid.UUID, len(runs))
	for i, r := range runs {
		ids[i] = r.ID
	}
	j, err := s.config.Bulk.Start(ctx, identityOf(ctx), bulk.Job{Act: in.Body.Act, Word: in.Body.Word, Filter: bulk.Chosen(s.filterNamed(ctx, in.Body.ChosenRuns), len(ids))}, ids)
	if err != nil {
		return nil, err
	}
	d := deedOf(ctx)
	d.target, d.detail = j.ID.String(), strings.TrimSpace(j.Act+" "+j.Word)+": "+j.Filter
	return reply(showJob(j, nil)), nil
}

// filterNamed is the filter with the name of the workflow that it is about, for
// whoever reads of it later.
func (s *Server) filterNamed(ctx context.Context, c ChosenRuns) map[string]string {
	if c.Filter == nil || c.Workflow == nil {
		return c.Filter
	}
	named := maps.Clone(c.Filter)
	named["workflow"] = c.Workflow.String()
	if w, err := s.config.Drafts.Workflow(ctx, identityOf(ctx).Workspace, *c.Workflow); err == nil && w.Name != "" {
		named["workflow"] = w.Name
	}
	return named
}

type listBulkInput struct {
	Working bool `query:"working" doc:"Only those that are worked off"`
}

type jobsOut struct {
	Jobs []jobOut `json:"jobs"`
}

func (s *Server) listBulk(ctx context.Context, in *listBulkInput) (*body[jobsOut], error) {
	list, err := s.config.Bulk.Store.Jobs(ctx, identityOf(ctx).Workspace, in.Working, pageUsual)
	if err != nil {
		return nil, err
	}
	out := jobsOut{Jobs: make([]jobOut, 0, len(list))}
	for _, j := range list {
		out.Jobs = append(out.Jobs, showJob(j, nil))
	}
	return reply(out), nil
}

func (s *Server) readBulk(ctx context.Context, in *ByID) (*body[jobOut], error) {
	j, results, err := s.config.Bulk.Job(ctx, identityOf(ctx).Workspace, in.ID, pageMax)
	if err != nil {
		return nil, err
	}
	return reply(showJob(j, results)), nil
}

func (s *Server) stopBulk(ctx context.Context, in *ByID) (*struct{}, error) {
	return nil, s.config.Bulk.Stop(ctx, identityOf(ctx).Workspace, in.ID)
}
