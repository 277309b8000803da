package strings_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	stdstrings "strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"signalbox/web/strings"
)

func load(t *testing.T) *strings.Catalogue {
	t.Helper()
	c, err := strings.Load()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func small(t *testing.T) *strings.Catalogue {
	t.Helper()
	c, err := strings.Read(fstest.MapFS{
		"en/a.json":    {Data: []byte(`{"hi":"Hello {name}","n.one":"{n} step","n.other":"{n} steps","only":"English"}`)},
		"en/b.json":    {Data: []byte(`{"b":"B"}`)},
		"zh-CN/a.json": {Data: []byte(`{"hi":"{name}，你好","n.other":"{n} 步"}`)},
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestT(t *testing.T) {
	t.Parallel()
	c := small(t)
	tests := []struct {
		name, lang, key string
		args            []any
		want            string
	}{
		{"a placeholder is filled", "en", "hi", []any{"name", "Ada"}, "Hello Ada"},
		{"one has its own form", "en", "n", []any{"n", 1}, "1 step"},
		{"zero is many", "en", "n", []any{"n", 0}, "0 steps"},
		{"large numbers are grouped", "en", "n", []any{"n", 1234567}, "1,234,567 steps"},
		{"a language without a singular uses its other form", "zh-CN", "n", []any{"n", 1}, "1 步"},
		{"a missing word is said in English", "zh-CN", "only", nil, "English"},
		{"an unknown language is English", "xx", "b", nil, "B"},
		{"an unknown key is shown", "en", "no.such", nil, "no.such"},
		{"a filled text is not filled again", "en", "hi", []any{"name", "{n}", "n", 3}, "Hello {n}"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := c.T(test.lang, test.key, test.args...); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestPick(t *testing.T) {
	t.Parallel()
	c := small(t)
	for accept, want := range map[string]string{
		"": "en", "en-GB,en;q=0.9": "en", "zh-CN": "zh-CN", "zh": "zh-CN", "de,zh-CN;q=0.5,en;q=0.7": "en",
		"fr": "en", "zh-CN;q=0": "en", "zh-TW,en;q=0.8": "zh-CN", "en-US,zh-CN": "en", "z": "en", ";;q=,": "en", "*": "en",
	} {
		if got := c.Pick(accept); got != want {
			t.Errorf("%q gives %s, want %s", accept, got, want)
		}
	}
}

func TestPart(t *testing.T) {
	t.Parallel()
	got := small(t).Part("zh-CN", "a")
	want := map[string]string{"hi": "{name}，你好", "n.other": "{n} 步", "only": "English"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestKeyTwice(t *testing.T) {
	t.Parallel()
	_, err := strings.Read(fstest.MapFS{"en/a.json": {Data: []byte(`{"x":"1"}`)}, "en/b.json": {Data: []byte(`{"x":"2"}`)}})
	if err == nil || !stdstrings.Contains(err.Error(), `"x"`) {
		t.Errorf("a key in two files gives %v", err)
	}
}

// TestPlaceholders keeps a translation from losing a value.
func TestPlaceholders(t *testing.T) {
	t.Parallel()
	c, hole := load(t), regexp.MustCompile(`\{\w+\}`)
	holes := func(lang, key string) []string {
		found := hole.FindAllString(c.T(lang, key), -1)
		slices.Sort(found)
		return slices.Compact(found)
	}
	for _, lang := range c.Languages() {
		for _, key := range c.Keys(lang) {
			if !c.Has(strings.Fallback, key) {
				continue
			}
			if diff := cmp.Diff(holes(strings.Fallback, key), holes(lang, key)); diff != "" {
				t.Errorf("%s: %s has other placeholders than English:\n%s", lang, key, diff)
			}
		}
	}
}

// TestLanguagesAreWhole wants the same keys in every language. A language may
// do without a singular.
func TestLanguagesAreWhole(t *testing.T) {
	t.Parallel()
	c := load(t)
	// The English words of kinds and templates stand in them, and the server's
	// tests compare.
	elsewhere := regexp.MustCompile(`^(kind|template)\.`)
	for _, lang := range c.Languages() {
		for _, key := range c.Keys(strings.Fallback) {
			if !c.Has(lang, key) && !(stdstrings.HasSuffix(key, ".one") && c.Has(lang, stem(key)+".other")) {
				t.Errorf("%s lacks %q", lang, key)
			}
		}
		for _, key := range c.Keys(lang) {
			if !c.Has(strings.Fallback, key) && !elsewhere.MatchString(key) {
				t.Errorf("%s has %q, which English lacks", lang, key)
			}
		}
	}
}

// TestEveryKeyIsThere wants a word for every key that a page or an island
// asks for, and a place that asks for every word.
func TestEveryKeyIsThere(t *testing.T) {
	t.Parallel()
	c, src := load(t), sources(t)
	have := map[string]bool{}
	for _, key := range c.Keys(strings.Fallback) {
		have[key] = true
		have[stem(key)] = true
	}
	asked := regexp.MustCompile(`\b(?:T|t)\(\s*"([a-z][\w-]*(?:\.[\w-]+)+)"\s*[,)]`)
	for name, text := range src {
		for _, m := range asked.FindAllStringSubmatch(text, -1) {
			if !have[m[1]] {
				t.Errorf("%s asks for %q, which the catalogue lacks", name, m[1])
			}
		}
	}
	quoted, prefixes := literals(src)
	for _, key := range c.Keys(strings.Fallback) {
		if !quoted[key] && !quoted[stem(key)] && !slices.ContainsFunc(prefixes, func(p string) bool { return stdstrings.HasPrefix(key, p) }) {
			t.Errorf("nobody asks for %q", key)
		}
	}
}

// stem is a key without its plural's form.
func stem(key string) string {
	return stdstrings.TrimSuffix(stdstrings.TrimSuffix(key, ".one"), ".other")
}

// sources are the files that ask for words.
func sources(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, root := range []string{"..", "../../server"} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			switch filepath.Ext(path) {
			case ".templ", ".ts", ".tsx", ".go":
				if stdstrings.HasSuffix(path, "_templ.go") || stdstrings.Contains(path, "_test.") || stdstrings.Contains(path, ".test.") {
					return nil
				}
				text, err := os.ReadFile(path)
				if err != nil {
					return err
				}
				out[path] = string(text)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// literals are the quoted texts of the sources, and those that a key is made
// from: "pages.role." + role, `status.${name}`.
func literals(src map[string]string) (quoted map[string]bool, prefixes []string) {
	quoted = map[string]bool{}
	text := regexp.MustCompile("[\"']([a-z][\\w.-]*)[\"']")
	joined := regexp.MustCompile("\"([a-z][\\w.-]*\\.)\"\\s*\\+|`([a-z][\\w.-]*\\.)\\$\\{")
	for _, s := range src {
		for _, m := range text.FindAllStringSubmatch(s, -1) {
			quoted[m[1]] = true
		}
		for _, m := range joined.FindAllStringSubmatch(s, -1) {
			prefixes = append(prefixes, m[1]+m[2])
		}
	}
	return quoted, prefixes
}
