package server

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"signalbox/engine/gallery"
	"signalbox/engine/kind"
	words "signalbox/web/strings"
)

// english are the words of kinds and templates, by their keys.
func english(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	add := func(key string, text *string) {
		if *text != "" {
			out[key] = *text
		}
	}
	for _, spec := range kind.All() {
		texts(&spec, add)
	}
	g, err := gallery.New()
	if err != nil {
		t.Fatal(err)
	}
	for _, tpl := range append(slices.Clone(g.All()), g.Snippets()...) {
		templateTexts(&tpl, add)
	}
	return out
}

var hole = regexp.MustCompile(`\{\{?[^}]*\}?\}`)

// speaks reports whether a text has words: examples of code have none, nor has
// a line that only shows fields.
func speaks(key, text string) bool {
	return regexp.MustCompile(`[A-Za-z]{2}`).MatchString(strings.ReplaceAll(hole.ReplaceAllString(text, ""), "/hooks/", "")) && !strings.HasSuffix(key, ".example")
}

// TestKindsAndTemplatesAreTranslated wants every text of a kind and of a
// template in every language, with the same fields, and no text of anything
// that is gone.
func TestKindsAndTemplatesAreTranslated(t *testing.T) {
	t.Parallel()
	c, err := words.Load()
	if err != nil {
		t.Fatal(err)
	}
	have := english(t)
	shared := regexp.MustCompile(`^kind\.[^.]+`)
	for _, lang := range c.Languages() {
		if lang == words.Fallback {
			continue
		}
		used := map[string]bool{}
		for key, text := range have {
			own := key
			if !c.Has(lang, own) {
				own = shared.ReplaceAllString(key, "kind.any")
			}
			used[own] = true
			switch {
			case !c.Has(lang, own):
				if speaks(key, text) {
					t.Errorf("%s lacks %q: %q", lang, key, text)
				}
			case !slices.Equal(sortedHoles(text), sortedHoles(c.T(lang, own))):
				t.Errorf("%s: %s shows other fields than English: %q", lang, key, c.T(lang, own))
			}
		}
		for _, key := range c.Keys(lang) {
			if regexp.MustCompile(`^(kind|template)\.`).MatchString(key) && !used[key] {
				t.Errorf("%s has %q, but there is no such text", lang, key)
			}
		}
	}
}

func sortedHoles(text string) []string {
	found := hole.FindAllString(text, -1)
	slices.Sort(found)
	return found
}
