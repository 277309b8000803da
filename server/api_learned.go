package server

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"signalbox/engine/learn"
	"signalbox/engine/route"
	"signalbox/engine/routing"
)

func (s *Server) registerLearned(api huma.API) {
	on(s, api, op(http.MethodGet, "/api/routes/learned", "List what the workspace's learned rules know"), func(ctx context.Context, _ *struct{}) (*body[learnedOut], error) {
		return s.readLearned(ctx, uuid.Nil)
	})
	on(s, api, op(http.MethodPost, "/api/routes/learned/{rule}/forget", "Let a learned rule begin anew"), func(ctx context.Context, in *ByLearned) (*body[routesOut], error) {
		return s.forgetLearned(ctx, uuid.Nil, in.Rule)
	})
	on(s, api, op(http.MethodPost, "/api/routes/learned/{rule}/pin", "Send everything of a learned rule to one of its queues, or let it choose again"), func(ctx context.Context, in *pinInput) (*body[routesOut], error) {
		return s.pinLearned(ctx, uuid.Nil, in.Rule, in.Body.Queue)
	})
	on(s, api, op(http.MethodGet, "/api/workflows/{id}/routes/learned", "List what the learned rules of a workflow's own table know"), func(ctx context.Context, in *ByID) (*body[learnedOut], error) {
		return s.readLearned(ctx, in.ID)
	})
	on(s, api, op(http.MethodPost, "/api/workflows/{id}/routes/learned/{rule}/forget", "Let a learned rule of a workflow's own table begin anew"), func(ctx context.Context, in *workflowLearned) (*body[routesOut], error) {
		return s.forgetLearned(ctx, in.ID, in.Rule)
	})
	on(s, api, op(http.MethodPost, "/api/workflows/{id}/routes/learned/{rule}/pin", "Send everything of a learned rule of a workflow's own table to one of its queues, or let it choose again"), func(ctx context.Context, in *workflowPinInput) (*body[routesOut], error) {
		return s.pinLearned(ctx, in.ID, in.Rule, in.Body.Queue)
	})
}

// ByLearned is the id of a learned rule in the address.
type ByLearned struct {
	Rule string `path:"rule" maxLength:"40"`
}

type workflowLearned struct {
	ByID
	ByLearned
}

// PinBody names the queue that everything goes to.
type PinBody struct {
	Body struct {
		Queue string `json:"queue" maxLength:"40" doc:"One of the rule's queues; empty: it chooses again"`
	}
}

type pinInput struct {
	ByLearned
	PinBody
}

type workflowPinInput struct {
	ByID
	ByLearned
	PinBody
}

// estimateOut is a figure with the interval that it lies in with 95 %.
type estimateOut struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
	N     float64 `json:"n" doc:"Attempts that it rests on; what is old counts less"`
}

func showEstimate(e learn.Estimate) *estimateOut {
	if !e.Known() {
		return nil
	}
	return &estimateOut{e.Value, e.Low, e.High, e.N}
}

type learnedQueueOut struct {
	Queue   string       `json:"queue"`
	Share   float64      `json:"share" doc:"Of the work, now"`
	Off     string       `json:"off,omitempty" doc:"Why it gets none: paused or stalled"`
	Seconds *estimateOut `json:"seconds,omitempty" doc:"From scheduled to done"`
	Success *estimateOut `json:"success,omitempty" doc:"Share that succeeded"`
}

type learnedPartOut struct {
	For    string            `json:"for" doc:"The values that are learned apart; empty: all tasks of the rule"`
	Queues []learnedQueueOut `json:"queues"`
}

type fixedOut struct {
	Queue    string       `json:"queue"`
	Estimate *estimateOut `json:"estimate,omitempty" doc:"What would have come of sending everything there: seconds or cost until an attempt has succeeded, or the share that succeeds. Left out: not enough is known yet"`
}

type learnedRuleOut struct {
	Position int              `json:"position"`
	Name     string           `json:"name,omitempty"`
	Learn    route.Learn      `json:"learn"`
	Parts    []learnedPartOut `json:"parts"`
	Went     *estimateOut     `json:"went,omitempty" doc:"What came of the work as it was spread, in the measure of the goal"`
	Fixed    []fixedOut       `json:"fixed"`
}

type learnedOut struct {
	Rules []learnedRuleOut `json:"rules"`
}

func showLearned(list []routing.LearnedRule) learnedOut {
	out := learnedOut{Rules: make([]learnedRuleOut, 0, len(list))}
	for _, r := range list {
		one := learnedRuleOut{Position: r.Position, Name: r.Name, Learn: r.Learn, Went: showEstimate(r.Went)}
		for _, p := range r.Parts {
			part := learnedPartOut{For: p.For}
			for _, q := range p.Queues {
				part.Queues = append(part.Queues, learnedQueueOut{q.Queue, q.Share, q.Off, showEstimate(q.Time), showEstimate(q.Success)})
			}
			one.Parts = append(one.Parts, part)
		}
		for _, f := range r.Fixed {
			one.Fixed = append(one.Fixed, fixedOut{f.Queue, showEstimate(f.Estimate)})
		}
		out.Rules = append(out.Rules, one)
	}
	return out
}

func (s *Server) readLearned(ctx context.Context, workflow uuid.UUID) (*body[learnedOut], error) {
	if err := s.knownWorkflow(ctx, workflow); err != nil {
		return nil, err
	}
	list, err := s.config.Routing.LearnedRules(ctx, identityOf(ctx).Workspace, workflow)
	if err != nil {
		return nil, err
	}
	return reply(showLearned(list)), nil
}

func (s *Server) forgetLearned(ctx context.Context, workflow uuid.UUID, rule string) (*body[routesOut], error) {
	if err := s.knownWorkflow(ctx, workflow); err != nil {
		return nil, err
	}
	who := identityOf(ctx)
	deedOf(ctx).target = rule
	t, err := s.config.Routing.Forget(ctx, who.Workspace, workflow, rule, who.Name)
	if err != nil {
		return nil, err
	}
	return reply(showRoutes(t)), nil
}

func (s *Server) pinLearned(ctx context.Context, workflow uuid.UUID, rule, queue string) (*body[routesOut], error) {
	if err := s.knownWorkflow(ctx, workflow); err != nil {
		return nil, err
	}
	who, deed := identityOf(ctx), deedOf(ctx)
	deed.target, deed.detail = rule, queue
	t, err := s.config.Routing.Pin(ctx, who.Workspace, workflow, rule, queue, who.Name)
	if err != nil {
		return nil, err
	}
	return reply(showRoutes(t)), nil
}
