package server

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"signalbox/engine/account"
	"signalbox/engine/review"
)

// reviewAccess is the part for reviews: who may publish may ask for one and be
// asked. Whether the workspace wants them is for who answers for all of it.
func reviewAccess() map[string]access {
	viewer := access{role: account.Viewer}
	editor := access{role: account.Editor}
	return map[string]access{
		"GET /w/{id}/review":              viewer,
		"GET /api/workflows/{id}/review":  viewer,
		"POST /api/workflows/{id}/review": editor.as("review.ask"),
		"POST /api/reviews/{id}/approve":  editor.as("review.approve"),
		"POST /api/reviews/{id}/changes":  editor.as("review.changes"),
		"POST /api/reviews/{id}/withdraw": editor.as("review.withdraw"),
		"GET /api/workspace":              viewer,
		"PATCH /api/workspace":            access{role: account.Owner}.as("workspace.set"),
	}
}

func (s *Server) registerReviews(api huma.API) {
	on(s, api, op(http.MethodGet, "/api/workflows/{id}/review", "Tell whether the draft needs an approval, and how its review stands"), s.readReview)
	ask := op(http.MethodPost, "/api/workflows/{id}/review", "Ask members to review the draft, in place of an earlier request")
	ask.DefaultStatus = http.StatusCreated
	on(s, api, ask, s.askReview)
	on(s, api, op(http.MethodPost, "/api/reviews/{id}/approve", "Approve the draft as it is at a position"), s.approveReview)
	on(s, api, op(http.MethodPost, "/api/reviews/{id}/changes", "Ask for changes; an approval ends by it"), s.changesReview)
	on(s, api, op(http.MethodPost, "/api/reviews/{id}/withdraw", "End a review that you asked for"), s.withdrawReview)
	on(s, api, op(http.MethodGet, "/api/workspace", "Read what holds for the whole workspace"), s.readWorkspace)
	on(s, api, op(http.MethodPatch, "/api/workspace", "Change what holds for the whole workspace"), s.patchWorkspace)
}

type reviewDecisionOut struct {
	By   personOut `json:"by"`
	At   time.Time `json:"at"`
	Note string    `json:"note"`
	Seq  int64     `json:"seq" doc:"Position of the draft that was looked at"`
}

type reviewOut struct {
	ID        uuid.UUID          `json:"id"`
	Seq       int64              `json:"seq" doc:"Position of the draft when it was asked for"`
	Note      string             `json:"note"`
	By        personOut          `json:"by"`
	At        time.Time          `json:"at"`
	Reviewers []personOut        `json:"reviewers"`
	State     review.State       `json:"state" enum:"open,approved,changes"`
	Stale     bool               `json:"stale" doc:"The draft has moved on since it was approved"`
	Decision  *reviewDecisionOut `json:"decision,omitempty" doc:"The last one"`
}

type reviewStatusOut struct {
	Required bool       `json:"required" doc:"Publishing needs an approval of exactly this position of the draft"`
	Approved bool       `json:"approved" doc:"There is one"`
	Seq      int64      `json:"seq" doc:"Of the draft"`
	Review   *reviewOut `json:"review,omitempty" doc:"The one that goes on"`
}

func showReview(r review.Review, seq int64) *reviewOut {
	out := &reviewOut{ID: r.ID, Seq: r.Seq, Note: r.Note, By: personOut(r.By), At: r.At, State: r.State, Stale: r.Stale(seq), Reviewers: make([]personOut, 0, len(r.Reviewers))}
	for _, p := range r.Reviewers {
		out.Reviewers = append(out.Reviewers, personOut(p))
	}
	if d := r.Decision; d != nil {
		out.Decision = &reviewDecisionOut{By: personOut(d.By), At: d.At, Note: d.Note, Seq: d.Seq}
	}
	return out
}

func (s *Server) readReview(ctx context.Context, in *ByID) (*body[reviewStatusOut], error) {
	st, err := s.config.Reviews.Status(ctx, identityOf(ctx).Workspace, in.ID)
	if err != nil {
		return nil, err
	}
	out := reviewStatusOut{Required: st.Required, Seq: st.Seq}
	if st.Review != nil {
		out.Review = showReview(*st.Review, st.Seq)
		out.Approved = out.Review.State == review.Approved && !out.Review.Stale
	}
	return reply(out), nil
}

type oneReviewOut struct {
	Review *reviewOut `json:"review"`
}

