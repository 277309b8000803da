package drawing_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"signalbox/engine/graph"
)

const (
	patternDir      = "pattern"
	patternPictures = "../pictures/patterns"
	patternPage     = "../patterns.md"
	patternCount    = 43
)

// TestPatternsRunAsThePageSays plays the script of each pattern.
func TestPatternsRunAsThePageSays(t *testing.T) {
	t.Parallel()
	for _, name := range files(t, patternDir, ".json") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := load(t, filepath.Join(patternDir, name+".json"))
			if graph.Errors(d.issues) {
				t.Errorf("%s has errors:\n%s", d.path, d.findings())
			}
			play(t, d, filepath.Join(patternDir, name+".txt"))
		})
	}
}

const patternHead = `# The 43 control-flow patterns

<!-- Written by go test ./docs/drawing -update; do not edit. -->

Russell, ter Hofstede, van der Aalst and Mulyar collected what workflow languages can say about control flow ([Workflow Control-Flow Patterns: A Revised View](http://www.workflowpatterns.com/documentation/documents/BPM-06-22.pdf), 2006). This page tells for each pattern whether it can be drawn here, and how.

- **yes**: nodes and joins say it directly.
- **partly**: a drawing does it, within a limit that is told.
- **no**: nothing says it; the nearest drawing is shown.

Each picture is made from a workflow file that compiles without errors. Beside it lies a script that plays it on the compiler and the machine, event by event, and says what must come: ` + "`go test ./docs/drawing`" + ` compares. Where a script says *orders*, every order in which the work can end was played. What the words mean stands in [What a drawn workflow means](semantics.md).

`

// TestPatternPageTellsTheScripts makes the page from the files.
func TestPatternPageTellsTheScripts(t *testing.T) {
	t.Parallel()
	names := files(t, patternDir, ".json")
	if len(names) != patternCount {
		t.Fatalf("%d drawings, want %d", len(names), patternCount)
	}
	count := map[string]int{}
	var table, list strings.Builder
	for i, name := range names {
		s := readScript(t, filepath.Join(patternDir, name+".txt"))
		title, support := s.fields["name"], s.fields["support"]
		if !strings.HasPrefix(name, fmt.Sprintf("%02d-", i+1)) || title == "" || s.fields["how"] == "" || len(s.parts) == 0 {
			t.Errorf("%s: number %d, name %q, how %q", name, i+1, title, s.fields["how"])
		}
		if differs := s.fields["differs"]; support != "yes" && support != "partly" && support != "no" || (support == "yes") != (differs == "") {
			t.Errorf("%s: support is %q, and it differs in %q", name, support, differs)
		}
		count[support]++
		anchor := strings.ToLower(strings.ReplaceAll(fmt.Sprintf("%d %s", i+1, title), " ", "-"))
		fmt.Fprintf(&table, "| %d | [%s](#%s) | %s |\n", i+1, title, anchor, support)
		fmt.Fprintf(&list, "\n## %d %s\n\n**%s.** %s", i+1, title, support, s.fields["how"])
		if d := s.fields["differs"]; d != "" {
			fmt.Fprintf(&list, "\n\n*What differs:* %s", d)
		}
		fmt.Fprintf(&list, "\n\n![%s](pictures/patterns/%s.svg)\n\n[drawing](drawing/pattern/%s.json) · [script](drawing/pattern/%s.txt)\n", title, name, name, name)
	}
	page := patternHead + fmt.Sprintf("%d yes, %d partly, %d no.\n\n| | pattern | |\n|---|---|---|\n%s%s", count["yes"], count["partly"], count["no"], table.String(), list.String())
	keep(t, patternPage, page)
}
