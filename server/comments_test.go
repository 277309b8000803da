package server_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/account"
	"signalbox/engine/comment"
)

// said is a thread as the API shows it.
type said struct {
	ID       string
	Node     string
	Title    string
	Last     int
	Count    int
	Unread   int
	Resolved *struct{ By struct{ Name string } }
	Comments []struct {
		ID       string
		N        int
		By       struct{ Name string }
		Text     string
		Mentions []struct{ ID, Name string }
		Deleted  bool
	}
}

// told is an inbox as the API shows it.
type told struct {
	Unread int
	Nudges []struct {
		Kind, By, Title, Text, Href string
		Read                        bool
	}
}

// id is the person behind a client.
func (b *browser) id() string {
	b.w.t.Helper()
	var me struct{ ID string }
	b.get("/api/me").must(b.w.t, http.StatusOK).into(b.w.t, &me)
	return me.ID
}

func (b *browser) thread(method, path string, body any, status int) said {
	b.w.t.Helper()
	var out struct{ Thread said }
	b.json(method, path, body).must(b.w.t, status).into(b.w.t, &out)
	return out.Thread
}

// says begins a thread.
func (b *browser) says(workflow, node, text string, mentions ...string) said {
	b.w.t.Helper()
	return b.thread("POST", "/api/workflows/"+workflow+"/threads", map[string]any{"node": node, "text": text, "mentions": mentions}, http.StatusCreated)
}

func (b *browser) replies(thread, text string, mentions ...string) said {
	b.w.t.Helper()
	return b.thread("POST", "/api/threads/"+thread+"/comments", map[string]any{"text": text, "mentions": mentions}, http.StatusCreated)
}

func (b *browser) threads(workflow string) []said {
	b.w.t.Helper()
	var out struct{ Threads []said }
	b.get("/api/workflows/"+workflow+"/threads").must(b.w.t, http.StatusOK).into(b.w.t, &out)
	return out.Threads
}

func (b *browser) inbox() told {
	b.w.t.Helper()
	var out told
	b.get("/api/inbox").must(b.w.t, http.StatusOK).into(b.w.t, &out)
	return out
}

func TestThreadIsBegunAnsweredResolvedAndOpenedByAReply(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, maya := w.member("main", account.Editor), w.member("main", account.Operator)
	w.clock.advance(time.Minute) // they are members by now
	id := ada.template("reminder")
	th := ada.says(id, "n_ask", "  Why three days?\r\nAnd why here?  ")
	if th.Node != "n_ask" || th.Title == "" || th.Unread != 0 || th.Comments[0].Text != "Why three days?\nAnd why here?" {
		t.Errorf("the thread is %+v", th)
	}
	if got := maya.threads(id); len(got) != 1 || got[0].Unread != 1 || got[0].Comments[0].By.Name != "editor" {
		t.Errorf("the other person sees %+v", got)
	}
	th = maya.replies(th.ID, "Because of the law.")
	if th.Count != 2 || th.Last != 2 || th.Comments[1].N != 2 {
		t.Errorf("after a reply it is %+v", th)
	}
	for range 2 { // the second time changes nothing, and is not recorded
		if th = ada.thread("POST", "/api/threads/"+th.ID+"/resolve", nil, 200); th.Resolved == nil || th.Resolved.By.Name != "editor" {
			t.Errorf("resolved it is %+v", th)
		}
	}
	if th = maya.replies(th.ID, "One more thing."); th.Resolved != nil {
		t.Error("a reply left the thread resolved")
	}
	maya.thread("POST", "/api/threads/"+th.ID+"/resolve", nil, 200)
	if th = ada.thread("POST", "/api/threads/"+th.ID+"/reopen", nil, 200); th.Resolved != nil {
		t.Error("the thread did not open again")
	}
	if n := strings.Count(w.member("main", account.Admin).get("/api/audit?action=thread.resolve").text, `"action"`); n != 2 {
		t.Errorf("%d entries say that it was resolved, want 2", n)
	}
	w.clock.advance(time.Second)
	whole := ada.says(id, "", "A good name would help.")
	if whole.Node != "" || whole.Title != "" {
		t.Errorf("about the whole drawing: %+v", whole)
	}
	if list := ada.threads(id); len(list) != 2 || list[0].ID != whole.ID {
		t.Errorf("the newest is not first: %+v", list)
	}
}

