package strings

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// sentencesPart is the file of what the engine says. Its keys are the English
// sentences as the engine makes them, with {a}, {b} where it fills something
// in: so the engine needs to know of no language.
const sentencesPart = "sentences"

// sentenceHole is a place that the engine fills in.
var sentenceHole = regexp.MustCompile(`\{[a-z]\}`)

// sentence is one of them, ready to be found.
type sentence struct {
	find  *regexp.Regexp
	holes []string
	word  string
	fixed int // characters that must be there: more is more exact
}

func newSentence(english, word string) sentence {
	s, rest := sentence{word: word}, english
	var pattern strings.Builder
	pattern.WriteString(`(?s)\A`)
	for {
		at := sentenceHole.FindStringIndex(rest)
		if at == nil {
			break
		}
		pattern.WriteString(regexp.QuoteMeta(rest[:at[0]]) + "(.+?)")
		s.holes, s.fixed = append(s.holes, rest[at[0]:at[1]]), s.fixed+utf8.RuneCountInString(rest[:at[0]])
		rest = rest[at[1]:]
	}
	pattern.WriteString(regexp.QuoteMeta(rest) + `\z`)
	s.find, s.fixed = regexp.MustCompile(pattern.String()), s.fixed+utf8.RuneCountInString(rest)
	return s
}

// Sentences are the sentences of the engine in one language, by the English
// ones. English has none.
func (c *Catalogue) Sentences(lang string) map[string]string { return c.said[lang] }

// Learn adds what a short text of the engine is called in one language.
func (c *Catalogue) Learn(lang, english, word string) {
	if c.said[lang] == nil {
		c.said[lang] = map[string]string{}
	}
	if _, known := c.said[lang][english]; !known {
		c.said[lang][english] = word
	}
}

// Say puts a sentence of the engine into a language, and what it is filled
// with too. A sentence that nobody translated stays as it is.
func (c *Catalogue) Say(lang, text string) string {
	return put(c.said[lang], c.patterns[lang], text, 0)
}

// fillingsMax is how deep sentences stand in sentences.
const fillingsMax = 4

func put(exact map[string]string, patterns []sentence, text string, depth int) string {
	if word, ok := exact[text]; ok {
		return word
	}
	if depth == fillingsMax {
		return text
	}
	for _, s := range patterns {
		found := s.find.FindStringSubmatch(text)
		if found == nil {
			continue
		}
		pairs := make([]string, 0, 2*len(s.holes))
		for i, hole := range s.holes {
			pairs = append(pairs, hole, put(exact, patterns, found[i+1], depth+1))
		}
		return strings.NewReplacer(pairs...).Replace(s.word)
	}
	return text
}

// patternsOf are the sentences with holes, the most exact ones first.
func patternsOf(said map[string]string) []sentence {
	var list []sentence
	for _, english := range slices.Sorted(maps.Keys(said)) {
		if sentenceHole.MatchString(english) {
			list = append(list, newSentence(english, said[english]))
		}
	}
	slices.SortStableFunc(list, func(a, b sentence) int { return cmp.Compare(b.fixed, a.fixed) })
	return list
}
