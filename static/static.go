// Package static serves what build.mjs made: scripts, styles, fonts, icons.
// The files are part of the binary; in development they are read from disk.
package static

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"os"
	"path"
	"strings"
)

//go:embed all:dist
var dist embed.FS

// prefix is where the files live on the server.
const prefix = "/static/dist/"

// Assets knows the built files by their names before hashing.
type Assets struct {
	files fs.FS
	list  map[string]entry
}

type entry struct {
	File    string   `json:"file"`
	Imports []string `json:"imports"`
}

// Open reads the manifest: of the files in the binary, or of a directory when
// one is named. Without a manifest every page asks for `make assets`.
func Open(dir string) (*Assets, error) {
	files, err := fs.Sub(dist, "dist")
	if err != nil {
		return nil, fmt.Errorf("open the built files: %w", err)
	}
	if dir != "" {
		files = os.DirFS(dir)
	}
	a := &Assets{files: files, list: map[string]entry{}}
	raw, err := fs.ReadFile(files, "manifest.json")
	if err != nil {
		return a, nil //nolint:nilerr // Built tells; a server without scripts still answers its API
	}
	if err := json.Unmarshal(raw, &a.list); err != nil {
		return nil, fmt.Errorf("read the manifest of the built files: %w", err)
	}
	return a, nil
}

// Built reports whether the files were built.
func (a *Assets) Built() bool { return len(a.list) > 0 }

// Guard answers pages with what to do while the files are not built. All else
// goes on: the API needs no files.
func (a *Assets) Guard(next http.Handler) http.Handler {
	if a.Built() {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.Contains(r.Header.Get("Accept"), "text/html") {
			next.ServeHTTP(w, r)
			return
		}
		http.Error(w, "Signalbox runs, but the files for browsers are not built.\n\nRun make assets, then build and start again; or use make run, which does it all.", http.StatusServiceUnavailable)
	})
}

// URL is the address of a built file, or "" when there is none of the name.
func (a *Assets) URL(name string) string {
	if e, ok := a.list[name]; ok {
		return prefix + e.File
	}
	return ""
}

// Preload lists the addresses that a script imports at once.
func (a *Assets) Preload(name string) []string {
	var list []string
	for _, f := range a.list[name].Imports {
		list = append(list, prefix+f)
	}
	return list
}

// ServeHTTP serves a file. Its name holds the hash of what is in it, so it may
// be kept for ever.
func (a *Assets) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(path.Clean(r.URL.Path), prefix)
	if strings.Contains(name, "/") || name == "manifest.json" || strings.HasPrefix(name, ".") {
		http.NotFound(w, r)
		return
	}
	if _, err := fs.Stat(a.files, name); err != nil {
		http.NotFound(w, r)
		return
	}
	h := w.Header()
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	h.Set("Vary", "Accept-Encoding")
	if coding, ext := a.twin(r, name); coding != "" {
		h.Set("Content-Encoding", coding)
		h.Set("Content-Type", mime.TypeByExtension(path.Ext(name)))
		name += ext
	}
	http.ServeFileFS(w, r, a.files, name)
}

// twin finds the smallest encoding of a file that the browser takes. A part of
// a file is never asked for in practice; when it is, it comes as it is.
func (a *Assets) twin(r *http.Request, name string) (coding, ext string) {
	accepted := r.Header.Get("Accept-Encoding")
	if r.Header.Get("Range") != "" {
		return "", ""
	}
	for _, c := range [...]struct{ coding, ext string }{{"br", ".br"}, {"gzip", ".gz"}} {
		if !accepts(accepted, c.coding) {
			continue
		}
		if _, err := fs.Stat(a.files, name+c.ext); err == nil {
			return c.coding, c.ext
		}
	}
	return "", ""
}

func accepts(header, coding string) bool {
	for one := range strings.SplitSeq(header, ",") {
		name, weight, _ := strings.Cut(strings.TrimSpace(one), ";")
		if strings.EqualFold(name, coding) {
			return strings.TrimSpace(weight) != "q=0"
		}
	}
	return false
}
