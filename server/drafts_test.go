package server_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"signalbox/engine/account"
	"signalbox/engine/draft"
	"signalbox/engine/graph"
	"signalbox/engine/pg"
)

func nodeJSON(i int) string {
	return fmt.Sprintf(`{"id":"n%d","key":"k%d","kind":"set","config":{"fields":{}}}`, i, i)
}

func graphJSON(nodes, edges string) string {
	return `{"graph":{"signalbox":1,"name":"x","nodes":[` + nodes + `],"edges":[` + edges + `],"layout":{}}}`
}

func TestBadGraphsAreRefusedWithTheirPlace(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.member("main", account.Editor)
	many := make([]string, 10_001)
	for i := range many {
		many[i] = nodeJSON(i)
	}
	two := nodeJSON(1) + "," + nodeJSON(2)
	for name, c := range map[string]struct {
		body   string
		status int
		want   string
	}{
		"no JSON":                {`{"name":`, 400, ""},
		"something behind":       {`{"name":"x"} {}`, 400, "behind"},
		"duplicate keys":         {`{"name":"a","name":"b"}`, 400, "twice"},
		"duplicate keys inside":  {graphJSON(strings.Replace(two, `"kind":"set"`, `"kind":"set","kind":"if"`, 1), ""), 400, "/graph/nodes/0"},
		"another case":           {`{"NAME":"x"}`, 422, ""},
		"another case inside":    {`{"graph":{"signalbox":1,"name":"x","Nodes":[],"nodes":[],"edges":[],"layout":{}}}`, 422, "/Nodes"},
		"an unknown field":       {`{"name":"x","workspace":"other"}`, 422, "workspace"},
		"unknown field inside":   {graphJSON(strings.Replace(two, `"kind"`, `"owner":"x","kind"`, 1), ""), 422, "/nodes/0/owner"},
		"invalid UTF-8":          {"{\"name\":\"\xff\"}", 400, "byte"},
		"a lone surrogate":       {`{"name":"\ud800"}`, 400, ""},
		"NUL":                    {`{"name":"a\u0000b"}`, 400, "NUL"},
		"deep":                   {`{"graph":` + strings.Repeat("[", 600) + strings.Repeat("]", 600) + `}`, 400, "nested"},
		"deep for a graph":       {graphJSON(strings.Replace(nodeJSON(1), `{"fields":{}}`, `{"a":`+strings.Repeat("[", 200)+strings.Repeat("]", 200)+`}`, 1), ""), 422, "128"},
		"two nodes with one id":  {graphJSON(nodeJSON(1)+","+strings.Replace(nodeJSON(1), "k1", "k2", 1), ""), 422, "/nodes/1/id"},
		"two nodes with one key": {graphJSON(nodeJSON(1)+","+strings.Replace(nodeJSON(1), "n1", "n2", 1), ""), 422, "/nodes/1/key"},
		"edge to a missing node": {graphJSON(two, `{"id":"e1","from":"n1","port":"success","to":"n9"}`), 422, "/edges/0/to"},
		"two edges the same":     {graphJSON(two, `{"id":"e1","from":"n1","port":"success","to":"n2"},{"id":"e2","from":"n1","port":"success","to":"n2"}`), 422, "/edges/1"},
		"10,001 nodes":           {graphJSON(strings.Join(many, ","), ""), 413, "10001"},
		"another format":         {`{"graph":{"signalbox":2,"name":"x","nodes":[],"edges":[],"layout":{}}}`, 422, "/signalbox"},
		"no name":                {`{"name":" "}`, 422, "/name"},
		"a long name":            {`{"name":"` + strings.Repeat("x", 300) + `"}`, 422, "/name"},
		"bidi in a name":         {`{"name":"a\u202eb"}`, 422, "/name"},
		"template and graph":     {`{"template":"reminder","graph":{}}`, 422, "both"},
		"no such template":       {`{"template":"nothing"}`, 404, ""},
		"a huge body":            {`{"name":"` + strings.Repeat("x", 9<<20) + `"}`, 413, ""},
	} {
		res := b.json("POST", "/api/workflows", c.body)
		if res.status != c.status || !strings.Contains(res.text, c.want) {
			t.Errorf("%s: got %d %.300s, want %d with %q", name, res.status, res.text, c.status, c.want)
		}
		if got := res.header.Get("Content-Type"); got != "application/problem+json" {
			t.Errorf("%s: content type %s", name, got)
		}
	}
	if text := b.get("/api/workflows").text; !strings.Contains(text, `"workflows":[]`) {
		t.Errorf("something was stored: %s", text)
	}
}

