package view_test

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// distanceMin is how far apart, in OKLab, any two status colors must stay for
// everybody. The palette has 0.101; one chosen by eye had 0.001.
const distanceMin = 0.1

type color [3]float64 // linear red, green, blue

// eyes are simulations of color vision (Machado, Oliveira, Fernandes 2009,
// complete loss) over linear light.
func eyes() map[string][3]color {
	return map[string][3]color{
		"normal": {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
		"protan": {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
		"deutan": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
		"tritan": {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}},
	}
}

func parse(t *testing.T, hex string) color {
	t.Helper()
	var c color
	for i := range c {
		v, err := strconv.ParseUint(hex[1+2*i:3+2*i], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		f := float64(v) / 255
		if f <= 0.04045 {
			c[i] = f / 12.92
		} else {
			c[i] = math.Pow((f+0.055)/1.055, 2.4)
		}
	}
	return c
}

func see(c color, m [3]color) color {
	var out color
	for i := range out {
		v := m[i][0]*c[0] + m[i][1]*c[1] + m[i][2]*c[2]
		out[i] = math.Min(1, math.Max(0, v))
	}
	return out
}

func oklab(c color) color {
	l := math.Cbrt(0.4122214708*c[0] + 0.5363325363*c[1] + 0.0514459929*c[2])
	m := math.Cbrt(0.2119034982*c[0] + 0.6806995451*c[1] + 0.1073969566*c[2])
	s := math.Cbrt(0.0883024619*c[0] + 0.2817188376*c[1] + 0.6299787005*c[2])
	return color{0.2104542553*l + 0.7936177850*m - 0.0040720468*s, 1.9779984951*l - 2.4285922050*m + 0.4505937099*s, 0.0259040371*l + 0.7827717662*m - 0.8086757660*s}
}

func distance(a, b color) float64 {
	return math.Sqrt((a[0]-b[0])*(a[0]-b[0]) + (a[1]-b[1])*(a[1]-b[1]) + (a[2]-b[2])*(a[2]-b[2]))
}

// TestPalette: no two status colors look alike to anybody.
func TestPalette(t *testing.T) {
	t.Parallel()
	css := read(t, "../style/tokens.css")
	for _, theme := range []string{`[data-theme="light"]`, `[data-theme="dark"]`} {
		_, block, _ := strings.Cut(css, theme+" {")
		block, _, _ = strings.Cut(block, "}")
		names := []string{"run", "ok", "fail", "wait", "comp", "skip"}
		colors := map[string]color{}
		for _, name := range names {
			m := regexp.MustCompile(`--` + name + `: (#[0-9a-f]{6});`).FindStringSubmatch(block)
			if m == nil {
				t.Fatalf("%s lacks --%s", theme, name)
			}
			colors[name] = parse(t, m[1])
		}
		for eye, matrix := range eyes() {
			least, pair := math.Inf(1), ""
			for i, a := range names {
				for _, b := range names[:i] {
					if d := distance(oklab(see(colors[a], matrix)), oklab(see(colors[b], matrix))); d < least {
						least, pair = d, fmt.Sprintf("%s and %s", a, b)
					}
				}
			}
			t.Logf("%s %s: %.3f between %s", theme, eye, least, pair)
			if least < distanceMin {
				t.Errorf("%s, %s: %s are only %.3f apart", theme, eye, pair, least)
			}
		}
	}
}
