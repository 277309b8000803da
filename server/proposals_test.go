package server_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"signalbox/engine/account"
	"signalbox/engine/proposal"
)

// scripted is the mock model: it says what the setting says.
type scripted struct{}

func (scripted) Ask(_ context.Context, _ string, s proposal.Setting, _ proposal.Question) (string, error) {
	var text string
	if json.Unmarshal(s.Answer, &text) == nil {
		return text, nil
	}
	return string(s.Answer), nil
}

func TestAModelProposesAndNothingChanges(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b, admin := w.member("main", account.Editor), w.member("main", account.Developer)
	var made struct{ ID string }
	b.json("POST", "/api/workflows", graphJSON(`{"id":"a","key":"start","kind":"manual"},{"id":"b","key":"facts","kind":"set"}`, `{"id":"e1","from":"a","port":"success","to":"b"}`)).must(t, 201).into(t, &made)
	ask := func() response { return b.json("POST", "/api/workflows/"+made.ID+"/proposal", `{"wish":"End it"}`) }
	if answer := ask().must(t, 409); !strings.Contains(answer.text, "No model is chosen") {
		t.Errorf("%s", answer.text)
	}
	says := func(answer string) {
		admin.json("PUT", "/api/assistant", `{"provider":"mock","answer":`+answer+`}`).must(t, 200)
	}
	says(`{"summary":"It ends.","ops":[{"op":"node.add","id":"n1","value":{"key":"done","kind":"output"}},{"op":"edge.add","id":"n2","value":{"from":"facts","port":"success","to":"n1"}}]}`)
	var out struct {
		Summary string
		Ops     []any
		Graph   struct{ Nodes, Edges []any }
		Before  struct{ Nodes []any }
	}
	ask().must(t, 200).into(t, &out)
	if out.Summary != "It ends." || len(out.Ops) != 3 || len(out.Graph.Nodes) != 3 || len(out.Graph.Edges) != 2 || len(out.Before.Nodes) != 2 {
		t.Errorf("%+v", out)
	}
	var draft struct {
		Seq   int
		Graph struct{ Nodes []any }
	}
	b.get("/api/workflows/"+made.ID+"/draft").must(t, 200).into(t, &draft)
	if draft.Seq != 0 || len(draft.Graph.Nodes) != 2 {
		t.Errorf("the draft changed: %+v", draft)
	}
	says(`"I would rather talk."`)
	if answer := ask().must(t, 422); !strings.Contains(answer.text, "did not answer with JSON") {
		t.Errorf("%s", answer.text)
	}
	w.member("other", account.Owner).json("POST", "/api/workflows/"+made.ID+"/proposal", `{"wish":"x"}`).must(t, 404)
}

func TestWhoMayHandleCredentialsChoosesTheModel(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	admin := w.member("main", account.Developer)
	w.member("main", account.Editor).json("PUT", "/api/assistant", `{"provider":"mock","answer":{}}`).must(t, 403)
	for _, bad := range []string{
		`{"provider":"x"}`, `{"provider":"mock"}`, `{"provider":"openai","base_url":"ftp://x","model":"m"}`, `{"provider":"openai","base_url":"https://x.example/v1"}`,
		`{"provider":"openai","base_url":"https://x.example/v1","model":"m","credential":"nobody"}`,
	} {
		admin.json("PUT", "/api/assistant", bad).must(t, 422)
	}
	admin.json("POST", "/api/credentials", `{"name":"models","type":"bearer","token":"tk-1234567"}`)
	admin.json("PUT", "/api/assistant", `{"provider":"openai","base_url":"https://x.example/v1","model":"m"}`).must(t, 200)
	if answer := admin.get("/api/assistant").must(t, 200).text; !strings.Contains(answer, `"chosen":true`) || !strings.Contains(answer, "x.example") {
		t.Errorf("%s", answer)
	}
	if answer := w.member("other", account.Owner).get("/api/assistant").must(t, 200).text; !strings.Contains(answer, `"chosen":false`) {
		t.Errorf("%s", answer)
	}
	admin.json("DELETE", "/api/assistant", "").must(t, 204)
	if answer := admin.get("/api/assistant").must(t, 200).text; !strings.Contains(answer, `"chosen":false`) {
		t.Errorf("%s", answer)
	}
}
