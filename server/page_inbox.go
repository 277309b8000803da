package server

import (
	"net/http"

	"signalbox/engine/account"
	"signalbox/engine/inbox"
	"signalbox/web/view"
)

// bellRows is how much the bell shows; the page shows the rest.
const bellRows = 8

// fragmentBell is the bell alone, as pages ask for it from time to time.
const fragmentBell = "bell"

// bell is what the top bar shows a person. A page without it is better than
// none.
func (s *Server) bell(r *http.Request, who account.Identity) view.Inbox {
	fragment := r.Header.Get(fragmentHeader)
	if !who.Role.AtLeast(account.Viewer) || (fragment != "" && fragment != fragmentBell) {
		return view.Inbox{}
	}
	list, unread, err := s.config.Inbox.List(r.Context(), who.Workspace, who.User, bellRows)
	if err != nil {
		s.config.Log.WarnContext(r.Context(), "what a person is told cannot be read", "request", requestIDOf(r.Context()), "err", err)
	}
	return view.Inbox{Unread: unread, Rows: nudgeRows(list)}
}

// pageInbox shows all that a person is told.
func (s *Server) pageInbox(w http.ResponseWriter, r *http.Request) {
	who := s.current(r)
	list, unread, err := s.config.Inbox.List(r.Context(), who.Workspace, who.User, inbox.KeptMax)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.show(w, r, view.InboxPage(s.page(r, "talk.inbox", ""), view.Inbox{Unread: unread, Rows: nudgeRows(list)}))
}

func nudgeRows(list []inbox.Nudge) []view.Nudge {
	rows := make([]view.Nudge, len(list))
	for i, n := range list {
		rows[i] = view.Nudge{Kind: string(n.Kind), By: n.By, At: n.At, Read: n.Read, Name: n.Name, Title: n.Title, Text: n.Text, Href: placeOf(n)}
	}
	return rows
}
