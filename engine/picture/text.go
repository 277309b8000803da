package picture

import (
	"html"
	"strings"
	"unicode"
)

// SVG cannot shorten a text to its room, so we estimate widths: a size is the
// font size times a factor for its weight.
const (
	titleSize = 13.0
	monoSize  = 11.0 * 1.1
	portSize  = 11.5
	footSize  = 11.0
	noteSize  = 12.0
)

// escape makes a text safe inside an element or a quoted attribute. Characters
// that XML can't hold are dropped, so that the drawing also stands alone.
func escape(s string) string {
	return html.EscapeString(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == 0xfffe || r == 0xffff || r == unicode.ReplacementChar {
			return -1
		}
		return r
	}, s))
}

// width estimates how wide a text is, on the safe side.
func width(s string, size float64) float64 {
	em := 0.0
	for _, r := range s {
		em += advance(r)
	}
	return em * size
}

func advance(r rune) float64 {
	switch {
	case strings.ContainsRune("ijl.,:;'|!", r):
		return 0.3
	case strings.ContainsRune("fIrt()[]{} /-", r):
		return 0.42
	case strings.ContainsRune("mwMW@%", r):
		return 0.9
	case r < 0x80 && unicode.IsUpper(r):
		return 0.7
	case r < 0x2e80:
		return 0.6
	default:
		return 1.05 // Chinese, Japanese, Korean, emoji
	}
}

// fit shortens a text to its room.
func fit(s string, size, room float64) string {
	s = oneLine(s)
	if width(s, size) <= room {
		return s
	}
	runes := []rune(s)
	for len(runes) > 1 {
		runes = runes[:len(runes)-1]
		if short := strings.TrimRight(string(runes), " ") + "…"; width(short, size) <= room {
			return short
		}
	}
	return "…"
}

// linesMax is how many lines of a note are drawn.
const linesMax = 60

// wrap breaks a text into lines.
func wrap(s string, size, room float64) []string {
	var lines []string
	for para := range strings.SplitSeq(s, "\n") {
		line := ""
		for _, u := range units(para) {
			if next := strings.TrimSpace(line + u.gap + u.text); width(next, size) <= room || line == "" {
				line = next
				continue
			}
			lines = append(lines, fit(line, size, room))
			line = u.text
			if len(lines) >= linesMax {
				return lines
			}
		}
		lines = append(lines, fit(line, size, room))
	}
	return lines
}

// unit is a piece of text that stays on one line, and what stands between it
// and the piece before.
type unit struct{ gap, text string }

// units cuts a line at spaces and around the signs of scripts that write
// without them. Closing marks stay with what they close.
func units(line string) []unit {
	var out []unit
	for word := range strings.FieldsSeq(line) {
		gap, open := " ", false // whether the next letter goes on the piece
		for _, r := range word {
			sign, closing := unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul), strings.ContainsRune("，。、；：！？”’）》」…·", r)
			if n := len(out); n > 0 && gap == "" && (closing || open && !sign) {
				out[n-1].text += string(r)
			} else {
				out = append(out, unit{gap, string(r)})
			}
			gap, open = "", !sign && !closing
		}
	}
	return out
}

func oneLine(s string) string {
	// A long text is cut before it is measured rune by rune.
	const runesMax = 120
	if runes := []rune(s); len(runes) > runesMax {
		s = string(runes[:runesMax])
	}
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
}
