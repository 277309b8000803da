package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestStyleSheetsDoNotClash finds names that mean one thing in one style sheet
// and another thing in another one. Sheets of parts that load later come in any
// order, and whichever comes last would win on the whole page.
func TestStyleSheetsDoNotClash(t *testing.T) {
	t.Parallel()
	sheets := map[string]string{}
	err := filepath.WalkDir("web", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".css") || strings.Contains(path, "/bench/") {
			return err
		}
		raw, err := os.ReadFile(path)
		sheets[path] = string(raw)
		return err
	})
	if err != nil || len(sheets) < 20 {
		t.Fatalf("%d style sheets, %v", len(sheets), err)
	}
	for _, clash := range clashes(sheets) {
		t.Error(clash)
	}
}

func TestClashesOfStyleSheetsAreFound(t *testing.T) {
	t.Parallel()
	const a = `.split { color: red; margin: 0 } @keyframes spin { to { rotate: 1turn } }`
	for name, c := range map[string]struct {
		b    string
		want []string
	}{
		"another value":          {`/* x { } */ .part, .split { color: blue }`, []string{".split: color is red in a.css and blue in b.css"}},
		"the same":               {`.split { color: red; }`, nil},
		"another property":       {`.split { padding: 0 }`, nil},
		"inside of something":    {`.log .split { color: blue } .split.on { color: blue } .split:hover { color: blue }`, nil},
		"another size of screen": {`@media (max-width: 9px) { .split { color: blue } }`, nil},
		"keyframes":              {`@import "x.css"; @keyframes spin { to { rotate: 2turn } }`, []string{"@keyframes spin: differs in a.css and b.css"}},
		"the same keyframes":     {"@keyframes spin {\n  to { rotate: 1turn }\n}", nil},
	} {
		if diff := cmp.Diff(c.want, clashes(map[string]string{"a.css": a, "b.css": c.b})); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// clashes are the bare classes of which two sheets set one property to different
// values, and the keyframes that two sheets draw differently.
func clashes(sheets map[string]string) []string {
	type said struct{ sheet, value string }
	known := map[string]said{}
	var found []string
	paths := make([]string, 0, len(sheets))
	for path := range sheets {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	for _, path := range paths {
		own := map[string]string{} // what the sheet itself says last counts
		for _, r := range rulesOf(sheets[path]) {
			own[r.name] = r.value
		}
		for name, value := range own {
			before, there := known[name]
			if !there {
				known[name] = said{path, value}
				continue
			}
			if before.value == value {
				continue
			}
			if class, property, isClass := strings.Cut(name, " { "); isClass {
				found = append(found, fmt.Sprintf("%s: %s is %s in %s and %s in %s", class, property, before.value, before.sheet, value, path))
			} else {
				found = append(found, fmt.Sprintf("%s: differs in %s and %s", name, before.sheet, path))
			}
		}
	}
	slices.Sort(found)
	return found
}

// rule is one property of a bare class, named ".class { property", or whole
// keyframes by their name.
type rule struct{ name, value string }

var (
	styleComment = regexp.MustCompile(`(?s)/\*.*?\*/`)
	bareClass    = regexp.MustCompile(`^\.[\w-]+$`)
)

// rulesOf reads the outermost blocks of a style sheet.
func rulesOf(css string) []rule {
	var rules []rule
	for rest := styleComment.ReplaceAllString(css, ""); ; {
		head, after, found := strings.Cut(rest, "{")
		if !found {
			return rules
		}
		end := blockEnd(after)
		body := after[:end]
		rest = after[min(end+1, len(after)):]
		head = strings.TrimSpace(head[strings.LastIndex(head, ";")+1:]) // behind what is imported
		if strings.HasPrefix(head, "@keyframes ") {
			rules = append(rules, rule{head, strings.Join(strings.Fields(body), " ")})
			continue
		}
		for selector := range strings.SplitSeq(head, ",") {
			if selector = strings.TrimSpace(selector); !bareClass.MatchString(selector) {
				continue
			}
			for line := range strings.SplitSeq(body, ";") {
				if property, value, isOne := strings.Cut(line, ":"); isOne {
					rules = append(rules, rule{selector + " { " + strings.TrimSpace(property), strings.Join(strings.Fields(value), " ")})
				}
			}
		}
	}
}

// blockEnd is where the block ends whose beginning was read.
func blockEnd(css string) int {
	depth := 1
	for i, c := range css {
		switch c {
		case '{':
			depth++
		case '}':
			depth--
		}
		if depth == 0 {
			return i
		}
	}
	return len(css)
}