func TestUnreadIsEachPersonsOwn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, maya, jo := w.member("main", account.Editor), w.member("main", account.Editor), w.member("main", account.Viewer)
	w.clock.advance(time.Minute)
	id := ada.template("reminder")
	th := ada.says(id, "n_ask", "one")
	ada.replies(th.ID, "two")
	ada.replies(th.ID, "three")
	maya.json("PUT", "/api/threads/"+th.ID+"/read", `{"n":2}`).must(t, http.StatusNoContent)
	maya.json("PUT", "/api/threads/"+th.ID+"/read", `{"n":1}`).must(t, http.StatusNoContent) // a late one takes nothing back
	jo.json("PUT", "/api/threads/"+th.ID+"/read", `{"n":99}`).must(t, http.StatusNoContent)  // only what is there
	ada.replies(th.ID, "four")
	for name, c := range map[string]struct {
		who  *browser
		want int
	}{"who wrote it": {ada, 0}, "who read two": {maya, 2}, "who read three": {jo, 1}} {
		if got := c.who.threads(id)[0].Unread; got != c.want {
			t.Errorf("%s has %d unread, want %d", name, got, c.want)
		}
	}
	// Who joins later is not asked to read the past.
	w.clock.advance(-time.Hour)
	ada.says(id, "", "long ago")
	w.clock.advance(2 * time.Hour)
	if got := jo.threads(id)[1].Unread; got != 0 {
		t.Errorf("what was said before somebody joined counts as %d unread", got)
	}
}

func TestWhoIsNamedOrAnsweredIsTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, maya, jo := w.member("main", account.Owner), w.member("main", account.Editor), w.member("main", account.Viewer)
	id := ada.template("reminder")
	// Named, but not in the text: dropped. Oneself: never told.
	th := ada.says(id, "n_ask", "@editor, is this right? @owner", maya.id(), jo.id(), ada.id())
	if got := th.Comments[0].Mentions; len(got) != 2 {
		t.Errorf("it names %+v", got)
	}
	if in := maya.inbox(); in.Unread != 1 || in.Nudges[0].Kind != "mention" || in.Nudges[0].By != "owner" || !strings.HasPrefix(in.Nudges[0].Text, "@editor, is") || in.Nudges[0].Href != "/w/"+id+"?thread="+th.ID {
		t.Errorf("who was named is told %+v", in)
	}
	if in := jo.inbox(); len(in.Nudges) != 0 {
		t.Errorf("who was not named is told %+v", in)
	}
	maya.replies(th.ID, "Yes. Ask @viewer", jo.id())
	if in := ada.inbox(); in.Unread != 1 || in.Nudges[0].Kind != "reply" {
		t.Errorf("who began is told %+v", in)
	}
	w.clock.advance(time.Second)
	// One who wrote and is named is told once.
	ada.replies(th.ID, "Thanks @editor", maya.id())
	if in := maya.inbox(); len(in.Nudges) != 2 || in.Nudges[0].Kind != "mention" {
		t.Errorf("one comment told %+v", in)
	}
	// Reading the thread reads what was told of it.
	maya.json("PUT", "/api/threads/"+th.ID+"/read", `{"n":3}`).must(t, http.StatusNoContent)
	if in := maya.inbox(); in.Unread != 0 || !in.Nudges[0].Read {
		t.Errorf("after reading: %+v", in)
	}
	jo.json("POST", "/api/inbox/read", `{}`).must(t, http.StatusNoContent)
	if in := jo.inbox(); in.Unread != 0 || len(in.Nudges) != 1 {
		t.Errorf("after marking all: %+v", in)
	}
	jo.page("/inbox").must(t, http.StatusOK).has(t, "editor named you", "Ask @viewer")
	// What is taken back is not told any more.
	ada.do("DELETE", "/api/workflows/"+id, nil, nil).must(t, http.StatusNoContent)
	if in := jo.inbox(); len(in.Nudges) != 0 {
		t.Errorf("of a deleted workflow: %+v", in)
	}
}

