package server_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"signalbox/engine/account"
)

// invited makes an invitation and returns the path of its link.
func (b *browser) invited(role account.Role) string {
	b.w.t.Helper()
	var made struct{ Invitation struct{ URL string } }
	b.json("POST", "/api/invitations", map[string]string{"role": string(role), "note": "Maya"}).must(b.w.t, http.StatusCreated).into(b.w.t, &made)
	at := strings.Index(made.Invitation.URL, "/join/")
	if at < 0 {
		b.w.t.Fatalf("the link of an invitation is %q", made.Invitation.URL)
	}
	return made.Invitation.URL[at:]
}

// joins uses an invitation with a browser of its own.
func (w *world) joins(path, email string) *browser {
	w.t.Helper()
	b := w.browser()
	res := b.form(path, url.Values{"name": {"Maya"}, "email": {email}, "password": {"a long enough password"}})
	if to := res.header.Get("Location"); res.status != http.StatusSeeOther || to != "/" {
		w.t.Fatalf("joining answered %d to %q: %.200s", res.status, to, res.text)
	}
	return b
}

// memberID finds a member by a part of the address.
func (b *browser) memberID(email string) string {
	b.w.t.Helper()
	var list struct{ Members []struct{ ID, Email string } }
	b.get("/api/members").must(b.w.t, http.StatusOK).into(b.w.t, &list)
	for _, m := range list.Members {
		if m.Email == email {
			return m.ID
		}
	}
	b.w.t.Fatalf("%s is no member", email)
	return ""
}

func TestInvitationWorksOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	owner := w.owner()
	path := owner.invited(account.Editor)
	guest := w.browser()
	guest.page(path).must(t, http.StatusOK).has(t, "Ada", "Editor", `name="password"`)
	maya := w.joins(path, "maya@example.org")
	var me struct{ Role, Name string }
	maya.get("/api/me").must(t, http.StatusOK).into(t, &me)
	if me.Role != "editor" || me.Name != "Maya" {
		t.Errorf("the new member is %+v", me)
	}
	guest.page(path).must(t, http.StatusNotFound).has(t, "used up")
	guest.form(path, url.Values{"name": {"X"}, "email": {"x@example.org"}, "password": {"a long enough password"}}).must(t, http.StatusNotFound)
	owner.page("/settings/members").must(t, http.StatusOK).has(t, "Maya", "maya@example.org", "No open invitations")
}

func TestInvitationsEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	owner := w.owner()
	stranger := w.browser()
	old := owner.invited(account.Viewer)
	w.clock.advance(8 * 24 * time.Hour)
	stranger.page(old).must(t, http.StatusNotFound)
	owner = w.browser()
	login(owner, ownerEmail, ownerPassword).must(t, http.StatusSeeOther)

	taken := owner.invited(account.Viewer)
	var list struct{ Invitations []struct{ ID, Note string } }
	owner.get("/api/invitations").must(t, http.StatusOK).into(t, &list)
	if len(list.Invitations) != 1 || strings.Contains(owner.get("/api/invitations").text, strings.TrimPrefix(taken, "/join/")) {
		t.Fatalf("open invitations are %+v", list)
	}
	owner.do("DELETE", "/api/invitations/"+list.Invitations[0].ID, nil, nil).must(t, http.StatusNoContent)
	stranger.page(taken).must(t, http.StatusNotFound)

	// An invitation is worth no more than who sent it.
	admin := w.joins(owner.invited(account.Admin), "admin@example.org")
	sent := admin.invited(account.Admin)
	owner.json("PATCH", "/api/members/"+owner.memberID("admin@example.org"), map[string]string{"role": "viewer"}).must(t, http.StatusOK)
	stranger.page(sent).must(t, http.StatusNotFound)
}

func TestNobodyGivesMoreThanTheyHave(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	owner := w.owner()
	admin := w.joins(owner.invited(account.Admin), "admin@example.org")
	ownerID, adminID := owner.memberID(ownerEmail), owner.memberID("admin@example.org")
	admin.json("POST", "/api/invitations", map[string]string{"role": "owner"}).must(t, http.StatusForbidden)
	admin.json("PATCH", "/api/members/"+adminID, map[string]string{"role": "owner"}).must(t, http.StatusForbidden)
	admin.json("PATCH", "/api/members/"+ownerID, map[string]string{"role": "viewer"}).must(t, http.StatusForbidden)
	admin.do("DELETE", "/api/members/"+ownerID, nil, nil).must(t, http.StatusForbidden)
	admin.json("PATCH", "/api/members/"+adminID, map[string]string{"role": "guest"}).must(t, http.StatusUnprocessableEntity)

	// The last owner stays.
	owner.json("PATCH", "/api/members/"+ownerID, map[string]string{"role": "admin"}).must(t, http.StatusConflict)
	owner.do("DELETE", "/api/members/"+ownerID, nil, nil).must(t, http.StatusConflict)
	owner.json("PATCH", "/api/members/"+adminID, map[string]string{"role": "owner"}).must(t, http.StatusOK)
	owner.json("PATCH", "/api/members/"+ownerID, map[string]string{"role": "admin"}).must(t, http.StatusOK)
	owner.json("PATCH", "/api/members/"+adminID, map[string]string{"role": "viewer"}).must(t, http.StatusForbidden)
}

func TestRoleAndRemovalCountAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	owner := w.owner()
	maya := w.joins(owner.invited(account.Editor), "maya@example.org")
	id := owner.memberID("maya@example.org")
	var made struct{ Token struct{ Token string } }
	maya.json("POST", "/api/tokens", map[string]string{"name": "t"}).must(t, http.StatusOK).into(t, &made)
	program := w.browser()
	program.token = made.Token.Token
	program.json("POST", "/api/workflows", map[string]string{"name": "one"}).must(t, http.StatusCreated)

	owner.json("PATCH", "/api/members/"+id, map[string]string{"role": "viewer"}).must(t, http.StatusOK)
	maya.json("POST", "/api/workflows", map[string]string{"name": "two"}).must(t, http.StatusForbidden)
	program.json("POST", "/api/workflows", map[string]string{"name": "two"}).must(t, http.StatusForbidden)
	maya.page("/settings/members").must(t, http.StatusOK).lacks(t, `data-patch=`, `data-open="invite"`)
	maya.page("/settings/audit").must(t, http.StatusForbidden)

	owner.do("DELETE", "/api/members/"+id, nil, nil).must(t, http.StatusNoContent)
	maya.get("/api/me").must(t, http.StatusUnauthorized)
	program.get("/api/me").must(t, http.StatusUnauthorized)
	login(w.browser(), "maya@example.org", "a long enough password").must(t, http.StatusSeeOther).leads(t, "/login?error=wrong")

	// Who comes back proves the account by its password.
	again := owner.invited(account.Operator)
	thief := w.browser()
	thief.form(again, url.Values{"name": {"M"}, "email": {"maya@example.org"}, "password": {"some other password"}}).leads(t, "/join/")
	maya = w.joins(again, "maya@example.org")
	maya.get("/api/me").must(t, http.StatusOK).has(t, `"operator"`)
}

// leads fails the test unless the answer sends the browser to a path.
func (r response) leads(t *testing.T, path string) {
	t.Helper()
	if to := r.header.Get("Location"); !strings.HasPrefix(to, path) {
		t.Errorf("the answer %d leads to %q, want %s", r.status, to, path)
	}
}

func TestNewPasswordEndsOtherSessions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	here := w.owner()
	there := w.browser()
	login(there, ownerEmail, ownerPassword).must(t, http.StatusSeeOther)
	there.get("/api/me").must(t, http.StatusOK)
	w.clock.advance(time.Second)

	change := func(old, fresh string) response {
		return here.json("POST", "/api/me/password", map[string]string{"old": old, "new": fresh})
	}
	change("not the password", "another good password").must(t, http.StatusUnprocessableEntity)
	change(ownerPassword, "short").must(t, http.StatusUnprocessableEntity)
	there.get("/api/me").must(t, http.StatusOK)
	change(ownerPassword, "another good password").must(t, http.StatusNoContent)
	here.get("/api/me").must(t, http.StatusOK)
	there.get("/api/me").must(t, http.StatusUnauthorized)
	login(w.browser(), ownerEmail, ownerPassword).leads(t, "/login?error=wrong")
	login(w.browser(), ownerEmail, "another good password").leads(t, "/")

	program := w.member("main", account.Owner)
	program.json("POST", "/api/me/password", map[string]string{"old": "x", "new": "a long enough password"}).must(t, http.StatusConflict)
}

func TestChoicesGoWithTheAccount(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.owner()
	b.json("PATCH", "/api/me", map[string]any{"language": "xx"}).must(t, http.StatusUnprocessableEntity)
	b.form("/language", url.Values{"lang": {"zh-CN"}}).must(t, http.StatusSeeOther)
	elsewhere := w.browser()
	elsewhere.page("/login").has(t, `<html lang="en"`)
	login(elsewhere, ownerEmail, ownerPassword).must(t, http.StatusSeeOther)
	elsewhere.page("/").must(t, http.StatusOK).has(t, `<html lang="zh-CN"`)
}