func TestHostileNamesAreOrdinaryText(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.owner()
	for _, name := range []string{`<script>alert(1)</script>`, `{{ 7*7 }}`, `${7*7}`, `'; drop table users; --`, `__proto__`, `"><img src=x onerror=alert(1)>`} {
		var out struct{ ID, Name string }
		b.json("POST", "/api/workflows", map[string]string{"name": name}).must(t, http.StatusCreated).into(t, &out)
		if out.Name != name {
			t.Errorf("%q came back as %q", name, out.Name)
		}
		for _, page := range []string{"/", "/w/" + out.ID, "/w/" + out.ID + "/versions"} {
			text := b.do("GET", page, nil, http.Header{"Accept": {"text/html"}}).must(t, http.StatusOK).text
			if strings.Contains(text, "<script>alert") || strings.Contains(text, "<img src=x") {
				t.Errorf("%s shows %q as HTML", page, name)
			}
		}
	}
}

// A kind that this program does not know is kept byte for byte, shown, and
// not run.
func TestUnknownKindIsKeptAndNotRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.member("main", account.Editor)
	node := `{"id":"n1","key":"k1","kind":"from_the_future","config":{"big":9007199254740993,"list":[1,{"a":null}]}}`
	var out struct{ ID string }
	b.json("POST", "/api/workflows", graphJSON(node, "")).must(t, http.StatusCreated).into(t, &out)
	text := b.get("/api/workflows/"+out.ID+"/draft").must(t, http.StatusOK).text
	contains(t, text, `9007199254740993`)
	contains(t, text, `from_the_future`)
	res := b.json("POST", "/api/workflows/"+out.ID+"/publish", `{"seq":0}`).must(t, http.StatusUnprocessableEntity)
	contains(t, res.text, `"issues":[{`)
	contains(t, res.text, `"node":"n1"`)
	b.json("POST", "/api/workflows/"+out.ID+"/runs", `{"version":"draft"}`).must(t, http.StatusUnprocessableEntity)
}

type applied struct {
	Seq    int64
	Issues []graph.Issue
}

func batch(id uuid.UUID, base int, ops ...string) string {
	return fmt.Sprintf(`{"batch":%q,"base":%d,"ops":[%s]}`, id, base, strings.Join(ops, ","))
}

