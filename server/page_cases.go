package server

import (
	"net/http"

	"signalbox/engine/account"
	"signalbox/web/view"
)

// pageCases lists the cases of a workflow; its script rehearses the draft.
func (s *Server) pageCases(w http.ResponseWriter, r *http.Request) {
	wf, ok := s.workflowOfPage(w, r)
	if !ok {
		return
	}
	who := s.current(r)
	list, guarded, err := s.config.Cases.List(r.Context(), who.Workspace, wf.ID)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	p := s.page(r, "cases.title", "workflows")
	p.Title = wf.Name + " · " + p.Title
	data := view.Cases{
		Workflow: view.Named{ID: wf.ID.String(), Name: wf.Name}, Guarded: guarded,
		MayEdit: who.Role.AtLeast(account.Editor), MayGuard: who.Role.AtLeast(account.Admin),
	}
	for _, c := range list {
		data.Rows = append(data.Rows, view.Case{
			ID: c.ID.String(), Run: c.Run.String(), Name: c.Name, Version: c.Number, Status: c.Status, By: c.By, At: c.CreatedAt,
			Why: c.Accepted.Reason, WhyBy: c.Accepted.By,
		})
	}
	s.show(w, r, view.CasesPage(p, data))
}
