package drawing_test

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"signalbox/engine/graph"
	"signalbox/engine/kind"
	"signalbox/engine/machine"
	"signalbox/engine/picture"
)

var (
	viewBox = regexp.MustCompile(`viewBox="(-?[\d.]+) (-?[\d.]+) ([\d.]+) ([\d.]+)"`)
	symbol  = regexp.MustCompile(`(?s)<symbol id="([a-z-]+)".*?</symbol>`)
)

// paint draws a graph as a picture that stands alone: with its style for a
// light and a dark page, and with the icons that it uses.
func paint(t testing.TB, g graph.Graph) string {
	t.Helper()
	style, icons := read(t, "style.css"), map[string]string{}
	for _, m := range symbol.FindAllStringSubmatch(read(t, "icons.svg"), -1) {
		icons[m[1]] = m[0]
	}
	used := map[string]bool{}
	o := picture.Options{Title: g.Name, Find: kind.Find, Foot: feet(g), Icon: func(name string) string {
		if icons[name] == "" {
			t.Errorf("icons.svg has no %s", name)
		}
		used[name] = true
		return "#" + name
	}}
	body := picture.SVG(g, o)
	at := viewBox.FindStringSubmatch(body)
	if at == nil {
		t.Fatalf("%s: no viewBox", g.Name)
	}
	var head strings.Builder
	head.WriteString("><style>" + style + "</style>")
	for _, name := range slices.Sorted(maps.Keys(used)) {
		head.WriteString(icons[name])
	}
	fmt.Fprintf(&head, `<rect class="bg" x="%s" y="%s" width="%s" height="%s" rx="14"/>`, at[1], at[2], at[3], at[4])
	var w, h float64
	if _, err := fmt.Sscan(at[3], &w); err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Sscan(at[4], &h); err != nil {
		t.Fatal(err)
	}
	const scale = 0.7 // small beside the text
	body = strings.Replace(body, "<svg ", fmt.Sprintf(`<svg width="%.0f" height="%.0f" `, w*scale, h*scale), 1)
	return strings.Replace(body, ">", head.String(), 1) + "\n"
}

// feet says under each card with several edges how it joins them.
func feet(g graph.Graph) map[string]string {
	into := map[string]int{}
	for _, e := range g.Edges {
		if e.Port != graph.PortCompensate {
			into[e.To]++
		}
	}
	feet := map[string]string{}
	for _, n := range g.Nodes {
		if into[n.ID] < 2 || n.Kind == "state" {
			continue
		}
		j := graph.Join{}
		if n.Join != nil {
			j = *n.Join
		}
		feet[n.ID] = foot(j, into[n.ID])
	}
	return feet
}

func foot(j graph.Join, edges int) string {
	others := ", absorbs the others"
	if j.Then == "cancel" {
		others = ", cancels the others"
	}
	how := "inclusive: all that can come"
	switch j.Mode {
	case machine.JoinEach:
		how = "each: starts for every token"
	case machine.JoinAll:
		how = fmt.Sprintf("all: waits for %d", edges)
	case machine.JoinN:
		how = fmt.Sprintf("%d of %d%s", j.N, edges, others)
	case machine.JoinFirst:
		how = fmt.Sprintf("first of %d%s", edges, others)
	}
	if j.Deadline != "" {
		how += ", at most " + j.Deadline
	}
	return how
}

func read(t testing.TB, path string) string {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// keep compares a file with what it should be, or writes it.
func keep(t testing.TB, path, want string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if read(t, path) != want {
		t.Errorf("%s is not what the drawing gives: go test ./docs/drawing -update", path)
	}
}

// TestPicturesShowTheDrawings draws every drawing anew.
func TestPicturesShowTheDrawings(t *testing.T) {
	t.Parallel()
	for dir, pictures := range map[string]string{patternDir: patternPictures, ruleDir: rulePictures} {
		names := files(t, dir, ".json")
		for _, name := range names {
			svg := paint(t, load(t, filepath.Join(dir, name+".json")).graph)
			for dec := xml.NewDecoder(strings.NewReader(svg)); ; {
				if _, err := dec.Token(); errors.Is(err, io.EOF) {
					break
				} else if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
			}
			keep(t, filepath.Join(pictures, name+".svg"), svg)
		}
		if left := files(t, pictures, ".svg"); !slices.Equal(left, names) {
			t.Errorf("%s has the pictures %v of the drawings %v", pictures, left, names)
		}
	}
}
