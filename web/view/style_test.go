package view_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestDarkTwice: the dark colors stand twice in tokens.css and must agree.
func TestDarkTwice(t *testing.T) {
	t.Parallel()
	css := read(t, "../style/tokens.css")
	block := func(selector string) []string {
		_, rest, found := strings.Cut(css, selector+" {")
		if !found {
			t.Fatalf("tokens.css lacks %s", selector)
		}
		body, _, _ := strings.Cut(rest, "}")
		return strings.Fields(body)
	}
	if diff := cmp.Diff(block(`[data-theme="dark"]`), block(`[data-theme="system"]`)); diff != "" {
		t.Errorf("the chosen dark theme (-) differs from the system's (+):\n%s", diff)
	}
}

// TestTokens: every variable that a style sheet uses is a token.
func TestTokens(t *testing.T) {
	t.Parallel()
	defined := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^\s*(--[\w-]+):`).FindAllStringSubmatch(read(t, "../style/tokens.css"), -1) {
		defined[m[1]] = true
	}
	sheets, err := filepath.Glob("../style/*.css")
	if err != nil || len(sheets) == 0 {
		t.Fatalf("style sheets: %v, %v", sheets, err)
	}
	for _, sheet := range sheets {
		for _, m := range regexp.MustCompile(`var\((--[\w-]+)`).FindAllStringSubmatch(read(t, sheet), -1) {
			if !defined[m[1]] {
				t.Errorf("%s uses %s, which is no token", sheet, m[1])
			}
		}
	}
}

// TestIcons: every icon that a page names is in the sprite.
func TestIcons(t *testing.T) {
	t.Parallel()
	have := map[string]bool{}
	for name := range strings.FieldsSeq(read(t, "../style/icons.txt")) {
		have[name] = true
	}
	files, err := filepath.Glob("*.templ")
	if err != nil || len(files) == 0 {
		t.Fatalf("templates: %v, %v", files, err)
	}
	for _, file := range files {
		for _, m := range regexp.MustCompile(`@icon\(p, "([\w-]+)"\)`).FindAllStringSubmatch(read(t, file), -1) {
			if !have[m[1]] {
				t.Errorf("%s shows the icon %s, which icons.txt lacks", file, m[1])
			}
		}
	}
}
