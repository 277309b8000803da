package server

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"signalbox/engine/queue"
	"signalbox/engine/route"
	"signalbox/engine/routing"
	"signalbox/engine/worker/remote"
)

func (s *Server) registerQueues(api huma.API) {
	on(s, api, op(http.MethodGet, "/api/queues", "List the queues with what waits in them"), s.listQueues)
	on(s, api, op(http.MethodGet, "/api/queues/{name}", "Read the settings of a queue"), s.readQueue)
	on(s, api, op(http.MethodPut, "/api/queues/{name}", "Replace the settings of a queue"), s.putQueue)
	on(s, api, op(http.MethodPost, "/api/queues/{name}/pause", "Hold a queue back: nothing more goes out"), s.pauseQueue)
	on(s, api, op(http.MethodPost, "/api/queues/{name}/resume", "Let a queue go on"), s.resumeQueue)
}

// QueueOut is a queue's settings on the wire.
type QueueOut struct {
	Name      string         `json:"name"`
	Revision  int            `json:"revision" doc:"Name it to change the settings; 0: none were stored yet"`
	Settings  queue.Settings `json:"settings"`
	UpdatedAt *time.Time     `json:"updated_at,omitempty"`
	UpdatedBy string         `json:"updated_by,omitempty"`
}

func showQueue(q routing.Queue) QueueOut {
	out := QueueOut{Name: q.Name, Revision: q.Revision, Settings: q.Settings, UpdatedBy: q.UpdatedBy}
	if !q.UpdatedAt.IsZero() {
		out.UpdatedAt = &q.UpdatedAt
	}
	return out
}

// queueStateOut is a queue as it is now.
type queueStateOut struct {
	QueueOut
	Depth    map[string]int `json:"depth" doc:"Tasks that are scheduled and not over, by priority"`
	Out      int            `json:"out" doc:"Of those, handed to workers or to the channel"`
	Waiting  int            `json:"waiting" doc:"Of those, held back by a limit or a pause"`
	Slots    int            `json:"slots" doc:"Slots that are taken of the concurrency"`
	Oldest   *time.Time     `json:"oldest,omitempty"`
	In       uint64         `json:"in_total"`
	Done     uint64         `json:"done_total"`
	Location string         `json:"location,omitempty" doc:"Only workers at this location serve it"`
	Workers  *int           `json:"workers,omitempty" doc:"Workers of one's own that serve it now; absent: the program's workers do"`
}

type queuesOut struct {
	Queues []queueStateOut `json:"queues"`
}

func (s *Server) listQueues(ctx context.Context, _ *struct{}) (*body[queuesOut], error) {
	workspace := identityOf(ctx).Workspace
	list, err := s.config.Routing.States(ctx, workspace)
	if err != nil {
		return nil, err
	}
	workers, err := s.config.Workers.Workers(ctx, workspace)
	if err != nil {
		return nil, err
	}
	out := queuesOut{Queues: make([]queueStateOut, 0, len(list))}
	for _, st := range list {
		q := queueStateOut{QueueOut: showQueue(st.Queue), Depth: map[string]int{}, Out: st.Seen.Out, Waiting: st.Seen.Waiting, Slots: st.Slots, In: st.Seen.In, Done: st.Seen.Done}
		if route.IsOwn(st.Name) {
			n := serving(workers, st.Name, s.config.Now())
			_, q.Location = route.Served(st.Name)
			q.Workers = &n
		}
		for i, name := range route.Names() {
			q.Depth[name] = st.Seen.Depth[i]
		}
		if !st.Seen.Oldest.IsZero() {
			q.Oldest = &st.Seen.Oldest
		}
		out.Queues = append(out.Queues, q)
	}
	return reply(out), nil
}

// serving counts the workers of one's own that serve a queue now.
func serving(workers []remote.Presence, queue string, now time.Time) (n int) {
	for _, w := range workers {
		if w.Alive(now) && w.Serves(queue) {
			n++
		}
	}
	return n
}

// ByQueue is the name in the address.
type ByQueue struct {
	Name string `path:"name" maxLength:"80"`
}

func (s *Server) readQueue(ctx context.Context, in *ByQueue) (*body[QueueOut], error) {
	q, err := s.config.Routing.Queue(ctx, identityOf(ctx).Workspace, in.Name)
	if err != nil {
		return nil, err
	}
	return reply(showQueue(q)), nil
}

type queueInput struct {
	ByQueue
	Body struct {
		Revision int            `json:"revision" doc:"The one that was read"`
		Settings queue.Settings `json:"settings"`
	}
}

func (s *Server) putQueue(ctx context.Context, in *queueInput) (*body[QueueOut], error) {
	who := identityOf(ctx)
	deedOf(ctx).target = in.Name
	q, err := s.config.Routing.PutQueue(ctx, routing.Queue{
		Workspace: who.Workspace, Name: in.Name, Revision: in.Body.Revision, Settings: in.Body.Settings, UpdatedBy: who.Name,
	})
	if err != nil {
		return nil, err
	}
	return reply(showQueue(q)), nil
}

func (s *Server) pauseQueue(ctx context.Context, in *ByQueue) (*body[QueueOut], error) {
	return s.holdQueue(ctx, in.Name, true)
}

func (s *Server) resumeQueue(ctx context.Context, in *ByQueue) (*body[QueueOut], error) {
	return s.holdQueue(ctx, in.Name, false)
}

func (s *Server) holdQueue(ctx context.Context, name string, paused bool) (*body[QueueOut], error) {
	who := identityOf(ctx)
	deedOf(ctx).target = name
	q, err := s.config.Routing.Pause(ctx, who.Workspace, name, who.Name, paused)
	if err != nil {
		return nil, err
	}
	return reply(showQueue(q)), nil
}
