package server

import (
	"context"
	"net/http"
	"slices"

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

// trace is what a page without scripts shows of a run.
type trace struct {
	nodes  map[string]picture.State // by node id
	edges  map[string]picture.State // by edge id
	events []brief.Brief
}

// readTrace reads a run's events and folds them into a picture.
func (s *Server) readTrace(ctx context.Context, run Run, workspace string, g graph.Graph) (trace, error) {
	var events []brief.Brief
	for len(events) < pictureEventsMax {
		list, err := s.config.Events.Briefs(ctx, workspace, run.ID, lastSeq(events, 0), eventsMax)
		if err != nil {
			return trace{}, err //nolint:wrapcheck // the service has named it
		}
		events = append(events, list...)
		if len(list) < eventsMax {
			break
		}
	}
	return fold(g, run.Status, events), nil
}

// fold is the picture after some events of a run.
func fold(g graph.Graph, status string, events []brief.Brief) trace {
	t := trace{nodes: map[string]picture.State{}, edges: map[string]picture.State{}, events: events}
	ids := make(map[string]string, len(g.Nodes))
	for _, n := range g.Nodes {
		ids[n.Key] = n.ID
	}
	for _, e := range events {
		id, node := ids[nodeOf(e)]
		if !node {
			continue
		}
		if state := stateAfter(e); state != picture.None {
			t.nodes[id] = state
		}
		for _, edge := range g.Edges {
			if edge.From == id && (edge.Port == e.Port || slices.Contains(e.Ports, edge.Port)) {
				t.edges[edge.ID] = picture.Done
			}
		}
	}
	if over(status) {
		t.settle(g)
	}
	return t
}

// settle shows what an ended run left: what was at work was canceled, what no
// token reached was skipped.
func (t *trace) settle(g graph.Graph) {
	for _, n := range g.Nodes {
		switch t.nodes[n.ID] {
		case picture.None:
			t.nodes[n.ID] = picture.Skipped
		case picture.Running, picture.Waiting:
			t.nodes[n.ID] = picture.Canceled
		case picture.Done, picture.Failed, picture.Skipped, picture.Canceled:
		}
	}
	for _, e := range g.Edges {
		if t.edges[e.ID] == picture.None {
			t.edges[e.ID] = picture.Skipped
		}
	}
}

func over(status string) bool {
	return status == "succeeded" || status == "failed" || status == "canceled"
}

func nodeOf(e brief.Brief) string {
	if e.Type == "RunStarted" {
		return e.Trigger
	}
	return e.Node
}

// stateAfter is what a node shows after an event; None: no change.
func stateAfter(e brief.Brief) picture.State {
	switch e.Type {
	case "RunStarted", "NodeCompleted", "TaskCompleted", "Responded", "WaitCompleted":
		return picture.Done
	case "NodeFailed":
		return picture.Failed
	case "TaskScheduled":
		return picture.Running
	case "TaskFailed", "WaitStarted":
		return picture.Waiting
	default:
		return picture.None
	}
}
