package adr_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the index")

var (
	fileName = regexp.MustCompile(`^(\d{4})-[a-z0-9]+(-[a-z0-9]+)*\.md$`)
	status   = regexp.MustCompile(`(?m)^Date: \d{4}-\d{2}-\d{2} · Status: (proposed|accepted|replaced by \d{4})$`)
)

// sections are what every decision tells, in this order.
var sections = []string{"**Context.**", "**Decision.**", "**Consequences.**", "**Tried and left.**"}

// TestADRs checks the form of the decisions and their index.
func TestADRs(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("[0-9]*.md")
	if err != nil {
		t.Fatal(err)
	}
	var index strings.Builder
	index.WriteString("# Decisions\n\n| | | status |\n|---|---|---|\n")
	for i, name := range files {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		text := string(raw)
		m := fileName.FindStringSubmatch(name)
		if m == nil {
			t.Errorf("%s is not named NNNN-short-title.md", name)
			continue
		}
		if want := fmt.Sprintf("%04d", i+1); m[1] != want {
			t.Errorf("%s: the next number is %s", name, want)
		}
		title, _, _ := strings.Cut(text, "\n")
		if !strings.HasPrefix(title, "# ") {
			t.Errorf("%s does not begin with its title", name)
		}
		st := status.FindStringSubmatch(text)
		if st == nil {
			t.Errorf("%s has no line with date and status", name)
			continue
		}
		at := 0
		for _, s := range sections {
			n := strings.Index(text[at:], "\n"+s)
			if n < 0 {
				t.Errorf("%s does not tell its %s in its place", name, strings.Trim(s, "*."))
				break
			}
			at += n
		}
		if n := len(strings.Fields(text)); n > 500 {
			t.Errorf("%s has %d words: one decision, one page", name, n)
		}
		fmt.Fprintf(&index, "| [%s](%s) | %s | %s |\n", m[1], name, strings.TrimPrefix(title, "# "), st[1])
	}
	old, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	if string(old) == index.String() {
		return
	}
	if !*update {
		t.Fatal("the index is not up to date: go test ./docs/adr -update")
	}
	if err := os.WriteFile("README.md", []byte(index.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}
