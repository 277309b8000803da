package server

import (
	"net/http"
	"strings"

	"github.com/go-chi/chi/v5"

	"signalbox/web/view"
)

// pageSetup shows the form that makes the first account.
func (s *Server) pageSetup(w http.ResponseWriter, r *http.Request) {
	token := chi.URLParam(r, "token")
	open, err := s.config.Accounts.SetupOpen(r.Context(), token)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	status := http.StatusOK
	if !open {
		status = http.StatusNotFound
	}
	wrong := strings.TrimPrefix(r.URL.Query().Get("error"), "/")
	s.render(w, r, status, view.SetupPage(s.page(r, "pages.setup.title", ""), view.Setup{Token: token, Wrong: wrong, Dead: !open}))
}
