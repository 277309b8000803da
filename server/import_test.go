package server_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"signalbox/engine/account"
	"signalbox/engine/exchange"
)

// sentFile is the body of a request that carries a file.
func sentFile(t *testing.T, name string, more map[string]any) string {
	t.Helper()
	raw, err := os.ReadFile("../engine/exchange/testdata/n8n/" + name)
	if err != nil {
		t.Fatal(err)
	}
	body := map[string]any{"text": string(raw)}
	for k, v := range more {
		body[k] = v
	}
	sent, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	return string(sent)
}

func TestAFileIsReadAndNothingIsSaved(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.member("main", account.Editor)
	var out struct {
		Form      string `json:"form"`
		Name      string `json:"name"`
		Graph     any    `json:"graph"`
		Issues    []any  `json:"issues"`
		Parts     []exchange.Carried
		Dangling  []string
		Questions []exchange.Question
	}
	b.json("POST", "/api/import", sentFile(t, "weather-merge.json", map[string]any{"answers": map[string]string{"Both": "all"}})).must(t, 200).into(t, &out)
	if out.Form != "n8n" || out.Name != "Weather and calendar briefing" || len(out.Parts) != 7 || len(out.Dangling) != 1 || out.Questions[0].Answer != "all" {
		t.Errorf("%+v", out)
	}
	var list struct{ Workflows []any }
	b.get("/api/workflows").must(t, 200).into(t, &list)
	if len(list.Workflows) != 0 {
		t.Errorf("%d workflows were saved", len(list.Workflows))
	}
	graph, err := json.Marshal(map[string]any{"graph": out.Graph})
	if err != nil {
		t.Fatal(err)
	}
	b.json("POST", "/api/workflows", string(graph)).must(t, 201)
	b.json("POST", "/api/import", `{"text":"hello"}`).must(t, 422)
	b.json("POST", "/api/import", sentFile(t, "weather-merge.json", map[string]any{"answers": map[string]string{"Both": "9"}})).must(t, 422)
}

func TestTheReportSaysWhatBecomesOfAFile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.member("main", account.Editor)
	page := b.json("POST", "/import", sentFile(t, "weather-merge.json", nil)).must(t, 200).text
	for _, want := range []string{"<dialog", "import-graph", "Every morning", "Nothing here starts runs by the clock", "Archive", "Office mail", "to be stored", "data-import-answer", "data-import-create", "<svg"} {
		if !strings.Contains(page, want) {
			t.Errorf("the report lacks %q", want)
		}
	}
	if strings.Contains(page, "data-import-insert") || strings.Contains(page, "secret-token-123") {
		t.Error("the report has what it must not have")
	}
	if page := b.json("POST", "/import", sentFile(t, "old-orders.json", map[string]any{"insert": true})).must(t, 200).text; !strings.Contains(page, "data-import-insert") {
		t.Error("the report for an open drawing has no way to insert")
	}
	if page := b.json("POST", "/import", `{"text":"<a>"}`).must(t, 422).text; !strings.Contains(page, "not well formed") {
		t.Errorf("%.200s", page)
	}
	if page := b.json("POST", "/import", `{"text":`).must(t, 422).text; !strings.Contains(page, "did not come as it was sent") {
		t.Errorf("%.200s", page)
	}
}
