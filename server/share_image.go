package server

import (
	"context"
	"net/http"

	"signalbox/engine/graph"
	"signalbox/engine/picture"
	"signalbox/engine/poster"
	"signalbox/engine/problem"
	"signalbox/engine/share"
)

// plainDrawing is a drawing for package poster, which brings icons and colors.
func (s *Server) plainDrawing(lang string, g graph.Graph, o picture.Options) string {
	o.Title = s.pages.words.T(lang, "pages.gallery.picture", "name", g.Name, "n", len(g.Nodes))
	o.Find, o.Icon = s.findKind(lang), poster.IconAt
	o.Count = func(n int) string { return s.pages.words.T(lang, "kernel.frame.count", "n", n) }
	return picture.SVG(g, o)
}

// pictured is what the pictures of a link show.
type pictured struct {
	options picture.Options
	status  string // of the run, or of the last one; empty: none
}

// picture finds the states that a link's pictures show.
func (s *Server) picture(ctx context.Context, o share.Opened) (pictured, error) {
	if o.Target != share.TargetRun {
		return pictured{}, nil
	}
	seen, err := s.seeRun(ctx, o)
	if err != nil {
		return pictured{}, err
	}
	p := pictured{status: seen.run.Status}
	p.options.Nodes, p.options.Edges = picture.Trace(o.View, seen.run.Status, seen.events)
	return p, nil
}

// setImage says what a picture is, and that pages of other sites may show it:
// nothing in it depends on who looks.
func setImage(w http.ResponseWriter, media, cache string) {
	h := w.Header()
	h.Set("Content-Type", media)
	h.Set("Cache-Control", cache)
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox; frame-ancestors 'none'")
}

// How long others may keep a picture: a revoked link must not live on in
// caches, so the caches have to ask.
const askAgain = "no-cache, max-age=0"

// sharedSVG draws what the link shows, as a file.
func (s *Server) sharedSVG(w http.ResponseWriter, r *http.Request) {
	o, ok := s.openShare(w, r)
	if !ok {
		return
	}
	p, err := s.picture(r.Context(), o)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	theme := poster.Light()
	if r.URL.Query().Get("theme") == "dark" {
		theme = poster.Dark()
	}
	svg, err := s.pages.painter.SVG(s.plainDrawing(languageIn(r.Context()), o.View, p.options), theme)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	setImage(w, "image/svg+xml", askAgain)
	_, _ = w.Write([]byte(svg)) // an error means that the caller has gone
}

// sharedPNG is the preview that other sites show.
func (s *Server) sharedPNG(w http.ResponseWriter, r *http.Request) {
	o, ok := s.openShare(w, r)
	if !ok {
		return
	}
	p, err := s.picture(r.Context(), o)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	lang := languageIn(r.Context())
	small := p.options
	small.Mini = true
	card := poster.Card{
		Title: o.View.Name, About: o.View.Description,
		Drawing: s.plainDrawing(lang, o.View, p.options), Mini: s.plainDrawing(lang, o.View, small),
		Facts: []string{s.pages.words.T(lang, "pages.share.about", "n", len(o.View.Nodes))},
	}
	if p.status != "" {
		card.Status, card.State = s.pages.words.T(lang, "status."+p.status), toneOfRun(p.status)
	}
	png, err := s.pages.painter.PNG(card)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	setImage(w, "image/png", askAgain)
	_, _ = w.Write(png) // an error means that the caller has gone
}

// sharedBadge tells how the run ended, or the last run of the workflow.
func (s *Server) sharedBadge(w http.ResponseWriter, r *http.Request) {
	o, ok := s.openShare(w, r)
	if !ok {
		return
	}
	status, err := s.lastStatus(r.Context(), o)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	lang, word := languageIn(r.Context()), "pages.share.badge.none"
	if status != "" {
		word = "status." + status
	}
	setImage(w, "image/svg+xml", askAgain)
	_, _ = w.Write([]byte(s.pages.painter.Badge(o.Title, s.pages.words.T(lang, word), toneOfRun(status)))) // an error means that the caller has gone
}

// lastStatus is that of the run, or of the newest run of the workflow that is
// no test of a draft.
func (s *Server) lastStatus(ctx context.Context, o share.Opened) (string, error) {
	if o.Target == share.TargetRun {
		run, err := s.config.History.Run(ctx, o.Workspace, o.TargetID)
		return run.Status, err
	}
	q := RunQuery{Workflow: o.TargetID, Limit: 10}
	if o.Target == share.TargetVersion {
		v, err := s.config.Drafts.Version(ctx, o.Workspace, o.TargetID)
		if err != nil {
			return "", goneIsNone(err)
		}
		q.Workflow, q.Version = v.Workflow, v.ID
	}
	list, err := s.config.History.Runs(ctx, o.Workspace, q)
	if err != nil {
		return "", err
	}
	for _, run := range list {
		if !run.Test {
			return run.Status, nil
		}
	}
	return "", nil
}

func goneIsNone(err error) error {
	if p := problem.Of(err); p != nil && p.Code == problem.NotFound {
		return nil
	}
	return err
}

// toneOfRun is how the pictures color a run's status.
func toneOfRun(status string) string {
	switch status {
	case "succeeded":
		return "ok"
	case "failed", "needs_attention":
		return "fail"
	case "waiting", "paused":
		return "wait"
	case "running", "compensating":
		return "run"
	default:
		return "skip"
	}
}
