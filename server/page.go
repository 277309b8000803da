package server

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"

	"github.com/a-h/templ"

	"signalbox/engine/graph"
	"signalbox/engine/kind"
	"signalbox/engine/picture"
	"signalbox/engine/poster"
	words "signalbox/web/strings"
	"signalbox/web/view"
)

// fragmentHeader asks for one part of a page, by its name.
const fragmentHeader = "Sb-Fragment"

// pages is what all page handlers share.
type pages struct {
	words   *words.Catalogue
	painter *poster.Painter
}

func newPages() (pages, error) {
	catalogue, err := words.Load()
	if err != nil {
		return pages{}, fmt.Errorf("load the words of the pages: %w", err)
	}
	// A finding names a field by its English title.
	for _, lang := range catalogue.Languages() {
		for _, spec := range kind.All() {
			texts(&spec, func(key string, text *string) {
				if catalogue.Has(lang, key) && !strings.HasSuffix(key, ".help") && len(*text) > 0 {
					catalogue.Learn(lang, *text, catalogue.T(lang, key))
				}
			})
		}
	}
	painter, err := poster.New()
	if err != nil {
		return pages{}, fmt.Errorf("load the fonts of the pictures: %w", err)
	}
	return pages{words: catalogue, painter: painter}, nil
}

// page is what every page begins with; title is a key of the catalogue, or
// empty.
func (s *Server) page(r *http.Request, title, place string) view.Page {
	p := view.Page{
		Lang: s.languageOf(r), Languages: s.pages.words.Languages(), Here: r.URL.RequestURI(), Theme: themeOf(r), Place: place,
		Assets: s.config.Assets, Words: s.pages.words, Now: s.config.Now(), LessMotion: cookieIs(r, "motion", "less"),
	}
	if title != "" {
		p.Title = p.T(title)
	}
	if who := s.current(r); who.Known() {
		p.User = &view.User{ID: who.User.String(), Name: who.Name, Email: who.Email, Role: string(who.Role)}
		if list, err := s.config.Accounts.Workspaces(r.Context(), who); err == nil { // the page is of use without them
			p.User.Workspaces = showWorkspaces(list, who)
		}
		p.Inbox = s.bell(r, who)
	}
	return p
}

// themeOf reads the person's choice, so that the first byte has it and
// nothing flashes.
func themeOf(r *http.Request) string {
	for _, theme := range []string{view.ThemeLight, view.ThemeDark} {
		if cookieIs(r, "theme", theme) {
			return theme
		}
	}
	return view.ThemeSystem
}

func cookieIs(r *http.Request, name, value string) bool {
	c, err := r.Cookie(name)
	return err == nil && c.Value == value
}

// render answers with a page, or with the fragment of it that was asked for.
// It writes nothing before the whole page is there.
func (s *Server) render(w http.ResponseWriter, r *http.Request, status int, page templ.Component) {
	var buffer bytes.Buffer
	var err error
	if fragment := r.Header.Get(fragmentHeader); fragment != "" {
		err = templ.RenderFragments(r.Context(), &buffer, page, fragment)
	} else {
		err = page.Render(r.Context(), &buffer)
	}
	if err != nil {
		s.config.Log.ErrorContext(r.Context(), "a page can't be drawn", "request", requestIDOf(r.Context()), "err", err)
		http.Error(w, http.StatusText(http.StatusInternalServerError), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Add("Vary", "Cookie, Accept-Language, "+fragmentHeader)
	w.WriteHeader(status)
	// The status is sent: an error here means that the caller has gone.
	_, _ = w.Write(buffer.Bytes())
}

// show answers with a page.
func (s *Server) show(w http.ResponseWriter, r *http.Request, page templ.Component) {
	s.render(w, r, http.StatusOK, page)
}

// drawing draws a graph for a page; the options' own fields may be set.
func (s *Server) drawing(p view.Page, g graph.Graph, o picture.Options) string {
	o.Title = p.T("pages.gallery.picture", "name", g.Name, "n", len(g.Nodes))
	o.Find = s.findKind(p.Lang)
	o.Icon = p.Icon
	o.Count = func(n int) string { return p.T("kernel.frame.count", "n", n) }
	return picture.SVG(g, o)
}

// thumbnail is a small drawing for a card.
func (s *Server) thumbnail(p view.Page, g graph.Graph) string {
	return s.drawing(p, g, picture.Options{Mini: true})
}
