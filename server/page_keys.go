package server

import "net/http"

// pageKeys shows the page.
func (s *Server) pageKeys(w http.ResponseWriter, r *http.Request) {
	writePage(w, "Keys")
}
