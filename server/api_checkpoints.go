package server

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"signalbox/engine/account"
	"signalbox/engine/draft"
)

// checkpointAccess is the part of the access table for drawings that are kept
// under a name.
func checkpointAccess() map[string]access {
	viewer, editor := access{role: account.Viewer}, access{role: account.Editor}
	return map[string]access{
		"GET /api/workflows/{id}/checkpoints":                 viewer,
		"POST /api/workflows/{id}/checkpoints":                editor.as("checkpoint.keep"),
		"GET /api/workflows/{id}/checkpoints/{checkpoint}":    viewer,
		"DELETE /api/workflows/{id}/checkpoints/{checkpoint}": editor.as("checkpoint.delete"),
	}
}

func (s *Server) registerCheckpoints(api huma.API) {
	on(s, api, op(http.MethodGet, "/api/workflows/{id}/checkpoints", "List drawings of a workflow that are kept under a name, newest first"), s.listCheckpoints)
	keep := op(http.MethodPost, "/api/workflows/{id}/checkpoints", "Keep the draft as it is now under a name; it need not be sound")
	keep.DefaultStatus = http.StatusCreated
	on(s, api, keep, s.keepCheckpoint)
	on(s, api, op(http.MethodGet, "/api/workflows/{id}/checkpoints/{checkpoint}", "Read such a drawing"), s.readCheckpoint)
	on(s, api, op(http.MethodDelete, "/api/workflows/{id}/checkpoints/{checkpoint}", "Delete such a drawing; the draft stays as it is"), func(ctx context.Context, in *checkpointIn) (*struct{}, error) {
		return nil, s.config.Drafts.DeleteCheckpoint(ctx, identityOf(ctx).Workspace, in.ID, in.Checkpoint)
	})
}

type checkpointIn struct {
	ID         uuid.UUID `path:"id"`
	Checkpoint uuid.UUID `path:"checkpoint"`
}

type checkpointOut struct {
	ID        uuid.UUID       `json:"id"`
	Name      string          `json:"name"`
	DraftSeq  int64           `json:"draft_seq"`
	By        string          `json:"by,omitempty"`
	CreatedAt time.Time       `json:"created_at"`
	Graph     json.RawMessage `json:"graph,omitempty" doc:"Not in lists"`
}

type checkpointsOut struct {
	Checkpoints []checkpointOut `json:"checkpoints"`
}

func showCheckpoint(c draft.Checkpoint) checkpointOut {
	return checkpointOut{ID: c.ID, Name: c.Name, DraftSeq: c.DraftSeq, By: c.By.Name, CreatedAt: c.CreatedAt, Graph: c.Graph}
}

func (s *Server) listCheckpoints(ctx context.Context, in *ByID) (*body[checkpointsOut], error) {
	list, err := s.config.Drafts.Checkpoints(ctx, identityOf(ctx).Workspace, in.ID)
	if err != nil {
		return nil, err
	}
	out := checkpointsOut{Checkpoints: []checkpointOut{}}
	for _, c := range list {
		out.Checkpoints = append(out.Checkpoints, showCheckpoint(c))
	}
	return reply(out), nil
}

func (s *Server) keepCheckpoint(ctx context.Context, in *struct {
	ID   uuid.UUID `path:"id"`
	Body struct {
		Name string `json:"name"`
	}
}) (*body[checkpointOut], error) {
	who := identityOf(ctx)
	c, err := s.config.Drafts.KeepCheckpoint(ctx, who.Workspace, in.ID, personOf(who), in.Body.Name)
	if err != nil {
		return nil, err
	}
	c.Graph = nil
	return reply(showCheckpoint(c)), nil
}

func (s *Server) readCheckpoint(ctx context.Context, in *checkpointIn) (*body[checkpointOut], error) {
	c, err := s.config.Drafts.Checkpoint(ctx, identityOf(ctx).Workspace, in.ID, in.Checkpoint)
	if err != nil {
		return nil, err
	}
	return reply(showCheckpoint(c)), nil
}
