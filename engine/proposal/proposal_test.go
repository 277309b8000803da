package proposal_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"signalbox/engine/graph"
	"signalbox/engine/problem"
	"signalbox/engine/proposal"
)

// kept is a store of one setting.
type kept struct{ chosen *proposal.Setting }

func (k kept) Setting(context.Context, string) (proposal.Setting, bool, error) {
	if k.chosen == nil {
		return proposal.Setting{}, false, nil
	}
	return *k.chosen, true, nil
}

func (kept) PutSetting(context.Context, string, proposal.Setting, time.Time) error { return nil }

func (kept) DropSetting(context.Context, string) error { return nil }

// model says one text after the other, the last one for ever, and keeps what
// it was told.
type model struct {
	says  []string
	asked []proposal.Question
}

func (m *model) Ask(_ context.Context, _ string, _ proposal.Setting, q proposal.Question) (string, error) {
	m.asked = append(m.asked, q)
	return m.says[min(len(m.asked), len(m.says))-1], nil
}

func drawing(t *testing.T) graph.Graph {
	t.Helper()
	g, err := graph.Decode([]byte(`{"signalbox":1,"name":"Orders","nodes":[
		{"id":"a","key":"start","kind":"manual"},
		{"id":"b","key":"call","kind":"http","config":{"url":"https://example.com","auth":"credential","credential":"shop","headers":{"X-Api-Key":"plain-secret-value","Accept":"text/plain"}}},
		{"id":"c","key":"done","kind":"output","config":{}}],
		"edges":[{"id":"e1","from":"a","port":"success","to":"b"},{"id":"e2","from":"b","port":"success","to":"c"}],
		"layout":{"nodes":{"a":{"x":0,"y":0},"b":{"x":320,"y":0,"pin":{"seen":"in a run"}},"c":{"x":640,"y":0}},"sample":{"card":"4111"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func propose(t *testing.T, says ...string) (proposal.Proposal, *model, error) {
	t.Helper()
	m := &model{says: says}
	s := proposal.New(kept{&proposal.Setting{Provider: "openai", BaseURL: "https://x.example", Model: "m"}}, m, time.Now)
	p, err := s.Propose(t.Context(), proposal.Wish{Workspace: "w", Text: "Ask somebody first", Graph: drawing(t), Credentials: []string{"shop", "mail"}})
	return p, m, err
}

const valid = `{"summary":"Somebody is asked before the call.","ops":[
	{"op":"node.add","id":"ask","value":{"key":"ask_first","kind":"human","title":"Ask first","config":{"title":"Go on?","decisions":[{"port":"yes"},{"port":"no"}]}}},
	{"op":"edge.set","id":"e1","path":"/to","value":"ask_first"},
	{"op":"edge.add","id":"x1","value":{"from":"ask","port":"yes","to":"call"}},
	{"op":"node.add","id":"stop","value":{"key":"refused","kind":"end"}},
	{"op":"edge.add","id":"x2","value":{"from":"ask","port":"no","to":"stop"}},
	{"op":"node.set","id":"call","path":"/config/credential","value":"mail"}]}`

func TestAProposalIsACopyWithTheChange(t *testing.T) {
	t.Parallel()
	p, m, err := propose(t, "```json\n"+valid+"\n```")
	if err != nil {
		t.Fatal(err)
	}
	g := drawing(t)
	again, _, err := g.ApplyAll(p.Ops)
	if err != nil || len(again.Nodes) != 5 || len(again.Edges) != 4 {
		t.Fatalf("%+v %v", again.Edges, err)
	}
	if graph.Errors(p.Issues) || p.Summary != "Somebody is asked before the call." || len(m.asked) != 1 {
		t.Errorf("%+v %d", p.Issues, len(m.asked))
	}
	seen := map[[2]int]string{}
	for id, l := range p.Graph.Layout.Nodes {
		if other, taken := seen[[2]int{l.X, l.Y}]; taken {
			t.Errorf("%s lies on %s", id, other)
		}
		seen[[2]int{l.X, l.Y}] = id
	}
	for _, n := range p.Graph.Nodes[3:] {
		if !strings.HasPrefix(n.ID, "p") || len(n.ID) != 17 {
			t.Errorf("the model chose the id %q", n.ID)
		}
	}
}

// Names of credentials are all that a model is told of them, and what was seen
// in runs it is not told at all.
func TestAModelIsToldNoSecrets(t *testing.T) {
	t.Parallel()
	_, m, err := propose(t, valid)
	if err != nil {
		t.Fatal(err)
	}
	told := fmt.Sprint(m.asked[0].Messages)
	for _, secret := range []string{"plain-secret-value", "in a run", "4111"} {
		if strings.Contains(told, secret) {
			t.Errorf("the model was told %q", secret)
		}
	}
	for _, part := range []string{"shop", "mail", "Ask somebody first", "text/plain", "never instructions", "human:"} {
		if !strings.Contains(told, part) {
			t.Errorf("the model was not told %q", part)
		}
	}
	if !json.Valid(m.asked[0].Schema) {
		t.Error("the schema is no JSON")
	}
}

func TestWhatCannotBeUsedIsRefused(t *testing.T) {
	t.Parallel()
	op := func(ops string) string { return `{"summary":"","ops":[` + ops + `]}` }
	many := strings.TrimSuffix(strings.Repeat(`{"op":"graph.set","path":"/name","value":"x"},`, proposal.OpsMax+1), ",")
	for name, c := range map[string]struct{ answer, want string }{
		"nonsense":                 {"Sure! I can help with that.", "did not answer with JSON"},
		"another form":             {`{"ops":"all"}`, "another form"},
		"nothing":                  {op(""), "no change"},
		"too many":                 {op(many), "101 operations"},
		"too long":                 {`"` + strings.Repeat("x", proposal.AnswerMax) + `"`, "larger than"},
		"a node that is not there": {op(`{"op":"node.set","id":"nobody","path":"/title","value":"x"}`), "not there"},
		"an edge that is not":      {op(`{"op":"edge.del","id":"e9"}`), "not there"},
		"no such kind":             {op(`{"op":"node.add","id":"n","value":{"key":"k","kind":"shell"}}`), "no kind “shell”"},
		"another kind":             {op(`{"op":"node.set","id":"b","path":"/kind","value":"exec"}`), "no kind “exec”"},
		"no such operation":        {op(`{"op":"publish"}`), "no such operation"},
		"notes":                    {op(`{"op":"note.add","id":"n","value":{"x":0,"y":0,"w":1,"h":1,"text":"x"}}`), "no such operation"},
		"a sample":                 {op(`{"op":"graph.set","path":"/sample","value":{}}`), "only its name"},
		"a pin":                    {op(`{"op":"node.set","id":"b","path":"/pin","value":{}}`), "cannot be set"},
		"a key that is taken":      {op(`{"op":"node.add","id":"n","value":{"key":"call","kind":"set"}}`), "already a node"},
		"a credential":             {op(`{"op":"node.set","id":"b","path":"/config/credential","value":"root"}`), "no credential “root”"},
		"a credential inside":      {op(`{"op":"node.set","id":"b","path":"/config","value":{"url":"https://evil.example","credential":"root"}}`), "no credential “root”"},
		"what it did not see":      {op(`{"op":"node.set","id":"b","path":"/config/headers","value":{"X-Api-Key":"(hidden)"}}`), "not shown"},
		"an unknown field":         {op(`{"op":"node.del","id":"b","force":true}`), "no operation"},
		"a container in itself":    {op(`{"op":"node.set","id":"b","path":"/in","value":"call"}`), "in itself"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, m, err := propose(t, c.answer)
			p := problem.Of(err)
			if p == nil || !strings.Contains(p.Detail, c.want) {
				t.Fatalf("%v, wanted %s", err, c.want)
			}
			if len(m.asked) != 2 || !strings.Contains(m.asked[1].Messages[3].Content, "cannot be used") {
				t.Errorf("the model was asked %d times", len(m.asked))
			}
		})
	}
}

func TestAFaultIsShownToTheModelOnce(t *testing.T) {
	t.Parallel()
	p, m, err := propose(t, "What?", valid)
	if err != nil || len(m.asked) != 2 || len(p.Ops) == 0 {
		t.Errorf("%v after %d questions", err, len(m.asked))
	}
}

// An unsound result is a proposal all the same: it comes with its findings.
func TestAnUnsoundResultComesWithItsFindings(t *testing.T) {
	t.Parallel()
	p, _, err := propose(t, `{"summary":"Loop","ops":[{"op":"edge.add","id":"x","value":{"from":"call","port":"failure","to":"call"}},{"op":"node.set","id":"call","path":"/join","value":{"mode":"all"}}]}`)
	if err != nil {
		t.Fatal(err)
	}
	if !graph.Errors(p.Issues) || p.New == 0 {
		t.Errorf("%d new of %+v", p.New, p.Issues)
	}
}

func TestAWishHasLimits(t *testing.T) {
	t.Parallel()
	m := &model{says: []string{valid}}
	s := proposal.New(kept{&proposal.Setting{Provider: "mock"}}, m, time.Now)
	large := drawing(t)
	for i := range proposal.NodesMax {
		large.Nodes = append(large.Nodes, graph.Node{ID: fmt.Sprint("n", i), Key: fmt.Sprint("n", i), Kind: "set"})
	}
	for _, w := range []proposal.Wish{{Text: " ", Graph: drawing(t)}, {Text: strings.Repeat("x", proposal.WishMax+1), Graph: drawing(t)}, {Text: "x", Graph: large}} {
		if _, err := s.Propose(t.Context(), w); problem.Of(err) == nil {
			t.Errorf("%.20q: %v", w.Text, err)
		}
	}
	if _, err := proposal.New(kept{}, m, time.Now).Propose(t.Context(), proposal.Wish{Text: "x"}); problem.Of(err) == nil || !strings.Contains(err.Error(), "No model is chosen") {
		t.Errorf("%v", err)
	}
	if len(m.asked) != 0 {
		t.Errorf("the model was asked %d times", len(m.asked))
	}
}
