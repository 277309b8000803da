package picture_test

import (
	"encoding/xml"
	"strconv"
	"strings"
	"testing"

	"signalbox/engine/graph"
	"signalbox/engine/picture"
)

// pill is a label as it is drawn.
type pill struct {
	Class     string `xml:"class,attr"`
	Transform string `xml:"transform,attr"`
	Rect      struct {
		Width  float64 `xml:"width,attr"`
		Height float64 `xml:"height,attr"`
	} `xml:"rect"`
	Text string `xml:"text"`
}

func pills(t *testing.T, svg string) []pill {
	t.Helper()
	var doc struct {
		Groups []pill `xml:"g"`
	}
	if err := xml.Unmarshal([]byte(svg), &doc); err != nil {
		t.Fatal(err)
	}
	var list []pill
	for _, g := range doc.Groups {
		if g.Class == "pill" {
			list = append(list, g)
		}
	}
	return list
}

func (p pill) at(t *testing.T) (x, y float64) {
	t.Helper()
	a, b, _ := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(p.Transform, "translate("), ")"), " ")
	for text, number := range map[string]*float64{a: &x, b: &y} {
		f, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatal(err)
		}
		*number = f
	}
	return x, y
}

// pair are two steps in a row with a labeled edge, so far apart.
func pair(gap, down int, label string) graph.Graph {
	return graph.Graph{
		Name:  "Pair",
		Nodes: []graph.Node{{ID: "a", Key: "a", Kind: "work"}, {ID: "b", Key: "b", Kind: "work"}},
		Edges: []graph.Edge{{ID: "ab", From: "a", Port: "success", To: "b", Label: label}},
		Layout: graph.Layout{Nodes: map[string]graph.NodeLayout{
			"a": {}, "b": {X: 208 + gap, Y: down},
		}},
	}
}

func TestLabelsOfEdgesCoverNoCard(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		g    graph.Graph
		want string
	}{
		"room enough":     {pair(200, 0, "approved"), "approved"},
		"too long":        {pair(90, 0, "approved by somebody"), "appr…"},
		"higher and near": {pair(110, 220, "approved"), "approved"},
		"leads back":      {pair(-500, 300, "once more"), "once more"},
		"markup":          {pair(200, 0, "a < b"), "a < b"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			list := pills(t, picture.SVG(c.g, options()))
			if len(list) != 1 || !strings.HasPrefix(list[0].Text, strings.TrimSuffix(c.want, "…")) {
				t.Fatalf("labels %+v, want %q", list, c.want)
			}
			if short := strings.HasSuffix(list[0].Text, "…"); short != strings.HasSuffix(c.want, "…") {
				t.Errorf("the label is %q, want %q", list[0].Text, c.want)
			}
			x, y := list[0].at(t)
			w, h := list[0].Rect.Width, list[0].Rect.Height
			for id, at := range c.g.Layout.Nodes {
				const cardWidth, cardHeight = 208, 56
				if x+w/2 > float64(at.X) && x-w/2 < float64(at.X+cardWidth) && y+h/2 > float64(at.Y) && y-h/2 < float64(at.Y+cardHeight) {
					t.Errorf("the label at %g %g, %g wide, covers %s", x, y, w, id)
				}
			}
		})
	}
}

func TestALabelWithoutRoomIsLeftOut(t *testing.T) {
	t.Parallel()
	if list := pills(t, picture.SVG(pair(20, 0, "approved"), options())); len(list) != 0 {
		t.Errorf("labels %+v between cards that nearly touch", list)
	}
	mini := options()
	mini.Mini = true
	if list := pills(t, picture.SVG(pair(200, 0, "approved"), mini)); len(list) != 0 {
		t.Errorf("labels %+v on a thumbnail", list)
	}
}

func TestALabelOfALineToACompensationLeavesItsSign(t *testing.T) {
	t.Parallel()
	g := pair(200, 300, "refund")
	g.Edges[0].Port = graph.PortCompensate
	list := pills(t, picture.SVG(g, options()))
	if len(list) != 1 || list[0].Text != "refund" {
		t.Fatalf("labels %+v", list)
	}
	_, y := list[0].at(t)
	svg := picture.SVG(g, options())
	_, sign, _ := strings.Cut(svg, `class="undo-disc"`)
	_, sign, _ = strings.Cut(sign, `cy="`)
	sign, _, _ = strings.Cut(sign, `"`)
	if at, err := strconv.ParseFloat(sign, 64); err != nil || y+9.5 > at-10 && y-9.5 < at+10 {
		t.Errorf("the label at %g lies on the sign at %s", y, sign)
	}
}
