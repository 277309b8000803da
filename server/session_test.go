package server_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"signalbox/engine/account"
)

func login(b *browser, email, password string) response {
	return b.form("/login", url.Values{"email": {email}, "password": {password}, "next": {"/runs?status=failed"}})
}

func TestLoginAndLogout(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.owner()
	b := w.browser()
	res := b.do("GET", "/runs", nil, http.Header{"Accept": {"text/html"}})
	if got := res.header.Get("Location"); res.status != http.StatusSeeOther || got != "/login?next=%2Fruns" {
		t.Errorf("a page sends nobody to %d %q", res.status, got)
	}
	res = login(b, " ADA@example.org ", ownerPassword)
	if got := res.header.Get("Location"); got != "/runs?status=failed" {
		t.Fatalf("login leads to %q", got)
	}
	cookie := res.header.Get("Set-Cookie")
	for _, want := range []string{"sb=", "HttpOnly", "SameSite=Lax", "Path=/"} {
		contains(t, cookie, want)
	}
	b.get("/api/me").must(t, http.StatusOK)

	// The old cookie must be dead on the server, not only gone in the browser.
	u, err := url.Parse(w.http.URL)
	if err != nil {
		t.Fatal(err)
	}
	stolen := b.client.Jar.Cookies(u)
	b.form("/logout", nil).must(t, http.StatusSeeOther)
	thief := w.browser()
	thief.client.Jar.SetCookies(u, stolen)
	thief.get("/api/me").must(t, http.StatusUnauthorized)
}

func TestLoginGivesAFreshToken(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.owner()
	u, err := url.Parse(w.http.URL)
	if err != nil {
		t.Fatal(err)
	}
	b := w.browser()
	planted := &http.Cookie{Name: "sb", Value: "planted-by-somebody-else", Path: "/"}
	b.client.Jar.SetCookies(u, []*http.Cookie{planted})
	login(b, ownerEmail, ownerPassword)
	for _, c := range b.client.Jar.Cookies(u) {
		if c.Name == "sb" && c.Value == planted.Value {
			t.Error("a planted token became a session")
		}
	}
	var stored int
	if err := w.pool.QueryRow(t.Context(), `select count(*) from sessions where hash = $1`, b.client.Jar.Cookies(u)[0].Value).Scan(&stored); err != nil || stored != 0 {
		t.Errorf("the store has the token itself: %d, %v", stored, err)
	}
}

func TestWrongPasswordAndUnknownAccountLookTheSame(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.owner()
	wrong := login(w.browser(), ownerEmail, "not the password")
	unknown := login(w.browser(), "nobody@example.org", "not the password")
	if wrong.status != unknown.status || wrong.header.Get("Location") != unknown.header.Get("Location") {
		t.Errorf("%d %q and %d %q", wrong.status, wrong.header.Get("Location"), unknown.status, unknown.header.Get("Location"))
	}
}

func TestLoginIsLimitedPerAccountAndAddress(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.owner()
	for range 5 {
		contains(t, login(w.browser(), ownerEmail, "guess").header.Get("Location"), "error=wrong")
	}
	// Also the right password: else the limit would tell when it was found.
	res := login(w.browser(), ownerEmail, ownerPassword)
	contains(t, res.header.Get("Location"), "error=limit")
	contains(t, login(w.browser(), "somebody@else.org", "guess").header.Get("Location"), "error=wrong")
}

func TestLoginNeverLeadsAway(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.owner()
	for _, next := range []string{"https://evil.example", "//evil.example", `/\evil.example`, `\\evil.example`, "javascript:alert(1)", "/a\r\nX-A: b", ""} {
		b := w.browser()
		res := b.form("/login", url.Values{"email": {ownerEmail}, "password": {ownerPassword}, "next": {next}})
		if got := res.header.Get("Location"); got != "/" && !strings.HasPrefix(got, "/login") {
			t.Errorf("%q leads to %q", next, got)
		}
		if strings.Contains(res.header.Get("Location"), "limit") {
			break // five logins a minute; the first ones were what we wanted to see
		}
	}
}

func TestSetupLinkWorksOnceAndForTenMinutes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	good := url.Values{"name": {"Ada"}, "email": {ownerEmail}, "password": {ownerPassword}}
	old, err := w.accounts.SetupLink(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	fresh, err := w.accounts.SetupLink(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	w.browser().form("/setup/"+old, good).must(t, http.StatusNotFound)
	w.clock.advance(account.SetupLifetime)
	w.browser().form("/setup/"+fresh, good).must(t, http.StatusNotFound)
	last, err := w.accounts.SetupLink(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	// A form with a fault does not use the link up.
	for field, bad := range map[string]url.Values{
		"password": {"name": {"Ada"}, "email": {ownerEmail}, "password": {"short"}},
		"email":    {"name": {"Ada"}, "email": {"Ada <ada@example.org>"}, "password": {ownerPassword}},
		"name":     {"name": {" "}, "email": {ownerEmail}, "password": {ownerPassword}},
	} {
		contains(t, w.browser().form("/setup/"+last, bad).header.Get("Location"), "error="+field)
	}
	if got := w.browser().form("/setup/"+last, good).header.Get("Location"); got != "/" {
		t.Fatalf("a good form leads to %q", got)
	}
	w.browser().form("/setup/"+last, good).must(t, http.StatusNotFound)
	if _, err := w.accounts.SetupLink(t.Context()); err == nil {
		t.Error("there is a second setup link although there is an owner")
	}
	login(w.browser(), ownerEmail, ownerPassword).must(t, http.StatusSeeOther)
}

func TestSetupLinkMakesOneOwnerForTwoPeople(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token, err := w.accounts.SetupLink(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 2)
	for _, email := range []string{"a@example.org", "b@example.org"} {
		go func() {
			_, err := w.accounts.Setup(t.Context(), token, account.NewOwner{Name: "A", Email: email, Password: ownerPassword})
			done <- err
		}()
	}
	if a, b := <-done, <-done; (a == nil) == (b == nil) {
		t.Errorf("got %v and %v: exactly one must become the owner", a, b)
	}
}

func TestTokensHaveAtMostTheRightsOfTheirUser(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	editor := w.member("main", account.Editor)
	editor.json("POST", "/api/tokens", map[string]string{"name": "up", "role": "owner"}).must(t, http.StatusForbidden)
	var made struct{ Token struct{ Token string } }
	editor.json("POST", "/api/tokens", map[string]string{"name": "down", "role": "viewer", "expires_in": "1h"}).must(t, http.StatusOK).into(t, &made)
	viewer := w.browser()
	viewer.token = made.Token.Token
	viewer.get("/api/workflows").must(t, http.StatusOK)
	viewer.json("POST", "/api/workflows", map[string]string{"name": "x"}).must(t, http.StatusForbidden)
	if text := editor.get("/api/tokens").text; strings.Contains(text, made.Token.Token) {
		t.Error("the list shows a token")
	}
	w.clock.advance(time.Hour + time.Second)
	viewer.get("/api/workflows").must(t, http.StatusUnauthorized)
}
