package server_test

import (
	"net/url"
	"strings"
	"testing"

	"signalbox/engine/account"
)

func TestFindRunsByAddress(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	viewer := w.member("main", account.Viewer)
	for _, bad := range []string{
		"status=odd", "trigger=start", "version=3", "attribute=order", "attribute==x", "from=yesterday", "to=2026-13-01", "after=x",
	} {
		if got := viewer.get("/api/runs?" + bad); got.status < 400 || got.status >= 500 {
			t.Errorf("%s: status %d", bad, got.status)
		}
		if got := viewer.get("/runs?" + bad); got.status < 400 || got.status >= 500 {
			t.Errorf("page, %s: status %d", bad, got.status)
		}
	}
	good := url.Values{
		"status": {"failed"}, "source": {"api"}, "attribute": {"order=o-17"}, "text": {"timed out"},
		"from": {"2026-11-30T10:00"}, "to": {"2026-11-30T12:00:00+08:00"},
	}
	viewer.get("/api/runs?"+good.Encode()).must(t, 200)
	page := viewer.get("/runs?"+good.Encode()).must(t, 200).text
	for _, part := range []string{`<details class="find" open`, `value="order=o-17"`, `value="timed out"`, `name="status" value="failed"`} {
		if !strings.Contains(page, part) {
			t.Errorf("the page lacks %s", part)
		}
	}
}
