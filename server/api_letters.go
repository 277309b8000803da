package server

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"signalbox/engine/history"
	"signalbox/engine/problem"
	"signalbox/engine/runtime"
)

func (s *Server) registerLetters(api huma.API) {
	on(s, api, op(http.MethodGet, "/api/dead-letters", "List steps that failed for good and that nothing caught, the latest first"), s.listLetters)
	on(s, api, op(http.MethodGet, "/api/dead-letters/{name}", "Read a dead letter with its input and its attempts"), s.readLetter)
	retry := op(http.MethodPost, "/api/dead-letters/retry", "Retry dead letters from the failed step: each starts a new run")
	retry.MaxBodyBytes = graphMax
	on(s, api, retry, s.retryLetters)
	on(s, api, op(http.MethodPost, "/api/dead-letters/discard", "Close dead letters without a retry"), s.discardLetters)
}

// LetterOut is a dead letter on the wire.
type LetterOut struct {
	ID       string `json:"id" doc:"The run and the event of the failure"`
	Workflow struct {
		ID   uuid.UUID `json:"id"`
		Name string    `json:"name"`
	} `json:"workflow"`
	Version  int        `json:"version"`
	Run      uuid.UUID  `json:"run"`
	Seq      int        `json:"seq"`
	At       time.Time  `json:"at"`
	Node     string     `json:"node"`
	Scope    int        `json:"scope"`
	Visit    int        `json:"visit"`
	Class    string     `json:"class"`
	Message  string     `json:"message"`
	Attempts int        `json:"attempts"`
	State    string     `json:"state" enum:"open,retried,discarded"`
	ActedAt  *time.Time `json:"acted_at,omitempty"`
	ActedBy  string     `json:"acted_by,omitempty"`
	NewRun   *uuid.UUID `json:"new_run,omitempty" doc:"The run that a retry started"`
}

func letterName(id history.LetterID) string { return id.Run.String() + "." + strconv.Itoa(id.Seq) }

func parseLetter(name string) (history.LetterID, error) {
	run, seq, _ := strings.Cut(name, ".")
	id, err := uuid.Parse(run)
	n, wrong := strconv.Atoi(seq)
	if err != nil || wrong != nil || n < 1 || n > 1<<30 {
		return history.LetterID{}, problem.New(problem.NotFound, "There is no such dead letter.")
	}
	return history.LetterID{Run: id, Seq: n}, nil
}

func showLetter(d history.DeadLetter) LetterOut {
	out := LetterOut{
		ID: letterName(d.LetterID), Version: d.VersionNumber, Run: d.Run, Seq: d.Seq, At: d.At, Node: d.Node, Scope: d.Scope, Visit: d.Visit,
		Class: d.Class, Message: d.Message, Attempts: d.Attempts, State: d.State, ActedAt: whenSet(d.ActedAt), ActedBy: d.ActedBy,
	}
	out.Workflow.ID, out.Workflow.Name = d.Workflow, d.WorkflowName
	if d.NewRun != uuid.Nil {
		out.NewRun = &d.NewRun
	}
	return out
}

type lettersInput struct {
	Workflow uuid.UUID `query:"workflow" doc:"Of this workflow only"`
	Node     string    `query:"node" maxLength:"40" doc:"Of this step only, by its key"`
	Class    string    `query:"class" maxLength:"60" doc:"Of this class of error only"`
	State    string    `query:"state" default:"open" enum:"open,retried,discarded,all"`
	After    string    `query:"after" maxLength:"60" doc:"Those behind this one"`
	Limit    int       `query:"limit" minimum:"1" maximum:"200" default:"50"`
}

type lettersOut struct {
	Letters []LetterOut `json:"dead_letters"`
	Next    string      `json:"next,omitempty" doc:"Name it as after for the next page; absent: there is none"`
}

func (s *Server) listLetters(ctx context.Context, in *lettersInput) (*body[lettersOut], error) {
	q := history.LetterQuery{Workflow: in.Workflow, Node: in.Node, Class: in.Class, State: in.State, Limit: in.Limit}
	if in.State == "all" {
		q.State = ""
	}
	if in.After != "" {
		var err error
		if q.After, err = parseLetter(in.After); err != nil {
			return nil, err
		}
	}
	list, err := s.config.Letters.List(ctx, identityOf(ctx).Workspace, q)
	if err != nil {
		return nil, err
	}
	out := lettersOut{Letters: make([]LetterOut, 0, len(list))}
	for _, d := range list {
		out.Letters = append(out.Letters, showLetter(d))
	}
	if len(list) == in.Limit {
		out.Next = letterName(list[len(list)-1].LetterID)
	}
	return reply(out), nil
}

