package server

import "net/http"

// pageEditor shows the page.
func (s *Server) pageEditor(w http.ResponseWriter, r *http.Request) {
	writePage(w, "Editor")
}