func TestCommentIsChangedByItsAuthorOnly(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, maya, admin := w.member("main", account.Editor), w.member("main", account.Operator), w.member("main", account.Admin)
	id := ada.template("reminder")
	th := ada.says(id, "n_ask", "one")
	th = maya.replies(th.ID, "two")
	first, second := "/api/comments/"+th.Comments[0].ID, "/api/comments/"+th.Comments[1].ID
	maya.json("PATCH", first, `{"text":"x"}`).must(t, http.StatusForbidden)
	admin.json("PATCH", first, `{"text":"x"}`).must(t, http.StatusForbidden)
	maya.do("DELETE", first, nil, nil).must(t, http.StatusForbidden)
	th = ada.thread("PATCH", first, map[string]any{"text": "one, @operator", "mentions": []string{maya.id()}}, 200)
	if th.Comments[0].Text != "one, @operator" || maya.inbox().Unread != 1 {
		t.Errorf("after a change: %+v, told %+v", th.Comments[0], maya.inbox())
	}
	ada.thread("PATCH", first, map[string]any{"text": "One, @operator", "mentions": []string{maya.id()}}, 200)
	if n := maya.inbox().Unread; n != 1 {
		t.Errorf("who was named before was told again: %d", n)
	}
	ada.do("DELETE", first, nil, nil).must(t, http.StatusNoContent)
	ada.do("DELETE", first, nil, nil).must(t, http.StatusNotFound)
	ada.json("PATCH", first, `{"text":"again"}`).must(t, http.StatusNotFound)
	if th = ada.thread("GET", "/api/threads/"+th.ID, nil, 200); !th.Comments[0].Deleted || th.Comments[0].Text != "" || th.Count != 1 || maya.inbox().Unread != 0 {
		t.Errorf("after taking back: %+v", th)
	}
	if list := ada.threads(id); list[0].Comments[0].Text != "two" {
		t.Errorf("the list begins with %+v", list[0].Comments)
	}
	admin.do("DELETE", second, nil, nil).must(t, http.StatusNoContent)
	ada.get("/api/threads/"+th.ID).must(t, http.StatusNotFound)
	contains(t, admin.get("/api/audit?action=comment.delete").text, th.Comments[1].ID)
}

func TestCommentsAreRefusedInWords(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.member("main", account.Editor)
	id := ada.template("reminder")
	stranger := w.member("other", account.Editor)
	long := strings.Repeat("字", comment.TextMax)
	for name, c := range map[string]struct {
		body   any
		status int
		want   string
	}{
		"nothing":            {map[string]any{"text": " \n "}, 422, "/text"},
		"one too many":       {map[string]any{"text": long + "x"}, 422, "4001 characters"},
		"a control sign":     {map[string]any{"text": "a\u0007b"}, 422, "control"},
		"a step of nobody":   {map[string]any{"text": "x", "node": "nothing"}, 422, "/node"},
		"a person elsewhere": {map[string]any{"text": "@editor", "mentions": []string{stranger.id()}}, 422, "/mentions"},
		"too many people":    {map[string]any{"text": "x", "mentions": make21()}, 422, "20 people"},
		"an unknown field":   {map[string]any{"text": "x", "html": "<b>"}, 422, "/html"},
	} {
		res := ada.json("POST", "/api/workflows/"+id+"/threads", c.body)
		if res.status != c.status || !strings.Contains(res.text, c.want) {
			t.Errorf("%s: %d %.300s, want %d with %q", name, res.status, res.text, c.status, c.want)
		}
	}
	if len(ada.threads(id)) != 0 {
		t.Error("a refused comment was stored")
	}
	ada.says(id, "", long)
	text := `<script>alert(1)</script> & javascript:alert(1)`
	if th := ada.says(id, "", text); th.Comments[0].Text != text {
		t.Errorf("came back as %q", th.Comments[0].Text)
	}
}

func make21() (ids []string) {
	for range comment.MentionsMax + 1 {
		ids = append(ids, uuid.NewString())
	}
	return ids
}

func TestCommentsOfOtherWorkspacesDoNotExist(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, other := w.member("main", account.Owner), w.member("other", account.Owner)
	id := ada.template("reminder")
	th := ada.says(id, "n_ask", "ours")
	c := th.Comments[0].ID
	for _, r := range [][3]string{
		{"GET", "/api/workflows/" + id + "/threads", ""},
		{"POST", "/api/workflows/" + id + "/threads", `{"text":"x"}`},
		{"GET", "/api/threads/" + th.ID, ""},
		{"POST", "/api/threads/" + th.ID + "/comments", `{"text":"x"}`},
		{"POST", "/api/threads/" + th.ID + "/resolve", ""},
		{"PUT", "/api/threads/" + th.ID + "/read", `{"n":1}`},
		{"PATCH", "/api/comments/" + c, `{"text":"x"}`},
		{"DELETE", "/api/comments/" + c, ""},
	} {
		if res := other.json(r[0], r[1], r[2]); res.status != http.StatusNotFound {
			t.Errorf("%s %s answered %d", r[0], r[1], res.status)
		}
	}
}

