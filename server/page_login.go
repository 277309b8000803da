package server

import "net/http"

// pageLogin shows the page.
func (s *Server) pageLogin(w http.ResponseWriter, r *http.Request) {
	writePage(w, "Login")
}
