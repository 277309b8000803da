package static_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"signalbox/static"
)

// built makes a directory as build.mjs leaves it.
func built(t *testing.T) *static.Assets {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"manifest.json":    `{"editor.js":{"file":"editor-AB12.js","imports":["chunk-CD34.js"]},"main.css":{"file":"main-EF56.css","imports":[]}}`,
		"editor-AB12.js":   "import './chunk-CD34.js'",
		"chunk-CD34.js":    "export {}",
		"main-EF56.css":    "body{}",
		"main-EF56.css.br": "small",
		"main-EF56.css.gz": "small too",
		".keep":            "",
		"deep/secret.json": "{}",
	} {
		p := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	a, err := static.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func get(a *static.Assets, path string) *http.Response {
	w := httptest.NewRecorder()
	a.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
	return w.Result()
}

func TestNamesLeadToHashedFiles(t *testing.T) {
	t.Parallel()
	a := built(t)
	if !a.Built() {
		t.Error("the files are built, but Built says no")
	}
	if got := a.URL("editor.js"); got != "/static/dist/editor-AB12.js" {
		t.Errorf("editor.js is at %q", got)
	}
	if got := a.URL("nothing.js"); got != "" {
		t.Errorf("nothing.js is at %q", got)
	}
	if diff := cmp.Diff([]string{"/static/dist/chunk-CD34.js"}, a.Preload("editor.js")); diff != "" {
		t.Error(diff)
	}
}

func TestHashedFilesAreKeptForEver(t *testing.T) {
	t.Parallel()
	r := get(built(t), "/static/dist/editor-AB12.js")
	if r.StatusCode != http.StatusOK || !strings.Contains(r.Header.Get("Cache-Control"), "immutable") {
		t.Errorf("%s, Cache-Control %q", r.Status, r.Header.Get("Cache-Control"))
	}
	if ct := r.Header.Get("Content-Type"); !strings.HasPrefix(ct, "text/javascript") {
		t.Errorf("Content-Type %q", ct)
	}
}

func TestSmallerTwinsAreServedToThoseWhoTakeThem(t *testing.T) {
	t.Parallel()
	a := built(t)
	for _, c := range []struct{ path, accept, coding, body string }{
		{"/static/dist/main-EF56.css", "gzip, deflate, br", "br", "small"},
		{"/static/dist/main-EF56.css", "gzip", "gzip", "small too"},
		{"/static/dist/main-EF56.css", "br;q=0, gzip", "gzip", "small too"},
		{"/static/dist/main-EF56.css", "", "", "body{}"},
		{"/static/dist/editor-AB12.js", "br", "", "import './chunk-CD34.js'"},
	} {
		r := httptest.NewRequest(http.MethodGet, c.path, nil)
		r.Header.Set("Accept-Encoding", c.accept)
		w := httptest.NewRecorder()
		a.ServeHTTP(w, r)
		if got := w.Header().Get("Content-Encoding"); got != c.coding || w.Body.String() != c.body {
			t.Errorf("%s for %q: encoding %q, body %q", c.path, c.accept, got, w.Body.String())
		}
		if ct := w.Header().Get("Content-Type"); !strings.HasPrefix(ct, "text/") {
			t.Errorf("%s for %q: Content-Type %q", c.path, c.accept, ct)
		}
		if w.Header().Get("Vary") != "Accept-Encoding" {
			t.Errorf("%s: Vary %q", c.path, w.Header().Get("Vary"))
		}
	}
}

func TestOnlyBuiltFilesAreServed(t *testing.T) {
	t.Parallel()
	a := built(t)
	for _, path := range []string{
		"/static/dist/", "/static/dist/manifest.json", "/static/dist/.keep", "/static/dist/deep/secret.json",
		"/static/dist/../static.go", "/static/dist/missing.js", "/static/dist/editor.js",
	} {
		if r := get(a, path); r.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %s", path, r.Status)
		} else if strings.Contains(r.Header.Get("Cache-Control"), "immutable") {
			t.Errorf("%s: a miss may be cached for ever", path)
		}
	}
}

func TestMissingManifestIsToldAndDoesNotStop(t *testing.T) {
	t.Parallel()
	a, err := static.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if a.Built() || a.URL("editor.js") != "" {
		t.Error("nothing was built, but Assets knows files")
	}
}

func TestPagesSayWhatToDoUntilTheFilesAreBuilt(t *testing.T) {
	t.Parallel()
	empty, err := static.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	next := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	for _, c := range []struct {
		assets *static.Assets
		accept string
		want   int
	}{
		{empty, "text/html,*/*", http.StatusServiceUnavailable},
		{empty, "application/json", http.StatusTeapot},
		{built(t), "text/html,*/*", http.StatusTeapot},
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Header.Set("Accept", c.accept)
		w := httptest.NewRecorder()
		c.assets.Guard(next).ServeHTTP(w, r)
		if w.Code != c.want {
			t.Errorf("Accept %q: %d, want %d", c.accept, w.Code, c.want)
		}
		if w.Code == http.StatusServiceUnavailable && !strings.Contains(w.Body.String(), "make assets") {
			t.Errorf("the page does not say what to do: %q", w.Body.String())
		}
	}
}

func TestBrokenManifestIsAnError(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "manifest.json"), []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := static.Open(dir); err == nil {
		t.Error("a broken manifest was taken")
	}
}
