// Package proposal asks a language model how a drawing should change, and
// makes of its answer operations that a person can accept or drop.
//
// What a model says is data: it is read as operations on a copy of the one
// drawing, each of which is checked; nothing in it is evaluated, sent
// anywhere, or applied to what people edit. The model is told names of
// credentials, never their values.
package proposal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"signalbox/engine/compile"
	"signalbox/engine/graph"
	"signalbox/engine/problem"
)

// Limits of one proposal.
const (
	WishMax    = 4_000       // characters of what a person asks for
	NodesMax   = 300         // of a drawing that a model is shown
	PromptMax  = 400_000     // bytes of all that a model is told
	AnswerMax  = 200_000     // bytes of its answer
	OpsMax     = 100         // operations in it
	SummaryMax = 1_000       // characters of what it says about them
	AskingMax  = 4           // questions of one workspace at once
	askWithin  = time.Minute // for one answer
)

// Model answers messages. The answer is text that should be JSON of the
// schema; an error is a sentence for people, or internal.
type Model interface {
	Ask(ctx context.Context, workspace string, s Setting, q Question) (string, error)
}

// NoAnswer is what a Model returns when it got none.
func NoAnswer(why string) error {
	return problem.New(problem.Unavailable, "The model gave no answer: %s", why)
}

// Question is what a model is asked.
type Question struct {
	Messages []Message
	Schema   json.RawMessage
}

// Message is one of a conversation.
type Message struct {
	Role    string `json:"role"` // system, user, assistant
	Content string `json:"content"`
}

// Setting is the model that a workspace chose.
type Setting struct {
	Provider   string          `json:"provider"` // openai (the protocol) or mock
	BaseURL    string          `json:"base_url,omitempty"`
	Model      string          `json:"model,omitempty"`
	Credential string          `json:"credential,omitempty"` // its name
	Answer     json.RawMessage `json:"answer,omitempty"`     // what the mock model says
}

// Store keeps the settings of workspaces.
type Store interface {
	// Setting returns what was chosen; false: nothing.
	Setting(ctx context.Context, workspace string) (Setting, bool, error)
	PutSetting(ctx context.Context, workspace string, s Setting, at time.Time) error
	DropSetting(ctx context.Context, workspace string) error
}

// Service makes proposals.
type Service struct {
	store Store
	model Model
	now   func() time.Time
	newID func() string

	mu   sync.Mutex
	busy map[string]int // questions under way, by workspace
}

// New makes a service; now is the clock.
func New(store Store, model Model, now func() time.Time) *Service {
	return &Service{store: store, model: model, now: now, busy: map[string]int{}, newID: func() string { return "p" + strings.ReplaceAll(uuid.NewString(), "-", "")[:16] }}
}

// Setting returns what a workspace chose; false: nothing.
func (s *Service) Setting(ctx context.Context, workspace string) (Setting, bool, error) {
	found, ok, err := s.store.Setting(ctx, workspace)
	if err != nil {
		return Setting{}, false, fmt.Errorf("read which model a workspace chose: %w", err)
	}
	return found, ok, nil
}

// Choose sets the model of a workspace.
func (s *Service) Choose(ctx context.Context, workspace string, chosen Setting) error {
	if p := chosen.check(); p != nil {
		return p
	}
	if err := s.store.PutSetting(ctx, workspace, chosen, s.now()); err != nil {
		return fmt.Errorf("choose a model: %w", err)
	}
	return nil
}

// Forget takes the choice away.
func (s *Service) Forget(ctx context.Context, workspace string) error {
	if err := s.store.DropSetting(ctx, workspace); err != nil {
		return fmt.Errorf("forget a model: %w", err)
	}
	return nil
}

func (s Setting) check() *problem.Problem {
	switch {
	case s.Provider == "mock":
		if len(s.Answer) == 0 || len(s.Answer) > AnswerMax {
			return problem.New(problem.Invalid, "The mock model needs an answer to give.").At("/answer", "length", `JSON, such as {"summary":"…","ops":[]}`)
		}
	case s.Provider != "openai":
		return problem.New(problem.Invalid, "There is no such sort of model.").At("/provider", "not known", "openai or mock")
	case !strings.HasPrefix(s.BaseURL, "https://") && !strings.HasPrefix(s.BaseURL, "http://") || len(s.BaseURL) > 2_000:
		return problem.New(problem.Invalid, "The model needs an address.").At("/base_url", "not an address", "a whole address, such as https://api.openai.com/v1")
	case s.Model == "" || utf8.RuneCountInString(s.Model) > 200:
		return problem.New(problem.Invalid, "The model needs a name.").At("/model", "length", "the name that the service knows it by")
	}
	return nil
}

