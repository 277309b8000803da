package server

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"signalbox/engine/account"
	"signalbox/engine/worker/remote"
)

// resultMax is the size of a result that a worker brings, in bytes; what is too
// large to be stored is said with more words than a refused body.
const resultMax = 17 << 20

// registerWorkers adds what workers of one's own ask, and what people see of
// them. docs/workers.md is the description.
func (s *Server) registerWorkers(api huma.API) {
	on(s, api, op(http.MethodGet, "/api/workers", "List the task types that workers of one's own have announced"), s.listWorkers)
	on(s, api, op(http.MethodDelete, "/api/workers/types/{name}", "Forget a task type; a worker that does it brings it back"), func(ctx context.Context, in *ByName) (*struct{}, error) {
		deedOf(ctx).target = in.Name
		return nil, s.config.Workers.ForgetType(ctx, identityOf(ctx).Workspace, in.Name)
	})
	workerDoes[remote.Announcement, remote.Welcome](s, api, remote.OpAnnounce, "Say which task types this worker does")
	workerDoes[remote.Request, remote.Taken](s, api, remote.OpTake, "Take tasks, or wait for the first")
	workerDoes[remote.Request, remote.Notices](s, api, remote.OpNotices, "Wait for leases that are canceled")
	workerDoes[remote.Request, remote.Held](s, api, remote.OpLeave, "Say goodbye: this worker takes no more tasks")
	leaseDoes[remote.Beat, remote.Held](s, api, remote.OpBeat, "heartbeat", "Say that the task is at work, perhaps with text for who watches")
	leaseDoes[remote.Fault, remote.Outcome](s, api, remote.OpFail, "fail", "Fail the task")
	leaseDoes[remote.Release, remote.Held](s, api, remote.OpRelease, "release", "Give the task back to another worker")
	on(s, api, op(http.MethodGet, "/api/worker/leases/{lease}/input", "Read a piece of an input that was not told with its task"), func(ctx context.Context, in *pieceInput) (*body[remote.Piece], error) {
		return askOffice[remote.Piece](ctx, s, remote.Question{Op: remote.OpInput, Lease: in.Lease, Offset: in.Offset})
	})
	on(s, api, op(http.MethodPost, "/api/worker/leases/{lease}/part", "Bring a piece of an output that is too large for one question; complete without a body follows the last one"), func(ctx context.Context, in *partInput) (*body[remote.Held], error) {
		return askOffice[remote.Held](ctx, s, remote.Question{Op: remote.OpPart, Lease: in.Lease, Offset: in.Offset, Body: in.RawBody})
	})
	complete := op(http.MethodPost, "/api/worker/leases/{lease}/complete", "Complete the task; the body is the output as it is, and the answer comes when it is on disk")
	complete.MaxBodyBytes, complete.SkipValidateBody, complete.RequestBody = resultMax, true, &huma.RequestBody{}
	on(s, api, complete, func(ctx context.Context, in *resultInput) (*body[remote.Outcome], error) {
		return askOffice[remote.Outcome](ctx, s, remote.Question{Op: remote.OpComplete, Lease: in.Lease, Body: in.RawBody})
	})
	complete.RequestBody.Required = false // behind parts there is none; the library takes every raw body for required
}

// ByName names a task type.
type ByName struct {
	Name string `path:"name" maxLength:"60"`
}

// ByLease names a lease.
type ByLease struct {
	Lease string `path:"lease" maxLength:"200"`
}

type pieceInput struct {
	ByLease
	Offset int `query:"offset" minimum:"0"`
}

type partInput struct {
	ByLease
	Offset  int    `query:"offset" minimum:"0"`
	RawBody []byte `contentType:"application/octet-stream"`
}

type resultInput struct {
	ByLease
	RawBody []byte `contentType:"application/json"`
}

// workerDoes registers a question of a worker.
func workerDoes[I, O any](s *Server, api huma.API, question, summary string) {
	on(s, api, op(http.MethodPost, "/api/worker/"+question, summary), func(ctx context.Context, in *struct{ Body I }) (*body[O], error) {
		return askWith[O](ctx, s, remote.Question{Op: question}, in.Body)
	})
}