type attemptOut struct {
	Number    int        `json:"number"`
	Scheduled time.Time  `json:"scheduled"`
	Began     *time.Time `json:"began,omitempty"`
	Ended     *time.Time `json:"ended,omitempty"`
	Worker    string     `json:"worker,omitempty"`
	Class     string     `json:"class,omitempty"`
	Message   string     `json:"message,omitempty"`
	Late      bool       `json:"late,omitempty" doc:"The engine's clock ended it, no worker did"`
}

type letterStoryOut struct {
	LetterOut
	Input    json.RawMessage `json:"input,omitempty" doc:"What the step before put out"`
	Config   json.RawMessage `json:"config,omitempty" doc:"What the worker got, with its expressions resolved"`
	Editable bool            `json:"editable" doc:"A retry may name another input"`
	Tried    []attemptOut    `json:"tried"`
}

func (s *Server) readLetter(ctx context.Context, in *ByQueue) (*body[letterStoryOut], error) {
	id, err := parseLetter(in.Name)
	if err != nil {
		return nil, err
	}
	workspace := identityOf(ctx).Workspace
	d, err := s.config.Letters.Letter(ctx, workspace, id)
	if err != nil {
		return nil, err
	}
	story, err := s.config.Letters.Story(ctx, workspace, d)
	if err != nil {
		return nil, err
	}
	out := letterStoryOut{LetterOut: showLetter(d), Input: story.Input, Config: story.Config, Editable: story.InputSeq > 0, Tried: []attemptOut{}}
	for _, a := range story.Attempts {
		out.Tried = append(out.Tried, attemptOut{
			Number: a.Number, Scheduled: a.Scheduled, Began: whenSet(a.Began), Ended: whenSet(a.Ended), Worker: a.Worker, Class: a.Class, Message: a.Message, Late: a.Late,
		})
	}
	return reply(out), nil
}

// lettersMax is how many dead letters one request acts on.
const lettersMax = 100

// LetterChoice says which dead letters are meant.
type LetterChoice struct {
	IDs    []string `json:"ids,omitempty" maxItems:"100"`
	Filter *struct {
		Workflow uuid.UUID `json:"workflow,omitempty"`
		Node     string    `json:"node,omitempty" maxLength:"40"`
		Class    string    `json:"class,omitempty" maxLength:"60"`
	} `json:"filter,omitempty" doc:"Instead of ids: the open ones that fit, the latest 100"`
}

// chosen are the letters that a request means.
func (s *Server) chosenLetters(ctx context.Context, c LetterChoice) ([]history.LetterID, error) {
	var ids []history.LetterID
	switch {
	case len(c.IDs) > 0 && c.Filter == nil:
		for _, name := range c.IDs {
			id, err := parseLetter(name)
			if err != nil {
				return nil, problem.New(problem.Invalid, "There is no such dead letter.").At("/ids", "not readable", "ids as the list names them")
			}
			ids = append(ids, id)
		}
		return ids, nil
	case len(c.IDs) == 0 && c.Filter != nil:
		list, err := s.config.Letters.List(ctx, identityOf(ctx).Workspace, history.LetterQuery{
			Workflow: c.Filter.Workflow, Node: c.Filter.Node, Class: c.Filter.Class, State: history.LetterOpen, Limit: lettersMax,
		})
		for _, d := range list {
			ids = append(ids, d.LetterID)
		}
		return ids, err
	default:
		return nil, problem.New(problem.Invalid, "It is not clear which dead letters are meant.").At("/ids", "missing", "ids, or a filter")
	}
}

// actedOut says what became of each letter.
type actedOut struct {
	ID     string     `json:"id"`
	Done   bool       `json:"done"`
	Run    *uuid.UUID `json:"run,omitempty" doc:"That a retry started"`
	Reason string     `json:"reason,omitempty" doc:"Why not"`
}

type actsOut struct {
	Results []actedOut `json:"results"`
}

