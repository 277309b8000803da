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

func TestKindsAndTemplatesSpeakTheLanguage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.owner()
	b.get("/api/kinds").must(t, http.StatusOK).has(t, `"HTTP request"`)
	b.form("/language", url.Values{"lang": {"zh-CN"}}).must(t, http.StatusSeeOther)
	b.get("/api/kinds").must(t, http.StatusOK).has(t, `"HTTP 请求"`, `"其他情况"`).lacks(t, `"HTTP request"`)
	b.page("/").must(t, http.StatusOK).has(t, "客服工单分派").lacks(t, "Support ticket triage")
	var made struct{ Name, ID string }
	b.json("POST", "/api/workflows", map[string]string{"template": "reminder"}).must(t, http.StatusCreated).into(t, &made)
	if made.Name != "等待后提醒" {
		t.Errorf("the copy of a template is called %q", made.Name)
	}
	b.get("/api/workflows/"+made.ID+"/draft").must(t, http.StatusOK).has(t, "撰写提醒")
}
