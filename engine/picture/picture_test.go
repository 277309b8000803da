package picture_test

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"signalbox/engine/graph"
	"signalbox/engine/kind"
	"signalbox/engine/picture"
	"signalbox/engine/runtime/brief"
)

func catalogue(name string) (kind.Spec, bool) {
	specs := map[string]kind.Spec{
		"start": {Name: "start", Title: "Start", Tile: "trigger", Icon: "play", NoInput: true, Ports: []kind.Port{{Name: "success"}}},
		"pick": {
			Name: "pick", Title: "Pick", Tile: "logic", Icon: "split", Subtitle: "{match} match",
			PortsOf: &kind.PortsOf{Field: "rules", Name: "port", Label: "when"}, Ports: []kind.Port{{Name: "default", Title: "Otherwise"}},
		},
		"work": {Name: "work", Title: "Work", Tile: "http", Icon: "globe", Ports: []kind.Port{{Name: "success"}, {Name: "failure", Title: "Failure", Optional: true, Failure: true}}},
	}
	specs["group"] = kind.Spec{Name: "group", Title: "Group", Tile: "logic", Icon: "group", Container: true, Ports: specs["work"].Ports}
	s, ok := specs[name]
	return s, ok
}

func sample() graph.Graph {
	return graph.Graph{
		Name: "Sample",
		Nodes: []graph.Node{
			{ID: "a", Key: "start", Kind: "start"},
			{ID: "b", Key: "pick", Kind: "pick", Config: json.RawMessage(`{"match":"first","rules":[{"port":"fast","when":"input.n > 1"}]}`)},
			{ID: "c", Key: "work", Kind: "work"},
			{ID: "d", Key: "rest", Kind: "work"},
		},
		Edges: []graph.Edge{
			{ID: "ab", From: "a", Port: "success", To: "b"},
			{ID: "bc", From: "b", Port: "fast", To: "c"},
			{ID: "bd", From: "b", Port: "default", To: "d"},
		},
		Layout: graph.Layout{
			Nodes: map[string]graph.NodeLayout{"a": {}, "b": {X: 280}, "c": {X: 600, Y: -80, Title: "Ask the service"}, "d": {X: 600, Y: 80}},
			Notes: map[string]graph.Note{"n": {X: 0, Y: 200, W: 200, H: 80, Text: "A note that is longer than one line of its box"}},
		},
	}
}

// elements counts the elements of a drawing by name and class, and fails when
// it is not well-formed XML.
func elements(t *testing.T, svg string) map[string]int {
	t.Helper()
	count := map[string]int{}
	for dec := xml.NewDecoder(strings.NewReader(svg)); ; {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return count
		}
		if err != nil {
			t.Fatalf("the drawing is not well-formed: %v\n%s", err, svg)
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		class := ""
		for _, a := range start.Attr {
			switch a.Name.Local {
			case "class":
				class = " " + a.Value
			case "style":
				t.Errorf("<%s> has a style attribute, which the content policy forbids", start.Name.Local)
			}
			if strings.HasPrefix(a.Name.Local, "on") {
				t.Errorf("<%s> has the handler %s", start.Name.Local, a.Name.Local)
			}
		}
		count[start.Name.Local+class]++
	}
}

func options() picture.Options {
	return picture.Options{Title: "Sample", Find: catalogue, Icon: func(name string) string { return "/icons.svg#" + name }}
}

func TestDrawing(t *testing.T) {
	t.Parallel()
	got := elements(t, picture.SVG(sample(), options()))
	want := map[string]int{"g n": 4, "path e": 3, "path ah": 3, "text title": 4, "text port": 2, "text when": 1, "g pn": 1}
	for name, n := range want {
		if got[name] != n {
			t.Errorf("%d × %s, want %d", got[name], name, n)
		}
	}
	svg := picture.SVG(sample(), options())
	for _, text := range []string{"Ask the service", "first match", "input.n &gt; 1", "/icons.svg#split", "Otherwise"} {
		if !strings.Contains(svg, text) {
			t.Errorf("the drawing lacks %q", text)
		}
	}
}

