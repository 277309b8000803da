package server

import (
	"context"
	"encoding/json"
	"errors"
	"mime"
	"net/http"
	"net/url"
	"strconv"

	"github.com/google/uuid"

	"signalbox/engine/account"
	"signalbox/engine/graph"
	"signalbox/engine/problem"
	"signalbox/engine/runtime"
	"signalbox/engine/runtime/brief"
	"signalbox/engine/share"
)

// sourceShare is the source of runs that guests start.
const sourceShare = "share"

// guestTicket lets a guest open a socket for the run of the link.
func (s *Server) guestTicket(w http.ResponseWriter, r *http.Request) {
	o, ok := s.openShare(w, r)
	if !ok || !s.noBody(w, r) {
		return
	}
	g := grant{who: account.Identity{Workspace: o.Workspace, Role: account.Guest}, share: o.ID, until: o.ExpiresAt}
	if o.Target == share.TargetRun {
		g.run = o.TargetID
	}
	text, err := s.issue(r.Context(), g)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	writeJSON(w, http.StatusOK, ticketOut{Ticket: text})
}

// noBody refuses whatever a guest sends to an address that takes nothing.
func (s *Server) noBody(w http.ResponseWriter, r *http.Request) bool {
	var one [3]byte
	n, _ := r.Body.Read(one[:])
	if n == 0 || string(one[:n]) == "{}" {
		return true
	}
	s.fail(w, r, problem.New(problem.Invalid, "This address takes no content."))
	return false
}

// guestEvents reads the events of the run of the link, as a guest may see
// them.
func (s *Server) guestEvents(w http.ResponseWriter, r *http.Request) {
	o, ok := s.openShare(w, r)
	if !ok {
		return
	}
	if o.Target != share.TargetRun {
		s.notFound(w, r)
		return
	}
	after, limit := queryInt(r, "after", 0), min(max(queryInt(r, "limit", eventsMax), 1), eventsMax)
	list, err := s.config.Events.Briefs(r.Context(), o.Workspace, o.TargetID, max(after, 0), limit)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	writeJSON(w, http.StatusOK, briefsOut{Events: encodeFrame(publicBriefs(list)), Last: lastSeq(list, after)})
}

func publicBriefs(list []brief.Brief) []brief.Brief {
	out := make([]brief.Brief, len(list))
	for i, b := range list {
		out[i] = share.PublicBrief(b)
	}
	return out
}

// queryInt reads a number; what is no number counts as absent.
func queryInt(r *http.Request, name string, absent int) int {
	n, err := strconv.Atoi(r.URL.Query().Get(name))
	if err != nil {
		return absent
	}
	return n
}

// guestForm reads a form and nothing but a form: no JSON, in which a drawing
// could travel, and no parameters of the address.
func (s *Server) guestForm(w http.ResponseWriter, r *http.Request) (url.Values, bool) {
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || media != "application/x-www-form-urlencoded" {
		s.fail(w, r, problem.New(problem.Invalid, "This address takes a form that was filled in, and nothing else."))
		return nil, false
	}
	r.Body = http.MaxBytesReader(w, r.Body, share.InputMax)
	if err := r.ParseForm(); err != nil {
		s.fail(w, r, problem.New(problem.TooLarge, "A form may have %d bytes at most, and must be readable.", share.InputMax))
		return nil, false
	}
	return r.PostForm, true
}

type guestRunOut struct {
	URL string `json:"url" doc:"Where the guest watches the run"`
}

// guestRun starts a run of the version that the link is pinned to, with what a
// guest filled in.
func (s *Server) guestRun(w http.ResponseWriter, r *http.Request) {
	o, ok := s.openShare(w, r)
	if !ok {
		return
	}
	if o.Form == nil {
		s.notFound(w, r)
		return
	}
	d := deedOf(r.Context())
	d.who = account.Identity{Workspace: o.Workspace, Role: account.Guest, Name: "guest"}
	d.target, d.detail = o.ID.String(), o.Title
	if s.limits.guestRuns.OnLimit(w, r, o.ID.String()+"|"+s.clientIP(r)) || s.limits.shareRuns.OnLimit(w, r, o.ID.String()) {
		s.fail(w, r, problem.New(problem.TooMany, "Too many runs in a minute. Wait a little."))
		return
	}
	values, ok := s.guestForm(w, r)
	if !ok {
		return
	}
	address, err := s.startForGuest(r.Context(), o, values)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	writeJSON(w, http.StatusCreated, guestRunOut{URL: address})
}

func (s *Server) startForGuest(ctx context.Context, o share.Opened, values url.Values) (string, error) {
	input, err := o.Form.Input(values)
	if err != nil {
		return "", err
	}
	if err := s.config.Shares.MayStart(ctx, o.ID); err != nil {
		return "", err
	}
	workflow, err := s.workflowOf(ctx, o)
	if err != nil {
		return "", err
	}
	within, cancel := context.WithTimeout(ctx, startWithin)
	defer cancel()
	started, err := s.config.Engine.Start(within, runtime.StartRequest{
		Workspace: o.Workspace, Workflow: workflow, Version: o.Version, Trigger: o.Form.Trigger, Input: input, Source: sourceShare,
	})
	if errors.Is(err, context.DeadlineExceeded) {
		return "", problem.New(problem.Unavailable, "The engine did not take the run in time. Try again in a moment.")
	}
	if err != nil {
		return "", err
	}
	token, err := s.config.Shares.ForRun(ctx, o, started.Run)
	return sharedAt + token, err
}

// copyShared makes a workflow of a member's own out of the file of a link.
func (s *Server) copyShared(w http.ResponseWriter, r *http.Request) {
	o, ok := s.openShare(w, r)
	if !ok || !s.noBody(w, r) {
		return
	}
	if o.File == nil {
		s.notFound(w, r)
		return
	}
	g, err := graph.Decode(o.File)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	who := s.current(r)
	made, err := s.config.Drafts.Create(r.Context(), who.Workspace, personOf(who), g)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	d := deedOf(r.Context())
	d.target, d.detail = made.ID.String(), made.Name
	writeJSON(w, http.StatusCreated, struct {
		ID uuid.UUID `json:"id"`
	}{made.ID})
}

// sharedFile gives a guest the workflow to take along.
func (s *Server) sharedFile(w http.ResponseWriter, r *http.Request) {
	o, ok := s.openShare(w, r)
	if !ok {
		return
	}
	if o.File == nil {
		s.notFound(w, r)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Disposition", `attachment; filename="`+fileName(o.Title)+`.json"`)
	_, _ = w.Write(indented(o.File)) // an error means that the guest has gone
}

func indented(raw json.RawMessage) []byte {
	out, err := json.MarshalIndent(raw, "", "  ")
	if err != nil {
		return raw
	}
	return append(out, '\n')
}
