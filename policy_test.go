package main

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const module = "signalbox/"

// layers says which packages of ours each package may import. A package that
// is not listed may import nothing of ours, so a new one has to be placed.
// Lower bands never import higher ones; technology packages never import each
// other; only runtime knows both the machine and the world.
var layers = map[string][]string{
	// Pure: no I/O, no clock, no goroutine.
	"engine/problem":        {},
	"engine/event":          {},
	"engine/learn":          {},
	"engine/route":          {"engine/learn", "engine/problem"},
	"engine/shape":          {},
	"engine/expr":           {"engine/shape"},
	"engine/history":        {},
	"engine/archive":        {"engine/event"},
	"engine/task":           {"engine/event"},
	"engine/queue":          {"engine/problem", "engine/route", "engine/task"},
	"engine/span":           {"engine/task"},
	"engine/graph":          {"engine/problem"},
	"engine/kind":           {"engine/expr"},
	"engine/machine":        {"engine/chart", "engine/event", "engine/expr", "engine/mutant", "engine/route", "engine/shape"},
	"engine/mutant":         {},
	"engine/reference/play": {"engine/compile", "engine/event", "engine/expr", "engine/graph", "engine/kind", "engine/machine", "engine/reference"},
	"engine/soundness":      {"engine/graph", "engine/machine"},
	"engine/compile":        {"engine/chart", "engine/chart/draw", "engine/expr", "engine/graph", "engine/kind", "engine/machine", "engine/route", "engine/shape", "engine/soundness"},
	"engine/chart":          {"engine/expr"},
	"engine/chart/draw":     {"engine/chart", "engine/graph"},
	"engine/exchange":       {"engine/chart", "engine/chart/draw", "engine/expr", "engine/graph", "engine/kind", "engine/problem"},
	"engine/reference":      {"engine/expr", "engine/graph", "engine/kind"},
	"engine/compare":        {"engine/event", "engine/machine"},
	"engine/rehearsal":      {"engine/compare", "engine/event", "engine/machine", "engine/problem"},
	"engine/runtime/brief":  {"engine/event", "engine/machine"},
	"engine/insight":        {"engine/problem"},
	"engine/poster":         {},
	"engine/picture":        {"engine/graph", "engine/kind", "engine/runtime/brief"},
	// Loops and services.
	"engine/runtime":             {"engine/event", "engine/machine", "engine/mutant", "engine/problem", "engine/queue", "engine/route", "engine/runtime/brief", "engine/task"},
	"engine/routing":             {"engine/learn", "engine/problem", "engine/queue", "engine/route"},
	"engine/runtime/runtimetest": {"engine/event", "engine/queue", "engine/runtime", "engine/task"},
	"engine/watch":               {"engine/runtime/brief"},
	"engine/invariant":           {"engine/event", "engine/machine", "engine/runtime"},
	"engine/meter":               {"engine/queue", "engine/event", "engine/insight", "engine/machine", "engine/routing", "engine/runtime"},
	"engine/vault":               {"engine/problem"},
	"engine/guard":               {"engine/problem"},
	"engine/account":             {"engine/problem"},
	"engine/audit":               {},
	"engine/comment":             {"engine/problem"},
	"engine/inbox":               {},
	"engine/review":              {"engine/account", "engine/problem"},
	"engine/draft":               {"engine/compile", "engine/graph", "engine/kind", "engine/machine", "engine/problem"},
	"engine/casebook":            {"engine/event", "engine/machine", "engine/problem", "engine/rehearsal"},
	"engine/bulk":                {"engine/account", "engine/history", "engine/machine", "engine/problem", "engine/runtime"},
	"engine/share":               {"engine/compile", "engine/graph", "engine/kind", "engine/problem", "engine/picture", "engine/runtime/brief"},
	"engine/proposal":            {"engine/compile", "engine/graph", "engine/kind", "engine/problem"},
	"engine/gallery":             {"engine/graph", "engine/compile"},
	"engine/worker":              {"engine/event", "engine/graph", "engine/problem", "engine/runtime/brief", "engine/task", "engine/vault"},
	"engine/worker/action":       {"engine/guard", "engine/span", "engine/task", "engine/vault", "engine/worker", "engine/worker/shape"},
	"engine/worker/shape":        {},
	"engine/worker/elastic":      {},
	"engine/worker/witness":      {"engine/task"},
	"engine/worker/remote":       {"engine/graph", "engine/problem", "engine/route", "engine/task", "engine/worker", "engine/worker/shape"},
	"engine/worker/local":        {"engine/problem", "engine/runtime", "engine/runtime/brief", "engine/task", "engine/watch", "engine/worker"},
	"engine/sim":                 {"engine/event", "engine/expr", "engine/graph", "engine/invariant", "engine/machine", "engine/mem", "engine/reference", "engine/reference/play", "engine/runtime", "engine/task"}, // only tests use it
	// Technology: one package for each.
	"engine/pg":                          {"engine/account", "engine/archive", "engine/audit", "engine/bulk", "engine/review", "engine/comment", "engine/inbox", "engine/casebook", "engine/compare", "engine/rehearsal", "engine/draft", "engine/event", "engine/history", "engine/insight", "engine/learn", "engine/machine", "engine/problem", "engine/proposal", "engine/queue", "engine/routing", "engine/runtime", "engine/runtime/brief", "engine/share", "engine/task", "engine/vault", "engine/worker/remote", "migrations"},
	"engine/mem":                         {"engine/event", "engine/mutant", "engine/queue", "engine/runtime", "engine/task"},
	"engine/nats":                        {"engine/worker/remote", "engine/event", "engine/problem", "engine/runtime", "engine/task", "engine/watch", "engine/worker"},
	"engine/otlp":                        {"engine/event", "engine/machine", "engine/runtime", "engine/span"},
	"engine/local/postgres":              {},
	"engine/local/postgres/postgrestest": {"engine/local/postgres"},
	"engine/pg/pgtest":                   {"engine/local/postgres/postgrestest", "engine/pg"}, // only tests use it
	"engine/local/nats":                  {},
	// The face.
	"web/strings": {},
	"web/view":    {"engine/graph", "engine/picture", "web/strings"},
	"server": {
		"engine/account", "engine/audit", "engine/bulk", "engine/comment", "engine/inbox", "engine/review", "engine/casebook", "engine/compare", "engine/rehearsal", "engine/compile", "engine/draft", "engine/event", "engine/exchange", "engine/expr", "engine/gallery", "engine/graph", "engine/history", "engine/insight", "engine/kind", "engine/learn", "engine/machine",
		"engine/picture", "engine/poster", "engine/problem", "engine/proposal", "engine/queue", "engine/route", "engine/routing", "engine/runtime", "engine/runtime/brief", "engine/shape", "engine/share", "engine/vault", "engine/worker/remote", "web/strings", "web/view",
	},
	"static":     {},
	"migrations": {},
	// For programs of others: nothing of the engine.
	"client/worker":          {},
	"client/worker/overnats": {"client/worker"},
	"client/worker/example":  {"client/worker"},
	// The whole.
	"app": nil, // anything: it builds the program
	"":    {"app"},
}

