package server

import "net/http"

// pageShare shows the page.
func (s *Server) pageShare(w http.ResponseWriter, r *http.Request) {
	writePage(w, "Share")
}