// A thread outlives its step, and no share link and no copy has it.
func TestThreadOutlivesItsStepAndStaysInside(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.owner()
	id := ada.template("reminder")
	const words = "a word that nobody outside may read"
	th := ada.says(id, "n_ask", words)
	ada.publish(id)
	ada.json("POST", "/api/workflows/"+id+"/ops", batch(uuid.New(), 0, `{"op":"node.del","id":"n_ask"}`)).must(t, 200)
	if got := ada.threads(id); len(got) != 1 || got[0].Title != th.Title || got[0].Node != "n_ask" {
		t.Errorf("after its step was deleted: %+v", got)
	}
	ada.replies(th.ID, "It is gone.")
	var made struct{ Share struct{ URL string } }
	ada.json("POST", "/api/shares", map[string]any{"target": "workflow", "id": id}).must(t, http.StatusCreated).into(t, &made)
	link := made.Share.URL[strings.Index(made.Share.URL, "/s/"):]
	guest := w.browser()
	for _, path := range []string{link, link + "/workflow.json", link + ".svg", link + "/events"} {
		if res := guest.do("GET", path, nil, http.Header{"Accept": {"text/html"}}); strings.Contains(res.text, words) || strings.Contains(res.text, th.ID) {
			t.Errorf("%s shows a comment", path)
		}
	}
	guest.get("/api/threads/"+th.ID).must(t, http.StatusUnauthorized)
	if text := ada.get("/api/workflows/" + id + "/export").text; strings.Contains(text, words) {
		t.Error("an exported file holds a comment")
	}
}

// Whoever is faster: every reply has a number of its own, and the limit holds.
func TestRepliesAtOnceAreNumberedDensely(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	people := []*browser{w.member("main", account.Editor), w.member("main", account.Editor), w.member("main", account.Editor)}
	th := people[0].says(people[0].template("reminder"), "n_ask", "begin")
	const each = 8
	var wg sync.WaitGroup
	for i, b := range people {
		wg.Go(func() {
			for j := range each {
				b.replies(th.ID, fmt.Sprintf("%d %d", i, j))
			}
		})
	}
	wg.Wait()
	th = people[0].thread("GET", "/api/threads/"+th.ID, nil, 200)
	if th.Count != 1+each*len(people) || th.Last != th.Count {
		t.Fatalf("%d comments, the last is %d", th.Count, th.Last)
	}
	for i, c := range th.Comments {
		if c.N != i+1 {
			t.Fatalf("number %d stands at %d", c.N, i+1)
		}
	}
	if _, err := w.pool.Exec(t.Context(), `update comment_threads set last_n = $2 where id = $1`, th.ID, comment.CommentsMax); err != nil {
		t.Fatal(err)
	}
	res := people[0].json("POST", "/api/threads/"+th.ID+"/comments", `{"text":"x"}`)
	contains(t, res.must(t, http.StatusTooManyRequests).text, "500 comments")
	if res.header.Get("Retry-After") == "" {
		t.Error("a refusal for too many does not say when to come again")
	}
}

// What is said on one server shows on the other, to who looks at the drawing,
// and the bell rings for who is told.
func TestCommentsShowOnOtherServers(t *testing.T) {
	t.Parallel()
	here, there, _ := twoServers(t)
	ada, maya := here.member("main", account.Editor), here.member("main", account.Viewer)
	id := ada.template("reminder")
	topic := "draft:" + id
	one, two := ada.tab(), maya.at(there).tab()
	one.sub(topic, 0)
	two.sub(topic, 0)
	// An edit comes through: both listen.
	ada.json("POST", "/api/workflows/"+id+"/ops", batch(uuid.New(), 0, `{"op":"node.move","id":"n_ask","value":{"x":1,"y":1}}`)).must(t, 200)
	for _, k := range []*tab{one, two} {
		if m := k.next(); m.T != "op" {
			t.Fatalf("got %+v", m)
		}
	}
	th := ada.says(id, "n_ask", "@viewer look", maya.id())
	if m := one.next(); m.T != "thread" || m.ID != th.ID || m.Topic != topic {
		t.Errorf("on the same server: %+v", m)
	}
	heard := map[string]string{}
	for range 2 { // in any order
		m := two.next()
		heard[m.T] = m.ID
	}
	if id, rang := heard["nudge"]; heard["thread"] != th.ID || !rang || id != "" {
		t.Errorf("on the other server: %+v", heard)
	}
}
