package server_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"signalbox/engine/account"
)

type listedWorkspace struct {
	ID, Name, Role string
	Current        bool
}

func (b *browser) workspaces() []listedWorkspace {
	b.w.t.Helper()
	var list struct{ Workspaces []listedWorkspace }
	b.get("/api/workspaces").must(b.w.t, http.StatusOK).into(b.w.t, &list)
	return list.Workspaces
}

// workspace makes one and returns its id.
func (b *browser) workspace(name string) string {
	b.w.t.Helper()
	var made struct{ Workspace listedWorkspace }
	b.json("POST", "/api/workspaces", map[string]string{"name": name}).must(b.w.t, http.StatusCreated).into(b.w.t, &made)
	return made.Workspace.ID
}

func (b *browser) enters(id string) response {
	b.w.t.Helper()
	return b.form("/workspaces/"+id+"/enter", url.Values{})
}

func TestWorkspacesAreApart(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	owner := w.owner()
	owner.page("/").must(t, http.StatusOK).lacks(t, `class="places"`) // with one there is nothing to choose
	first := owner.template("order-saga")
	id := owner.workspace("Lab №1 / 实验室")
	if !strings.HasPrefix(id, "lab-1-") || strings.Trim(id, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" || len(id) > 40 {
		t.Errorf("the id is %q", id)
	}
	owner.enters(id).must(t, http.StatusSeeOther).leads(t, "/")
	if list := owner.workspaces(); len(list) != 2 || list[0].ID != id || !list[0].Current || list[0].Role != "owner" || list[1].Current {
		t.Errorf("the workspaces are %+v", list)
	}
	owner.page("/").must(t, http.StatusOK).has(t, "Lab №1 / 实验室", `action="/workspaces/main/enter"`)
	owner.page("/w/"+first).must(t, http.StatusNotFound)
	owner.get("/api/workflows/"+first).must(t, http.StatusNotFound)
	second := owner.template("order-saga")
	owner.publish(second)

	// The audit log of each says what happened there.
	owner.page("/settings/audit").must(t, http.StatusOK).has(t, "Published").lacks(t, "Made a workspace")
	owner.enters("main").must(t, http.StatusSeeOther)
	owner.page("/settings/audit").must(t, http.StatusOK).has(t, "Made a workspace", "Lab №1")
	owner.get("/api/workflows/"+second).must(t, http.StatusNotFound)
	owner.get("/api/workflows/"+first).must(t, http.StatusOK)
}

func TestNobodyEntersWhatIsNotTheirs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	owner := w.owner()
	lab := owner.workspace("Lab")
	maya := w.joins(owner.invited(account.Editor), "maya@example.org")
	maya.enters(lab).must(t, http.StatusNotFound)
	maya.enters("nowhere").must(t, http.StatusNotFound)
	maya.json("POST", "/api/workspaces", map[string]string{"name": "Mine"}).must(t, http.StatusForbidden) // of admins
	maya.json("PATCH", "/api/workspaces/"+lab, map[string]string{"name": "Mine"}).must(t, http.StatusForbidden)

	// An invitation to the other one makes them a member there too; and who is
	// removed from where they are finds themselves in the other one.
	owner.enters(lab).must(t, http.StatusSeeOther)
	path := owner.invited(account.Viewer)
	maya.form(path, url.Values{"name": {"Maya"}, "email": {"maya@example.org"}, "password": {"a long enough password"}}).must(t, http.StatusSeeOther)
	if list := maya.workspaces(); len(list) != 2 || !list[0].Current || list[0].Role != "viewer" {
		t.Fatalf("Maya's workspaces are %+v", list)
	}
	owner.do("DELETE", "/api/members/"+owner.memberID("maya@example.org"), nil, nil).must(t, http.StatusNoContent)
	var me struct{ Role string }
	maya.get("/api/me").must(t, http.StatusOK).into(t, &me)
	if list := maya.workspaces(); me.Role != "editor" || len(list) != 1 || list[0].ID != "main" {
		t.Errorf("after the removal: %+v, %+v", me, list)
	}
}

func TestWorkspaceNames(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	owner := w.owner()
	for _, name := range []string{"", "   ", strings.Repeat("x", 101), "a\nb"} {
		owner.json("POST", "/api/workspaces", map[string]string{"name": name}).must(t, http.StatusUnprocessableEntity).has(t, "name")
	}
	lab := owner.workspace("测试")
	if !strings.HasPrefix(lab, "workspace-") {
		t.Errorf("the id is %q", lab)
	}
	owner.json("PATCH", "/api/workspaces/"+lab, map[string]string{"name": "There"}).must(t, http.StatusConflict)
	owner.json("PATCH", "/api/workspaces/main", map[string]string{"name": " Home "}).must(t, http.StatusNoContent)
	owner.page("/settings/workspaces").must(t, http.StatusOK).has(t, "Home", "测试", "you are here")

	var made struct{ Token struct{ Token string } }
	owner.json("POST", "/api/tokens", map[string]string{"name": "t"}).must(t, http.StatusOK).into(t, &made)
	program := w.browser()
	program.token = made.Token.Token
	program.json("POST", "/api/workspaces", map[string]string{"name": "x"}).must(t, http.StatusConflict)
	program.enters(lab).must(t, http.StatusConflict)
}

func TestAWorkspaceIsDeletedByItsOwnerWhoRepeatsItsName(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	owner := w.owner()
	id := owner.workspace("Lab")
	at := "/api/workspaces/" + id + "/deletion"
	owner.page("/settings/workspaces").must(t, http.StatusOK).has(t, `data-open="delete-`+id+`"`).lacks(t, `data-open="delete-main"`)
	owner.json("POST", at, map[string]string{"name": "lab"}).must(t, http.StatusUnprocessableEntity)
	owner.json("POST", "/api/workspaces/main/deletion", map[string]string{"name": "Main"}).must(t, http.StatusConflict)
	other := w.member("main", account.Owner)
	other.json("POST", at, map[string]string{"name": "Lab"}).must(t, http.StatusConflict) // a token deletes nothing
	owner.enters(id).must(t, http.StatusSeeOther)
	flow := owner.template("order-saga")
	owner.publish(flow)
	owner.json("POST", at, map[string]string{"name": "Lab"}).must(t, http.StatusConflict)
	owner.enters("main").must(t, http.StatusSeeOther)
	owner.json("POST", at, map[string]string{"name": "Lab"}).must(t, http.StatusNoContent)
	if list := owner.workspaces(); len(list) != 1 || list[0].ID != "main" {
		t.Errorf("the workspaces are %+v", list)
	}
	owner.enters(id).must(t, http.StatusNotFound)
	owner.json("POST", at, map[string]string{"name": "Lab"}).must(t, http.StatusNotFound)
	owner.page("/settings/audit").must(t, http.StatusOK).has(t, "Lab")
}
