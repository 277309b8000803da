package server_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"signalbox/engine/account"
)

// standing is how a draft stands, as the API shows it.
type standing struct {
	Required, Approved bool
	Seq                int64
	Review             *struct {
		ID, State, Note string
		Stale           bool
		Reviewers       []struct{ Name string }
		Decision        *struct {
			By   struct{ Name string }
			Note string
			Seq  int64
		}
	}
}

func (b *browser) standing(workflow string) standing {
	b.w.t.Helper()
	var out standing
	b.get("/api/workflows/"+workflow+"/review").must(b.w.t, http.StatusOK).into(b.w.t, &out)
	return out
}

// asks asks for a review of the draft as it is, and returns its id.
func (b *browser) asks(workflow string, reviewers ...*browser) string {
	b.w.t.Helper()
	ids := []string{}
	for _, r := range reviewers {
		ids = append(ids, r.id())
	}
	var out struct{ Review struct{ ID string } }
	b.json("POST", "/api/workflows/"+workflow+"/review", map[string]any{"seq": b.standing(workflow).Seq, "note": "Please look.", "reviewers": ids}).
		must(b.w.t, http.StatusCreated).into(b.w.t, &out)
	return out.Review.ID
}

func (b *browser) approves(review string, seq int64) response {
	b.w.t.Helper()
	return b.json("POST", "/api/reviews/"+review+"/approve", map[string]any{"seq": seq})
}

func (b *browser) publishes(workflow string, more map[string]any) response {
	b.w.t.Helper()
	body := map[string]any{"seq": b.standing(workflow).Seq}
	for k, v := range more {
		body[k] = v
	}
	return b.json("POST", "/api/workflows/"+workflow+"/publish", body)
}

// moves changes the draft.
func (b *browser) moves(workflow string) {
	b.w.t.Helper()
	op := fmt.Sprintf(`{"op":"graph.set","path":"/description","value":%q}`, uuid.NewString())
	b.json("POST", "/api/workflows/"+workflow+"/ops", batch(uuid.New(), 0, op)).must(b.w.t, http.StatusOK)
}

// reviewing is a workspace that asks for reviews, with a workflow.
func reviewing(t *testing.T) (w *world, owner, ada, maya *browser, id string) {
	t.Helper()
	w = newWorld(t)
	owner, ada, maya = w.member("main", account.Owner), w.member("main", account.Editor), w.member("main", account.Developer)
	owner.json("PATCH", "/api/workspace", `{"review":"required"}`).must(t, http.StatusOK)
	return w, owner, ada, maya, ada.template("reminder")
}

func TestPublishingNeedsAnApprovalOfExactlyThisDraft(t *testing.T) {
	t.Parallel()
	w, _, ada, maya, id := reviewing(t)
	contains(t, ada.publishes(id, nil).must(t, http.StatusForbidden).text, "ask for a review")
	review := ada.asks(id, maya)
	contains(t, ada.publishes(id, nil).must(t, http.StatusForbidden).text, "Its review goes on")
	maya.approves(review, 7).must(t, http.StatusConflict)
	maya.approves(review, 0).must(t, http.StatusOK)
	if s := ada.standing(id); !s.Approved || s.Review.Decision.By.Name != "developer" {
		t.Errorf("approved, it stands at %+v", s)
	}
	// An edit after the approval makes it stale, even one that is undone.
	ada.moves(id)
	if s := ada.standing(id); s.Approved || !s.Review.Stale {
		t.Errorf("after an edit it stands at %+v", s)
	}
	contains(t, ada.publishes(id, nil).must(t, http.StatusForbidden).text, "changed after it was approved")
	maya.approves(review, 1).must(t, http.StatusOK)
	var out struct {
		Version struct {
			Number     int
			ApprovedBy struct{ Name string } `json:"approved_by"`
			Unapproved bool
		}
	}
	ada.publishes(id, nil).must(t, http.StatusOK).into(t, &out)
	if out.Version.Number != 1 || out.Version.ApprovedBy.Name != "developer" || out.Version.Unapproved {
		t.Errorf("published %+v", out.Version)
	}
	contains(t, ada.get("/api/workflows/"+id+"/versions").text, `"approved_by":{"id":"`+maya.id())
	maya.page("/w/"+id+"/versions").must(t, http.StatusOK).has(t, "Approved by developer")
	// The approval is used up, and the review over.
	if s := ada.standing(id); s.Review != nil {
		t.Errorf("after publishing it stands at %+v", s.Review)
	}
	maya.approves(review, 1).must(t, http.StatusConflict)
	ada.publishes(id, nil).must(t, http.StatusForbidden)
	for _, action := range []string{"review.ask", "review.approve", "workflow.publish"} {
		contains(t, w.member("main", account.Admin).get("/api/audit?action="+action).text, id)
	}
}

