package compile_test

import (
	"encoding/json"
	"strings"
	"testing"

	"signalbox/engine/compile"
	"signalbox/engine/graph"
)

// held puts nodes into a container.
func held(g graph.Graph, container string, keys ...string) graph.Graph {
	for i := range g.Nodes {
		for _, k := range keys {
			if g.Nodes[i].Key == k {
				g.Nodes[i].In = container
			}
		}
	}
	return g
}

// TestWhatPortsGive reads the shapes of drawings, as JSON Schemas.
func TestWhatPortsGive(t *testing.T) {
	t.Parallel()
	const (
		num, text = `{"type":["number"]}`, `{"type":["string"]}`
		order     = `a:mock{"answer":{"id":1,"lines":[{"name":"pen","price":2}]}}`
	)
	object := func(properties string, required ...string) string {
		s := `{"additionalProperties":false,"properties":{` + properties + `},`
		if len(required) > 0 {
			raw, _ := json.Marshal(required)
			s += `"required":` + string(raw) + `,`
		}
		return s + `"type":["object"]}`
	}
	fails := `{"additionalProperties":false,"properties":{"error":{"additionalProperties":false,"properties":{"attempts":{"type":["number"]},"class":{"type":["string"]},"details":{},"message":{"type":["string"]},"node":{"type":["string"]}},"required":["class","message"],"type":["object"]}},"required":["error"],"type":["object"]}`
	for name, c := range map[string]struct {
		draw       graph.Graph
		node, port string
		want       string
	}{
		"what starts a run is anything":          {draw(t, "s:manual"), "s", "success", `{}`},
		"a trigger that demands something":       {draw(t, `s:manual{"input_schema":{"type":"object","required":["n"],"properties":{"n":{"type":"integer"}}}}`, `t:transform{"expression":"trigger.n + input.n"}`, "s>t"), "t", "success", num},
		"a step that nothing leads to":           {draw(t, "s:manual", "a:if{\"condition\":\"true\"}"), "a", "true", `{}`},
		"a constant answer":                      {draw(t, "s:manual", `a:mock{"answer":{"n":1,"t":"x","l":[]}}`, "s>a"), "a", "success", object(`"l":{"items":{"type":[]},"type":["array"]},"n":`+num+`,"t":`+text, "l", "n", "t")},
		"a failure":                              {draw(t, "s:manual", "a:mock", "s>a"), "a", "failure", fails},
		"a default answer":                       {draw(t, "s:manual", "a:mock{}", "s>a"), "a", "success", object(`"ok":{"type":["boolean"]}`, "ok")},
		"a choice hands on":                      {draw(t, "s:manual", `a:mock{"answer":{"n":1}}`, `c:route{"rules":[{"when":"input.n > 1","port":"big"}]}`, "s>a", "a>c"), "c", "big", object(`"n":`+num, "n")},
		"an expression":                          {draw(t, "s:manual", order, `t:transform{"expression":"input.lines.map(l, {'n': l.name, 'double': l.price * 2})"}`, "s>a", "a>t"), "t", "success", `{"items":` + object(`"double":`+num+`,"n":`+text, "double", "n") + `,"type":["array"]}`},
		"fields that are added":                  {draw(t, "s:manual", `a:mock{"answer":{"n":1}}`, `x:set{"fields":{"n":"=text(input.n)","who.name":"Ada"}}`, "s>a", "a>x"), "x", "success", object(`"n":`+text+`,"who":`+object(`"name":`+text, "name"), "n", "who")},
		"fields without the others":              {draw(t, "s:manual", `a:mock{"answer":{"n":1}}`, `x:set{"fields":{"m":2},"keep":false}`, "s>a", "a>x"), "x", "success", object(`"m":`+num, "m")},
		"an answer of the web":                   {draw(t, "s:manual", `a:http{"url":"https://example.org","response":"text"}`, "s>a"), "a", "success", object(`"body":`+text+`,"headers":{"type":["object"]},"status":`+num, "body", "headers", "status")},
		"a model that answers in a form":         {draw(t, "s:manual", `a:llm{"base_url":"https://example.org","model":"m","messages":[{"role":"user","content":"x"}],"json_schema":{"type":"object","properties":{"label":{"type":"string"}},"required":["label"],"additionalProperties":false}}`, `t:transform{"expression":"input.json"}`, "s>a", "a>t"), "t", "success", object(`"label":`+text, "label")},
		"a result schema":                        {draw(t, "s:manual", `a:external{"type":"resize","result_schema":{"type":"object","required":["url"],"properties":{"url":{"type":"string"}}}}`, "s>a"), "a", "success", `{"properties":{"url":` + text + `},"required":["url"],"type":["object"]}`},
		"two ways into one step":                 {draw(t, "s:manual", `a:mock{"answer":{"n":1}}`, `b:mock{"answer":{"m":"x"}}`, "e:wait/each", "s>a", "s>b", "a>e", "b>e"), "e", "success", object(`"m":` + text + `,"n":` + num)},
		"all that is waited for":                 {draw(t, "s:manual", `a:mock{"answer":1}`, `b:mock{"answer":"x"}`, "j:join/all", "s>a", "s>b", "a>j", "b>j"), "j", "success", object(`"a":`+num+`,"b":`+text, "a", "b")},
		"what may come":                          {draw(t, "s:manual", `a:mock{"answer":1}`, `b:mock{"answer":"x"}`, "j:join", "s>a", "s>b", "a>j", "b>j"), "j", "success", object(`"a":` + num + `,"b":` + text)},
		"a loop that is drawn":                   {draw(t, "s:manual", `a:mock{"answer":{"n":1}}`, `w:set/each{"fields":{"m":"=input.n + 1"}}`, `c:if{"condition":"input.m > 3"}`, "e:output", "s>a", "a>w", "w>c", "c.false>w", "c.true>e"), "e", "success", object(`"m":`+num+`,"n":`+num, "m", "n")},
		"a list of what grows without end":       {draw(t, "s:manual", `a:mock{"answer":[]}`, `w:transform/each{"expression":"[input]"}`, `c:if{"condition":"size(input) > 3"}`, "s>a", "a>w", "w>c", "c.false>w"), "c", "true", ""},
		"the items of a map":                     {held(draw(t, "s:manual", order, `m:map{"items":"=input.lines"}`, `w:transform{"expression":"{'name': item.name, 'at': index}"}`, "s>a", "a>m"), "m", "w"), "m", "success", `{"items":` + object(`"at":`+num+`,"name":`+text, "at", "name") + `,"type":["array"]}`},
		"a map that collects errors":             {held(draw(t, "s:manual", `m:map{"items":[1],"on_item_error":"collect"}`, `w:transform{"expression":"input"}`, "s>m"), "m", "w"), "m", "success", `{"items":{"additionalProperties":false,"properties":` + strings.TrimSuffix(strings.TrimPrefix(fails, `{"additionalProperties":false,"properties":`), `,"type":["object"]}`) + `,"type":["object","number"]},"type":["array"]}`},
		"a loop that may not go round":           {held(draw(t, "s:manual", `a:mock{"answer":"x"}`, `l:loop{"condition":"index < 3","max":3}`, `w:transform{"expression":"1"}`, "s>a", "a>l"), "l", "w"), "l", "success", `{"type":["string","number"]}`},
		"a loop that goes round":                 {held(draw(t, "s:manual", `a:mock{"answer":"x"}`, `l:loop{"condition":"index < 3","max":3,"check":"after"}`, `w:transform{"expression":"1"}`, "s>a", "a>l"), "l", "w"), "l", "success", num},
		"a call that is not waited for":          {draw(t, "s:manual", `a:call{"workflow":"Charge","wait":false}`, "s>a"), "a", "success", object(`"run":`+text, "run")},
		"the output of an earlier step":          {draw(t, "s:manual", `a:mock{"answer":{"n":1}}`, "b:mock", `t:transform{"expression":"nodes.a.output.n"}`, "s>a", "a>b", "b>t"), "t", "success", num},
		"a condition that holds either way":      {draw(t, "s:manual", `t:transform{"expression":"has(input.a) ? 1 : 'none'"}`, "s>t"), "t", "success", `{"type":["string","number"]}`},
		"a step that is off":                     {draw(t, "s:manual", `a:mock{"answer":1}`, `b:mock{"answer":"x"}`, "s>a", "a>b"), "b", "success", num},
		"a person, of whom nothing is demanded":  {draw(t, "s:manual", `a:human{"title":"Well?","decisions":[{"port":"yes"}],"fields":[{"name":"note"}]}`, "s>a"), "a", "yes", `{"properties":{"note":{}}}`},
		"a time limit that passes hands it on":   {draw(t, "s:manual", `a:mock{"answer":1}`, `h:signal{"name":"x","timeout":"1h"}`, "s>a", "a>h"), "h", "timeout", num},
		"what a compensation gets":               {draw(t, "s:manual", `a:mock{"answer":1}`, `b:mock{"answer":"x"}`, `u:mock{"answer":"=input"}`, "s>a", "a>b", "b.compensate>u"), "u", "success", object(`"input":`+num+`,"output":`+text, "input", "output")},
		"what is not certain of a kind not here": {draw(t, "s:manual", "a:teleport", "s>a", `t:transform{"expression":"input.x"}`, "a>t"), "t", "success", `{}`},
	} {
		if name == "a step that is off" {
			c.draw = with(c.draw, "b", func(n *graph.Node) { n.Disabled = true })
		}
		ports, _ := compile.PortsOf(c.draw, compile.World{})
		got, err := json.Marshal(ports[c.node].Gives[c.port])
		if err != nil {
			t.Fatal(err)
		}
		if c.want != "" && string(got) != c.want {
			t.Errorf("%s: %s\nwant %s", name, got, c.want)
		}
	}
}