func TestBatchAppliesOnceAndWhole(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.member("main", account.Editor)
	id := b.template("reminder")
	url := "/api/workflows/" + id + "/ops"
	first := uuid.New()
	add := `{"op":"node.add","id":"new","value":{"key":"extra","kind":"set","config":{"fields":{}},"x":8,"y":8}}`
	var one, again applied
	b.json("POST", url, batch(first, 0, add, `{"op":"edge.add","id":"e9","value":{"from":"n_ask","port":"success","to":"new"}}`)).must(t, 200).into(t, &one)
	b.json("POST", url, batch(first, 0, add, `{"op":"edge.add","id":"e9","value":{"from":"n_ask","port":"success","to":"new"}}`)).must(t, 200).into(t, &again)
	if one.Seq != 1 || again.Seq != one.Seq || len(one.Issues) != len(again.Issues) {
		t.Errorf("got %+v, then %+v", one, again)
	}
	// A gesture that would fit a second time is absorbed as well.
	move := uuid.New()
	for range 2 {
		b.json("POST", url, batch(move, 1, `{"op":"node.move","id":"new","value":{"x":16,"y":16}}`)).must(t, 200).into(t, &again)
		if again.Seq != 2 {
			t.Errorf("a repeated move is number %d", again.Seq)
		}
	}
	res := b.json("POST", url, batch(uuid.New(), 2, `{"op":"node.move","id":"new","value":{"x":0,"y":0}}`, `{"op":"node.del","id":"nothing"}`)).must(t, http.StatusConflict)
	contains(t, res.text, "/ops/1")
	for name, ops := range map[string]string{
		"an unknown operation": `{"op":"node.fly","id":"new"}`,
		"an unknown field":     `{"op":"node.del","id":"new","force":true}`,
		"duplicate keys":       `{"op":"node.del","id":"new","id":"n_ask"}`,
		"no value":             `{"op":"node.move","id":"new"}`,
		"a wrong value":        `{"op":"node.move","id":"new","value":{"x":"1","y":2}}`,
		"a path too far":       `{"op":"node.set","id":"new","path":"/owner","value":1}`,
		"no operation":         ``,
	} {
		if res := b.json("POST", url, batch(uuid.New(), 2, ops)); res.status != 422 && res.status != 400 {
			t.Errorf("%s: %d %s", name, res.status, res.text)
		}
	}
	var d struct {
		Seq   int64
		Graph graph.Graph
	}
	b.get("/api/workflows/"+id+"/draft").must(t, 200).into(t, &d)
	if at := d.Graph.Layout.Nodes["new"]; d.Seq != 2 || at.X != 16 {
		t.Errorf("seq %d, node at %+v: a refused batch left something", d.Seq, at)
	}
	var log struct{ Batches []draft.Batch }
	b.get(url+"?after=1").must(t, 200).into(t, &log)
	if len(log.Batches) != 1 || log.Batches[0].ID != move || log.Batches[0].By.Name == "" {
		t.Errorf("got %+v", log.Batches)
	}
}

// Two servers over one database: whoever is faster, no operation is lost and
// both show the same in the end.
func TestTwoServersEditOneDraft(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.member("main", account.Editor)
	id := uuid.MustParse(b.template("reminder"))
	other := draft.New(pg.NewDrafts(w.pool), w.hub, w.clock.now)
	const writers, each = 4, 20 // more than between two snapshots
	var wg sync.WaitGroup
	for i := range writers {
		service := w.drafts
		if i%2 == 1 {
			service = other
		}
		wg.Go(func() {
			for j := range each {
				op := graph.Op{Op: "node.add", ID: fmt.Sprintf("w%d_%d", i, j), Value: json.RawMessage(fmt.Sprintf(`{"key":"w%d_%d","kind":"set","config":{"fields":{}},"x":0,"y":0}`, i, j))}
				if _, err := service.Apply(t.Context(), "main", id, draft.Person{Name: "x"}, draft.Gesture{Batch: uuid.New(), Ops: []graph.Op{op}}); err != nil {
					t.Errorf("writer %d, batch %d: %v", i, j, err)
				}
			}
		})
	}
	wg.Wait()
	a, err := w.drafts.Open(t.Context(), "main", id)
	if err != nil {
		t.Fatal(err)
	}
	c, err := other.Open(t.Context(), "main", id)
	if err != nil {
		t.Fatal(err)
	}
	one, err := a.Graph.Encode()
	if err != nil {
		t.Fatal(err)
	}
	two, err := c.Graph.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if a.Seq != writers*each || !bytes.Equal(one, two) {
		t.Errorf("seq %d and %d, equal: %v", a.Seq, c.Seq, bytes.Equal(one, two))
	}
	// A third one that reads from the store alone sees the same: snapshots and
	// the batches behind them fit together.
	third, err := draft.New(pg.NewDrafts(w.pool), w.hub, w.clock.now).Open(t.Context(), "main", id)
	if err != nil {
		t.Fatal(err)
	}
	if three, err := third.Graph.Encode(); err != nil || !bytes.Equal(one, three) {
		t.Errorf("the store has something else: %v", err)
	}
}

