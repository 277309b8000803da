package server

import "net/http"

// pageSettings shows the page.
func (s *Server) pageSettings(w http.ResponseWriter, r *http.Request) {
	writePage(w, "Settings")
}
