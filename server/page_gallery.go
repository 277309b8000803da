package server

import (
	"cmp"
	"context"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/google/uuid"

	"signalbox/engine/account"
	"signalbox/engine/draft"
	"signalbox/engine/graph"
	"signalbox/web/view"
)

// galleryMax is how many workflows the gallery shows; search finds the others.
const (
	galleryMax = 60
	searchMax  = 1_000 // workflows that one search looks at
	tagsShown  = 12    // above the cards
)

// pageGallery shows the workflows, and templates to start from.
func (s *Server) pageGallery(w http.ResponseWriter, r *http.Request) {
	who := s.current(r)
	p := s.page(r, "pages.gallery.title", "workflows")
	query := chosen(r, "q", "show", "tag", "folder")
	found, err := s.findWorkflows(r.Context(), who.Workspace, query)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	data := view.Gallery{Query: query, Tags: found.tags, Total: found.total, MayEdit: who.Role.AtLeast(account.Editor)}
	folders, err := s.config.Drafts.Folders(r.Context(), who.Workspace)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	names := map[uuid.UUID]string{}
	for _, f := range folders {
		names[f.ID] = f.Name
		data.Folders = append(data.Folders, view.Folder{ID: f.ID.String(), Name: f.Name, Count: f.Count})
	}
	for _, wf := range found.fits {
		card, err := s.workflowCard(r.Context(), p, wf)
		if err != nil {
			s.fail(w, r, err)
			return
		}
		card.Folder = names[wf.Folder]
		data.Workflows = append(data.Workflows, card)
	}
	if r.Header.Get(fragmentHeader) == "" {
		data.Templates = s.templates(p)
	}
	s.show(w, r, view.GalleryPage(p, data))
}

// found is what a search in the gallery gives.
type found struct {
	fits  []draft.Workflow
	tags  []view.Tag // of all workflows
	total int        // of all workflows
}

func (s *Server) findWorkflows(ctx context.Context, workspace string, query url.Values) (found, error) {
	var f found
	tags, after := map[string]int{}, draft.Cursor{}
	for f.total < searchMax {
		list, err := s.config.Drafts.List(ctx, workspace, after, pageMax)
		if err != nil {
			return f, err
		}
		f.total += len(list)
		for _, wf := range list {
			for _, tag := range wf.Tags {
				tags[tag]++
			}
			if len(f.fits) < galleryMax && fitsGallery(wf, query) {
				f.fits = append(f.fits, wf)
			}
		}
		if len(list) < pageMax {
			break
		}
		last := list[len(list)-1]
		after = draft.Cursor{At: last.UpdatedAt, ID: last.ID}
	}
	f.tags = byUse(tags)
	return f, nil
}

// byUse orders tags, the most used first.
func byUse(tags map[string]int) []view.Tag {
	var out []view.Tag
	for _, name := range slices.Sorted(maps.Keys(tags)) {
		out = append(out, view.Tag{Name: name, Count: tags[name]})
	}
	slices.SortStableFunc(out, func(a, b view.Tag) int { return cmp.Compare(b.Count, a.Count) })
	return out[:min(len(out), tagsShown)]
}

func fitsGallery(wf draft.Workflow, query url.Values) bool {
	if tag := query.Get("tag"); tag != "" && !slices.Contains(wf.Tags, tag) {
		return false
	}
	if folder := query.Get("folder"); folder != "" && wf.Folder.String() != folder {
		return false
	}
	if q := strings.ToLower(strings.TrimSpace(query.Get("q"))); q != "" && !strings.Contains(strings.ToLower(wf.Name+"\n"+wf.Description), q) {
		return false
	}
	switch query.Get("show") {
	case "published":
		return wf.ActiveVersion > 0
	case "draft":
		return wf.ActiveVersion == 0
	case "failing":
		return wf.Day.Failed > 0
	default:
		return true
	}
}

func (s *Server) workflowCard(ctx context.Context, p view.Page, wf draft.Workflow) (view.Workflow, error) {
	d, err := s.config.Drafts.Open(ctx, wf.Workspace, wf.ID)
	if err != nil {
		return view.Workflow{}, err
	}
	card := view.Workflow{
		ID: wf.ID.String(), Name: wf.Name, About: wf.Description, Version: wf.ActiveVersion, Edits: int(wf.DraftSeq - wf.ActiveSeq),
		UpdatedAt: wf.UpdatedAt, Owner: wf.CreatedBy.Name, OK: wf.Day.OK, Failed: wf.Day.Failed, Picture: s.thumbnail(p, d.Graph),
	}
	card.Tags = wf.Tags
	for _, h := range wf.Day.Hours {
		card.Hours[h.Ago] = view.Hour{OK: h.OK, Failed: h.Failed}
	}
	for _, i := range d.Issues {
		if i.Severity == graph.SeverityError {
			card.Errors++
		} else {
			card.Warnings++
		}
	}
	if wf.LastRun != nil {
		card.Last = &view.LastRun{ID: wf.LastRun.ID.String(), Status: wf.LastRun.Status, At: wf.LastRun.At}
	}
	return card, nil
}

func (s *Server) templates(p view.Page) []view.Template {
	all := s.templatesIn(p.Lang)
	out := make([]view.Template, 0, len(all))
	for _, t := range all {
		out = append(out, view.Template{Name: t.Name, Title: t.Title, About: t.Description, Picture: s.thumbnail(p, t.Graph)})
	}
	return out
}

// chosen keeps the parameters of an address that a page knows.
func chosen(r *http.Request, names ...string) url.Values {
	out := url.Values{}
	for _, name := range names {
		if v := r.URL.Query().Get(name); v != "" {
			out.Set(name, v)
		}
	}
	return out
}
