package exchange

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"signalbox/engine/graph"
)

func (r *reader) wait(p params) map[string]any {
	switch p.at("resume").or("timeInterval") {
	case "specificTime":
		r.became("wait", "success")
		return map[string]any{"until": r.text(p.at("dateTime").text())}
	case "webhook":
		r.became("callback", "success")
		r.p.near("n8n makes the address known as $execution.resumeUrl; here the step tells it by a request of its own, or people give it on.")
		return nil
	case "form":
		r.became("human", "done")
		r.p.near("The fields of its form are to be set here.")
		return map[string]any{"title": "Fill in the form", "decisions": []map[string]any{{"port": "done", "title": "Done"}}}
	}
	r.became("wait", "success")
	unit := map[string]string{"seconds": "s", "minutes": "m", "hours": "h"}[p.at("unit").or("hours")]
	amount := p.at("amount").number(-1)
	if p.at("unit").text() == "days" {
		unit, amount = "h", amount*24
	}
	if p.at("amount").there() && amount < 0 || unit == "" {
		t, err := r.code(p.at("amount"))
		if err != nil || unit == "" {
			why := "it is not a length of time here"
			if err != nil {
				why = err.Error()
			}
			r.p.lack("How long it waits is not translated: %s. It is an hour now.", why)
			return map[string]any{"duration": "1h"}
		}
		return map[string]any{"duration": "=text(" + t.code + ") + " + quoteText(unit)}
	}
	if amount < 0 {
		amount = 1
	}
	return map[string]any{"duration": strconv.FormatFloat(min(amount, 8_000), 'f', -1, 64) + unit}
}

func (r *reader) call(p params) map[string]any {
	r.became("call", "success")
	name := p.at("workflowId", "cachedResultName").text()
	if name == "" {
		name = p.at("workflowId").text()
	}
	if source := p.at("source").text(); source != "" && source != "database" || name == "" || strings.HasPrefix(name, "=") {
		r.p.lack("Which workflow it calls is not known here: choose one.")
		name = "choose a workflow"
	} else {
		r.p.near("It calls the workflow “%s” by its name: import that as well and publish it.", clipText(name, 200))
	}
	config := map[string]any{"workflow": clipText(name, 200), "wait": true}
	if w := p.at("options", "waitForSubWorkflow"); w.there() {
		config["wait"] = w.yes()
	}
	if fields, ok := p.at("workflowInputs", "value").v.(map[string]any); ok && len(fields) > 0 {
		config["input"] = r.value(fields)
	}
	return config
}

func (r *reader) respond(p params) map[string]any {
	r.became("respond", "success")
	config := map[string]any{}
	if code := p.at("options", "responseCode"); code.there() {
		config["status"] = int(min(max(code.number(200), 100), 599))
	}
	headers := map[string]any{}
	for _, h := range p.at("options", "responseHeaders", "entries").list() {
		headers[h.at("name").text()] = r.text(h.at("value").text())
	}
	if len(headers) > 0 {
		config["headers"] = headers
	}
	switch p.at("respondWith").or("firstIncomingItem") {
	case "json", "text":
		config["body"] = r.jsonText(p.at("responseBody"))
	case "noData":
		config["body"] = ""
	case "firstIncomingItem", "allIncomingItems":
		if t, err := r.w.formulaOf("$json"); err == nil && t.code != "input" {
			config["body"] = "=" + t.code
		}
	default:
		r.p.lack("Answers of the sort “%s” are not given here: the input is the answer.", clipText(p.at("respondWith").text(), 60))
	}
	return config
}

// jsonText reads a parameter that is JSON as a text, with expressions in it.
func (r *reader) jsonText(p params) any {
	s, isText := p.v.(string)
	if !isText {
		return r.value(p.v)
	}
	var v any
	if !strings.HasPrefix(s, "=") {
		if json.Unmarshal([]byte(s), &v) == nil {
			return r.value(v)
		}
		return constantText(s)
	}
	body := strings.TrimSpace(s[1:])
	if inner, ok := strings.CutPrefix(body, "{{"); ok && strings.HasSuffix(inner, "}}") && strings.Count(body, "{{") == 1 {
		return r.text("=" + body)
	}
	if v, ok := r.jsonTemplate(body); ok {
		return v
	}
	return r.text(s)
}

// jsonTemplate reads JSON in which expressions stand where values do, also
// within texts.
func (r *reader) jsonTemplate(s string) (any, bool) {
	var b strings.Builder
	held := []string{}
	for {
		from := strings.Index(s, "{{")
		if from < 0 {
			b.WriteString(s)
			break
		}
		length, _, err := firstFormula(s[from+2:])
		if err != nil {
			return nil, false
		}
		b.WriteString(s[:from])
		inText := strings.Count(strings.ReplaceAll(b.String(), `\"`, ""), `"`)%2 == 1
		mark := "\x01" + strconv.Itoa(len(held)) + "\x02"
		held = append(held, s[from:from+2+length+2])
		if inText {
			b.WriteString(strings.Trim(string(must(plainJSON(mark))), `"`))
		} else {
			b.Write(must(plainJSON(mark)))
		}
		s = s[from+2+length+2:]
	}
	var v any
	if json.Unmarshal([]byte(b.String()), &v) != nil {
		return nil, false
	}
	return r.value(putBack(v, held)), true
}

func must(raw []byte, err error) []byte {
	if err != nil {
		return []byte(`""`)
	}
	return raw
}

