package server_test

import (
	"encoding/csv"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"signalbox/engine/account"
)

type auditEntry struct {
	Seq                           int64
	Actor, Action, Target, Detail string
	Address, Hash                 string
}

func (b *browser) audit(query string) []auditEntry {
	b.w.t.Helper()
	var out struct{ Entries []auditEntry }
	b.get("/api/audit"+query).must(b.w.t, http.StatusOK).into(b.w.t, &out)
	return out.Entries
}

func TestAuditLogHoldsWhatPeopleDo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.owner()
	login(w.browser(), ownerEmail, "wrong password").must(t, http.StatusSeeOther)
	id := b.triage()
	b.publish(id)
	run := b.testRun(id)
	b.json("POST", "/api/runs/"+run+"/cancel", map[string]string{"reason": "enough"})
	b.json("POST", "/api/credentials", map[string]any{"name": "helpdesk", "type": "bearer", "token": "very-secret-token"}).must(t, http.StatusOK)
	b.json("POST", "/api/tokens", map[string]any{"name": "deploy", "role": "operator", "expires_in": "720h"}).must(t, http.StatusOK)
	b.json("POST", "/api/shares", map[string]any{"target": "workflow", "id": id}).must(t, http.StatusCreated)
	b.json("POST", "/api/tokens", map[string]any{"name": ""}).must(t, http.StatusUnprocessableEntity)
	w.joins(b.invited(account.Editor), "maya@example.org")
	b.json("PATCH", "/api/members/"+b.memberID("maya@example.org"), map[string]string{"role": "viewer"}).must(t, http.StatusOK)

	var actions []string
	for _, e := range b.audit("") {
		actions = append(actions, e.Action)
		if e.Address == "" || len(e.Hash) != 64 {
			t.Errorf("entry %d has the address %q and the hash %q", e.Seq, e.Address, e.Hash)
		}
		if strings.Contains(e.Detail, "very-secret") {
			t.Errorf("an entry tells a secret: %+v", e)
		}
	}
	slices.Reverse(actions)
	want := []string{"setup", "login.failed", "workflow.publish", "run.start", "run.cancel", "credential.set", "token.create", "share.create", "member.invite", "member.join", "member.role"}
	if !slices.Equal(actions, want) {
		t.Errorf("the log has %v, want %v", actions, want)
	}
	if got := b.audit("?action=token"); len(got) != 1 || got[0].Detail != "deploy (operator)" || got[0].Actor != "Ada" {
		t.Errorf("what was done with tokens is %+v", got)
	}
	if got := b.audit("?action=login"); len(got) != 1 || got[0].Actor != "" || got[0].Detail != ownerEmail {
		t.Errorf("what happened at the login is %+v", got)
	}
	b.page("/settings/audit?action=member.role").must(t, http.StatusOK).has(t, "Changed a role", "Maya: Viewer").lacks(t, "Made an API token</td>")
	b.page("/settings/audit?action=run.cancel&from=2000-01-01&to=2000-01-02").must(t, http.StatusOK).has(t, "No entry fits")
	b.page("/settings/audit?actor=x").must(t, http.StatusUnprocessableEntity)
}

func TestAuditLogIsExported(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.owner()
	b.json("POST", "/api/tokens", map[string]any{"name": "=HYPERLINK(1)"}).must(t, http.StatusOK)
	res := b.page("/settings/audit/export?format=csv").must(t, http.StatusOK)
	rows, err := csv.NewReader(strings.NewReader(res.text)).ReadAll()
	if err != nil || len(rows) != 3 {
		t.Fatalf("the file has %d rows: %v", len(rows), err)
	}
	if detail := rows[1][7]; detail != "'=HYPERLINK(1) (owner)" {
		t.Errorf("a spreadsheet would take %q for a formula", detail)
	}
	if !strings.Contains(res.header.Get("Content-Disposition"), "attachment") {
		t.Error("the file is shown, not kept")
	}
	res = b.page("/settings/audit/export?format=json&action=token").must(t, http.StatusOK)
	var e auditEntry
	if err := json.Unmarshal([]byte(res.text), &e); err != nil || e.Action != "token.create" {
		t.Errorf("the file is %q: %v", res.text, err)
	}
	if got := b.audit("?action=audit.export"); len(got) != 2 {
		t.Errorf("%d exports were recorded, want 2", len(got))
	}
}

func TestAuditLogShowsTampering(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.owner()
	for _, name := range []string{"one", "two", "three"} {
		b.json("POST", "/api/tokens", map[string]any{"name": name}).must(t, http.StatusOK)
	}
	b.page("/settings/audit").must(t, http.StatusOK).has(t, "Check the chain")
	b.page("/settings/audit?check=1").must(t, http.StatusOK).has(t, "4 entries, and the chain is whole")
	if _, err := w.pool.Exec(t.Context(), `update audit_log set detail = 'nothing' where seq = 3`); err == nil {
		t.Error("an entry can be changed")
	}
	if _, err := w.pool.Exec(t.Context(), `delete from audit_log`); err == nil {
		t.Error("entries can be deleted")
	}
	for name, sql := range map[string]string{
		"changed": `update audit_log set detail = 'nothing' where seq = 3`,
		"taken":   `delete from audit_log where seq = 3`,
	} {
		err := pgx.BeginFunc(t.Context(), w.pool, func(tx pgx.Tx) error {
			for _, q := range []string{`alter table audit_log disable trigger user`, sql, `alter table audit_log enable trigger user`} {
				if _, err := tx.Exec(t.Context(), q); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		b.page("/settings/audit?check=1").must(t, http.StatusOK).has(t, "broken at entry 3")
	}
}
