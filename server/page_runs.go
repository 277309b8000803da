package server

import (
	"net/http"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"signalbox/engine/account"
	"signalbox/engine/draft"
	"signalbox/engine/history"
	"signalbox/web/view"
)

// runsMax is how many runs a page of the list has.
const runsMax = 50

// pageRuns lists the runs of all workflows.
func (s *Server) pageRuns(w http.ResponseWriter, r *http.Request) {
	s.showRuns(w, r, s.page(r, "pages.runs.title", "runs"), nil)
}

// pageWorkflowRuns lists the runs of one workflow.
func (s *Server) pageWorkflowRuns(w http.ResponseWriter, r *http.Request) {
	wf, ok := s.workflowOfPage(w, r)
	if !ok {
		return
	}
	p := s.page(r, "pages.runs.title", "workflows")
	p.Title = wf.Name + " · " + p.Title
	s.showRuns(w, r, p, &wf)
}

// workflowOfPage reads the workflow of the address; it has answered when it
// returns false.
func (s *Server) workflowOfPage(w http.ResponseWriter, r *http.Request) (draft.Workflow, bool) {
	id, ok := s.idOfPage(w, r)
	if !ok {
		return draft.Workflow{}, false
	}
	wf, err := s.config.Drafts.Workflow(r.Context(), s.current(r).Workspace, id)
	if err != nil {
		s.fail(w, r, err)
		return draft.Workflow{}, false
	}
	return wf, true
}

func (s *Server) idOfPage(w http.ResponseWriter, r *http.Request) (uuid.UUID, bool) {
	id, err := uuid.Parse(chi.URLParam(r, "id"))
	if err != nil {
		s.notFound(w, r)
		return uuid.Nil, false
	}
	return id, true
}

func (s *Server) showRuns(w http.ResponseWriter, r *http.Request, p view.Page, wf *draft.Workflow) {
	filters, err := s.config.Filters.Filters(r.Context(), s.current(r).Workspace, s.current(r).User)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	if wf == nil && r.URL.RawQuery == "" {
		for _, f := range filters {
			if f.Default { // the address tells what is shown
				http.Redirect(w, r, "/runs?"+f.Query, http.StatusSeeOther)
				return
			}
		}
	}
	query := chosen(r, runFilters()...)
	workflow := uuid.Nil
	if wf != nil {
		workflow = wf.ID
	}
	workspace := s.current(r).Workspace
	q, err := s.runQuery(r.Context(), workspace, workflow, query)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	q.Limit = runsMax + 1 // one more than the page shows tells whether there is a next one
	list, err := s.config.History.Runs(r.Context(), workspace, q)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	who := s.current(r)
	data := view.Runs{Query: query, Narrowed: len(query) > 0, MayAct: who.Role.AtLeast(account.Operator), MayKeep: who.Role.AtLeast(account.Editor), Filters: shownFilters(filters, workflow, who)}
	if data.Letters, err = s.config.Letters.Count(r.Context(), workspace, workflow); err != nil {
		s.fail(w, r, err)
		return
	}
	if data.Stuck, err = s.config.History.StuckCount(r.Context(), workspace, workflow); err != nil {
		s.fail(w, r, err)
		return
	}
	if wf != nil {
		data.Workflow = &view.Named{ID: wf.ID.String(), Name: wf.Name}
	}
	if len(list) > runsMax {
		list = list[:runsMax]
		data.Next = list[runsMax-1].ID.String()
	}
	for _, run := range list {
		data.Rows = append(data.Rows, runRow(run))
	}
	s.show(w, r, view.RunsPage(p, data))
}

// shownFilters are the filters for this list, as chips.
func shownFilters(list []history.Filter, workflow uuid.UUID, who account.Identity) []view.RunFilter {
	var out []view.RunFilter
	for _, f := range list {
		if f.Workflow == uuid.Nil || f.Workflow == workflow {
			out = append(out, view.RunFilter{
				ID: f.ID.String(), Name: f.Name, Query: f.Query, Shared: f.Shared, Default: f.Default, OfAll: f.Workflow == uuid.Nil,
				MayDelete: f.User == who.User || f.Shared && who.Role.AtLeast(account.Admin),
			})
		}
	}
	return out
}

func runRow(run Run) view.Run {
	row := view.Run{
		ID: run.ID.String(), Workflow: view.Named{ID: run.Workflow.String(), Name: run.WorkflowName}, Version: run.VersionNumber,
		Status: run.Status, Labels: run.Labels, Test: run.Test, Source: run.Source, Started: run.CreatedAt,
	}
	if !run.EndedAt.IsZero() {
		row.Over, row.Lasted = true, run.Lasted()
	}
	if run.Status == "failed" {
		row.Why = run.Error
	}
	if run.Stuck != nil {
		row.Stuck = &view.Stuck{Reason: run.Stuck.Reason, Node: run.Stuck.Node, Since: run.Stuck.Since, Usual: run.Stuck.Usual}
	}
	return row
}