// TestWhatNeverComesIsFound names each finding about data, and what is none.
func TestWhatNeverComesIsFound(t *testing.T) {
	t.Parallel()
	row := func(answer, step string) []string {
		return []string{"s:manual", `ask:mock{"answer":` + answer + `}`, step, "s>ask", "ask>x"}
	}
	for name, c := range map[string]struct {
		lines []string
		say   string // empty: nothing is found
	}{
		"a field that nothing gives":             {row(`{"id":1,"name":"a"}`, `x:transform{"expression":"input.total"}`), "“x” reads “input.total”, which never comes. In “input” there is: id, name. It comes from “ask”."},
		"a field inside another":                 {row(`{"a":{"b":1}}`, `x:transform{"expression":"input.a.c"}`), "In “input.a” there is: b."},
		"a field of items":                       {row(`{"l":[{"b":1}]}`, `x:transform{"expression":"input.l.map(i, i.c)"}`), "“x” reads “input.l[].c”"},
		"a field of text":                        {row(`{"a":"text"}`, `x:transform{"expression":"input.a.b"}`), "“x” needs an object in “input.a”, but what comes is text."},
		"in a text":                              {row(`{"a":1}`, `x:http{"url":"https://example.org/{{ input.b }}"}`), "“x” reads “input.b”"},
		"a sum of what cannot be added":          {row(`{"a":"x"}`, `x:transform{"expression":"input.a * 2"}`), "“x” needs a number in “input.a”, but what comes is text."},
		"two sorts that are compared":            {row(`{"a":"x"}`, `x:if{"condition":"input.a > 3"}`), "“x” needs a number in “input.a”, but what comes is text."},
		"a condition that is no condition":       {row(`{"a":1}`, `x:if{"condition":"input.a"}`), "“x” needs true or false in “input.a”, but what comes is a number."},
		"a condition that is made":               {row(`{"a":1}`, `x:if{"condition":"input.a + 1"}`), "“x” needs true or false here, but the expression gives a number."},
		"items that are no list":                 {row(`{"a":{}}`, `x:map{"items":"=input.a"}`), "“x” needs a list in “input.a”, but what comes is an object."},
		"a field of a step that wants text":      {row(`{"a":1}`, `x:http{"url":"=input.a"}`), "“x” needs text in “input.a”, but what comes is a number."},
		"fields added to a list":                 {row(`[1]`, `x:set{"fields":{"a":1}}`), "“x” adds fields to an object, but what comes is a list."},
		"of an earlier step":                     {[]string{"s:manual", `ask:mock{"answer":{"a":1}}`, "y:mock", `x:transform{"expression":"nodes.ask.output.b"}`, "s>ask", "ask>y", "y>x"}, "In “nodes.ask.output” there is: a. It comes from “ask”."},
		"of a branch that is joined":             {[]string{"s:manual", `ask:mock{"answer":{"a":1}}`, `b:mock{"answer":1}`, "x:transform{\"expression\":\"input.ask.c\"}", "s>ask", "s>b", "ask>x", "b>x"}, "“x” reads “input.ask.c”"},
		"of the error":                           {[]string{"s:manual", "ask:mock", `x:transform{"expression":"input.message"}`, "s>ask", "ask.failure>x"}, "In “input” there is: error."},
		"nothing: it is asked for":               {row(`{"a":1}`, `x:transform{"expression":"has(input.b) ? input.b : 0"}`), ""},
		"nothing: there is a value instead":      {row(`{"a":1}`, `x:transform{"expression":"default(input.b, 0)"}`), ""},
		"nothing: it is optional":                {row(`{"a":1}`, `x:transform{"expression":"input.?b.orValue(0)"}`), ""},
		"nothing: it is looked for":              {row(`{"a":1}`, `x:transform{"expression":"'b' in input && input.b > 1"}`), ""},
		"nothing: its sort is asked for":         {row(`{"a":1}`, `x:transform{"expression":"type(input.a) == string ? input.a.size() : 0"}`), ""},
		"nothing: anything may come":             {[]string{"s:manual", `x:transform{"expression":"input.b.c * 2"}`, "s>x"}, ""},
		"nothing: one of two ways gives it":      {[]string{"s:manual", `ask:mock{"answer":{"a":1}}`, `b:mock{"answer":{"b":1}}`, `x:transform/each{"expression":"input.b"}`, "s>ask", "s>b", "ask>x", "b>x"}, ""},
		"nothing: an object may have more":       {[]string{"s:manual", `ask:external{"type":"t","result_schema":{"type":"object","properties":{"a":{"type":"string"}}}}`, `x:transform{"expression":"input.b"}`, "s>ask", "ask>x"}, ""},
		"nothing: nobody comes there":            {[]string{"s:manual", `ask:mock{"answer":{"a":1}}`, `x:transform{"expression":"input.b"}`, "ask>x"}, ""},
		"nothing: a list may be empty":           {row(`{"l":[]}`, `x:transform{"expression":"input.l.map(i, i.c)"}`), ""},
		"nothing: text in an optional number":    {row(`{"a":null}`, `x:mock{"latency_ms":"=input.a"}`), ""},
		"nothing: a variable of a macro":         {row(`{"a":1}`, `x:transform{"expression":"[{'b': 1}].map(input, input.b)"}`), ""},
		"nothing: a name that is made":           {row(`{"a":1}`, `x:transform{"expression":"input['a'] + {'k' + 'x': 1}['kx']"}`), ""},
		"nothing: what comes has several sorts":  {[]string{"s:manual", `ask:mock{"answer":"=has(input.a) ? 1 : 'x'"}`, `x:transform{"expression":"input * 2"}`, "s>ask", "ask>x"}, ""},
		"nothing: a time is text and can be cut": {row(`{"at":"2026-11-30T09:00:00Z"}`, `x:transform{"expression":"timestamp(input.at) + duration('1h') > timestamp(input.at)"}`), ""},
	} {
		_, issues := compile.Compile(draw(t, c.lines...))
		var found []string
		for _, i := range issues {
			if i.Code == "missing_field" || i.Code == "wrong_type" {
				if i.Severity != graph.SeverityWarning || i.Node != "x" || !strings.HasPrefix(i.Field, "/config") {
					t.Errorf("%s: %+v", name, i)
				}
				found = append(found, i.Message)
			}
		}
		switch {
		case c.say == "" && len(found) > 0:
			t.Errorf("%s: %q", name, found)
		case c.say != "" && (len(found) != 1 || !strings.Contains(found[0], c.say)):
			t.Errorf("%s: %q, want %q", name, found, c.say)
		}
	}
}

