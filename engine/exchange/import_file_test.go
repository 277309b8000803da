package exchange_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"signalbox/engine/chart"
	"signalbox/engine/compile"
	"signalbox/engine/exchange"
	"signalbox/engine/graph"
	"signalbox/engine/problem"
)

func TestAFileIsKnownByItsContent(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"signalbox":1,"nodes":[{"id":"a","key":"a","kind":"manual"}],"edges":[],"layout":{}}`:                                 "signalbox",
		`{"nodes":[{"name":"A","type":"n8n-nodes-base.noOp","parameters":{},"position":[0,0]}],"connections":{}}`:               "n8n",
		"\xef\xbb\xbf " + `{"nodes":[{"name":"A","type":"n8n-nodes-base.noOp","parameters":{},"position":[0,0]}]}`:              "n8n",
		`{"id":"door","initial":"shut","states":{"shut":{"on":{"OPEN":"open"}},"open":{}}}`:                                     "xstate",
		`<?xml version="1.0"?><scxml xmlns="http://www.w3.org/2005/07/scxml" initial="a"><state id="a"/></scxml>`:               "scxml",
		`{"meta":{},"nodes":[{"name":"A","type":"@n8n/n8n-nodes-langchain.agent","parameters":{},"position":[1e99,0]}],"x":{}}`: "n8n",
	} {
		im, err := exchange.Import([]byte(text), nil)
		if err != nil || im.Form != want || len(im.Graph.Nodes) == 0 {
			t.Errorf("%s: %s %v", text, im.Form, err)
		}
	}
}

func TestAFileThatCannotBeReadSaysWhy(t *testing.T) {
	t.Parallel()
	node := func(name string) string {
		return `{"name":` + fmt.Sprintf("%q", name) + `,"type":"n8n-nodes-base.noOp","parameters":{},"position":[0,0]}`
	}
	many := make([]string, exchange.N8nNodesMax+1)
	for i := range many {
		many[i] = node(fmt.Sprint("n", i))
	}
	for text, want := range map[string]string{
		"":                            "none of the files",
		"hello":                       "none of the files",
		`{"a":1}`:                     "none of the files",
		`const m = createMachine({})`: "a program",
		`{"nodes":[` + node("A") + `,` + node("A") + `],"connections":{}}`:      "a name of its own",
		`{"nodes":[` + strings.Join(many, ",") + `],"connections":{}}`:          "1000 nodes",
		`{"nodes":"x","connections":{}}`:                                        "none of the files",
		`{"nodes":[{"name":1,"type":"n8n-nodes-base.if"}],"connections":{}}`:    "another form",
		`{"nodes":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}`: "deeper",
		`{"nodes":[],"connections":{},"connections":{}}`:                        "twice",
		`<html></html>`: "no SCXML",
		`<scxml`:        "not well formed",
		`<!DOCTYPE scxml [<!ENTITY a "b">]><scxml initial="&a;"/>`:                                    "not well formed",
		`<scxml>` + strings.Repeat("<state>", 40) + strings.Repeat("</state>", 40) + `</scxml>`:       "deep",
		`<scxml><state id="a"/><state id="a"/></scxml>`:                                               "the id",
		strings.Repeat(" ", exchange.ImportMax+1):                                                     "bytes",
		`{"signalbox":1,"nodes":[{"id":"a","key":"a","kind":"manual","x":1}],"edges":[],"layout":{}}`: "",
	} {
		_, err := exchange.Import([]byte(text), nil)
		p := problem.Of(err)
		if p == nil {
			t.Errorf("%.100s: %v", text, err)
			continue
		}
		said := p.Detail
		for _, f := range p.Fields {
			said += " " + f.Message + " " + f.Expected
		}
		if !strings.Contains(said, want) {
			t.Errorf("%.100s: %s, wanted %s", text, said, want)
		}
	}
}

func TestAMergeIsWhatTheAnswerSays(t *testing.T) {
	t.Parallel()
	raw := n8nFile(t, "weather-merge.json")
	for answer, want := range map[string]graph.Join{"all": {Mode: "all"}, "first": {Mode: "first"}, "inclusive": {Mode: "inclusive"}, "2": {Mode: "n", N: 2}} {
		im, err := exchange.Import(raw, map[string]string{"Both": answer})
		if err != nil {
			t.Fatal(err)
		}
		q := im.Questions[0]
		if n := im.Graph.Node(q.Node); n.Join == nil || *n.Join != want || q.Answer != answer || q.Branch != 2 {
			t.Errorf("%s: %+v %+v", answer, n.Join, q)
		}
	}
	for _, answer := range []string{"3", "0", "some"} {
		if _, err := exchange.Import(raw, map[string]string{"Both": answer}); problem.Of(err) == nil {
			t.Errorf("%s is taken: %v", answer, err)
		}
	}
}

// No secret of a file gets into the workflow.
func TestNoSecretComesAlong(t *testing.T) {
	t.Parallel()
	im, err := exchange.Import(n8nFile(t, "weather-merge.json"), nil)
	if err != nil {
		t.Fatal(err)
	}
	text, err := im.Graph.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "secret-token-123") || strings.Contains(told(im), "secret-token-123") {
		t.Error("a header with a secret came along")
	}
}

const lights = `<?xml version="1.0" encoding="UTF-8"?>
<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" datamodel="ecmascript" name="lights" initial="red">
  <datamodel><data id="round" expr="0"/><data id="who">{"name": "nobody"}</data></datamodel>
  <state id="red">
    <onentry><assign location="round" expr="round + 1"/><send event="go" delay="1.5s" id="t"/><log expr="'round ' + round"/></onentry>
    <onexit><cancel sendid="t"/></onexit>
    <transition event="go" target="green" cond="round &lt; 3 &amp;&amp; !In('broken')"/>
    <transition event="go halt" target="done"/>
    <transition event="pressed" type="internal"><assign location="who" expr="_event.data.who"/></transition>
  </state>
  <parallel id="green">
    <state id="cars"><transition event="go" target="red"/></state>
    <state id="broken"><history id="h" type="deep"><transition target="cars"/></history><script>x()</script></state>
  </parallel>
  <final id="done"><donedata><param name="rounds" expr="round"/></donedata></final>