// leaseDoes registers a question of a worker about a task that it holds.
func leaseDoes[I, O any](s *Server, api huma.API, question, path, summary string) {
	type input struct {
		ByLease
		Body I
	}
	on(s, api, op(http.MethodPost, "/api/worker/leases/{lease}/"+path, summary), func(ctx context.Context, in *input) (*body[O], error) {
		return askWith[O](ctx, s, remote.Question{Op: question, Lease: in.Lease}, in.Body)
	})
}

func askWith[O any](ctx context.Context, s *Server, q remote.Question, v any) (*body[O], error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("write a worker's question: %w", err)
	}
	q.Body = raw
	return askOffice[O](ctx, s, q)
}

// askOffice asks in the name of the token, and of nothing that the question
// says.
func askOffice[O any](ctx context.Context, s *Server, q remote.Question) (*body[O], error) {
	raw, err := s.config.Workers.Ask(ctx, callerOf(identityOf(ctx)), q)
	if err != nil {
		return nil, err
	}
	var out body[O]
	if err := json.Unmarshal(raw, &out.Body); err != nil {
		return nil, fmt.Errorf("read the answer to a worker: %w", err)
	}
	return &out, nil
}

func callerOf(who account.Identity) remote.Caller {
	return remote.Caller{Workspace: who.Workspace, User: who.User.String(), Token: who.Token.String(), Name: who.Name}
}

type taskTypeOut struct {
	Name        string          `json:"name"`
	Title       string          `json:"title"`
	Description string          `json:"description"`
	Icon        string          `json:"icon"`
	Input       json.RawMessage `json:"input" doc:"JSON Schema"`
	Output      json.RawMessage `json:"output" doc:"JSON Schema"`
	AnnouncedAt time.Time       `json:"announced_at"`
	AnnouncedBy string          `json:"announced_by"`
	Alive       int             `json:"alive" doc:"Workers that do it now"`
	SeenAt      *time.Time      `json:"seen_at,omitempty" doc:"When one was heard of last"`
}

type workerOut struct {
	Name     string     `json:"name"`
	Location string     `json:"location,omitempty" doc:"Where it says that it is"`
	Types    []string   `json:"types"`
	Steps    bool       `json:"steps,omitempty" doc:"It also does the program's own steps that a route sends to its location"`
	Alive    bool       `json:"alive"`
	Left     bool       `json:"left" doc:"It said goodbye"`
	SeenAt   time.Time  `json:"seen_at"`
	Token    *uuid.UUID `json:"token,omitempty"`
}

type workersOut struct {
	Types   []taskTypeOut `json:"types"`
	Workers []workerOut   `json:"workers" doc:"Those that were heard of in the last day"`
}

func (s *Server) listWorkers(ctx context.Context, _ *struct{}) (*body[workersOut], error) {
	workspace := identityOf(ctx).Workspace
	types, err := s.config.Workers.Types(ctx, workspace)
	if err != nil {
		return nil, err
	}
	workers, err := s.config.Workers.Workers(ctx, workspace)
	if err != nil {
		return nil, err
	}
	out := workersOut{Types: make([]taskTypeOut, 0, len(types)), Workers: make([]workerOut, 0, len(workers))}
	for _, t := range types {
		out.Types = append(out.Types, taskTypeOut{
			Name: t.Name, Title: t.Title, Description: t.Description, Icon: t.Icon, Input: t.Input, Output: t.Output,
			AnnouncedAt: t.AnnouncedAt, AnnouncedBy: t.By, Alive: t.Alive, SeenAt: whenSet(t.SeenAt),
		})
	}
	now := s.config.Now()
	for _, w := range workers {
		one := workerOut{Name: w.Worker, Location: w.Location, Steps: w.Steps, Types: w.Types, Alive: w.Alive(now), Left: w.Left, SeenAt: w.SeenAt}
		if id, err := uuid.Parse(w.Token); err == nil {
			one.Token = &id
		}
		out.Workers = append(out.Workers, one)
	}
	return reply(out), nil
}
