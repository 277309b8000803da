package gallery_test

import (
	"strings"
	"testing"

	"signalbox/engine/compile"
	"signalbox/engine/gallery"
)

// Every template must be publishable as it is, and without a warning: it is
// the first thing that a person sees.
func TestTemplatesCompileWithoutFindings(t *testing.T) {
	t.Parallel()
	g, err := gallery.New("http://127.0.0.1:8080")
	if err != nil {
		t.Fatal(err)
	}
	for _, tpl := range g.All() {
		m, issues := compile.Compile(tpl.Graph)
		for _, i := range issues {
			t.Errorf("%s: %s at %s%s: %s", tpl.Name, i.Code, i.Node, i.Field, i.Message)
		}
		if m == nil {
			t.Errorf("%s gives no machine", tpl.Name)
		}
	}
}

func TestTemplatesCallThisServer(t *testing.T) {
	t.Parallel()
	g, err := gallery.New("http://[::1]:9999/")
	if err != nil {
		t.Fatal(err)
	}
	tpl, ok := g.Find(gallery.Flagship)
	if !ok {
		t.Fatal("the flagship is missing")
	}
	raw, err := tpl.Graph.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if text := string(raw); !strings.Contains(text, `http://[::1]:9999/demo/`) || strings.Contains(text, "invalid/demo") {
		t.Error("the flagship does not call the demo endpoint of this server")
	}
	// A copy that is changed changes no later one.
	tpl.Graph.Nodes[0].Key = "changed"
	again, _ := g.Find(gallery.Flagship)
	if again.Graph.Nodes[0].Key == "changed" {
		t.Error("two copies of a template share their nodes")
	}
}
