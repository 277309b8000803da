package strings_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	stdstrings "strings"
	"testing"
)

// prose is what a person reads: two words at least. The rest is code, or a
// sample of what to write.
var prose = regexp.MustCompile(`[A-Za-z] [A-Za-z]`)

// TestNoLanguageLacksASentence looks for every sentence of a refusal or a
// finding in the sources, and wants it translated.
func TestNoLanguageLacksASentence(t *testing.T) {
	t.Parallel()
	c := load(t)
	said := sentences(t)
	if len(said) < 250 {
		t.Fatalf("only %d sentences were found in the sources", len(said))
	}
	for _, lang := range c.Languages() {
		if len(c.Sentences(lang)) == 0 {
			continue // English
		}
		for english, place := range said {
			for part := range stdstrings.SplitSeq(english, " Expected: ") {
				sample := stdstrings.ReplaceAll(part, "\x00", "77")
				if prose.MatchString(sample) && c.Say(lang, sample) == sample {
					t.Errorf("%s: %s lacks %q", place, lang, stdstrings.ReplaceAll(part, "\x00", "{…}"))
				}
			}
		}
	}
}

// sentences are what the sources refuse and find, with \x00 where something is
// filled in, and where each stands.
func sentences(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, root := range []string{"../../engine", "../../server"} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Ext(path) != ".go" || stdstrings.HasSuffix(path, "_test.go") {
				return err
			}
			set := token.NewFileSet()
			file, err := parser.ParseFile(set, path, nil, 0)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				for _, e := range told(n, filepath.ToSlash(filepath.Dir(path))) {
					if s := text(e); s != "\x00" && s != "" {
						found[s] = set.Position(e.Pos()).String()
					}
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return found
}

// told lists the parts of a node of the syntax that a person will read.
func told(n ast.Node, dir string) []ast.Expr {
	switch n := n.(type) {
	case *ast.CallExpr:
		name := ""
		if s, ok := n.Fun.(*ast.SelectorExpr); ok {
			name = s.Sel.Name
			if x, ok := s.X.(*ast.Ident); ok {
				name = x.Name + "." + name
			}
		}
		switch {
		case name == "problem.New" && len(n.Args) > 1:
			return n.Args[1:2]
		case stdstrings.HasSuffix(name, "At") && len(n.Args) == 3: // problem.New(…).At(place, what is wrong, what would be right)
			return n.Args[2:]
		case (stdstrings.HasSuffix(name, ".fail") || stdstrings.HasSuffix(name, ".warn") || stdstrings.HasSuffix(name, ".fault")) && finds(dir): // codes and places among them are no prose
			return n.Args
		case dir == "../../engine/exchange" && len(n.Args) > 0: // what becomes of a file
			return imported(name, n.Args)
		case dir == "../../engine/kind" && name == "c.add" && len(n.Args) > 2: // what would be right, what is wrong
			return n.Args[1:3]
		}
	case *ast.CompositeLit:
		var fields []ast.Expr
		for _, e := range n.Elts {
			kv, ok := e.(*ast.KeyValueExpr)
			if !ok {
				continue
			}
			key, _ := kv.Key.(*ast.Ident)
			if key != nil && (key.Name == "Message" && named(n.Type, "Issue", "Fault") || key.Name == "Title" && named(n.Type, "Fix") || key.Name == "Detail") {
				fields = append(fields, kv.Value)
			}
		}
		return fields
	}
	return nil
}

// imported lists what is told of a part of a file: a loss, a difference, or the
// reason why an expression is not translated.
func imported(name string, args []ast.Expr) []ast.Expr {
	switch method := name[stdstrings.LastIndexByte(name, '.')+1:]; {
	case name == "fmt.Errorf" && stdstrings.HasSuffix(text(args[0]), ": \x00"): // what we were doing, for the log
	case method == "near", method == "lack", method == "note", method == "lost", name == "errors.New", name == "fmt.Errorf":
		return args[:1]
	case method == "lose" && len(args) > 2:
		return args[2:3]
	}
	return nil
}

// finds reports whether a package looks for what is wrong with a drawing.
func finds(dir string) bool {
	switch stdstrings.TrimPrefix(dir, "../../engine/") {
	case "compile", "chart", "chart/draw", "expr", "kind":
		return true
	}
	return false
}

// named reports whether a literal is of one of the types, of whatever package.
func named(of ast.Expr, names ...string) bool {
	if s, ok := of.(*ast.SelectorExpr); ok {
		of = s.Sel
	}
	id, ok := of.(*ast.Ident)
	if !ok {
		return false
	}
	for _, n := range names {
		if id.Name == n {
			return true
		}
	}
	return false
}