// Wish is what a person asks for.
type Wish struct {
	Workspace   string
	Text        string
	Graph       graph.Graph // the draft as it is
	Credentials []string    // names of those that are stored
}

// Proposal is a change that nobody has accepted yet.
type Proposal struct {
	Summary string
	Ops     []graph.Op
	Graph   graph.Graph // the copy with the change
	Issues  []graph.Issue
	New     int // of the issues: those that the draft does not have
	Model   string
}

// Propose asks the model of the workspace. An answer that cannot be used is
// shown to it once, with what is wrong.
func (s *Service) Propose(ctx context.Context, w Wish) (Proposal, error) {
	setting, ok, err := s.Setting(ctx, w.Workspace)
	if err != nil {
		return Proposal{}, err
	}
	if !ok {
		return Proposal{}, problem.New(problem.Conflict, "No model is chosen for this workspace yet. Somebody who may set credentials chooses one in the settings.")
	}
	q, err := question(w)
	if err != nil {
		return Proposal{}, err
	}
	if !s.enter(w.Workspace) {
		return Proposal{}, problem.New(problem.TooMany, "%d questions of this workspace are with the model already. Wait for an answer.", AskingMax)
	}
	defer s.leave(w.Workspace)
	var fault error
	for range 2 {
		text, err := s.ask(ctx, w.Workspace, setting, q)
		if err != nil {
			return Proposal{}, err
		}
		var p Proposal
		if p, fault = s.read(w, text); fault == nil {
			p.Model = setting.Model
			return p, nil
		}
		q.Messages = append(q.Messages, Message{"assistant", text[:min(len(text), 20_000)]}, Message{"user", "That cannot be used: " + fault.Error() + " Answer again, with JSON only."})
	}
	return Proposal{}, fault
}

func (s *Service) enter(workspace string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.busy[workspace] >= AskingMax {
		return false
	}
	s.busy[workspace]++
	return true
}

func (s *Service) leave(workspace string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.busy[workspace]--; s.busy[workspace] == 0 {
		delete(s.busy, workspace)
	}
}

func (s *Service) ask(ctx context.Context, workspace string, setting Setting, q Question) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	text, err := s.model.Ask(ctx, workspace, setting, q)
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return "", problem.New(problem.Unavailable, "The model did not answer within %s.", askWithin)
	case err != nil:
		return "", err //nolint:wrapcheck // a sentence of the model's adapter
	}
	return text, nil
}

// read makes a proposal of an answer.
func (s *Service) read(w Wish, text string) (Proposal, error) {
	answer, err := decode(text)
	if err != nil {
		return Proposal{}, err
	}
	r := reading{graph: w.Graph, credentials: known(w), ids: map[string]string{}, newID: s.newID}
	ops, err := r.ops(answer.Ops)
	if err != nil {
		return Proposal{}, err
	}
	if len(ops) == 0 {
		return Proposal{}, problem.New(problem.Invalid, "The model proposes no change. Say more exactly what should be different.")
	}
	next, _, err := w.Graph.ApplyAll(ops)
	if err != nil {
		return Proposal{}, refused(err)
	}
	moves := place(w.Graph, next)
	ops = append(ops, moves...)
	if next, _, err = w.Graph.ApplyAll(ops); err != nil {
		return Proposal{}, refused(err)
	}
	_, issues := compile.Compile(next)
	_, before := compile.Compile(w.Graph)
	return Proposal{Summary: answer.Summary, Ops: ops, Graph: next, Issues: issues, New: more(before, issues)}, nil
}

// refused says which operation cannot be done.
func refused(err error) error {
	p := problem.Of(err)
	if p == nil {
		return err
	}
	at := ""
	if len(p.Fields) > 0 {
		at = p.Fields[0].Location
	}
	return problem.New(problem.Invalid, "The model proposes what cannot be done: %s", p.Detail).At(at, "refused", "an operation that fits the drawing")
}

// more counts the issues that were not there before.
func more(before, after []graph.Issue) int {
	seen := map[string]int{}
	for _, i := range before {
		seen[i.Code+"\x00"+i.Node+"\x00"+i.Edge+"\x00"+i.Field]++
	}
	n := 0
	for _, i := range after {
		key := i.Code + "\x00" + i.Node + "\x00" + i.Edge + "\x00" + i.Field
		if seen[key]--; seen[key] < 0 {
			n++
		}
	}
	return n
}
