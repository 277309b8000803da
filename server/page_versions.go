package server

import (
	"net/http"

	"signalbox/engine/account"
	"signalbox/web/view"
)

// pageVersions lists the published versions of a workflow.
func (s *Server) pageVersions(w http.ResponseWriter, r *http.Request) {
	wf, ok := s.workflowOfPage(w, r)
	if !ok {
		return
	}
	list, err := s.config.Drafts.Versions(r.Context(), wf.Workspace, wf.ID, pageMax)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	kept, err := s.config.Drafts.Checkpoints(r.Context(), wf.Workspace, wf.ID)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	p := s.page(r, "pages.versions.title", "workflows")
	p.Title = wf.Name + " · " + p.Title
	data := view.Versions{Workflow: view.Named{ID: wf.ID.String(), Name: wf.Name}, Live: wf.ActiveVersion, MayEdit: s.current(r).Role.AtLeast(account.Editor)}
	if wf.ActiveVersion > 0 {
		data.Edits = int(wf.DraftSeq - wf.ActiveSeq)
	}
	for _, v := range list {
		data.Rows = append(data.Rows, view.Version{ID: v.ID.String(), Number: v.Number, Hash: v.Hash, Note: v.Note, By: v.By.Name, Okay: v.ApprovedBy.Name, Over: v.Overridden, At: v.CreatedAt})
	}
	for _, c := range kept {
		data.Kept = append(data.Kept, view.Checkpoint{ID: c.ID.String(), Name: c.Name, By: c.By.Name, At: c.CreatedAt})
	}
	s.show(w, r, view.VersionsPage(p, data))
}