// putBack puts expressions into the texts where they stood.
func putBack(v any, held []string) any {
	switch v := v.(type) {
	case string:
		if !strings.Contains(v, "\x01") {
			return v
		}
		for i, h := range held {
			v = strings.ReplaceAll(v, "\x01"+strconv.Itoa(i)+"\x02", h)
		}
		return "=" + v
	case []any:
		for i := range v {
			v[i] = putBack(v[i], held)
		}
	case map[string]any:
		for k := range v {
			v[k] = putBack(v[k], held)
		}
	}
	return v
}

func (r *reader) set(p params) map[string]any {
	r.became("set", "success")
	fields := map[string]any{}
	keep := p.at("includeOtherFields").yes() || p.at("include").there() && p.at("include").text() != "none" && r.p.version() >= 3 && !p.at("includeOtherFields").there()
	switch {
	case p.at("mode").text() == "raw":
		v := r.jsonText(p.at("jsonOutput"))
		if o, ok := v.(map[string]any); ok && keep {
			return map[string]any{"fields": o, "keep": true}
		}
		if keep {
			r.p.near("The other fields of its input do not go on with it.")
		}
		return r.instead(v)
	case p.at("assignments", "assignments").there():
		for _, a := range p.at("assignments", "assignments").list() {
			fields[a.at("name").text()] = r.assigned(a.at("type").text(), a.at("value"))
		}
	case p.at("fields", "values").there():
		for _, a := range p.at("fields", "values").list() {
			sort := strings.TrimSuffix(a.at("type").or("stringValue"), "Value")
			fields[a.at("name").text()] = r.assigned(sort, a.at(sort+"Value"))
		}
	default:
		keep = !p.at("keepOnlySet").yes()
		for _, sort := range []string{"string", "number", "boolean"} {
			for _, a := range p.at("values", sort).list() {
				fields[a.at("name").text()] = r.assigned(sort, a.at("value"))
			}
		}
	}
	delete(fields, "")
	if s := r.im.inputShape(r.p); keep && (s.prefix != "" || s.mixed != "") {
		r.p.near("The other fields go on under their own names in n8n; here they stay where the step before has them.")
	}
	return map[string]any{"fields": fields, "keep": keep}
}

// instead gives a value of its own: a Set step when it is an object.
func (r *reader) instead(v any) map[string]any {
	if o, ok := v.(map[string]any); ok {
		return map[string]any{"fields": o, "keep": false}
	}
	code := "input"
	if s, ok := v.(string); ok && strings.HasPrefix(s, "=") {
		code = s[1:]
	}
	r.p.node.Kind = "transform"
	return map[string]any{"expression": code}
}

// assigned reads a value in the sort that it is set as.
func (r *reader) assigned(sort string, v params) any {
	switch sort {
	case "number", "boolean":
		return r.value(typed(sort, v).v)
	case "object", "array":
		return r.jsonText(v)
	}
	return r.value(v.v)
}

func (r *reader) splitOut(p params) map[string]any {
	r.became("transform", "success")
	field := p.at("fieldToSplitOut").text()
	if op := p.at("operation").or("splitOutItems"); r.p.short() == "itemLists" && op != "splitOutItems" || field == "" || strings.ContainsAny(field, ",={") {
		return r.other(p)
	}
	source := "$json"
	for _, name := range strings.Split(field, ".") {
		source += "[" + string(must(plainJSON(name))) + "]"
	}
	t, err := r.w.formulaOf(source)
	if err != nil {
		r.p.lack("“%s” is not translated: %s. It stands there as plain text.", clipText(field, 160), err.Error())
		t.code = "input"
	}
	r.p.near("n8n makes an item of each entry; here the list goes on as one value. Put what follows into a For each.")
	return map[string]any{"expression": t.code}
}

// tries says how often a node is tried and where its failures go.
func (im *n8n) tries(p *part) {
	if p.node.Kind == "http" || p.node.Kind == "llm" || p.node.Kind == "external" {
		retry := &graph.Retry{MaxAttempts: 1}
		if p.RetryOnFail {
			tries := p.MaxTries
			if tries < 1 || math.IsNaN(tries) {
				tries = 3
			}
			pause := p.WaitBetween
			if pause <= 0 || math.IsNaN(pause) {
				pause = 1_000
			}
			retry = &graph.Retry{MaxAttempts: int(min(tries, 1_000)), Backoff: "fixed", Initial: (time.Duration(min(max(pause, 100), 3_600_000)) * time.Millisecond).String()}
		}
		p.node.Retry = retry
	} else if p.RetryOnFail {
		p.near("It is done at once here and never tried again.")
	}
	if p.ExecuteOnce {
		p.near("“Execute once” means nothing here: a step runs once for what comes.")
	}
	if p.AlwaysOutputData {
		p.near("“Always output data” means nothing here: a step that ends always gives something.")
	}
	fails := slices.Contains([]string{"http", "llm", "external", "set", "transform", "if", "route", "call", "map"}, p.node.Kind)
	switch {
	case p.OnError == "continueErrorOutput" && fails:
		p.ports = append(p.ports, "failure")
		p.near("By the error way comes {\"error\": …} here, not the item.")
	case (p.OnError == "continueRegularOutput" || p.ContinueOnFail) && fails:
		p.near("After a failure it goes on with {\"error\": …}.")
	}
}
