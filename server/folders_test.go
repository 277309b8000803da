package server_test

import (
	"archive/zip"
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"signalbox/engine/account"
)

func TestFoldersHoldWorkflows(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.member("main", account.Editor)
	var folder struct{ ID, Name string }
	b.json("POST", "/api/folders", `{"name":"  Money   matters "}`).must(t, http.StatusCreated).into(t, &folder)
	if folder.Name != "Money matters" {
		t.Errorf("the folder is called %q", folder.Name)
	}
	b.json("POST", "/api/folders", `{"name":"money MATTERS"}`).must(t, http.StatusConflict)
	b.json("POST", "/api/folders", `{"name":" "}`).must(t, http.StatusUnprocessableEntity)
	in, out := b.template("reminder"), b.template("lead-score")
	b.json("POST", "/api/workflows/bulk", map[string]any{"ids": []string{in, in}, "do": "move", "folder": folder.ID}).must(t, http.StatusOK)
	page := b.do("GET", "/?folder="+folder.ID, nil, html).must(t, http.StatusOK).text
	if !strings.Contains(page, "w-"+in) || strings.Contains(page, "w-"+out) {
		t.Error("the folder does not filter the cards")
	}
	contains(t, b.get("/api/folders").must(t, http.StatusOK).text, `"count":1`)
	b.do("DELETE", "/api/folders/"+folder.ID, nil, nil).must(t, http.StatusConflict)
	b.json("PATCH", "/api/folders/"+folder.ID, `{"name":"Bills"}`).must(t, http.StatusOK)
	contains(t, b.do("GET", "/", nil, html).text, "Bills")
	// All of them move, or none.
	b.json("POST", "/api/workflows/bulk", map[string]any{"ids": []string{in, uuid.NewString()}, "do": "move"}).must(t, http.StatusNotFound)
	contains(t, b.get("/api/workflows/"+in).text, `"folder":"`+folder.ID)
	b.json("POST", "/api/workflows/bulk", map[string]any{"ids": []string{in}, "do": "move", "folder": uuid.NewString()}).must(t, http.StatusNotFound)
	// A deleted workflow does not keep its folder.
	b.json("POST", "/api/workflows/bulk", map[string]any{"ids": []string{in}, "do": "delete"}).must(t, http.StatusOK)
	b.do("DELETE", "/api/folders/"+folder.ID, nil, nil).must(t, http.StatusNoContent)
	b.do("DELETE", "/api/folders/"+folder.ID, nil, nil).must(t, http.StatusNotFound)
}

func TestFoldersOfOthersDoNotExist(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ours, theirs := w.member("main", account.Editor), w.member("other", account.Editor)
	var folder struct{ ID string }
	ours.json("POST", "/api/folders", `{"name":"Ours"}`).must(t, http.StatusCreated).into(t, &folder)
	id, own := ours.template("reminder"), theirs.template("reminder")
	theirs.json("POST", "/api/folders", `{"name":"Ours"}`).must(t, http.StatusCreated)
	theirs.json("PATCH", "/api/folders/"+folder.ID, `{"name":"x"}`).must(t, http.StatusNotFound)
	theirs.do("DELETE", "/api/folders/"+folder.ID, nil, nil).must(t, http.StatusNotFound)
	for _, do := range []string{"move", "tag", "delete"} {
		theirs.json("POST", "/api/workflows/bulk", map[string]any{"ids": []string{own, id}, "do": do, "tag": "x"}).must(t, http.StatusNotFound)
	}
	theirs.json("POST", "/api/workflows/bulk", map[string]any{"ids": []string{own}, "do": "move", "folder": folder.ID}).must(t, http.StatusNotFound)
	theirs.get("/export/workflows?ids="+own+","+id).must(t, http.StatusNotFound)
	theirs.get("/api/workflows/"+own).must(t, http.StatusOK)
	ours.get("/api/workflows/"+id).must(t, http.StatusOK)
}

func TestSeveralWorkflowsAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.member("main", account.Editor)
	ids := []string{b.template("reminder"), b.template("reminder"), b.template("lead-score")}
	b.json("POST", "/api/workflows/bulk", map[string]any{"ids": ids, "do": "tag", "tag": " Night  Shift "}).must(t, http.StatusOK)
	for _, id := range ids {
		contains(t, b.get("/api/workflows/"+id).text, `"night shift"`)
	}
	b.json("POST", "/api/workflows/bulk", map[string]any{"ids": ids, "do": "tag"}).must(t, http.StatusUnprocessableEntity)
	b.json("POST", "/api/workflows/bulk", map[string]any{"ids": []string{}, "do": "delete"}).must(t, http.StatusUnprocessableEntity)
	res := b.get("/export/workflows?ids="+strings.Join(ids, ",")).must(t, http.StatusOK)
	z, err := zip.NewReader(bytes.NewReader([]byte(res.text)), int64(len(res.text)))
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, f := range z.File {
		names[f.Name] = true
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		raw, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		// What comes out goes in again.
		b.json("POST", "/api/workflows", `{"graph":`+string(raw)+`}`).must(t, http.StatusCreated)
	}
	if len(names) != 3 {
		t.Errorf("the archive has %v", names)
	}
	b.get("/export/workflows?ids=x").must(t, http.StatusUnprocessableEntity)
	b.json("POST", "/api/workflows/bulk", map[string]any{"ids": []string{ids[0], uuid.NewString()}, "do": "delete"}).must(t, http.StatusNotFound)
	b.get("/api/workflows/"+ids[0]).must(t, http.StatusOK)
	b.json("POST", "/api/workflows/bulk", map[string]any{"ids": ids, "do": "delete"}).must(t, http.StatusOK)
	b.get("/api/workflows/"+ids[0]).must(t, http.StatusNotFound)
}
