package poster

import (
	"image/color"
	"strconv"
)

// Theme is the colors of a picture, by the names of the style sheet's tokens
// (web/style/tokens.css; a test compares them).
type Theme map[string]string

// Light is the light theme.
func Light() Theme {
	return Theme{
		"canvas": "#f3f1eb", "dot": "#d8d3c6", "surface": "#ffffff", "line": "#e4e0d7", "line-2": "#d2ccbf",
		"ink": "#1b1f23", "ink-2": "#474e55", "ink-3": "#5c6269", "edge": "#a8a294", "brand": "#1459d9",
		"run": "#1459d9", "run-soft": "#e3ebfb", "ok": "#1c9a8b", "ok-ink": "#0a6a5f", "ok-soft": "#ddf2ef", "fail": "#b5130b", "fail-soft": "#fae5e2",
		"wait": "#c07a00", "wait-ink": "#855300", "wait-soft": "#fbefd3", "skip": "#545c66", "skip-soft": "#eceae4",
		"c-trigger": "#8a5a0b", "c-trigger-s": "#f8ecd3", "c-http": "#0d6876", "c-http-s": "#ddf0f1", "c-logic": "#3a4149", "c-logic-s": "#e9e7e1",
		"c-ai": "#9a2f6b", "c-ai-s": "#f9e4ef", "c-queue": "#2c5c9e", "c-queue-s": "#e2ecf8", "c-saga": "#64149a", "c-saga-s": "#eee3f6",
		"c-human": "#55701a", "c-human-s": "#ebf1da", "c-data": "#2f5d50", "c-data-s": "#e0ede6",
		"on-status": "#ffffff", "on-fail": "#ffffff", "control": "#8b8678",
	}
}

// Dark is the dark theme.
func Dark() Theme {
	return Theme{
		"canvas": "#0e1316", "dot": "#222b31", "surface": "#171e23", "line": "#27313a", "line-2": "#384650",
		"ink": "#e9eef1", "ink-2": "#b5c1c9", "ink-3": "#8c9aa4", "edge": "#55646f", "brand": "#5c97fc",
		"run": "#5c97fc", "run-soft": "#14294a", "ok": "#7debb8", "ok-ink": "#7debb8", "ok-soft": "#12342b", "fail": "#f4594c", "fail-soft": "#3d1917",
		"wait": "#f0b913", "wait-ink": "#f0b913", "wait-soft": "#33290a", "skip": "#a8b2bd", "skip-soft": "#20282e",
		"c-trigger": "#e7b45a", "c-trigger-s": "#32270f", "c-http": "#58c3cf", "c-http-s": "#12303a", "c-logic": "#c3ced5", "c-logic-s": "#29333a",
		"c-ai": "#f08ac0", "c-ai-s": "#3a1e2f", "c-queue": "#86b6f5", "c-queue-s": "#182b44", "c-saga": "#c98bd1", "c-saga-s": "#311d36",
		"c-human": "#b5cf6b", "c-human-s": "#28301a", "c-data": "#8fd0b5", "c-data-s": "#17312a",
		"on-status": "#08110f", "on-fail": "#160403", "control": "#66757f",
	}
}

// rgb reads "#rrggbb".
func rgb(hex string) color.NRGBA {
	n, err := strconv.ParseUint(hex[1:], 16, 32)
	if err != nil || len(hex) != 7 {
		return color.NRGBA{A: 0xff}
	}
	return color.NRGBA{R: uint8(n >> 16), G: uint8(n >> 8), B: uint8(n), A: 0xff} //nolint:gosec // bytes of a color
}

// mix is so much of a color over another one.
func mix(a string, share float64, b string) string {
	x, y := rgb(a), rgb(b)
	part := func(p, q uint8) string {
		const hex = "0123456789abcdef"
		v := int(float64(p)*share + float64(q)*(1-share) + 0.5)
		return string([]byte{hex[v>>4&15], hex[v&15]})
	}
	return "#" + part(x.R, y.R) + part(x.G, y.G) + part(x.B, y.B)
}
