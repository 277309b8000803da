package server

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"signalbox/engine/account"
	"signalbox/engine/draft"
	"signalbox/engine/graph"
	"signalbox/engine/problem"
)

func (s *Server) registerDrafts(api huma.API) {
	on(s, api, op(http.MethodGet, "/api/workflows/{id}/draft", "Read the drawing as it is now"), s.readDraft)
	on(s, api, op(http.MethodGet, "/api/workflows/{id}/ops", "Read what was changed after a position"), s.readOps)
	apply := op(http.MethodPost, "/api/workflows/{id}/ops", "Apply a batch of operations, whole or not at all, and once")
	apply.MaxBodyBytes = graphMax
	on(s, api, apply, s.applyOps)
	on(s, api, op(http.MethodPut, "/api/workflows/{id}/camera", "Remember where you look"), s.putCamera)
	on(s, api, op(http.MethodPost, "/api/workflows/{id}/publish", "Freeze the draft as the next version and make it active"), s.publishDraft)
	on(s, api, op(http.MethodGet, "/api/workflows/{id}/versions", "List versions, newest first"), s.listVersions)
	on(s, api, op(http.MethodGet, "/api/versions/{id}", "Read a version with its graph"), s.readVersion)
}

type draftOut struct {
	Workflow workflowOut       `json:"workflow"`
	Seq      int64             `json:"seq"`
	Graph    json.RawMessage   `json:"graph"`
	Issues   json.RawMessage   `json:"issues" doc:"What the checks found, errors first"`
	Camera   *draft.Camera     `json:"camera,omitempty"`
	Hooks    map[string]string `json:"hooks" doc:"Address of every webhook, by node id"`
}

func (s *Server) readDraft(ctx context.Context, in *ByID) (*body[draftOut], error) {
	who := identityOf(ctx)
	d, err := s.config.Drafts.Open(ctx, who.Workspace, in.ID)
	if err != nil {
		return nil, err
	}
	out := draftOut{Workflow: showWorkflow(d.Workflow), Seq: d.Seq, Hooks: map[string]string{}}
	if out.Graph, err = d.Graph.Encode(); err != nil {
		return nil, fmt.Errorf("encode the draft of %s: %w", in.ID, err)
	}
	out.Issues = issuesJSON(d.Issues)
	for node, path := range d.Hooks {
		out.Hooks[node] = s.origin + "/hooks/" + path
	}
	camera, ok, err := s.config.Drafts.Camera(ctx, in.ID, who.User)
	if err != nil {
		return nil, err
	}
	if ok {
		out.Camera = &camera
	}
	return reply(out), nil
}

// issuesJSON writes findings; never null.
func issuesJSON(issues []graph.Issue) json.RawMessage {
	if issues == nil {
		issues = []graph.Issue{}
	}
	return encodeFrame(issues)
}

type opsInput struct {
	ByID
	After int64 `query:"after" minimum:"0"`
	Limit int   `query:"limit" minimum:"1" maximum:"500" default:"500"`
}

type opsOut struct {
	Batches json.RawMessage `json:"batches"`
}

func (s *Server) readOps(ctx context.Context, in *opsInput) (*body[opsOut], error) {
	list, err := s.config.Drafts.Batches(ctx, identityOf(ctx).Workspace, in.ID, in.After, in.Limit)
	if err != nil {
		return nil, err
	}
	if list == nil {
		list = []draft.Batch{}
	}
	return reply(opsOut{Batches: encodeFrame(list)}), nil
}

type applyInput struct {
	ByID
	Body struct {
		Batch uuid.UUID       `json:"batch" doc:"Chosen by the client; the same gesture keeps it"`
		Base  int64           `json:"base" minimum:"0" doc:"Position that the client has seen"`
		Ops   json.RawMessage `json:"ops" doc:"Operations, see the documentation of the format"`
	}
}

type appliedOut struct {
	Seq    int64           `json:"seq"`
	Issues json.RawMessage `json:"issues"`
}

func (s *Server) applyOps(ctx context.Context, in *applyInput) (*body[appliedOut], error) {
	ops, err := graph.DecodeOps(in.Body.Ops)
	if err != nil {
		return nil, err
	}
	who := identityOf(ctx)
	a, err := s.config.Drafts.Apply(ctx, who.Workspace, in.ID, personOf(who), draft.Gesture{Batch: in.Body.Batch, Base: in.Body.Base, Ops: ops})
	if err != nil {
		return nil, err
	}
	return reply(appliedOut{Seq: a.Seq, Issues: issuesJSON(a.Issues)}), nil
}

