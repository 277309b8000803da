package server

import (
	"encoding/hex"
	"net/http"
	"strconv"

	"github.com/google/uuid"

	"signalbox/engine/audit"
	"signalbox/web/view"
)

// auditRows is how many entries a page of the audit log has.
const auditRows = 50

// pageAudit shows the audit log, with a filter, and whether its chain is whole.
func (s *Server) pageAudit(w http.ResponseWriter, r *http.Request) {
	who := s.current(r)
	q, err := auditQuery(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	q.Limit = auditRows + 1
	list, err := s.config.Audit.List(r.Context(), who.Workspace, q)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	// Looking at every link takes time in a long log: only when it is asked for.
	var report *audit.Report
	if r.URL.Query().Get("check") != "" {
		found, err := s.config.Audit.Verify(r.Context(), who.Workspace)
		if err != nil {
			s.fail(w, r, err)
			return
		}
		report = &found
	}
	members, err := s.config.Accounts.Members(r.Context(), who)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	query := chosen(r, "action", "actor", "from", "to", "before")
	data := view.Audit{Query: query, Actions: auditActions()}
	if report != nil {
		data.Check = &view.Check{Entries: int(report.Entries), Broken: int(report.Broken), Head: hex.EncodeToString(report.Head)}
	}
	for _, m := range members {
		data.Actors = append(data.Actors, view.Named{ID: m.User.String(), Name: m.Name})
	}
	if len(list) > auditRows {
		list = list[:auditRows]
		data.Next = strconv.FormatInt(list[auditRows-1].Seq, 10)
	}
	for _, e := range list {
		data.Rows = append(data.Rows, view.Deed{Seq: e.Seq, At: e.At, Actor: e.Name, Token: e.Token != uuid.Nil, Action: e.Action, Detail: e.Detail, Target: e.Target, Address: e.Address})
	}
	s.show(w, r, view.AuditPage(s.page(r, "pages.settings.audit", "settings"), data))
}

// auditActions lists all actions that are recorded, in the order of the table
// of routes.
func auditActions() []string {
	return []string{
		"login", "login.failed", "logout", "setup", "password.change", "member.invite", "invitation.revoke", "member.join", "member.role", "member.remove",
		"token.create", "token.revoke", "worker.type.forget", "worker.refused", "credential.set", "credential.delete", "share.create", "share.revoke", "share.run", "share.copy",
		"workflow.publish", "workflow.delete", "workflow.bulk", "workflow.archive", "folder.create", "folder.rename", "folder.delete", "snippet.save", "snippet.rename", "snippet.delete", "assistant.set", "assistant.remove", "draft.propose",
		"thread.resolve", "thread.reopen", "comment.delete", "review.ask", "review.approve", "review.changes", "review.withdraw", "workflow.publish.unapproved", "workspace.set",
		"routes.set", "routes.remove", "routes.forget", "routes.pin", "queue.set", "queue.pause", "queue.resume", "letter.retry", "letter.discard", "case.add", "case.rename", "case.remove", "workflow.guard",
		"run.start", "run.bulk", "run.bulk.stop", "run.cancel", "run.retry", "run.fork", "audit.export",
	}
}
