package server

import (
	"net/http"

	"signalbox/web/view"
)

// pageKeys lists the keys.
func (s *Server) pageKeys(w http.ResponseWriter, r *http.Request) {
	s.show(w, r, view.KeysPage(s.page(r, "shell.keys", "")))
}
