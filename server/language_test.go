package server_test

import (
	"net/http"
	"net/url"
	"testing"
)

func TestLanguageIsChosen(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.browser()
	asked := http.Header{"Accept": {"text/html"}, "Accept-Language": {"zh-CN,zh;q=0.9,en;q=0.5"}}
	b.do("GET", "/login", nil, asked).must(t, http.StatusOK).has(t, `<html lang="zh-CN"`, "欢迎回来", `value="zh-CN" lang="zh-CN" aria-pressed="true"`)
	b.page("/login").must(t, http.StatusOK).has(t, `<html lang="en"`, "Welcome back")

	res := b.form("/language", url.Values{"lang": {"zh-CN"}, "next": {"/login?next=%2Fruns"}}).must(t, http.StatusSeeOther)
	if to := res.header.Get("Location"); to != "/login?next=%2Fruns" {
		t.Errorf("the choice leads to %q", to)
	}
	b.page("/login").has(t, `<html lang="zh-CN"`)
	b.form("/language", url.Values{"lang": {"en"}, "next": {"//evil.example"}}).must(t, http.StatusSeeOther)
	b.do("GET", "/login", nil, asked).has(t, `<html lang="en"`)
	b.form("/language", url.Values{"lang": {"xx"}}).must(t, http.StatusSeeOther)
	b.page("/login").has(t, `<html lang="en"`)
}
