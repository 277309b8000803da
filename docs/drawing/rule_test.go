package drawing_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"signalbox/engine/graph"
)

const (
	ruleDir      = "rule"
	rulePictures = "../pictures/rules"
	rulePage     = "../semantics.md"
)

// TestRulesRunAsThePageSays plays the scripts of docs/semantics.md.
func TestRulesRunAsThePageSays(t *testing.T) {
	t.Parallel()
	for _, name := range files(t, ruleDir, ".json") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := load(t, filepath.Join(ruleDir, name+".json"))
			if graph.Errors(d.issues) {
				t.Errorf("%s has errors:\n%s", d.path, d.findings())
			}
			play(t, d, filepath.Join(ruleDir, name+".txt"))
		})
	}
}

// TestRulePageShowsEachDrawing wants each picture on the page, with the
// sentence of its script.
func TestRulePageShowsEachDrawing(t *testing.T) {
	t.Parallel()
	page := read(t, rulePage)
	for _, name := range files(t, ruleDir, ".json") {
		s := readScript(t, filepath.Join(ruleDir, name+".txt"))
		title := load(t, filepath.Join(ruleDir, name+".json")).graph.Name
		if want := "![" + title + "](pictures/rules/" + name + ".svg)"; !strings.Contains(page, want) {
			t.Errorf("the page does not show %s", want)
		}
		if want := s.fields["says"] + " ([played](drawing/rule/" + name + ".txt))"; s.fields["says"] == "" || !strings.Contains(page, want) {
			t.Errorf("the page does not say: %s", want)
		}
	}
}

var (
	// A rule is a bold name, or the heading of a section.
	bold    = regexp.MustCompile(`\*\*([A-Za-z ]+?)\.?\*\*`)
	section = regexp.MustCompile(`(?m)^## (.+)$`)
	row     = regexp.MustCompile("(?m)^\\| ([A-Za-z ]+) \\| `([^`]+)` \\|$")
	// These hold rules, or are none.
	others = []string{"Words", "Tokens", "Containers", "Not yet", "How far it looks", "How it is checked"}
)

// TestEachRuleHasATest compares the index of tests with the page, and looks
// for each test.
func TestEachRuleHasATest(t *testing.T) {
	t.Parallel()
	page, index, ok := strings.Cut(read(t, rulePage), "\n## Tests\n")
	if !ok {
		t.Fatal("the page has no index of tests")
	}
	rules, named := map[string]bool{}, map[string]bool{}
	for _, m := range append(bold.FindAllStringSubmatch(page, -1), section.FindAllStringSubmatch(page, -1)...) {
		if !slices.Contains(others, m[1]) {
			rules[m[1]] = true
		}
	}
	for _, m := range row.FindAllStringSubmatch(index, -1) {
		named[m[1]] = true
		exists(t, m[2])
		if !rules[m[1]] {
			t.Errorf("the index names a rule %q that the page does not have", m[1])
		}
	}
	for r := range rules {
		if !named[r] {
			t.Errorf("no test is named for the rule %q", r)
		}
	}
	if rows := strings.Count(index, "\n| ") - 1; rows != len(named) {
		t.Errorf("%d of %d rows of the index were read", len(named), rows)
	}
}

// exists looks for a script, or for a test as package.Test.
func exists(t *testing.T, name string) {
	t.Helper()
	if strings.HasSuffix(name, ".txt") {
		if _, err := os.Stat(filepath.Join("../..", name)); err != nil {
			t.Error(err)
		}
		return
	}
	dir, test, _ := strings.Cut(name, ".")
	paths, err := filepath.Glob(filepath.Join("../..", dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		if strings.Contains(read(t, path), "\nfunc "+test+"(t *testing.T) {") {
			return
		}
	}
	t.Errorf("there is no test %s", name)
}
