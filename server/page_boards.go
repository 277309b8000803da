package server

import (
	"net/http"

	"signalbox/engine/draft"
	"signalbox/engine/kind"
	"signalbox/web/view"
)

// boardWorkflowsMax is how many workflows a board can be narrowed to from its
// list; the address takes any.
const boardWorkflowsMax = 200

// boardProps is what the boards' island starts with.
type boardProps struct {
	Workflows []boardWorkflow   `json:"workflows"` // the latest changed first
	Kinds     map[string]string `json:"kinds"`     // titles of kinds of nodes, by name
}

type boardWorkflow struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// pageBoards shows the boards.
func (s *Server) pageBoards(w http.ResponseWriter, r *http.Request) {
	list, err := s.config.Drafts.List(r.Context(), s.current(r).Workspace, draft.Cursor{}, boardWorkflowsMax)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	p := s.page(r, "pages.boards.title", "boards")
	props := boardProps{Workflows: []boardWorkflow{}, Kinds: map[string]string{}}
	for _, one := range list {
		props.Workflows = append(props.Workflows, boardWorkflow{one.ID.String(), one.Name})
	}
	find := s.findKind(p.Lang)
	for _, k := range kind.All() {
		if spec, ok := find(k.Name); ok {
			props.Kinds[k.Name] = spec.Title
		}
	}
	s.show(w, r, view.BoardsPage(p, view.Island{Props: props, Name: p.T("pages.boards.title")}))
}
