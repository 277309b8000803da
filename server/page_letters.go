package server

import (
	"net/http"

	"github.com/google/uuid"

	"signalbox/engine/account"
	"signalbox/engine/history"
	"signalbox/web/view"
)

// lettersRows is how many dead letters a page has.
const lettersRows = 50

// pageLetters shows the dead letters.
func (s *Server) pageLetters(w http.ResponseWriter, r *http.Request) {
	who := s.current(r)
	query := chosen(r, "workflow", "node", "class", "state", "after")
	q := history.LetterQuery{Node: query.Get("node"), Class: query.Get("class"), State: query.Get("state"), Limit: lettersRows + 1}
	switch q.State {
	case history.LetterOpen, history.LetterRetried, history.LetterDiscarded:
	case "":
		q.State = history.LetterOpen
	default:
		s.notFound(w, r)
		return
	}
	var err error
	if named := query.Get("workflow"); named != "" {
		if q.Workflow, err = uuid.Parse(named); err != nil {
			s.notFound(w, r)
			return
		}
	}
	if after := query.Get("after"); after != "" {
		if q.After, err = parseLetter(after); err != nil {
			s.fail(w, r, err)
			return
		}
	}
	list, err := s.config.Letters.List(r.Context(), who.Workspace, q)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	data := view.Letters{Query: query, MayAct: who.Role.AtLeast(account.Operator)}
	if len(list) > lettersRows {
		list = list[:lettersRows]
		data.Next = letterName(list[lettersRows-1].LetterID)
	}
	for _, d := range list {
		row := view.Letter{
			ID: letterName(d.LetterID), At: d.At, Run: d.Run.String(), Workflow: view.Named{ID: d.Workflow.String(), Name: d.WorkflowName},
			Node: d.Node, Class: d.Class, Message: d.Message, Attempts: d.Attempts, State: d.State,
		}
		if d.NewRun != uuid.Nil {
			row.NewRun = d.NewRun.String()
		}
		data.Rows = append(data.Rows, row)
	}
	s.show(w, r, view.LettersPage(s.page(r, "letters.title", "queues"), data))
}