type askInput struct {
	ByID
	Body struct {
		Seq       int64       `json:"seq" minimum:"0" doc:"Position that you looked at"`
		Note      string      `json:"note,omitempty" doc:"What it is about, at most 1000 characters"`
		Reviewers []uuid.UUID `json:"reviewers" maxItems:"100" doc:"Members who may publish, 1 to 10"`
	}
}

func (s *Server) askReview(ctx context.Context, in *askInput) (*body[oneReviewOut], error) {
	who := identityOf(ctx)
	r, err := s.config.Reviews.Ask(ctx, who.Workspace, review.Request{
		Workflow: in.ID, By: review.Person{ID: who.User, Name: who.Name}, Seq: in.Body.Seq, Note: in.Body.Note, Reviewers: in.Body.Reviewers,
	})
	if err != nil {
		return nil, err
	}
	return reply(oneReviewOut{Review: showReview(r, r.Seq)}), nil
}

type reviewDecisionInput struct {
	ByID
	Body struct {
		Seq  int64  `json:"seq" minimum:"0" doc:"Position that you looked at"`
		Note string `json:"note,omitempty" doc:"At most 1000 characters; with changes it says which"`
	}
}

func (s *Server) approveReview(ctx context.Context, in *reviewDecisionInput) (*body[oneReviewOut], error) {
	return reviewed(ctx, in, s.config.Reviews.Approve)
}

func (s *Server) changesReview(ctx context.Context, in *reviewDecisionInput) (*body[oneReviewOut], error) {
	return reviewed(ctx, in, s.config.Reviews.AskForChanges)
}

// reviewed writes a decision. The log names the workflow, and what of it was
// looked at.
func reviewed(ctx context.Context, in *reviewDecisionInput, decide func(context.Context, string, uuid.UUID, review.Decision) (review.Review, error)) (*body[oneReviewOut], error) {
	who := identityOf(ctx)
	r, err := decide(ctx, who.Workspace, in.ID, review.Decision{By: review.Person{ID: who.User, Name: who.Name}, Note: in.Body.Note, Seq: in.Body.Seq})
	if err != nil {
		return nil, err
	}
	d := deedOf(ctx)
	d.target, d.detail = r.Workflow.String(), "draft "+strconv.FormatInt(in.Body.Seq, 10)
	return reply(oneReviewOut{Review: showReview(r, in.Body.Seq)}), nil
}

func (s *Server) withdrawReview(ctx context.Context, in *ByID) (*struct{}, error) {
	who := identityOf(ctx)
	return nil, s.config.Reviews.Withdraw(ctx, who.Workspace, in.ID, who.User, who.Role.AtLeast(account.Admin))
}

// Whether a workspace asks for reviews.
const (
	reviewOptional = "optional"
	reviewRequired = "required"
)

type rulesOut struct {
	ID     string `json:"id"`
	Review string `json:"review" enum:"optional,required" doc:"Required: a draft is published only after somebody else has approved it"`
}

func (s *Server) readWorkspace(ctx context.Context, _ *struct{}) (*body[rulesOut], error) {
	workspace := identityOf(ctx).Workspace
	required, err := s.config.Reviews.Required(ctx, workspace)
	if err != nil {
		return nil, err
	}
	out := rulesOut{ID: workspace, Review: reviewOptional}
	if required {
		out.Review = reviewRequired
	}
	return reply(out), nil
}

type patchRulesInput struct {
	Body struct {
		Review string `json:"review,omitempty" enum:"optional,required" doc:"Whether a draft needs an approval before it is published"`
	}
}

func (s *Server) patchWorkspace(ctx context.Context, in *patchRulesInput) (*body[rulesOut], error) {
	if in.Body.Review != "" {
		if err := s.config.Reviews.SetRequired(ctx, identityOf(ctx).Workspace, in.Body.Review == reviewRequired); err != nil {
			return nil, err
		}
		deedOf(ctx).detail = "review: " + in.Body.Review
	}
	return s.readWorkspace(ctx, nil)
}

// pageReview leads to the drawing that shows what the draft would change.
func (s *Server) pageReview(w http.ResponseWriter, r *http.Request) {
	wf, ok := s.workflowOfPage(w, r)
	if !ok {
		return
	}
	before := "none"
	if wf.ActiveVersion > 0 {
		before = wf.ActiveID.String()
	}
	http.Redirect(w, r, "/w/"+wf.ID.String()+"?compare="+before+"..draft", http.StatusSeeOther)
}