// nested is a group in a group, with a compensation; the outer one may be
// folded.
func nested(folded bool) graph.Graph {
	return graph.Graph{
		Name: "Nested",
		Nodes: []graph.Node{
			{ID: "a", Key: "start", Kind: "start"},
			{ID: "g", Key: "pay", Kind: "group", Config: json.RawMessage(`{"transaction":true}`)},
			{ID: "b", Key: "reserve", Kind: "work", In: "g"},
			{ID: "c", Key: "release", Kind: "work", In: "g"},
			{ID: "h", Key: "inner", Kind: "group", In: "g"},
			{ID: "d", Key: "deep", Kind: "work", In: "h"},
		},
		Edges: []graph.Edge{
			{ID: "ag", From: "a", Port: "success", To: "g"},
			{ID: "bc", From: "b", Port: graph.PortCompensate, To: "c"},
		},
		Layout: graph.Layout{Nodes: map[string]graph.NodeLayout{
			"a": {}, "g": {X: 300, Y: -72, Folded: folded}, "b": {X: 324, Y: 0}, "c": {X: 400, Y: 120},
			"h": {X: 324, Y: 240, W: 300, H: 200}, "d": {X: 700, Y: 320},
		}},
	}
}

func TestContainersAreFramesAroundWhatTheyHold(t *testing.T) {
	t.Parallel()
	o := options()
	o.Count = func(n int) string { return strconv.Itoa(n) + " steps" }
	svg := picture.SVG(nested(false), o)
	got := elements(t, svg)
	want := map[string]int{"g n f t-saga": 1, "g n f t-logic": 1, "g n": 4, "path e": 1, "path e undo": 1, "circle undo-disc": 1}
	for name, n := range want {
		if got[name] != n {
			t.Errorf("%d × %s, want %d", got[name], name, n)
		}
	}
	// The inner frame grows from its 300 to what it holds; the outer one around both.
	for _, text := range []string{`width="608" height="200"`, `width="656" height="536"`, "Group · 3 steps", "Group · 1 steps"} {
		if !strings.Contains(svg, text) {
			t.Errorf("the drawing lacks %q", text)
		}
	}
	if strings.Index(svg, "t-saga") > strings.Index(svg, `class="e"`) {
		t.Error("a frame is drawn over the edges")
	}
}

func TestFoldedContainerIsACard(t *testing.T) {
	t.Parallel()
	got := elements(t, picture.SVG(nested(true), options()))
	want := map[string]int{"g n": 2, "rect field": 0, "path e": 1, "path e undo": 0}
	for name, n := range want {
		if got[name] != n {
			t.Errorf("%d × %s, want %d", got[name], name, n)
		}
	}
}

func TestThumbnailHasNoText(t *testing.T) {
	t.Parallel()
	o := options()
	o.Mini = true
	got := elements(t, picture.SVG(sample(), o))
	for name := range got {
		if strings.HasPrefix(name, "text") {
			t.Errorf("a thumbnail has %s", name)
		}
	}
	if got["rect bar title"] != 4 {
		t.Errorf("%d titles as bars, want 4", got["rect bar title"])
	}
}

