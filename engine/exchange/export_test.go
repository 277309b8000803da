package exchange_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"signalbox/engine/chart"
	"signalbox/engine/exchange"
	"signalbox/engine/graph"
)

var update = flag.Bool("update", false, "rewrite the files in testdata")

func readChart(t *testing.T, name string) chart.Def {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	d, err := chart.Decode(raw)
	if err != nil {
		t.Fatal(err)
	}
	if _, faults := chart.Compile(d); len(faults) > 0 {
		t.Fatalf("faults: %v", faults)
	}
	return d
}

// matches compares with a file in testdata.
func matches(t *testing.T, name, got string, losses []exchange.Loss) {
	t.Helper()
	path := filepath.Join("testdata", name)
	for _, l := range losses {
		got += "\n! " + l.Path + ": " + l.What + ": " + l.Message
	}
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); d != "" {
		t.Error(d)
	}
}

func TestAChartInEveryForm(t *testing.T) {
	t.Parallel()
	d := readChart(t, "player.chart.json")
	module, losses := exchange.ToXState(d)
	matches(t, "player.mjs.txt", module, losses)
	doc, losses, err := exchange.ToSCXML(d)
	if err != nil {
		t.Fatal(err)
	}
	matches(t, "player.scxml", doc, losses)
	picture, losses := exchange.MermaidChart(d)
	matches(t, "player.mmd", picture, losses)
	matches(t, "player.dot", exchange.DotChart(d), nil)
}

func TestAWorkflowAsPictures(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("testdata/order.json")
	if err != nil {
		t.Fatal(err)
	}
	g, err := graph.Decode(raw)
	if err != nil {
		t.Fatal(err)
	}
	picture, losses := exchange.MermaidGraph(g)
	matches(t, "order.mmd", picture, losses)
	picture, losses = exchange.DotGraph(g)
	matches(t, "order.dot", picture, losses)
}

// record is a machine and what the real XState did with it.
type record struct {
	ID    string            `json:"id"`
	Trace []json.RawMessage `json:"trace"`
	Def   chart.Def         `json:"-"`
	line  []byte
}

// recorded reads the recorded traces of XState.
func recorded(t *testing.T) []record {
	t.Helper()
	packed, err := os.ReadFile("../chart/testdata/xstate-5.33.3.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	unzipped, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	var all []record
	lines := bufio.NewScanner(unzipped)
	for lines.Buffer(nil, 1<<20); lines.Scan(); {
		var m struct {
			record
			Machine json.RawMessage `json:"machine"`
		}
		m.line = slices.Clone(lines.Bytes())
		if err := json.Unmarshal(m.line, &m); err != nil {
			t.Fatal(err)
		}
		d, losses, err := exchange.FromXState(m.Machine)
		if err != nil || len(losses) > 0 {
			t.Fatalf("%v %v", losses, err)
		}
		d.Guards = map[string]chart.Guard{"gT": {Expr: "true"}, "gF": {Expr: "false"}, "even": {Expr: "context.n % 2 == 0"}, "lt2": {Expr: "context.n < 2"}}
		d.Actions = map[string][]chart.Action{"inc": {{Assign: json.RawMessage(`{"n":"=context.n + 1"}`)}}}
		m.Def = d
		all = append(all, m.record)
	}
	return all
}

// TestSCXMLIsWellFormedAndItsReferencesHold reads what is written for all
// recorded machines and looks up each target.
func TestSCXMLIsWellFormedAndItsReferencesHold(t *testing.T) {
	t.Parallel()
	all := recorded(t)
	if len(all) != 200 {
		t.Fatalf("%d machines", len(all))
	}
	for _, r := range all {
		d := r.Def
		doc, _, err := exchange.ToSCXML(d)
		if err != nil {
			t.Fatal(err)
		}
		ids, refs := map[string]bool{}, []string{}
		for dec := xml.NewDecoder(strings.NewReader(doc)); ; {
			token, err := dec.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", d.ID, err)
			}
			start, ok := token.(xml.StartElement)
			if !ok {
				continue
			}
			for _, a := range start.Attr {
				switch {
				case a.Name.Local == "id" && start.Name.Local != "send":
					if ids[a.Value] {
						t.Errorf("%s: the id %s is there twice", d.ID, a.Value)
					}
					if strings.Contains(a.Value, ".") {
						t.Errorf("%s: the id %s has a dot: done.state.%s means more than one state", d.ID, a.Value, a.Value)
					}
					ids[a.Value] = true
				case a.Name.Local == "target" && start.Name.Local == "transition", a.Name.Local == "initial":
					refs = append(refs, strings.Fields(a.Value)...)
				}
			}
		}
		for _, r := range refs {
			if !ids[r] {
				t.Errorf("%s: a transition leads to %s, which is not there", d.ID, r)
			}
		}
	}
}

// TestPicturesOfChartsAreBalanced catches a block that is never closed.
func TestPicturesOfChartsAreBalanced(t *testing.T) {
	t.Parallel()
	for _, r := range recorded(t) {
		mermaid, _ := exchange.MermaidChart(r.Def)
		for _, text := range []string{mermaid, exchange.DotChart(r.Def)} {
			opens, closes := 0, 0
			for line := range strings.Lines(text) {
				line = strings.TrimSpace(line)
				if strings.HasSuffix(line, "{") {
					opens++
				}
				if line == "}" {
					closes++
				}
			}
			if opens != closes || strings.Count(text, `"`)%2 != 0 {
				t.Errorf("%d blocks are opened and %d closed in:\n%s", opens, closes, text)
			}
		}
	}
}