// pure packages may import only the part of the standard library that does no
// I/O, reads no clock and draws no random number.
var (
	pure = []string{
		"engine/problem", "engine/event", "engine/learn", "engine/route", "engine/queue", "engine/shape", "engine/expr", "engine/history", "engine/task", "engine/span", "engine/graph", "engine/kind",
		"engine/machine", "engine/mutant", "engine/soundness", "engine/compile", "engine/chart", "engine/exchange", "engine/reference", "engine/runtime/brief", "engine/compare", "engine/rehearsal", "engine/picture", "engine/poster", "engine/insight", "engine/worker/elastic",
	}
	impure = []string{"context", "os", "net", "net/http", "io/fs", "log", "log/slog", "math/rand", "math/rand/v2", "crypto/rand", "sync", "testing"}
	banned = map[string][]string{"time": {"Now", "Since", "Until", "After", "Sleep", "NewTimer", "NewTicker", "Tick", "AfterFunc"}}
)

type pkg struct {
	ImportPath string
	Dir        string
	Imports    []string
	GoFiles    []string
}

func packages(t *testing.T) []pkg {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Dir,Imports,GoFiles", "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var pkgs []pkg
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return pkgs
		} else if err != nil {
			t.Fatal(err)
		}
		if len(p.GoFiles) > 0 {
			pkgs = append(pkgs, p)
		}
	}
}

func TestLayers(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		name := ours(p.ImportPath)
		allowed, placed := layers[name]
		if !placed {
			t.Errorf("package %q has no place in layers", name)
			continue
		}
		for _, imp := range p.Imports {
			if allowed == nil || !strings.HasPrefix(imp+"/", module) {
				continue
			}
			if !slices.Contains(allowed, ours(imp)) {
				t.Errorf("package %q must not import %q", name, ours(imp))
			}
		}
	}
}

