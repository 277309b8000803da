package server

import "net/http"

// pageVersions shows the page.
func (s *Server) pageVersions(w http.ResponseWriter, r *http.Request) {
	writePage(w, "Versions")
}
