package server

import (
	"net/http"

	"signalbox/engine/gallery"
	"signalbox/engine/graph"
	"signalbox/engine/picture"
	"signalbox/web/view"
)

// editorProps is what the editor's island starts with.
type editorProps struct {
	Workflow workflowOut `json:"workflow"`
	User     *view.User  `json:"user"`
	Version  string      `json:"version,omitempty"` // id of the version to look at instead of the draft
	Origin   string      `json:"origin"`            // scheme and host of this server, for addresses to copy
}

// pageEditor shows the canvas of a workflow. The island reads the draft over
// the API; the page itself carries the drawing for browsers without scripts.
func (s *Server) pageEditor(w http.ResponseWriter, r *http.Request) {
	id, ok := s.idOfPage(w, r)
	if !ok {
		return
	}
	d, err := s.config.Drafts.Open(r.Context(), s.current(r).Workspace, id)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	p := s.page(r, "", "workflows")
	p.Title = d.Workflow.Name
	props := editorProps{Workflow: showWorkflow(d.Workflow), User: p.User, Version: r.URL.Query().Get("version"), Origin: s.origin}
	island := view.Island{Props: props, Name: d.Workflow.Name, Picture: s.drawing(p, d.Graph, picture.Options{}), Tour: s.needsTour(r, d.Graph)}
	s.show(w, r, view.EditorPage(p, island))
}

// needsTour reports whether somebody new opens the flagship. ?tour=1 shows it
// again.
func (s *Server) needsTour(r *http.Request, g graph.Graph) bool {
	if r.URL.Query().Get("tour") == "1" {
		return true
	}
	own := map[string]bool{}
	for _, n := range g.Nodes {
		own[n.ID] = true
	}
	t, ok := s.config.Gallery.Find(gallery.Flagship)
	for _, n := range t.Graph.Nodes {
		ok = ok && own[n.ID]
	}
	if !ok {
		return false
	}
	chosen, err := s.config.Accounts.Preferences(r.Context(), s.current(r))
	return err == nil && !chosen.TourDone
}
