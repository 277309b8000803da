package server

import (
	"context"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"signalbox/engine/audit"
	"signalbox/engine/problem"
)

func (s *Server) registerAudit(api huma.API) {
	on(s, api, op(http.MethodGet, "/api/audit", "Read the audit log, newest first"), s.readAudit)
}

type auditInput struct {
	Action string    `query:"action" maxLength:"40" doc:"This action, or all that begin with it: token, login.failed"`
	Actor  uuid.UUID `query:"actor"`
	From   time.Time `query:"from"`
	To     time.Time `query:"to"`
	Before int64     `query:"before" minimum:"0" doc:"Entries below this number"`
	Limit  int       `query:"limit" minimum:"0" maximum:"1000"`
}

type entryOut struct {
	Seq     int64      `json:"seq"`
	At      time.Time  `json:"at"`
	Actor   *uuid.UUID `json:"actor_id,omitempty"`
	Name    string     `json:"actor"`
	Token   *uuid.UUID `json:"token_id,omitempty"`
	Action  string     `json:"action"`
	Target  string     `json:"target"`
	Detail  string     `json:"detail"`
	Address string     `json:"address"`
	Hash    string     `json:"hash" doc:"SHA-256 over the entry and the hash before it, hex"`
}

func showEntry(e audit.Entry) entryOut {
	return entryOut{
		Seq: e.Seq, At: e.At, Actor: idSet(e.Actor), Name: e.Name, Token: idSet(e.Token), Action: e.Action,
		Target: e.Target, Detail: e.Detail, Address: e.Address, Hash: hex.EncodeToString(e.Hash),
	}
}

func idSet(id uuid.UUID) *uuid.UUID {
	if id == uuid.Nil {
		return nil
	}
	return &id
}

type auditOut struct {
	Entries []entryOut `json:"entries"`
	Next    int64      `json:"next,omitempty" doc:"The before of the next page"`
}

func (s *Server) readAudit(ctx context.Context, in *auditInput) (*body[auditOut], error) {
	limit := in.Limit
	if limit == 0 {
		limit = pageUsual
	}
	list, err := s.config.Audit.List(ctx, identityOf(ctx).Workspace, audit.Query{
		Action: in.Action, Actor: in.Actor, From: in.From, To: in.To, Before: in.Before, Limit: limit,
	})
	if err != nil {
		return nil, err
	}
	out := auditOut{Entries: make([]entryOut, 0, len(list))}
	for _, e := range list {
		out.Entries = append(out.Entries, showEntry(e))
	}
	if len(list) == limit {
		out.Next = list[len(list)-1].Seq
	}
	return reply(out), nil
}

// auditQuery reads the filter of the page's address.
func auditQuery(r *http.Request) (audit.Query, error) {
	v := r.URL.Query()
	q := audit.Query{Action: v.Get("action")}
	if text := v.Get("actor"); text != "" {
		id, err := uuid.Parse(text)
		if err != nil {
			return q, problem.New(problem.Invalid, "This is not an id.")
		}
		q.Actor = id
	}
	var err error
	if q.From, err = dayOf(v.Get("from"), 0); err != nil {
		return q, err
	}
	if q.To, err = dayOf(v.Get("to"), 1); err != nil {
		return q, err
	}
	q.Before, _ = strconv.ParseInt(v.Get("before"), 10, 64) // no number is the newest page
	return q, nil
}

func dayOf(text string, more int) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	day, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return day, problem.New(problem.Invalid, "This is not a day.")
	}
	return day.AddDate(0, 0, more), nil
}

// exportAudit sends the filtered log as a file, oldest entries last.
func (s *Server) exportAudit(w http.ResponseWriter, r *http.Request) {
	q, err := auditQuery(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	q.Limit = audit.PageMax
	next := func() ([]audit.Entry, error) {
		list, err := s.config.Audit.List(r.Context(), s.current(r).Workspace, q)
		if len(list) > 0 {
			q.Before = list[len(list)-1].Seq
		}
		return list, err
	}
	first, err := next()
	if err != nil {
		s.fail(w, r, err)
		return
	}
	name := "audit-" + s.config.Now().UTC().Format(time.DateOnly)
	if r.URL.Query().Get("format") == "json" {
		w.Header().Set("Content-Type", "application/x-ndjson")
		w.Header().Set("Content-Disposition", `attachment; filename="`+name+`.ndjson"`)
		out := json.NewEncoder(w)
		s.eachEntry(r, first, next, func(e entryOut) error { return out.Encode(e) })
		return
	}
	w.Header().Set("Content-Type", "text/csv; charset=utf-8")
	w.Header().Set("Content-Disposition", `attachment; filename="`+name+`.csv"`)
	out := csv.NewWriter(w)
	_ = out.Write([]string{"seq", "at", "actor", "actor_id", "token_id", "action", "target", "detail", "address", "hash"}) // Flush has the error
	s.eachEntry(r, first, next, func(e entryOut) error {
		row := []string{
			strconv.FormatInt(e.Seq, 10), e.At.Format(time.RFC3339Nano), e.Name, idText(e.Actor), idText(e.Token),
			e.Action, e.Target, e.Detail, e.Address, e.Hash,
		}
		for i := range row {
			row[i] = calm(row[i])
		}
		return out.Write(row)
	})
	out.Flush() // an error here means that the caller has gone
}

// eachEntry goes through the pages of an export. What is sent cannot be taken
// back: an error ends the file, and the log has it.
func (s *Server) eachEntry(r *http.Request, list []audit.Entry, next func() ([]audit.Entry, error), write func(entryOut) error) {
	var err error
	for len(list) > 0 && err == nil {
		for e := range slices.Values(list) {
			if err := write(showEntry(e)); err != nil {
				return
			}
		}
		list, err = next()
	}
	if err != nil {
		s.config.Log.ErrorContext(r.Context(), "an export of the audit log ended early", "err", err)
	}
}

func idText(id *uuid.UUID) string {
	if id == nil {
		return ""
	}
	return id.String()
}

// calm keeps a spreadsheet from taking a text for a formula.
func calm(text string) string {
	if text != "" && strings.ContainsAny(text[:1], "=+-@\t\r") {
		return "'" + text
	}
	return text
}
