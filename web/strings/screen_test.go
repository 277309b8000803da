package strings_test

import (
	"path/filepath"
	"regexp"
	"slices"
	stdstrings "strings"
	"testing"
)

// Texts that are the same in every language: names of keys, of the product, of
// ports, and code.
func everywhere() []string {
	return []string{"Esc", "Signalbox", "fx", "default", "CSV", "JSON", "input.priority >= 8"}
}

var (
	comment = regexp.MustCompile(`(?m)//.*$`)
	// Text between two tags, without anything of the language around.
	between = regexp.MustCompile(`[^=\-]>([^<>{}();=&|]*[A-Za-z]{2}[^<>{}();=&|]*)<[/A-Za-z]`)
	// Attributes that are read out or shown, with a constant text.
	shown = regexp.MustCompile(`(?:aria-label|aria-description|aria-roledescription|title|placeholder|alt)="([^"]*[A-Za-z]{2}[^"]*)"`)
	// The same, set by a script.
	set = regexp.MustCompile("(?:\\.(?:textContent|innerText|title|ariaLabel|placeholder)\\s*=|setAttribute\\(\"(?:aria-label|title|placeholder)\",)\\s*[\"`]([^\"`]*[A-Za-z]{2}[^\"`]*)[\"`]")
)

// TestNoWordsOutsideTheCatalogue reads the pages and the islands for text that
// was written where it is shown.
func TestNoWordsOutsideTheCatalogue(t *testing.T) {
	t.Parallel()
	for name, text := range sources(t) {
		text = comment.ReplaceAllString(text, "")
		rules := []*regexp.Regexp{set}
		if ext := filepath.Ext(name); ext == ".templ" || ext == ".tsx" {
			rules = []*regexp.Regexp{between, shown, set}
		}
		for _, rule := range rules {
			for _, m := range rule.FindAllStringSubmatch(text, -1) {
				if words := stdstrings.TrimSpace(m[1]); !slices.Contains(everywhere(), words) {
					t.Errorf("%s shows %q, which stands in no catalogue", name, words)
				}
			}
		}
	}
}