</scxml>`

func TestSCXMLIsRead(t *testing.T) {
	t.Parallel()
	d, losses, err := exchange.FromSCXML([]byte(lights))
	if err != nil {
		t.Fatal(err)
	}
	red := d.States[0]
	if d.ID != "lights" || d.Initial != "red" || string(d.Context) != `{"round":0,"who":{"name":"nobody"}}` {
		t.Errorf("%s %s %s", d.ID, d.Initial, d.Context)
	}
	if len(red.On) != 4 || red.On[0].Guard == nil || len(red.On[0].Guard.And) != 2 || red.On[0].Guard.And[0].Expr != "context.round < 3" || red.On[0].Guard.And[1].Not.In != "broken" {
		t.Errorf("%+v", red.On)
	}
	if got := string(red.Entry[0].Assign) + red.Entry[1].Raise.Delay + string(red.Entry[2].Log) + string(red.On[3].Actions[0].Assign); got != `{"round":"=context.round + 1"}1500"=\"round \" + text(context.round)"{"who":"=event.who"}` {
		t.Error(got)
	}
	if string(d.States[2].Output) != `{"rounds":"=context.round"}` || d.States[1].Kind != chart.KindParallel {
		t.Errorf("%s", d.States[2].Output)
	}
	if len(losses) != 1 || losses[0].What != "script" || losses[0].Path != "broken" {
		t.Errorf("%+v", losses)
	}
	if _, faults := chart.Compile(d); len(faults) > 0 {
		t.Errorf("%+v", faults)
	}
}

// What we write as SCXML can be read again.
func TestOurSCXMLIsReadAgain(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile(filepath.Join("testdata", "player.scxml"))
	if err != nil {
		t.Fatal(err)
	}
	im, err := exchange.Import(raw, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, issues := compile.Compile(im.Graph)
	for _, i := range issues {
		if i.Severity == graph.SeverityError && !strings.Contains(i.Message, "which is no task here") {
			t.Errorf("%s: %s", i.Code, i.Message)
		}
	}
	for _, p := range im.Parts {
		t.Logf("%s %s %v", p.How, p.Name, p.Reasons)
	}
}

// Whatever comes in, the answer is a problem or a graph that every reader of
// ours takes.
func FuzzImportOfAFile(f *testing.F) {
	for _, pattern := range []string{"testdata/n8n/*.json", "testdata/*.scxml", "testdata/*.json"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range files {
			raw, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(raw)
		}
	}
	f.Add([]byte(lights))
	f.Add([]byte("{\"nodes\":[{\"name\":\"A\",\"type\":\"n8n-nodes-base.set\",\"typeVersion\":3,\"parameters\":{\"assignments\":{\"assignments\":[{\"name\":\"v\",\"value\":\"={{ `${a}` + x?.[1] }}\"}]}}}],\"connections\":{\"A\":{\"main\":[[{\"node\":\"A\"}]]}}}"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		im, err := exchange.Import(raw, nil)
		if err != nil {
			if problem.Of(err) == nil {
				t.Fatalf("an error that nobody can read: %v", err)
			}
			return
		}
		text, err := im.Graph.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := graph.Decode(text); err != nil {
			t.Fatal(err)
		}
		compile.Compile(im.Graph)
	})
}
