package server

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"

	"signalbox/engine/compile"
	"signalbox/engine/graph"
	"signalbox/engine/kind"
	"signalbox/engine/picture"
	"signalbox/engine/runtime/brief"
	"signalbox/engine/share"
	"signalbox/web/view"
)

// sharedRowsMax is how many events the page lists without scripts.
const sharedRowsMax = 200

// shareProps is what the guests' island starts with. It holds the public view
// and nothing else.
type shareProps struct {
	Target share.Target    `json:"target"`
	Token  string          `json:"token"`
	Graph  json.RawMessage `json:"graph"`
	Edges  []string        `json:"edges"`
	Kinds  []kind.Spec     `json:"kinds"` // the ones of the drawing
	Run    *sharedRunOut   `json:"run,omitempty"`
}

// sharedRunOut is what a guest may know of a run.
type sharedRunOut struct {
	ID        string     `json:"id"`
	Status    string     `json:"status"`
	Version   int        `json:"version"`
	CreatedAt time.Time  `json:"created_at"`
	EndedAt   *time.Time `json:"ended_at,omitempty"`
}

// pageShare shows a guest what a link opens.
func (s *Server) pageShare(w http.ResponseWriter, r *http.Request) {
	token := chi.URLParam(r, "token")
	o, err := s.config.Shares.Open(r.Context(), token)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	p := s.page(r, "", "")
	p.Title, p.User = o.Graph.Name, nil
	page, err := s.sharePage(r.Context(), p, o, token)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	if r.Method == http.MethodGet {
		if err := s.config.Shares.CountView(r.Context(), o.ID); err != nil {
			s.config.Log.WarnContext(r.Context(), "a view of a link was not counted", "err", err)
		}
	}
	s.show(w, r, view.ShareView(p, page))
}

func (s *Server) sharePage(ctx context.Context, p view.Page, o share.Opened, token string) (view.SharePage, error) {
	encoded, err := o.Graph.Encode()
	if err != nil {
		return view.SharePage{}, fmt.Errorf("encode the public view of link %s: %w", o.ID, err)
	}
	props := shareProps{Target: o.Target, Token: token, Graph: encoded, Edges: compile.EdgeIDs(o.Graph), Kinds: s.kindsOf(p, o.Graph)}
	page := view.SharePage{
		Title: o.Graph.Name, About: o.Graph.Description, Steps: len(o.Graph.Nodes),
		Address: s.origin + "/s/" + token,
	}
	options := picture.Options{}
	if o.Target == share.TargetRun {
		run, err := s.config.History.Run(ctx, o.Workspace, o.TargetID)
		if err != nil {
			return view.SharePage{}, err
		}
		events, err := s.readTrace(ctx, o.Workspace, run.ID)
		if err != nil {
			return view.SharePage{}, err
		}
		options.Nodes, options.Edges = picture.Trace(o.Graph, run.Status, events)
		options.Foot = feet(p, o.Graph, events)
		options.Words = func(state picture.State) string { return p.T("pages.state." + string(state)) }
		props.Run = &sharedRunOut{ID: run.ID.String(), Status: run.Status, Version: run.VersionNumber, CreatedAt: run.CreatedAt, EndedAt: whenSet(run.EndedAt)}
		page.Run, page.Events = sharedRun(run, events), sharedEvents(o.Graph, s.findKind(p.Lang), run, events)
	}
	page.Picture, page.Island = s.drawing(p, o.Graph, options), props
	return page, nil
}

// kindsOf lists the kinds that a drawing uses.
func (s *Server) kindsOf(p view.Page, g graph.Graph) []kind.Spec {
	used := map[string]bool{}
	for _, n := range g.Nodes {
		used[n.Kind] = true
	}
	out := []kind.Spec{}
	for _, spec := range s.kindsIn(p.Lang) {
		if used[spec.Name] {
			out = append(out, spec)
		}
	}
	return out
}

func sharedRun(run Run, events []brief.Brief) *view.SharedRun {
	out := &view.SharedRun{Status: run.Status, Started: run.CreatedAt}
	if !run.EndedAt.IsZero() {
		out.Lasted = run.EndedAt.Sub(run.CreatedAt)
	}
	if n := len(events); n > 0 {
		// The class only: a message may quote data.
		if last := share.PublicBrief(events[n-1]); last.Error != nil {
			out.Error = last.Error.Class
		}
	}
	return out
}

func sharedEvents(g graph.Graph, find func(string) (kind.Spec, bool), run Run, events []brief.Brief) []view.SharedEvent {
	titles := make(map[string]string, len(g.Nodes))
	for _, n := range g.Nodes {
		titles[n.Key] = titleOf(g, n, find)
	}
	out := make([]view.SharedEvent, 0, min(len(events), sharedRowsMax))
	for _, e := range events[:min(len(events), sharedRowsMax)] {
		public := share.PublicBrief(e)
		row := view.SharedEvent{
			Seq: public.Seq, Step: titles[picture.NodeOf(public)], Type: public.Type, Tone: toneOf(public), Note: noteOf(public),
			After: time.Duration((public.At-brief.Millis(run.CreatedAt))*1000) * time.Microsecond,
		}
		out = append(out, row)
	}
	return out
}

// titleOf is how a drawing calls a node.
func titleOf(g graph.Graph, n graph.Node, find func(string) (kind.Spec, bool)) string {
	if title := g.Layout.Nodes[n.ID].Title; title != "" {
		return title
	}
	if spec, ok := find(n.Kind); ok {
		return spec.Title
	}
	return n.Key
}

func toneOf(e brief.Brief) string {
	switch e.Type {
	case "RunStarted":
		return "run"
	case "TaskScheduled", "RunCanceled":
		return "skip"
	case "WaitStarted":
		return "wait"
	case "TaskFailed", "NodeFailed", "RunFailed":
		return "fail"
	default:
		return "ok"
	}
}

func noteOf(e brief.Brief) string {
	switch {
	case e.Error != nil:
		return e.Error.Class
	case e.Queue != "":
		return e.Queue
	case e.Port != "" && e.Port != "success":
		return e.Port
	case len(e.Ports) == 1 && e.Ports[0] != "success":
		return e.Ports[0]
	default:
		return ""
	}
}

// feet are the lines under the cards: how long the last attempt took, or what
// sort of error a node failed with.
func feet(p view.Page, g graph.Graph, events []brief.Brief) map[string]string {
	ids := make(map[string]string, len(g.Nodes))
	for _, n := range g.Nodes {
		ids[n.Key] = n.ID
	}
	out := map[string]string{}
	for _, e := range events {
		id := ids[e.Node]
		switch {
		case id == "":
		case e.Type == "TaskCompleted" && e.Began > 0:
			out[id] = p.Took(time.Duration((e.At-e.Began)*1000) * time.Microsecond)
		case e.Type == "NodeFailed" && e.Error != nil:
			out[id] = e.Error.Class
		}
	}
	return out
}