func TestPurity(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		if !slices.Contains(pure, ours(p.ImportPath)) {
			continue
		}
		for _, imp := range p.Imports {
			if slices.Contains(impure, imp) {
				t.Errorf("pure package %q must not import %q", ours(p.ImportPath), imp)
			}
		}
		for _, f := range p.GoFiles {
			file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, f), nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(file, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.SelectorExpr:
					if id, ok := n.X.(*ast.Ident); ok && slices.Contains(banned[id.Name], n.Sel.Name) {
						t.Errorf("%s/%s: pure package calls %s.%s", ours(p.ImportPath), f, id.Name, n.Sel.Name)
					}
				case *ast.GoStmt, *ast.SelectStmt:
					t.Errorf("%s/%s: pure package starts a goroutine or selects", ours(p.ImportPath), f)
				}
				return true
			})
		}
	}
}

// TestDocs wants one package comment in every package and no more.
func TestDocs(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		n := 0
		for _, f := range p.GoFiles {
			file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, f), nil, parser.PackageClauseOnly|parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			if file.Doc != nil {
				n++
			}
		}
		if n != 1 {
			t.Errorf("package %q has %d package comments, want 1", ours(p.ImportPath), n)
		}
	}
}

// TestServerKnowsNoTechnology keeps drivers out of the face.
func TestServerKnowsNoTechnology(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		name := ours(p.ImportPath)
		for _, imp := range p.Imports {
			driver := strings.HasPrefix(imp, "github.com/jackc/pgx") || strings.HasPrefix(imp, "github.com/nats-io/")
			if driver && (name == "server" || strings.HasPrefix(name, "web/")) {
				t.Errorf("package %q must not import %q: it asks the services", name, imp)
			}
		}
	}
}

// TestNames forbids names that say nothing.
func TestNames(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		for _, part := range strings.Split(ours(p.ImportPath), "/") {
			if slices.Contains([]string{"util", "utils", "common", "helper", "helpers", "manager", "base", "types", "models"}, part) {
				t.Errorf("package %q has a name that says nothing: %q", ours(p.ImportPath), part)
			}
		}
	}
}

// TestTopLevel keeps the folders at the root to the ones the user named and
// the few that ARCHITECTURE.md explains.
// Every dependency is named with its reason.
func TestDependencies(t *testing.T) {
	raw, err := os.ReadFile("docs/dependencies.md")
	if err != nil {
		t.Fatal(err)
	}
	var modules, packages struct {
		Require []struct {
			Path     string
			Indirect bool
		}
		Dependencies, DevDependencies, OptionalDependencies map[string]string
	}
	out, err := exec.Command("go", "mod", "edit", "-json").Output()
	if err == nil {
		err = json.Unmarshal(out, &modules)
	}
	if err != nil {
		t.Fatal(err)
	}
	if out, err = os.ReadFile("package.json"); err == nil {
		err = json.Unmarshal(out, &packages)
	}
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, m := range modules.Require {
		if !m.Indirect {
			names = append(names, m.Path)
		}
	}
	for _, list := range []map[string]string{packages.Dependencies, packages.DevDependencies, packages.OptionalDependencies} {
		names = slices.AppendSeq(names, maps.Keys(list))
	}
	if len(names) < 30 {
		t.Fatalf("only %d dependencies were found: %v", len(names), names)
	}
	for _, name := range names {
		scope, _, scoped := strings.Cut(name, "/")
		all := scoped && strings.HasPrefix(scope, "@") && strings.Contains(string(raw), scope+`/\*`)
		if !all && !regexp.MustCompile(`(^|[ |,])`+regexp.QuoteMeta(name)+`($|[ |,])`).Match(raw) {
			t.Errorf("docs/dependencies.md does not say what %s is for", name)
		}
	}
}

func TestTopLevel(t *testing.T) {
	t.Parallel()
	want := []string{"app", "bin", "client", "deploy", "docs", "engine", "migrations", "server", "static", "web"}
	_ = filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == "." || !d.IsDir() {
			return err
		}
		if !strings.HasPrefix(path, ".") && path != "node_modules" && !slices.Contains(want, path) {
			t.Errorf("unexpected folder %q at the root", path)
		}
		return fs.SkipDir
	})
}

// TestLinks follows the links between the documents.
func TestLinks(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, pattern := range []string{"docs/*.md", "docs/adr/*.md"} {
		more, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, more...)
	}
	link := regexp.MustCompile(`\]\(([^)#:]+)(#[^)]*)?\)`)
	for _, name := range files {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(string(raw), -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(name), m[1])); err != nil {
				t.Errorf("%s: the link to %s leads nowhere", name, m[1])
			}
		}
	}
}

// ours returns a package's path inside the module; the root is "".
func ours(path string) string {
	return strings.Trim(strings.TrimPrefix(path+"/", module), "/")
}
