package server

import (
	"net/http"

	"signalbox/web/view"
)

// pageError shows an error to a person.
func (s *Server) pageError(w http.ResponseWriter, r *http.Request, a *answer) {
	p := s.page(r, "", "")
	p.Title = p.T("pages.error." + view.FaultName(a.Status))
	s.render(w, r, a.Status, view.ErrorPage(p, view.Fault{Status: a.Status, Detail: s.pages.words.Say(p.Lang, a.Detail), Request: a.Instance}))
}