// TestAFindingAboutDataSaysWhere points into the expression and at the steps
// that the value comes from.
func TestAFindingAboutDataSaysWhere(t *testing.T) {
	t.Parallel()
	g := draw(t, "s:manual", `a:mock{"answer":{"n":1}}`, `b:mock{"answer":{"m":1}}`, `x:http/each{"url":"https://example.org/{{ input.id }}"}`, "s>a", "s>b", "a>x", "b>x")
	_, issues := compile.Compile(g)
	found, ok := issue(issues, "missing_field")
	if !ok || found.Field != "/config/url" || found.Offset != len("https://example.org/{{ ") || strings.Join(found.Related, " ") != "a b" {
		t.Errorf("%+v", issues)
	}
	if !strings.Contains(found.Message, "In “input” there is: m, n. It comes from “a”, “b”.") {
		t.Error(found.Message)
	}
}

// TestWorkersAndCalledWorkflowsSayWhatTheyNeed looks at what a drawing alone
// does not know.
func TestWorkersAndCalledWorkflowsSayWhatTheyNeed(t *testing.T) {
	t.Parallel()
	callee := compile.CalleeOf(draw(t, `s:manual{"input_schema":{"type":"object","required":["amount"],"properties":{"amount":{"type":"number"}}}}`, `r:output{"value":{"paid":true}}`, "s>r"))
	w := compile.World{
		Types: map[string]compile.TaskType{"resize": {
			Input:  []byte(`{"type":"object","required":["url"],"properties":{"url":{"type":"string"},"width":{"type":"integer"}},"additionalProperties":false}`),
			Output: []byte(`{"type":"object","required":["small"],"properties":{"small":{"type":"string"}},"additionalProperties":false}`),
		}},
		Callee: func(workflow, _ string) (compile.Callee, bool) { return callee, workflow == "Charge" },
	}
	for name, c := range map[string]struct{ step, say string }{
		"all that is needed":              {`x:external{"type":"resize","input":{"url":"=input.url"}}`, ""},
		"a field is not handed on":        {`x:external{"type":"resize","input":{"width":3}}`, "“x” does not hand on “url”, which “resize” needs."},
		"a field of another sort":         {`x:external{"type":"resize","input":{"url":3}}`, "“x” hands on a number as “url”, but “resize” needs text there."},
		"a field that is not taken":       {`x:external{"type":"resize","input":{"url":"u","height":3}}`, "“x” hands on “height”, which “resize” does not take."},
		"what comes, as it is":            {`x:external{"type":"resize"}`, "“x” hands on what comes, but “resize” needs “url”. There is: link. It comes from “a”."},
		"a type that nobody announced":    {`x:external{"type":"shrink"}`, ""},
		"a workflow that needs a number":  {`x:call{"workflow":"Charge","input":{"amount":"=input.link"}}`, "“x” hands on text as “amount”, but “Charge” needs a number there."},
		"a workflow that gets too little": {`x:call{"workflow":"Charge"}`, "“x” hands on what comes, but “Charge” needs “amount”."},
		"a workflow that is not there":    {`x:call{"workflow":"Pay"}`, ""},
		"what a worker gives":             {`x:transform{"expression":"nodes.w.output.big"}`, "In “nodes.w.output” there is: small."},
		"what a workflow gives":           {`x:transform{"expression":"nodes.c.output.due"}`, "In “nodes.c.output” there is: paid."},
	} {
		lines := []string{"s:manual", `w:external{"type":"resize","input":{"url":"u"}}`, `c:call{"workflow":"Charge","input":{"amount":1}}`, `a:mock{"answer":{"link":"l"}}`, c.step, "s>w", "w>c", "c>a", "a>x"}
		if strings.Contains(c.step, "input.url") {
			lines[3] = `a:mock{"answer":{"url":"l"}}`
		}
		_, issues := compile.PortsOf(draw(t, lines...), w)
		switch {
		case c.say == "" && len(issues) > 0:
			t.Errorf("%s: %+v", name, issues)
		case c.say != "" && (len(issues) != 1 || !strings.Contains(issues[0].Message, c.say)):
			t.Errorf("%s: %+v, want %q", name, issues, c.say)
		}
	}
}

