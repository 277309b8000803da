package server

import "net/http"

// pageRun shows the page.
func (s *Server) pageRun(w http.ResponseWriter, r *http.Request) {
	writePage(w, "Run")
}
