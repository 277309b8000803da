package view_test

import (
	"strings"
	"testing"
	"time"

	words "signalbox/web/strings"
	"signalbox/web/view"
)

// audited is the page of the audit log with one entry.
func audited(t *testing.T, lang, detail string) string {
	t.Helper()
	catalogue, err := words.Load()
	if err != nil {
		t.Fatal(err)
	}
	p := view.Page{Lang: lang, Theme: view.ThemeDark, Place: "settings", Assets: assets{}, Words: catalogue, Now: time.Now(), User: &view.User{ID: "u", Name: "Ada", Role: "owner"}}
	var b strings.Builder
	data := view.Audit{Rows: []view.Deed{{Seq: 1, At: time.Now(), Action: "run.bulk", Detail: detail}}}
	if err := view.AuditPage(p, data).Render(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestAnActOnManyRunsIsToldInWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ lang, detail, want string }{
		{"en", "cancel: 6 chosen", "Cancel: 6 chosen"},
		{"en", `cancel: {"source":"webhook","status":"failed"}`, "Cancel: Status: Failed · Started by: A webhook"},
		{"en", `label late: {"from":"2026-11-01","label":"looked at","text":"timed out: 5 s"}`, "Add a label · late: Label: looked at · Words of the error: timed out: 5 s · Started from (UTC): 2026-11-01"},
		{"en", `pause: {"attribute":"order=\u003co-17\u003e","status":""}`, "Pause: Attribute: order=&lt;o-17&gt;"},
		{"en", `retry: {"status":"failed","workflow":"Refunds"}`, "Retry from the failed step: Workflow: Refunds · Status: Failed"},
		{"en", `pause: {"status":""}`, "Pause: All"},
		{"en", `pause: {"status":"failed","text":"a long one that the log has cut o`, "Pause: Status: Failed · …"},
		{"en", `pause: {"status":7}`, `Pause: {&#34;status&#34;:7}`},
		{"zh-CN", `cancel: {"source":"webhook","status":"failed"}`, "取消: 状态：失败 · 启动方式：Webhook"},
	} {
		if page := audited(t, c.lang, c.detail); !strings.Contains(page, ">"+c.want+"<") {
			_, cell, _ := strings.Cut(page, "<tbody>")
			t.Errorf("%s: %q is not there: %s", c.detail, c.want, cell[:min(len(cell), 900)])
		}
	}
}