func TestOnlyWhoWasAskedDecides(t *testing.T) {
	t.Parallel()
	w, owner, ada, maya, id := reviewing(t)
	jo := w.member("main", account.Editor)
	for name, c := range map[string]struct {
		reviewers []string
		want      string
	}{
		"nobody":       {[]string{}, "1 to 10"},
		"oneself":      {[]string{ada.id()}, "other members"},
		"a viewer":     {[]string{w.member("main", account.Viewer).id()}, "theirs is viewer"},
		"an operator":  {[]string{w.member("main", account.Operator).id()}, "theirs is operator"},
		"a stranger":   {[]string{w.member("other", account.Owner).id()}, "no member"},
		"eleven times": {append(make21()[:10], maya.id()), "1 to 10"},
	} {
		res := ada.json("POST", "/api/workflows/"+id+"/review", map[string]any{"seq": 0, "reviewers": c.reviewers})
		if res.status != http.StatusUnprocessableEntity || !strings.Contains(res.text, c.want) {
			t.Errorf("%s: %d %s", name, res.status, res.text)
		}
	}
	ada.json("POST", "/api/workflows/"+id+"/review", map[string]any{"seq": 9, "reviewers": []string{maya.id()}}).must(t, http.StatusConflict)
	review := ada.asks(id, maya)
	if in := maya.inbox(); in.Unread != 1 || in.Nudges[0].Kind != "asked" || in.Nudges[0].Text != "Please look." || in.Nudges[0].Href != "/w/"+id+"/review" {
		t.Errorf("who was asked is told %+v", in)
	}
	ada.approves(review, 0).must(t, http.StatusForbidden)
	jo.approves(review, 0).must(t, http.StatusForbidden)
	owner.approves(review, 0).must(t, http.StatusForbidden) // may publish over it, not approve
	w.member("other", account.Owner).approves(review, 0).must(t, http.StatusNotFound)
	maya.json("POST", "/api/reviews/"+review+"/changes", `{"seq":0,"note":" "}`).must(t, http.StatusUnprocessableEntity)
	maya.approves(review, 0).must(t, http.StatusOK)
	// A reviewer may think again: the approval ends.
	maya.json("POST", "/api/reviews/"+review+"/changes", `{"seq":0,"note":"The name."}`).must(t, http.StatusOK)
	contains(t, ada.publishes(id, nil).must(t, http.StatusForbidden).text, "asks for changes")
	if in := ada.inbox(); in.Unread != 1 || in.Nudges[0].Kind != "changes" || in.Nudges[0].Text != "The name." { // the last word only
		t.Errorf("who asked is told %+v", in)
	}
	// A new request takes the place of the old one.
	next := ada.asks(id, maya, jo)
	maya.approves(review, 0).must(t, http.StatusConflict)
	jo.do("POST", "/api/reviews/"+next+"/withdraw", nil, nil).must(t, http.StatusForbidden)
	ada.do("POST", "/api/reviews/"+next+"/withdraw", nil, nil).must(t, http.StatusNoContent)
	jo.approves(next, 0).must(t, http.StatusConflict)
	if in := jo.inbox(); len(in.Nudges) != 0 {
		t.Errorf("a withdrawn request is still told: %+v", in)
	}
}