func TestPublishing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.member("main", account.Editor)
	id := b.template("support-ticket-triage")
	url := "/api/workflows/" + id
	b.json("POST", url+"/runs", `{}`).must(t, http.StatusConflict)
	b.publish(id)
	var wf struct {
		ActiveVersion int   `json:"active_version"`
		Dirty         int64 `json:"draft_dirty"`
		Seq           int64 `json:"draft_seq"`
	}
	b.get(url).must(t, 200).into(t, &wf)
	if wf.ActiveVersion != 1 || wf.Dirty != 0 {
		t.Errorf("after publishing: %+v", wf)
	}
	b.json("POST", url+"/ops", batch(uuid.New(), 0, `{"op":"node.set","id":"n_urgent","path":"/config/latency_ms","value":10}`)).must(t, 200)
	b.get(url).must(t, 200).into(t, &wf)
	if wf.Dirty != 1 || wf.Seq != 1 {
		t.Errorf("after an edit: %+v", wf)
	}
	b.json("POST", url+"/publish", `{"seq":0}`).must(t, http.StatusConflict)
	b.json("POST", url+"/publish", `{"seq":1,"note":"faster"}`).must(t, 200)
	var list struct {
		Versions []struct {
			ID, Hash, Note string
			Number         int
		}
	}
	b.get(url+"/versions").must(t, 200).into(t, &list)
	if len(list.Versions) != 2 || list.Versions[0].Number != 2 || list.Versions[0].Note != "faster" || list.Versions[0].Hash == list.Versions[1].Hash {
		t.Errorf("got %+v", list.Versions)
	}
	contains(t, b.get("/api/versions/"+list.Versions[1].ID).must(t, 200).text, `"latency_ms":250`)

	// A second copy cannot have the same address; it gets one of its own.
	second := b.template("support-ticket-triage")
	b.publish(second)
	var d struct{ Hooks map[string]string }
	b.get("/api/workflows/"+second+"/draft").must(t, 200).into(t, &d)
	if path := d.Hooks["n_ticket"]; strings.Contains(path, "demo-ticket") || len(path) < len(w.http.URL+"/hooks/")+26 {
		t.Errorf("the copy answers at %q", path)
	}
	// Asking for a path that is taken is a finding at the field.
	b.json("POST", "/api/workflows/"+second+"/ops", batch(uuid.New(), 0, `{"op":"node.set","id":"n_ticket","path":"/config/path","value":"demo-ticket"}`)).must(t, 200)
	res := b.json("POST", "/api/workflows/"+second+"/publish", `{"seq":1}`).must(t, http.StatusUnprocessableEntity)
	contains(t, res.text, "path_taken")
	contains(t, res.text, `"node":"n_ticket"`)
	b.get("/api/workflows/"+second).must(t, 200).into(t, &wf)
	if wf.ActiveVersion != 1 {
		t.Errorf("a refused publish made version %d active", wf.ActiveVersion)
	}
}

func TestRunsOfVersionsAndDrafts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.member("main", account.Editor)
	id := b.template("reminder")
	url := "/api/workflows/" + id + "/runs"
	var one, two struct {
		Run struct {
			ID      string
			Test    bool
			Source  string
			Version struct{ ID string }
		}
	}
	b.json("POST", url, `{"version":"draft","input":{"what":"x"}}`).must(t, http.StatusAccepted).into(t, &one)
	b.json("POST", url, `{"version":"draft"}`).must(t, http.StatusAccepted).into(t, &two)
	if !one.Run.Test || one.Run.Source != "test" || one.Run.Version.ID != two.Run.Version.ID {
		t.Errorf("got %+v and %+v: the same draft is one version", one.Run, two.Run)
	}
	if got := string(w.runs.starts[0].Input); got != `{"what":"x"}` || w.runs.starts[0].Trigger != "ask" {
		t.Errorf("got %s at %s", got, w.runs.starts[0].Trigger)
	}
	b.publish(id)
	b.json("POST", url, `{"idempotency_key":"k"}`).must(t, http.StatusAccepted).into(t, &one)
	b.json("POST", url, `{"idempotency_key":"k"}`).must(t, http.StatusAccepted).into(t, &two)
	if one.Run.ID != two.Run.ID || one.Run.Source != "api" {
		t.Errorf("got %+v and %+v", one.Run, two.Run)
	}
	for body, want := range map[string]int{`{"version":7}`: 404, `{"version":-1}`: 422, `{"version":"latest"}`: 422, `{"version":1.5}`: 422, `{"trigger":"nobody"}`: 422, `{"trigger":"compose"}`: 422, `{"input":1e400}`: 400} {
		if res := b.json("POST", url, body); res.status != want {
			t.Errorf("%s: %d %s", body, res.status, res.text)
		}
	}
}

