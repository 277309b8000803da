package strings_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	stdstrings "strings"
	"testing"
	"testing/fstest"

	"signalbox/web/strings"
)

func TestSay(t *testing.T) {
	t.Parallel()
	c, err := strings.Read(fstest.MapFS{
		"en/a.json": {Data: []byte(`{"x":"X"}`)},
		"zh-CN/sentences.json": {Data: []byte(`{"{a} Expected: {b}":"{a}应为：{b}","“{a}” is missing.":"缺少“{a}”。","“{a}” is missing before “{b}”.":"“{b}”之前缺少“{a}”。",
			"at least {a}":"至少 {a}","This {{ has no }}.":"这个 {{ 没有对应的 }}。","Routes":"路由规则"}`)},
	})
	if err != nil {
		t.Fatal(err)
	}
	for english, want := range map[string]string{
		"“Routes” is missing.":                      "缺少“路由规则”。",
		"“Routes” is missing. Expected: at least 1": "缺少“路由规则”。应为：至少 1",
		"“)” is missing before “x”.":                "“x”之前缺少“)”。",
		"“a\nb” is missing.":                        "缺少“a\nb”。",
		"This {{ has no }}.":                        "这个 {{ 没有对应的 }}。",
		"Nobody translated this.":                   "Nobody translated this.",
		"“{b}” is missing before “{a}”.":            "“{a}”之前缺少“{b}”。",
	} {
		if got := c.Say("zh-CN", english); got != want {
			t.Errorf("%q is %q, want %q", english, got, want)
		}
		if got := c.Say("en", english); got != english {
			t.Errorf("%q in English is %q", english, got)
		}
	}
}

var (
	verb   = regexp.MustCompile(`%[-+#0-9.]*[a-zA-Z]`)
	filled = regexp.MustCompile(`\{[a-z]\}`)
)

// spoken are the texts in the Go sources, with \x00 where something is filled
// in, and those of them that report a finding about a drawing.
func spoken(t *testing.T) (all map[string]bool, findings []string) {
	t.Helper()
	all = map[string]bool{}
	for _, root := range []string{"../../engine", "../../server"} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Ext(path) != ".go" || stdstrings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if e, ok := n.(ast.Expr); ok {
					all[text(e)] = true
				}
				if call, ok := n.(*ast.CallExpr); ok && filepath.Dir(path) == "../../engine/compile" && len(call.Args) > 3 {
					if s, ok := call.Fun.(*ast.SelectorExpr); ok && (s.Sel.Name == "fail" || s.Sel.Name == "warn") {
						findings = append(findings, text(call.Args[3]))
					}
				}
				if call, ok := n.(*ast.CallExpr); ok && path == "../../engine/soundness/sentence.go" && len(call.Args) > 1 {
					if s, ok := call.Fun.(*ast.SelectorExpr); ok && s.Sel.Name == "Sprintf" {
						findings = append(findings, text(call.Args[0]))
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
	return all, findings
}

// text is what an expression says, as far as the source shows it.
func text(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind == token.STRING {
			if s, err := strconv.Unquote(e.Value); err == nil {
				return verb.ReplaceAllString(stdstrings.ReplaceAll(s, "%q", "\x00"), "\x00")
			}
		}
	case *ast.BinaryExpr:
		if e.Op == token.ADD {
			return text(e.X) + text(e.Y)
		}
	}
	return "\x00"
}

// TestSentencesAreSpoken finds translations of what nobody says any more, and
// findings of the compiler that a language lacks.
func TestSentencesAreSpoken(t *testing.T) {
	t.Parallel()
	c := load(t)
	all, findings := spoken(t)
	// The parts of findings that are put together, and words of their own.
	joined := regexp.MustCompile(` Expected: |^Let |^There is no such workflow|^the branch from |is missing before|values? in its brackets`)
	for _, lang := range c.Languages() {
		for english, word := range c.Sentences(lang) {
			plain := filled.ReplaceAllString(english, "\x00")
			known := all[plain] || joined.MatchString(english)
			for s := range all {
				known = known || stdstrings.Contains(s, plain)
			}
			if !known {
				t.Errorf("%s translates %q, which nobody says", lang, english)
			}
			for _, hole := range filled.FindAllString(word, -1) {
				if !stdstrings.Contains(english, hole) {
					t.Errorf("%s: %q has no %s", lang, english, hole)
				}
			}
		}
		if len(c.Sentences(lang)) == 0 {
			continue
		}
		for _, f := range findings {
			for part := range stdstrings.SplitSeq(f, " Expected: ") {
				if said := stdstrings.ReplaceAll(part, "\x00", "77"); part != "\x00" && c.Say(lang, said) == said {
					t.Errorf("%s lacks the finding %q", lang, said)
				}
			}
		}
	}
}