func TestHostileTexts(t *testing.T) {
	t.Parallel()
	benign := elements(t, picture.SVG(sample(), options()))
	for _, text := range []string{
		`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `' onload='alert(1)`, `</svg><script>`, `]]><x>`, `<!--`, `&lt;b&gt;`,
		`<style>*{}</style>`, "a\x00b\x1bc", "\u202egnp.exe", `javascript:alert(1)`, `{{7*7}}`, "</text><use href=x>", `--><svg onload=alert(1)>`, "🙂\ufffe",
	} {
		g := sample()
		g.Name = text
		g.Nodes[1].Config = json.RawMessage(`{"match":` + quote(text) + `,"rules":[{"port":"fast","when":` + quote(text) + `}]}`)
		layout := g.Layout.Nodes["c"]
		layout.Title = text
		g.Layout.Nodes["c"] = layout
		g.Layout.Notes["n"] = graph.Note{W: 4000, H: 400, Text: text}
		o := options()
		o.Title = text
		got := elements(t, picture.SVG(g, o))
		// A note has as many lines as its text needs.
		got["text note"], benign["text note"] = 0, 0
		if diff := cmp.Diff(benign, got); diff != "" {
			t.Errorf("%q changes the elements of the drawing:\n%s", text, diff)
		}
	}
}

func quote(s string) string {
	raw, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

func TestUnknownKindAndPort(t *testing.T) {
	t.Parallel()
	g := sample()
	g.Nodes[2].Kind = "from_the_future"
	g.Edges = append(g.Edges, graph.Edge{ID: "cd", From: "c", Port: "odd", To: "d"}, graph.Edge{ID: "x", From: "nobody", Port: "p", To: "d"})
	got := elements(t, picture.SVG(g, options()))
	if got["g n"] != 4 || got["path e"] != 4 {
		t.Errorf("%d nodes and %d edges, want 4 and 4", got["g n"], got["path e"])
	}
}

func TestEmptyGraph(t *testing.T) {
	t.Parallel()
	if got := elements(t, picture.SVG(graph.Graph{}, options())); got["rect nothing"] != 1 {
		t.Error("an empty graph does not show the place for a first step")
	}
}

func TestSameBytes(t *testing.T) {
	t.Parallel()
	first := picture.SVG(sample(), options())
	for range 20 {
		if got := picture.SVG(sample(), options()); got != first {
			t.Fatal("the same graph was drawn in two ways")
		}
	}
}

func TestLongTextsAreShortened(t *testing.T) {
	t.Parallel()
	for _, text := range []string{strings.Repeat("W", 200), strings.Repeat("漢", 200), strings.Repeat("il", 200)} {
		g := sample()
		g.Layout.Nodes["a"] = graph.NodeLayout{Title: text}
		svg := picture.SVG(g, options())
		if strings.Contains(svg, text) || !strings.Contains(svg, "…") {
			t.Errorf("a title of %d bytes is not shortened", len(text))
		}
	}
}

func TestTrace(t *testing.T) {
	t.Parallel()
	events := []brief.Brief{
		{Seq: 1, Type: "RunStarted", Trigger: "start", Port: "success"},
		{Seq: 2, Type: "NodeCompleted", Node: "pick", Ports: []string{"fast"}},
		{Seq: 3, Type: "TaskScheduled", Node: "work", Attempt: 1},
	}
	tests := []struct {
		name   string
		status string
		more   []brief.Brief
		nodes  map[string]picture.State
		edges  map[string]picture.State
	}{
		{
			name: "at work", status: "running",
			nodes: map[string]picture.State{"a": "ok", "b": "ok", "c": "run"},
			edges: map[string]picture.State{"ab": "ok", "bc": "ok"},
		},
		{
			name: "a retry waits", status: "running", more: []brief.Brief{{Seq: 4, Type: "TaskFailed", Node: "work", RetryAt: 2}},
			nodes: map[string]picture.State{"a": "ok", "b": "ok", "c": "wait"},
			edges: map[string]picture.State{"ab": "ok", "bc": "ok"},
		},
		{
			name: "over", status: "succeeded", more: []brief.Brief{{Seq: 4, Type: "TaskCompleted", Node: "work", Port: "success"}, {Seq: 5, Type: "RunSucceeded"}},
			nodes: map[string]picture.State{"a": "ok", "b": "ok", "c": "ok", "d": "skip"},
			edges: map[string]picture.State{"ab": "ok", "bc": "ok", "bd": "skip"},
		},
		{
			name: "canceled at work", status: "canceled", more: []brief.Brief{{Seq: 4, Type: "RunCanceled"}},
			nodes: map[string]picture.State{"a": "ok", "b": "ok", "c": "cancel", "d": "skip"},
			edges: map[string]picture.State{"ab": "ok", "bc": "ok", "bd": "skip"},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			nodes, edges := picture.Trace(sample(), test.status, append(events[:3:3], test.more...))
			if diff := cmp.Diff(test.nodes, nodes); diff != "" {
				t.Errorf("nodes (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.edges, edges); diff != "" {
				t.Errorf("edges (-want +got):\n%s", diff)
			}
		})
	}
}