func TestRunsWithARig(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.member("main", account.Editor)
	id := b.template("reminder")
	url := "/api/workflows/" + id + "/runs"
	var one struct{ Run struct{ Test bool } }
	b.publish(id)
	b.json("POST", url, `{"test":{"clock":"virtual","skip_waits":true,"breakpoints":["compose"],"to":"compose","pins":{"ask":{"a":1}}}}`).must(t, http.StatusAccepted).into(t, &one)
	r := w.runs.starts[0]
	if !one.Run.Test || r.Source != "test" || r.Rig == nil || !r.Rig.Virtual || !r.Rig.Skip || r.Rig.Stop != "compose" || string(r.Rig.Pins["ask"]) != `{"a":1}` || len(r.Rig.Breaks) != 1 {
		t.Errorf("started with %+v", r)
	}
	b.json("POST", url, `{"version":"draft","test":{"only":"compose"}}`).must(t, http.StatusAccepted)
	if r := w.runs.starts[1]; r.Rig.Only != "compose" || len(r.Rig.Given) == 0 {
		t.Errorf("started with %+v", r.Rig)
	}
	b.json("POST", url, `{}`).must(t, http.StatusAccepted)
	if r := w.runs.starts[2]; r.Test || r.Rig != nil {
		t.Errorf("a run that is no test was started with %+v", r)
	}
	for _, test := range []string{`{"to":"nobody"}`, `{"only":"nobody"}`, `{"to":"ask"}`, `{"to":"compose","only":"compose"}`, `{"skip_waits":true}`, `{"clock":"fast"}`} {
		b.json("POST", url, `{"test":`+test+`}`).must(t, http.StatusUnprocessableEntity)
	}
}

func TestCameraIsEachPersonsOwn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, b := w.member("main", account.Editor), w.member("main", account.Viewer)
	id := a.template("reminder")
	a.json("PUT", "/api/workflows/"+id+"/camera", `{"x":1.5,"y":-2,"z":0.5}`).must(t, http.StatusNoContent)
	contains(t, a.get("/api/workflows/"+id+"/draft").text, `"camera":{"x":1.5,"y":-2,"z":0.5}`)
	if text := b.get("/api/workflows/" + id + "/draft").text; strings.Contains(text, `"camera"`) {
		t.Error("somebody else's camera shows")
	}
	a.json("PUT", "/api/workflows/"+id+"/camera", `{"x":1,"y":1,"z":0}`).must(t, http.StatusUnprocessableEntity)
}

func TestExpressionCheck(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.member("main", account.Viewer)
	check := func(body string) string { return b.json("POST", "/api/expr/check", body).must(t, 200).text }
	contains(t, check(`{"mode":"expr","source":"input.a + 1","sample":{"input":{"a":1}}}`), `"value":2`)
	contains(t, check(`{"mode":"value","source":"=input.a","sample":{"input":{"a":"x"}}}`), `"value":"x"`)
	contains(t, check(`{"mode":"value","source":"Hello {{ input.a }}","sample":{"input":{"a":"x"}}}`), `"value":"Hello x"`)
	contains(t, check(`{"mode":"json","source":"{\"k\":\"=input.a\"}","sample":{"input":{"a":3}}}`), `"value":{"k":3}`)
	contains(t, check(`{"mode":"json","source":"{","sample":{}}`), `"ok":false`)
	contains(t, check(`{"mode":"expr","source":"input.","sample":{}}`), `"ok":false`)
	contains(t, check(`{"mode":"expr","source":"input.nothing","sample":{"input":{}}}`), `"value_error"`)
}
