// Package strings is the catalogue of every word that a person reads on a
// screen: one folder for each language, one file for each part of the face.
// The pages read it through T, the islands get it as a JSON island.
//
// It holds words only; it never decides what is shown.
package strings

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// Fallback is the language that has every key.
const Fallback = "en"

//go:embed all:*/*.json
var files embed.FS

// Catalogue holds the words of all languages.
type Catalogue struct {
	words map[string]map[string]string // language, key
	parts map[string][]string          // the name of a file, its keys

	said     map[string]map[string]string // language, English sentence of the engine
	patterns map[string][]sentence        // language
}

// Load reads the embedded catalogue.
func Load() (*Catalogue, error) { return Read(files) }

// Read reads a catalogue from a file system that has one folder for each
// language. A key may stand in one file only.
func Read(fsys fs.FS) (*Catalogue, error) {
	names, err := fs.Glob(fsys, "*/*.json")
	if err != nil {
		return nil, fmt.Errorf("list the string catalogue: %w", err)
	}
	c := &Catalogue{words: map[string]map[string]string{}, parts: map[string][]string{}, said: map[string]map[string]string{}, patterns: map[string][]sentence{}}
	for _, name := range names {
		if err := c.add(fsys, name); err != nil {
			return nil, err
		}
	}
	for part := range c.parts {
		sort.Strings(c.parts[part])
		c.parts[part] = slices.Compact(c.parts[part])
	}
	for lang, said := range c.said {
		c.patterns[lang] = patternsOf(said)
	}
	return c, nil
}

func (c *Catalogue) add(fsys fs.FS, name string) error {
	text, err := fs.ReadFile(fsys, name)
	if err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	var words map[string]string
	if err := json.Unmarshal(text, &words); err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	lang, part := path.Dir(name), strings.TrimSuffix(path.Base(name), ".json")
	if part == sentencesPart {
		c.said[lang] = words
		return nil
	}
	if c.words[lang] == nil {
		c.words[lang] = map[string]string{}
	}
	for key, word := range words {
		if _, twice := c.words[lang][key]; twice {
			return fmt.Errorf("%s: the key %q stands in another file too", name, key)
		}
		c.words[lang][key] = word
		c.parts[part] = append(c.parts[part], key)
	}
	return nil
}

// Languages lists the languages in order of their names.
func (c *Catalogue) Languages() []string {
	out := make([]string, 0, len(c.words))
	for lang := range c.words {
		out = append(out, lang)
	}
	sort.Strings(out)
	return out
}

// Keys lists the keys of one language in order.
func (c *Catalogue) Keys(lang string) []string {
	out := make([]string, 0, len(c.words[lang]))
	for key := range c.words[lang] {
		out = append(out, key)
	}
	sort.Strings(out)
	return out
}

// Has reports whether a language has a word of its own for a key.
func (c *Catalogue) Has(lang, key string) bool {
	_, ok := c.words[lang][key]
	return ok
}

// T is the sentence of a key with its placeholders filled. The arguments are
// pairs: "n", 3, "name", "Ada". With a number n the key may stand in the forms
// key.one and key.other. A key that the language lacks is answered in English,
// one that nobody has by the key itself, so that a fault is seen and nothing
// breaks.
func (c *Catalogue) T(lang, key string, args ...any) string {
	word, ok := c.find(lang, key, args)
	if !ok {
		return key
	}
	if len(args) == 0 {
		return word
	}
	pairs := make([]string, 0, len(args))
	for i := 0; i+1 < len(args); i += 2 {
		pairs = append(pairs, "{"+fmt.Sprint(args[i])+"}", say(args[i+1]))
	}
	return strings.NewReplacer(pairs...).Replace(word)
}

// Part gives the words of some parts in one language, for a JSON island. An
// English singular stays away from a language that has one form for all
// numbers.
func (c *Catalogue) Part(lang string, parts ...string) map[string]string {
	out := map[string]string{}
	for _, part := range parts {
		for _, key := range c.parts[part] {
			if word, ok := c.words[lang][key]; ok {
				out[key] = word
			} else if word, ok := c.words[Fallback][key]; ok && !c.oneForm(lang, key) {
				out[key] = word
			}
		}
	}
	return out
}

func (c *Catalogue) oneForm(lang, key string) bool {
	stem, singular := strings.CutSuffix(key, ".one")
	_, other := c.words[lang][stem+".other"]
	return singular && other
}

// Pick chooses the best language for an Accept-Language header.
func (c *Catalogue) Pick(accept string) string {
	type wish struct {
		lang string
		q    float64
	}
	var wishes []wish
	for _, item := range strings.Split(accept, ",") {
		lang, params, _ := strings.Cut(strings.TrimSpace(item), ";")
		q := 1.0
		if v, ok := strings.CutPrefix(strings.TrimSpace(params), "q="); ok {
			q, _ = strconv.ParseFloat(v, 64)
		}
		wishes = append(wishes, wish{strings.ToLower(lang), q})
	}
	slices.SortStableFunc(wishes, func(a, b wish) int {
		switch {
		case a.q > b.q:
			return -1
		case a.q < b.q:
			return 1
		default:
			return 0
		}
	})
	for _, w := range wishes {
		if have := c.nearest(w.lang); w.q > 0 && have != "" {
			return have
		}
	}
	return Fallback
}

// nearest is the language itself, or else another form of it: a reader of
// zh-TW is better off with zh-CN than with English.
func (c *Catalogue) nearest(wish string) string {
	main, _, _ := strings.Cut(wish, "-")
	for _, same := range []func(have string) bool{
		func(have string) bool { return have == wish },
		func(have string) bool { first, _, _ := strings.Cut(have, "-"); return first == main && main != "" },
	} {
		for _, have := range c.Languages() {
			if same(strings.ToLower(have)) {
				return have
			}
		}
	}
	return ""
}

func (c *Catalogue) find(lang, key string, args []any) (string, bool) {
	for _, l := range []string{lang, Fallback} {
		for i := 0; i+1 < len(args); i += 2 {
			if args[i] != "n" {
				continue
			}
			form := ".other"
			if fmt.Sprint(args[i+1]) == "1" {
				form = ".one"
			}
			if word, ok := c.words[l][key+form]; ok {
				return word, true
			}
			if word, ok := c.words[l][key+".other"]; ok {
				return word, true
			}
		}
		if word, ok := c.words[l][key]; ok {
			return word, true
		}
	}
	return "", false
}

// say writes whole numbers with a separator each three digits, as people do.
func say(v any) string {
	n, ok := v.(int)
	if !ok {
		return fmt.Sprint(v)
	}
	s := strconv.Itoa(n)
	neg := strings.HasPrefix(s, "-")
	s = strings.TrimPrefix(s, "-")
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	if neg {
		s = "-" + s
	}
	return s
}
