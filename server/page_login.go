package server

import (
	"net/http"

	"signalbox/web/view"
)

// pageLogin shows the login form; who is logged in goes home.
func (s *Server) pageLogin(w http.ResponseWriter, r *http.Request) {
	next := localPath(r.URL.Query().Get("next"))
	if s.current(r).Known() {
		http.Redirect(w, r, next, http.StatusSeeOther)
		return
	}
	p := s.page(r, "pages.login.button", "")
	s.show(w, r, view.LoginPage(p, view.Login{Next: next, Why: r.URL.Query().Get("error")}))
}
