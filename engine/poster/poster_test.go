package poster_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"image/png"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"signalbox/engine/gallery"
	"signalbox/engine/graph"
	"signalbox/engine/kind"
	"signalbox/engine/picture"
	"signalbox/engine/poster"
)

var keep = flag.String("keep", "", "folder to write the images to, for people to look at")

func painter(t *testing.T) *poster.Painter {
	t.Helper()
	p, err := poster.New()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func flagship(t *testing.T) graph.Graph {
	t.Helper()
	all, err := gallery.New()
	if err != nil {
		t.Fatal(err)
	}
	f, _ := all.Find(gallery.Flagship)
	return f.Graph
}

func drawn(g graph.Graph, o picture.Options) string {
	o.Title, o.Find, o.Icon = g.Name, kind.Find, poster.IconAt
	return picture.SVG(g, o)
}

// states shows each node of a drawing in another state.
func states(g graph.Graph) map[string]picture.State {
	all := []picture.State{picture.Done, picture.Running, picture.Waiting, picture.Failed, picture.Skipped, picture.Canceled, picture.None}
	out := map[string]picture.State{}
	for i, n := range g.Nodes {
		out[n.ID] = all[i%len(all)]
	}
	return out
}

func TestFileStandsAlone(t *testing.T) {
	t.Parallel()
	p, g := painter(t), flagship(t)
	for name, theme := range map[string]poster.Theme{"light": poster.Light(), "dark": poster.Dark()} {
		svg, err := p.SVG(drawn(g, picture.Options{Nodes: states(g)}), theme)
		if err != nil {
			t.Fatal(err)
		}
		dec := xml.NewDecoder(strings.NewReader(svg))
		for {
			token, err := dec.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if s, ok := token.(xml.StartElement); ok {
				for _, a := range s.Attr {
					switch a.Name.Local {
					case "class", "style", "href", "id":
						t.Errorf("%s: <%s> has %s=%q, which needs something from outside", name, s.Name.Local, a.Name.Local, a.Value)
					}
				}
			}
		}
		for _, n := range g.Nodes {
			if title := g.Layout.Nodes[n.ID].Title; title != "" && !strings.Contains(svg, title[:3]) {
				t.Errorf("%s: the title %q is not in the file", name, title)
			}
		}
		write(t, "drawing-"+name+".svg", []byte(svg))
	}
}

func TestLabelsOfEdgesAreInTheFile(t *testing.T) {
	t.Parallel()
	p := painter(t)
	g := graph.Graph{
		Name:   "Two",
		Nodes:  []graph.Node{{ID: "a", Key: "a", Kind: "manual"}, {ID: "b", Key: "b", Kind: "output"}},
		Edges:  []graph.Edge{{ID: "e", From: "a", Port: "success", To: "b", Label: "approved"}},
		Layout: graph.Layout{Nodes: map[string]graph.NodeLayout{"a": {}, "b": {X: 400}}},
	}
	svg, err := p.SVG(drawn(g, picture.Options{}), poster.Light())
	if err != nil {
		t.Fatal(err)
	}
	before, _, found := strings.Cut(svg, ">approved</text>")
	if !found || !strings.Contains(before[strings.LastIndex(before, "<text"):], `text-anchor="middle"`) {
		t.Errorf("the label does not stand around the middle of its edge: %s", svg)
	}
	labeled, err := p.PNG(poster.Card{Title: "Two", Drawing: drawn(g, picture.Options{})})
	if err != nil {
		t.Fatal(err)
	}
	write(t, "labeled.png", labeled)
	g.Edges[0].Label = ""
	plain, err := p.PNG(poster.Card{Title: "Two", Drawing: drawn(g, picture.Options{})})
	if err != nil || bytes.Equal(plain, labeled) {
		t.Errorf("the image is the same without the label: %v", err)
	}
}

// A drawing is escaped by package picture; it must still be after this one.
func TestTextsStayTexts(t *testing.T) {
	t.Parallel()
	p := painter(t)
	g := graph.Graph{
		Name: `"><script>`, Nodes: []graph.Node{{ID: "a", Key: "a", Kind: "manual"}},
		Layout: graph.Layout{Nodes: map[string]graph.NodeLayout{"a": {Title: `<script>alert(1)</script>&"`}}},
	}
	svg, err := p.SVG(drawn(g, picture.Options{}), poster.Light())
	if err != nil {
		t.Fatal(err)
	}
	for name, file := range map[string]string{"drawing": svg, "badge": p.Badge(`</text><script>`, `"><script>`, "ok")} {
		if strings.Contains(file, "<script") {
			t.Errorf("%s: %s", name, file)
		}
	}
}

func TestPreviewImage(t *testing.T) {
	t.Parallel()
	p, g := painter(t), flagship(t)
	long := strings.Repeat("A rather long name of a workflow ", 8)
	for name, c := range map[string]poster.Card{
		"run":      {Title: g.Name, About: g.Description, Status: "Succeeded", State: "ok", Drawing: drawn(g, picture.Options{Nodes: states(g)})},
		"failed":   {Title: long, About: long, Status: "Failed", State: "fail", Drawing: drawn(g, picture.Options{}), Mini: drawn(g, picture.Options{Mini: true})},
		"chinese":  {Title: "客服工单分流", Facts: []string{"9 steps", "2 runs"}, Drawing: drawn(g, picture.Options{})},
		"empty":    {Title: "Empty", Drawing: drawn(graph.Graph{Name: "Empty"}, picture.Options{})},
		"odd":      {Title: "", Status: "Lost", State: "no-such-state", Drawing: drawn(graph.Graph{}, picture.Options{Mini: true})},
		"one step": {Title: "One step", Drawing: drawn(graph.Graph{Name: "One", Nodes: g.Nodes[:1], Layout: g.Layout}, picture.Options{})},
	} {
		raw, err := p.PNG(c)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		img, err := png.Decode(bytes.NewReader(raw))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if b := img.Bounds(); b.Dx() != poster.Width || b.Dy() != poster.Height {
			t.Errorf("%s: %v", name, b)
		}
		if len(raw) > 400_000 {
			t.Errorf("%s has %d bytes; other sites take small ones", name, len(raw))
		}
		again, err := p.PNG(c)
		if err != nil || !bytes.Equal(raw, again) {
			t.Errorf("%s: the same card gives another image", name)
		}
		write(t, name+".png", raw)
	}
}

func TestBadge(t *testing.T) {
	t.Parallel()
	p := painter(t)
	for state, word := range map[string]string{"ok": "succeeded", "fail": "failed", "run": "running", "wait": "waiting", "": "not run yet"} {
		badge := p.Badge("Support ticket triage", word, state)
		if !strings.Contains(badge, ">"+word+"</text>") || !strings.Contains(badge, `aria-label="Support ticket triage: `+word+`"`) {
			t.Errorf("%s: %s", state, badge)
		}
		write(t, "badge-"+state+".svg", []byte(badge))
	}
}

func TestEveryKindHasItsIcon(t *testing.T) {
	t.Parallel()
	p := painter(t)
	for _, spec := range kind.All() {
		if !p.Has(spec.Icon) {
			t.Errorf("the icon %s of kind %s is missing in icons.json", spec.Icon, spec.Name)
		}
	}
}

// The colors stand a second time in the style sheet.
func TestThemesAreThoseOfTheStyleSheet(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../../web/style/tokens.css")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile(`(?s)\[data-theme="(light|dark)"\] \{(.*?)\n\}`).FindAllStringSubmatch(string(raw), -1)
	seen := 0
	for _, block := range blocks {
		theme := poster.Light()
		if block[1] == "dark" {
			theme = poster.Dark()
		}
		tokens := map[string]string{}
		for _, m := range regexp.MustCompile(`--([a-z0-9-]+): (#[0-9a-f]{6});`).FindAllStringSubmatch(block[2], -1) {
			tokens[m[1]] = m[2]
		}
		for name, color := range theme {
			if tokens[name] != color {
				t.Errorf("%s: --%s is %s in the style sheet and %s here", block[1], name, tokens[name], color)
			}
		}
		seen++
	}
	if seen != 2 {
		t.Errorf("read %d themes", seen)
	}
}

func write(t *testing.T, name string, data []byte) {
	t.Helper()
	if *keep == "" {
		return
	}
	if err := os.WriteFile(*keep+"/"+name, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func BenchmarkPreviewImage(b *testing.B) {
	p, err := poster.New()
	if err != nil {
		b.Fatal(err)
	}
	all, err := gallery.New()
	if err != nil {
		b.Fatal(err)
	}
	f, _ := all.Find(gallery.Flagship)
	c := poster.Card{Title: f.Graph.Name, Drawing: drawn(f.Graph, picture.Options{})}
	for b.Loop() {
		if _, err := p.PNG(c); err != nil {
			b.Fatal(err)
		}
	}
}
