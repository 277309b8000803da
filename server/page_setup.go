package server

import "net/http"

// pageSetup shows the page.
func (s *Server) pageSetup(w http.ResponseWriter, r *http.Request) {
	writePage(w, "Setup")
}
