package server

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"signalbox/engine/account"
	"signalbox/engine/comment"
	"signalbox/engine/problem"
)

// talkAccess is the part for what people say about drawings: who may act on
// runs may say something.
func talkAccess() map[string]access {
	viewer := access{role: account.Viewer}
	operator := access{role: account.Operator}
	return map[string]access{
		"GET /inbox":                       viewer,
		"GET /api/inbox":                   viewer, // one's own
		"POST /api/inbox/read":             viewer,
		"GET /api/workflows/{id}/threads":  viewer,
		"POST /api/workflows/{id}/threads": operator,
		"GET /api/threads/{id}":            viewer,
		"PUT /api/threads/{id}/read":       viewer,
		"POST /api/threads/{id}/comments":  operator,
		"POST /api/threads/{id}/resolve":   operator.as("thread.resolve"),
		"POST /api/threads/{id}/reopen":    operator.as("thread.reopen"),
		"PATCH /api/comments/{id}":         operator,
		"DELETE /api/comments/{id}":        operator.as("comment.delete"),
	}
}

func (s *Server) registerComments(api huma.API) {
	on(s, api, op(http.MethodGet, "/api/workflows/{id}/threads", "List what was said about a drawing, the newest first"), s.listThreads)
	begin := op(http.MethodPost, "/api/workflows/{id}/threads", "Begin a thread, on a node or on the drawing as a whole")
	begin.DefaultStatus = http.StatusCreated
	on(s, api, begin, s.beginThread)
	on(s, api, op(http.MethodGet, "/api/threads/{id}", "Read a thread with all its comments"), s.readThread)
	on(s, api, op(http.MethodPut, "/api/threads/{id}/read", "Remember what you have seen of a thread"), s.markThread)
	reply := op(http.MethodPost, "/api/threads/{id}/comments", "Reply; a thread that was resolved is open again")
	reply.DefaultStatus = http.StatusCreated
	on(s, api, reply, s.replyThread)
	on(s, api, op(http.MethodPost, "/api/threads/{id}/resolve", "Resolve a thread"), s.resolveThread)
	on(s, api, op(http.MethodPost, "/api/threads/{id}/reopen", "Open a resolved thread again"), s.reopenThread)
	on(s, api, op(http.MethodPatch, "/api/comments/{id}", "Change the text of your own comment"), s.editComment)
	on(s, api, op(http.MethodDelete, "/api/comments/{id}", "Delete your own comment; an admin may delete any"), s.deleteComment)
}

type commentOut struct {
	ID        uuid.UUID   `json:"id"`
	N         int         `json:"n" doc:"1, 2, … in its thread"`
	By        personOut   `json:"by"`
	Text      string      `json:"text"`
	Mentions  []personOut `json:"mentions" doc:"Members whose @name is in the text"`
	CreatedAt time.Time   `json:"created_at"`
	EditedAt  *time.Time  `json:"edited_at,omitempty"`
	Deleted   bool        `json:"deleted,omitempty" doc:"It was taken back; it has no text"`
}

type resolutionOut struct {
	By personOut `json:"by"`
	At time.Time `json:"at"`
}

type threadOut struct {
	ID        uuid.UUID      `json:"id"`
	Workflow  uuid.UUID      `json:"workflow"`
	Node      string         `json:"node" doc:"Id of the node; empty: about the drawing as a whole"`
	Title     string         `json:"title" doc:"Of the node, as it was called when the thread began"`
	CreatedAt time.Time      `json:"created_at"`
	LastAt    time.Time      `json:"last_at"`
	Last      int            `json:"last" doc:"Number of the newest comment"`
	Count     int            `json:"count"`
	Unread    int            `json:"unread" doc:"Comments by others that you have not seen"`
	Resolved  *resolutionOut `json:"resolved,omitempty"`
	Comments  []commentOut   `json:"comments" doc:"In a list only the first one, cut short"`
}

func showThread(t comment.Thread) threadOut {
	out := threadOut{
		ID: t.ID, Workflow: t.Workflow, Node: t.Node, Title: t.Title, CreatedAt: t.CreatedAt, LastAt: t.LastAt, Last: t.Last,
		Count: t.Count, Unread: t.Unread, Comments: make([]commentOut, 0, len(t.Comments)),
	}
	if r := t.Resolved; r != nil {
		out.Resolved = &resolutionOut{By: personOut(r.By), At: r.At}
	}
	for _, c := range t.Comments {
		one := commentOut{ID: c.ID, N: c.N, By: personOut(c.By), Text: c.Text, Mentions: make([]personOut, 0, len(c.Mentions)), CreatedAt: c.CreatedAt, Deleted: c.Deleted}
		if !c.EditedAt.IsZero() {
			one.EditedAt = &c.EditedAt
		}
		for _, m := range c.Mentions {
			one.Mentions = append(one.Mentions, personOut(m))
		}
		out.Comments = append(out.Comments, one)
	}
	return out
}