// TestWhatAStepTakes reads from its expressions what a step needs.
func TestWhatAStepTakes(t *testing.T) {
	t.Parallel()
	for step, want := range map[string]string{
		`x:transform{"expression":"input.a.b * 2"}`:                                 `{"properties":{"a":{"properties":{"b":{"type":["number"]}},"required":["b"],"type":["object"]}},"required":["a"],"type":["object"]}`,
		`x:transform{"expression":"has(input.a) ? input.a : input.b"}`:              `{"properties":{"a":{},"b":{}}}`,
		`x:map{"items":"=input.rows"}`:                                              `{"properties":{"rows":{"type":["array"]}},"required":["rows"],"type":["object"]}`,
		`x:transform{"expression":"input.map(i, i.name)"}`:                          `{"items":{"properties":{"name":{}},"required":["name"],"type":["object"]},"type":["array"]}`,
		`x:http{"url":"https://x.org/{{ input.id }}","headers":{"a":"=input.tag"}}`: `{"properties":{"id":{},"tag":{}},"required":["id","tag"],"type":["object"]}`,
		`x:set{"fields":{"a":1}}`:                                                   `{"type":["object","null"]}`,
		`x:mock{}`:                                                                  `{}`,
	} {
		ports, _ := compile.PortsOf(draw(t, "s:manual", step, "s>x"), compile.World{})
		loose, _ := compile.PortsOf(draw(t, "s:manual", step), compile.World{})
		if again, err := json.Marshal(loose["x"].Takes); err != nil || string(again) != want {
			t.Errorf("%s takes %s while nothing leads there", step, again)
		}
		if got, err := json.Marshal(ports["x"].Takes); err != nil || string(got) != want {
			t.Errorf("%s takes %s, want %s", step, got, want)
		}
	}
}