type cameraInput struct {
	ByID
	Body draft.Camera
}

func (s *Server) putCamera(ctx context.Context, in *cameraInput) (*struct{}, error) {
	who := identityOf(ctx)
	return nil, s.config.Drafts.PutCamera(ctx, who.Workspace, in.ID, who.User, in.Body)
}

type publishInput struct {
	ByID
	Body struct {
		Seq  int64  `json:"seq" minimum:"0" doc:"Position that you looked at"`
		Note string `json:"note,omitempty" maxLength:"1000"`

		Override string `json:"override,omitempty" maxLength:"1000" doc:"Why an owner publishes although cases differ"`

		Unapproved bool `json:"unapproved,omitempty" doc:"An owner publishes without the approval that the workspace asks for"`
	}
}

type versionOut struct {
	ID        uuid.UUID `json:"id"`
	Workflow  uuid.UUID `json:"workflow"`
	Number    int       `json:"number" doc:"0: a test version of a draft"`
	Hash      string    `json:"hash"`
	CreatedAt time.Time `json:"created_at"`
	Note      string    `json:"note"`
	By        personOut `json:"by"`

	ApprovedBy *personOut `json:"approved_by,omitempty" doc:"Who approved exactly this"`
	Unapproved bool       `json:"unapproved,omitempty" doc:"An owner published it without the approval that the workspace asks for"`
}

func showVersion(v draft.Version) versionOut {
	out := versionOut{ID: v.ID, Workflow: v.Workflow, Number: v.Number, Hash: v.Hash, CreatedAt: v.CreatedAt, Note: v.Note, By: personOut(v.By), Unapproved: v.Overridden}
	if v.Review != uuid.Nil {
		by := personOut(v.ApprovedBy)
		out.ApprovedBy = &by
	}
	return out
}

type publishedOut struct {
	Version versionOut `json:"version"`
}

func (s *Server) publishDraft(ctx context.Context, in *publishInput) (*body[publishedOut], error) {
	who := identityOf(ctx)
	if in.Body.Unapproved && !who.Role.AtLeast(account.Owner) {
		return nil, problem.New(problem.Forbidden, "Only an owner may publish what nobody has approved; your role is %s.", who.Role)
	}
	accept, err := s.guard(ctx, in.ID, in.Body.Seq, in.Body.Override)
	if err != nil {
		return nil, err
	}
	v, err := s.config.Drafts.Publish(ctx, who.Workspace, in.ID, personOf(who), draft.Publication{Seq: in.Body.Seq, Note: in.Body.Note, Override: in.Body.Unapproved})
	if err != nil {
		return nil, err
	}
	s.hub.ReviewChanged(who.Workspace, in.ID)
	d := deedOf(ctx)
	if v.Overridden {
		d.action = "workflow.publish.unapproved"
	}
	var drawn struct {
		Name string `json:"name"`
	}
	if err := json.Unmarshal(v.Graph, &drawn); err != nil {
		return nil, fmt.Errorf("read the name of what was published: %w", err)
	}
	d.detail = strings.TrimSpace(drawn.Name + " v" + strconv.Itoa(v.Number) + " " + d.detail)
	if err := accept(ctx); err != nil {
		return nil, err
	}
	return reply(publishedOut{Version: showVersion(v)}), nil
}

type versionsOut struct {
	Versions []versionOut `json:"versions"`
}

func (s *Server) listVersions(ctx context.Context, in *ByID) (*body[versionsOut], error) {
	list, err := s.config.Drafts.Versions(ctx, identityOf(ctx).Workspace, in.ID, pageMax)
	if err != nil {
		return nil, err
	}
	out := versionsOut{Versions: make([]versionOut, 0, len(list))}
	for _, v := range list {
		out.Versions = append(out.Versions, showVersion(v))
	}
	return reply(out), nil
}

type versionGraphOut struct {
	Version versionOut      `json:"version"`
	Graph   json.RawMessage `json:"graph"`
}

func (s *Server) readVersion(ctx context.Context, in *ByID) (*body[versionGraphOut], error) {
	v, err := s.config.Drafts.Version(ctx, identityOf(ctx).Workspace, in.ID)
	if err != nil {
		return nil, err
	}
	return reply(versionGraphOut{Version: showVersion(v), Graph: v.Graph}), nil
}
