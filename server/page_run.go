package server

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"signalbox/engine/compile"
	"signalbox/engine/graph"
	"signalbox/engine/picture"
	"signalbox/engine/runtime/brief"
	"signalbox/web/view"
)

// pictureEventsMax is how many events the server folds into a picture; the
// island reads all of them.
const pictureEventsMax = 20_000

// runProps is what the run view's island starts with.
type runProps struct {
	Run    runOut     `json:"run"`
	Edges  []string   `json:"edges"`
	User   *view.User `json:"user"`
	Origin string     `json:"origin"`
}

// pageRun shows one run.
func (s *Server) pageRun(w http.ResponseWriter, r *http.Request) {
	id, ok := s.idOfPage(w, r)
	if !ok {
		return
	}
	ctx, workspace := r.Context(), s.current(r).Workspace
	run, err := s.config.History.Run(ctx, workspace, id)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	v, err := s.config.Drafts.Version(ctx, workspace, run.Version)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	g, err := graph.Decode(v.Graph)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	p := s.page(r, "", "runs")
	p.Title = run.WorkflowName
	props := runProps{Run: showRun(run), Edges: compile.EdgeIDs(g), User: p.User, Origin: s.origin}
	s.show(w, r, view.RunPage(p, view.Island{Props: props, Name: run.WorkflowName, Picture: s.drawing(p, g, picture.Options{})}))
}

// readTrace reads a run's events, from the first on.
func (s *Server) readTrace(ctx context.Context, workspace string, run uuid.UUID) ([]brief.Brief, error) {
	var events []brief.Brief
	for len(events) < pictureEventsMax {
		list, err := s.config.Events.Briefs(ctx, workspace, run, lastSeq(events, 0), eventsMax)
		if err != nil {
			return nil, err
		}
		events = append(events, list...)
		if len(list) < eventsMax {
			break
		}
	}
	return events, nil
}