// eachLetter acts on letters one after the other; what one of them refuses does
// not keep the others.
func (s *Server) eachLetter(ctx context.Context, c LetterChoice, act func(history.LetterID) (uuid.UUID, error)) (*body[actsOut], error) {
	ids, err := s.chosenLetters(ctx, c)
	if err != nil {
		return nil, err
	}
	out := actsOut{Results: make([]actedOut, 0, len(ids))}
	var done []string
	for _, id := range ids {
		one := actedOut{ID: letterName(id)}
		run, err := act(id)
		var p *problem.Problem
		switch {
		case err == nil:
			one.Done = true
			done = append(done, one.ID)
			if run != uuid.Nil {
				one.Run = &run
			}
		case errors.As(err, &p):
			one.Reason = p.Detail
		default:
			return nil, err
		}
		out.Results = append(out.Results, one)
	}
	d := deedOf(ctx)
	if len(done) == 0 {
		d.action = "" // nothing was done
		return reply(out), nil
	}
	d.target, d.detail = done[0], strconv.Itoa(len(done))
	return reply(out), nil
}

type retryLettersInput struct {
	Body struct {
		LetterChoice
		Input json.RawMessage `json:"input,omitempty" doc:"Instead of what the step got; for one letter only"`
	}
}

func (s *Server) retryLetters(ctx context.Context, in *retryLettersInput) (*body[actsOut], error) {
	if len(in.Body.Input) > 0 && len(in.Body.IDs) != 1 {
		return nil, problem.New(problem.Invalid, "Another input can be given to one dead letter at a time.").At("/ids", "too many", "one id")
	}
	return s.eachLetter(ctx, in.Body.LetterChoice, func(id history.LetterID) (uuid.UUID, error) {
		return s.retryLetter(ctx, id, in.Body.Input)
	})
}

func (s *Server) retryLetter(ctx context.Context, id history.LetterID, input json.RawMessage) (uuid.UUID, error) {
	who := identityOf(ctx)
	r := runtime.ForkRequest{Run: id.Run, Source: sourceRetry, Workspace: who.Workspace}
	if len(input) > 0 {
		at, err := s.inputOf(ctx, id)
		if err != nil {
			return uuid.Nil, err
		}
		r.At, r.Output = at, input
	}
	if err := s.config.Letters.Claim(ctx, who.Workspace, id, who.Name); err != nil {
		return uuid.Nil, err
	}
	within, cancel := context.WithTimeout(ctx, startWithin)
	defer cancel()
	started, err := s.config.Engine.Fork(within, r)
	late, done := context.WithTimeout(context.WithoutCancel(ctx), startWithin)
	defer done()
	// A run that is on disk counts, although nobody may have heard of it yet.
	if failed := s.config.Letters.Settle(late, who.Workspace, id, started.Run); failed != nil {
		return uuid.Nil, failed
	}
	if err != nil && started.Run == uuid.Nil {
		if errors.Is(err, context.DeadlineExceeded) {
			err = problem.New(problem.Unavailable, "The engine did not take the run in time; the dead letter is open again.")
		}
		return uuid.Nil, err
	}
	return started.Run, nil
}

// inputOf is the event that another input replaces the output of.
func (s *Server) inputOf(ctx context.Context, id history.LetterID) (int, error) {
	workspace := identityOf(ctx).Workspace
	d, err := s.config.Letters.Letter(ctx, workspace, id)
	if err != nil {
		return 0, err
	}
	run, err := s.config.History.Run(ctx, workspace, id.Run)
	if err != nil {
		return 0, err
	}
	if run.Status != runtime.StatusFailed {
		return 0, problem.New(problem.Conflict, "What this run had done is undone, so the step alone cannot be tried again. Fork it at an event before, or run it again.")
	}
	story, err := s.config.Letters.Story(ctx, workspace, d)
	if err != nil {
		return 0, err
	}
	if story.InputSeq == 0 {
		return 0, problem.New(problem.Conflict, "The step got its input from several steps, or from around it, so a retry cannot change it. Fork the run at an event of your choice.")
	}
	return story.InputSeq, nil
}

type discardInput struct {
	Body LetterChoice
}

func (s *Server) discardLetters(ctx context.Context, in *discardInput) (*body[actsOut], error) {
	who := identityOf(ctx)
	return s.eachLetter(ctx, in.Body, func(id history.LetterID) (uuid.UUID, error) {
		return uuid.Nil, s.config.Letters.Discard(ctx, who.Workspace, id, who.Name)
	})
}
