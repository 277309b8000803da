package server

import (
	"fmt"
	"io"
	"net/http"
	"strings"

	"signalbox/engine/account"
	"signalbox/engine/exchange"
	"signalbox/engine/graph"
	"signalbox/engine/picture"
	"signalbox/engine/problem"
	"signalbox/web/view"
)

// importAccess is the part for files of other tools. Reading one saves nothing;
// making a workflow of it is a route of workflows.
func importAccess() map[string]access {
	editor := access{role: account.Editor}
	return map[string]access{
		"POST /import":     editor,
		"POST /api/import": editor,
	}
}

// pageImport answers with the report on a file: what would come of it. Nothing
// is saved; what the person then makes of it goes through the API.
func (s *Server) pageImport(w http.ResponseWriter, r *http.Request) {
	var asked struct {
		importAsked

		Insert bool   `json:"insert,omitempty"` // it is read for a drawing that is open
		Name   string `json:"name,omitempty"`   // of the file
	}
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, graphMax))
	if err != nil {
		s.importFault(w, r, problem.New(problem.TooLarge, "A file may have %d bytes to be read.", exchange.ImportMax))
		return
	}
	if err := strictJSON(raw, &asked); err != nil {
		s.importFault(w, r, problem.New(problem.Invalid, "The file did not come as it was sent.").At("", "not readable", "JSON with the file as text"))
		return
	}
	im, issues, err := readImport(asked.importAsked)
	if err != nil {
		s.importFault(w, r, err)
		return
	}
	p := s.page(r, "", "workflows")
	if im.Graph.Name == "" {
		im.Graph.Name = asked.Name
	}
	if im.Graph.Name == "" {
		im.Graph.Name = p.T("import.untitled")
	}
	data := s.importReport(p, im, issues)
	data.Insert = asked.Insert
	graphText, err := im.Graph.Encode()
	if err != nil {
		s.fail(w, r, fmt.Errorf("encode what was imported: %w", err))
		return
	}
	data.Graph = string(graphText)
	lacking, err := s.lacking(r.Context(), s.current(r), im.Credentials)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	for _, name := range im.Credentials {
		data.Credentials = append(data.Credentials, view.ImportCredential{Name: name, Lacking: lacking[name]})
	}
	s.show(w, r, view.ImportReport(p, data))
}

// importFault says why a file cannot be read, in a part of a page as well.
func (s *Server) importFault(w http.ResponseWriter, r *http.Request, err error) {
	found := problem.Of(err)
	if found == nil {
		s.fail(w, r, err)
		return
	}
	p := s.page(r, "", "workflows")
	text := found.Detail
	if len(found.Fields) > 0 && found.Fields[0].Expected != "" {
		text += " Expected: " + found.Fields[0].Expected
	}
	s.render(w, r, statusOf(found.Code), view.ImportFault(s.pages.words.Say(p.Lang, text)))
}

// importReport puts a report into the language of the page.
func (s *Server) importReport(p view.Page, im exchange.Imported, issues []graph.Issue) view.Import {
	say := func(text string) string { return s.pages.words.Say(p.Lang, text) }
	data := view.Import{
		Form: im.Form, Name: im.Graph.Name, Nodes: len(im.Graph.Nodes), Edges: len(im.Graph.Edges),
		Picture: s.drawing(p, im.Graph, picture.Options{}),
		Exact:   im.Count(exchange.Exact), Approximated: im.Count(exchange.Approximated), Unsupported: im.Count(exchange.Unsupported),
	}
	for _, part := range im.Parts {
		shown := view.ImportPart{Name: part.Name, What: part.What[strings.LastIndexByte(part.What, '.')+1:]}
		for _, reason := range part.Reasons {
			shown.Reasons = append(shown.Reasons, say(reason))
		}
		switch part.How {
		case exchange.Unsupported:
			data.Lost = append(data.Lost, shown)
		case exchange.Approximated:
			data.Near = append(data.Near, shown)
		default:
			data.Same = append(data.Same, shown)
		}
	}
	for _, d := range im.Dangling {
		data.Dangling = append(data.Dangling, say(d))
	}
	for _, q := range im.Questions {
		data.Questions = append(data.Questions, view.ImportQuestion{Name: q.Name, Options: q.Options, Branches: q.Branch, Answer: q.Answer})
	}
	for _, i := range issues {
		data.Issues = append(data.Issues, view.ImportIssue{Error: i.Severity == graph.SeverityError, Text: say(i.Message)})
		if i.Severity == graph.SeverityError {
			data.Errors++
		}
	}
	return data
}
