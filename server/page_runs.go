package server

import "net/http"

// pageRuns shows the page.
func (s *Server) pageRuns(w http.ResponseWriter, r *http.Request) {
	writePage(w, "Runs")
}

// pageWorkflowRuns shows the runs of one workflow.
func (s *Server) pageWorkflowRuns(w http.ResponseWriter, r *http.Request) {
	writePage(w, "Runs")
}