type oneThreadOut struct {
	Thread threadOut `json:"thread"`
}

type threadsOut struct {
	Threads []threadOut `json:"threads"`
}

func (s *Server) listThreads(ctx context.Context, in *ByID) (*body[threadsOut], error) {
	who := identityOf(ctx)
	list, err := s.config.Comments.List(ctx, who.Workspace, in.ID, who.User)
	if err != nil {
		return nil, err
	}
	out := threadsOut{Threads: make([]threadOut, 0, len(list))}
	for _, t := range list {
		out.Threads = append(out.Threads, showThread(t))
	}
	return reply(out), nil
}

func (s *Server) readThread(ctx context.Context, in *ByID) (*body[oneThreadOut], error) {
	who := identityOf(ctx)
	return oneThread(s.config.Comments.Thread(ctx, who.Workspace, in.ID, who.User))
}

func oneThread(t comment.Thread, err error) (*body[oneThreadOut], error) {
	if err != nil {
		return nil, err
	}
	return reply(oneThreadOut{Thread: showThread(t)}), nil
}

// CommentBody is what a person writes. The limits are checked by the service,
// which says them in words.
type CommentBody struct {
	Text     string      `json:"text" doc:"Plain text, at most 4000 characters"`
	Mentions []uuid.UUID `json:"mentions,omitempty" maxItems:"100" doc:"Members whose @name is in the text; they are told"`
}

func (b CommentBody) by(who account.Identity) comment.Said {
	return comment.Said{By: comment.Person{ID: who.User, Name: who.Name}, Text: b.Text, Mentions: b.Mentions}
}

type beginInput struct {
	ByID
	Body struct {
		CommentBody
		Node string `json:"node,omitempty" maxLength:"64" doc:"Id of the node; empty: about the drawing as a whole"`
	}
}

func (s *Server) beginThread(ctx context.Context, in *beginInput) (*body[oneThreadOut], error) {
	who := identityOf(ctx)
	at := comment.Place{Workspace: who.Workspace, Workflow: in.ID, Node: in.Body.Node}
	if at.Node != "" {
		d, err := s.config.Drafts.Open(ctx, who.Workspace, in.ID)
		if err != nil {
			return nil, err
		}
		if d.Graph.Node(at.Node) == nil {
			return nil, problem.New(problem.Invalid, "There is no such step in the drawing.").At("/node", "unknown", "the id of a node of the draft")
		}
		at.Title = d.Graph.Title(at.Node)
	}
	return oneThread(s.config.Comments.Begin(ctx, at, in.Body.by(who)))
}

type saidInput struct {
	ByID
	Body CommentBody
}

func (s *Server) replyThread(ctx context.Context, in *saidInput) (*body[oneThreadOut], error) {
	who := identityOf(ctx)
	return oneThread(s.config.Comments.Reply(ctx, who.Workspace, in.ID, in.Body.by(who)))
}

func (s *Server) editComment(ctx context.Context, in *saidInput) (*body[oneThreadOut], error) {
	who := identityOf(ctx)
	return oneThread(s.config.Comments.Edit(ctx, who.Workspace, in.ID, in.Body.by(who)))
}

func (s *Server) deleteComment(ctx context.Context, in *ByID) (*struct{}, error) {
	who := identityOf(ctx)
	return nil, s.config.Comments.Delete(ctx, who.Workspace, in.ID, who.User, who.Role.AtLeast(account.Admin))
}

type markInput struct {
	ByID
	Body struct {
		N int `json:"n" minimum:"0" doc:"Number of the newest comment that you have seen"`
	}
}

func (s *Server) markThread(ctx context.Context, in *markInput) (*struct{}, error) {
	who := identityOf(ctx)
	return nil, s.config.Comments.MarkRead(ctx, who.Workspace, in.ID, who.User, in.Body.N)
}

func (s *Server) resolveThread(ctx context.Context, in *ByID) (*body[oneThreadOut], error) {
	return s.settleThread(ctx, in.ID, s.config.Comments.Resolve)
}

func (s *Server) reopenThread(ctx context.Context, in *ByID) (*body[oneThreadOut], error) {
	return s.settleThread(ctx, in.ID, s.config.Comments.Reopen)
}

// settleThread records nothing when the thread was so already.
func (s *Server) settleThread(ctx context.Context, id uuid.UUID, settle func(context.Context, string, uuid.UUID, comment.Person) (comment.Thread, bool, error)) (*body[oneThreadOut], error) {
	who := identityOf(ctx)
	t, changed, err := settle(ctx, who.Workspace, id, comment.Person{ID: who.User, Name: who.Name})
	if d := deedOf(ctx); !changed {
		d.action = ""
	} else {
		d.detail = t.Title
	}
	return oneThread(t, err)
}
