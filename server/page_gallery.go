package server

import "net/http"

// pageGallery shows the page.
func (s *Server) pageGallery(w http.ResponseWriter, r *http.Request) {
	writePage(w, "Gallery")
}
