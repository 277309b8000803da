package server_test

import (
	"strings"
	"testing"

	"signalbox/engine/account"
)

func TestADraftIsExported(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.member("main", account.Editor)
	const chart = `{"id":"n1","key":"door","kind":"states","config":{"initial":"shut"}},` +
		`{"id":"n2","key":"shut","kind":"state","in":"n1","config":{"on":[{"event":"open","port":"on_open"}]}},` +
		`{"id":"n3","key":"ajar","kind":"state","in":"n1"}`
	var made struct {
		ID string `json:"id"`
	}
	b.json("POST", "/api/workflows", graphJSON(chart, `{"id":"e1","from":"n2","port":"on_open","to":"n3"}`)).must(t, 201).into(t, &made)
	for form, want := range map[string][2]string{
		"xstate":  {"x.mjs", `on: { open: { target: "#door.ajar" } }`},
		"scxml":   {"x.scxml", `<transition event="open" target="door_ajar">`},
		"mermaid": {"x.mmd", `shut -->|"on_open"| ajar`},
		"dot":     {"x.dot", `"shut" -> "ajar" [label="on_open"]`},
	} {
		var out struct {
			File   string `json:"file"`
			Text   string `json:"text"`
			Losses []any  `json:"losses"`
		}
		b.get("/api/workflows/"+made.ID+"/export?as="+form).must(t, 200).into(t, &out)
		if out.File != want[0] || !strings.Contains(out.Text, want[1]) || out.Losses == nil {
			t.Errorf("%s: %+v", form, out)
		}
	}
	b.get("/api/workflows/"+made.ID+"/export?as=visio").must(t, 422)
	b.get("/api/workflows/"+made.ID+"/export?as=xstate&chart=no").must(t, 404)
	w.member("other", account.Owner).get("/api/workflows/"+made.ID+"/export?as=dot").must(t, 404)
	w.browser().get("/api/workflows/"+made.ID+"/export?as=dot").must(t, 401)
}
