package server

import (
	"html"
	"io"
	"net/http"
)

// pageError shows an error to a person.
func (s *Server) pageError(w http.ResponseWriter, _ *http.Request, a *answer) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(a.Status)
	_, _ = io.WriteString(w, "<!doctype html><title>"+html.EscapeString(a.Title)+"</title><p>"+html.EscapeString(a.Detail))
}

// writePage answers with the smallest page.
func writePage(w http.ResponseWriter, title string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = io.WriteString(w, "<!doctype html><title>"+html.EscapeString(title)+"</title>")
}
