package server

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"signalbox/engine/account"
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
	Base   string          `json:"base"` // path of the link
	Graph  json.RawMessage `json:"graph"`
	Edges  []string        `json:"edges"`
	Kinds  []kind.Spec     `json:"kinds"` // the ones of the drawing
	Form   bool            `json:"form,omitempty"`
	Forks  bool            `json:"forks,omitempty"`
	Framed bool            `json:"framed,omitempty"` // in a page of another site: nothing here changes anything
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
	if r.URL.Query().Get("embed") == "1" {
		http.Redirect(w, r, framedAt+strings.TrimPrefix(strings.TrimPrefix(baseOf(r), sharedAt), listedAt), http.StatusSeeOther)
		return
	}
	o, ok := s.openShare(w, r)
	if !ok {
		return
	}
	p := s.page(r, "", "")
	who := s.current(r)
	p.Title, p.User = o.View.Name, nil
	page, props, err := s.sharePage(r.Context(), p, o, baseOf(r))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	page.Island, page.MayCopy = props, page.Copies && who.Known() && who.Role.AtLeast(account.Editor)
	s.countView(r, o)
	if chi.URLParam(r, "slug") != "" {
		w.Header().Del("X-Robots-Tag")
	}
	s.show(w, r, view.ShareView(p, page))
}

// pageEmbed shows the same in a page of another site: without cookies, and
// without anything that starts or changes something. Only the sites that the
// owner named may show it.
func (s *Server) pageEmbed(w http.ResponseWriter, r *http.Request) {
	o, ok := s.openShare(w, r)
	if !ok {
		return
	}
	p := s.page(r, "", "")
	p.Title = o.View.Name
	page, props, err := s.sharePage(r.Context(), p, o, baseOf(r))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	props.Form, props.Forks, props.Framed = false, false, true
	page.Island, page.Framed, page.Copies, page.Form = props, true, false, nil
	s.countView(r, o)
	if len(o.Origins) > 0 {
		w.Header().Set("Content-Security-Policy", strings.Replace(contentPolicy, "frame-ancestors 'none'", "frame-ancestors "+strings.Join(o.Origins, " "), 1))
		w.Header().Del("X-Frame-Options")
	}
	s.show(w, r, view.ShareView(p, page))
}

func (s *Server) countView(r *http.Request, o share.Opened) {
	if r.Method != http.MethodGet {
		return
	}
	if err := s.config.Shares.CountView(r.Context(), o.ID); err != nil {
		s.config.Log.WarnContext(r.Context(), "a view of a link was not counted", "err", err)
	}
}

func (s *Server) sharePage(ctx context.Context, p view.Page, o share.Opened, base string) (view.SharePage, shareProps, error) {
	encoded, err := o.View.Encode()
	if err != nil {
		return view.SharePage{}, shareProps{}, fmt.Errorf("encode the public view of link %s: %w", o.ID, err)
	}
	props := shareProps{
		Target: o.Target, Base: base, Graph: encoded, Edges: compile.EdgeIDs(o.View), Kinds: s.kindsOf(p, o.View),
		Form: o.Form != nil, Forks: o.Forks,
	}
	page := view.SharePage{
		Title: o.View.Name, About: o.View.Description, Steps: len(o.View.Nodes), Listed: o.Listed(), Guest: o.Parent != uuid.Nil,
		Base: base, Address: s.origin + base, Copies: o.File != nil, Form: shareForm(o.Form),
	}
	options := picture.Options{}
	if o.Target == share.TargetRun {
		seen, err := s.seeRun(ctx, o)
		if err != nil {
			return view.SharePage{}, shareProps{}, err
		}
		run, events := seen.run, seen.events
		options.Nodes, options.Edges = picture.Trace(o.View, run.Status, events)
		options.Foot = feet(p, o.View, events)
		options.Words = func(state picture.State) string { return p.T("pages.state." + string(state)) }
		props.Run = &sharedRunOut{ID: run.ID.String(), Status: run.Status, Version: run.VersionNumber, CreatedAt: run.CreatedAt, EndedAt: whenSet(run.EndedAt)}
		page.Run, page.Events = sharedRun(run, events), sharedEvents(o.View, s.findKind(p.Lang), run, events)
		if seen.data != nil {
			page.Run.Input, page.Run.Result = sharedText(seen.data.Input), sharedText(seen.data.Result)
		}
	}
	page.Picture = s.drawing(p, o.View, options)
	return page, props, nil
}

// sharedTextMax is how much of a value a page shows.
const sharedTextMax = 20_000

func sharedText(raw json.RawMessage) string {
	if len(raw) == 0 {
		return ""
	}
	text := strings.TrimSpace(string(indented(raw)))
	if r := []rune(text); len(r) > sharedTextMax {
		text = string(r[:sharedTextMax]) + "…"
	}
	return text
}

func shareForm(f *share.Form) *view.ShareForm {
	if f == nil {
		return nil
	}
	out := &view.ShareForm{About: f.About, Whole: f.Whole}
	for _, field := range f.Fields {
		out.Fields = append(out.Fields, view.ShareField{Name: field.Name, Type: string(field.Type)})
	}
	return out
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
		out.Lasted = run.Lasted()
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