func TestOwnerPublishesOverAReviewAndThatIsRecorded(t *testing.T) {
	t.Parallel()
	w, owner, ada, maya, id := reviewing(t)
	ada.asks(id, maya)
	contains(t, ada.publishes(id, map[string]any{"unapproved": true}).must(t, http.StatusForbidden).text, "Only an owner")
	w.member("main", account.Admin).publishes(id, map[string]any{"unapproved": true}).must(t, http.StatusForbidden)
	owner.publishes(id, nil).must(t, http.StatusForbidden) // not by mistake
	contains(t, owner.publishes(id, map[string]any{"unapproved": true}).must(t, http.StatusOK).text, `"unapproved":true`)
	contains(t, owner.get("/api/audit?action=workflow.publish.unapproved").text, id)
	maya.page("/w/"+id+"/versions").must(t, http.StatusOK).has(t, "Published without an approval")
	if s := ada.standing(id); s.Review != nil {
		t.Error("the review of what is published goes on")
	}
}

func TestWorkspaceDecidesWhetherReviewsAreNeeded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	owner, ada, maya := w.member("main", account.Owner), w.member("main", account.Editor), w.member("main", account.Editor)
	id := ada.template("reminder")
	w.member("main", account.Admin).json("PATCH", "/api/workspace", `{"review":"required"}`).must(t, http.StatusForbidden)
	// Without the setting a review is welcome and not needed.
	review := ada.asks(id, maya)
	maya.approves(review, 0).must(t, http.StatusOK)
	contains(t, ada.publishes(id, nil).must(t, http.StatusOK).text, `"approved_by"`)
	text := ada.publishes(id, map[string]any{"unapproved": false}).must(t, http.StatusOK).text
	if strings.Contains(text, "approved_by") || strings.Contains(text, "unapproved") {
		t.Errorf("one approval was used twice: %s", text)
	}
	owner.json("PATCH", "/api/workspace", `{"review":"required"}`).must(t, http.StatusOK)
	contains(t, ada.get("/api/workspace").text, `"review":"required"`)
	ada.publishes(id, nil).must(t, http.StatusForbidden)
	other := w.member("other", account.Editor) // each workspace decides for itself
	other.publish(other.template("reminder"))
	owner.json("PATCH", "/api/workspace", `{"review":"optional"}`).must(t, http.StatusOK)
	ada.publishes(id, nil).must(t, http.StatusOK)
	contains(t, owner.get("/api/audit?action=workspace.set").text, "review: required")
}

// Whatever comes first, nothing is published that was not approved as it is.
func TestEditsDecisionsAndPublishingAtOnce(t *testing.T) {
	t.Parallel()
	w, _, ada, maya, id := reviewing(t)
	for range 6 {
		review := ada.asks(id, maya)
		seq := ada.standing(id).Seq
		maya.approves(review, seq).must(t, http.StatusOK)
		var published response
		var wg sync.WaitGroup
		wg.Go(func() { ada.moves(id) })
		wg.Go(func() { maya.json("POST", "/api/reviews/"+review+"/changes", map[string]any{"seq": seq, "note": "no"}) })
		wg.Go(func() {
			published = ada.json("POST", "/api/workflows/"+id+"/publish", map[string]any{"seq": seq})
		})
		wg.Wait()
		if s := published.status; s != http.StatusOK && s != http.StatusConflict && s != http.StatusForbidden {
			t.Fatalf("publishing answered %d %s", s, published.text)
		}
	}
	var wrong int
	err := w.pool.QueryRow(t.Context(), `select count(*) from versions v left join reviews r on r.id = v.review_id
		where v.number is not null and (r.id is null or r.state <> 'published' or r.decided_seq <> v.draft_seq or r.decided_id = r.by_id)`).Scan(&wrong)
	if err != nil || wrong != 0 {
		t.Errorf("%d versions were published without their approval (%v)", wrong, err)
	}
}

func TestReviewLeadsToTheDrawing(t *testing.T) {
	t.Parallel()
	_, owner, ada, _, id := reviewing(t)
	page := http.Header{"Accept": {"text/html"}}
	if to := ada.do("GET", "/w/"+id+"/review", nil, page).header.Get("Location"); to != "/w/"+id+"?compare=none..draft" {
		t.Errorf("before the first version it leads to %s", to)
	}
	owner.publishes(id, map[string]any{"unapproved": true}).must(t, http.StatusOK)
	if to := ada.do("GET", "/w/"+id+"/review", nil, page).header.Get("Location"); !strings.HasSuffix(to, "..draft") || strings.Contains(to, "none") {
		t.Errorf("after it, to %s", to)
	}
}
