package exchange

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"

	"signalbox/engine/graph"
)

// translate makes a node of ours of a node of n8n.
func (im *n8n) translate(p *part) {
	r := im.reader(p)
	if q := p.into; q != nil && q.links["ai_languageModel"] == p.Name && (q.short() == "agent" || q.short() == "chainLlm") {
		p.gone = true // its model is asked by the step that it is linked to
		return
	}
	read, ok := n8nKinds()[p.short()]
	if !ok {
		read = (*reader).other
	}
	config := read(r, p.p)
	r.told()
	if p.gone {
		return
	}
	if config == nil {
		config = map[string]any{}
	}
	raw, err := plainJSON(config)
	if err != nil || len(raw) > graph.ConfigSizeMax {
		p.lack("Its settings are larger than %d bytes and are left out.", graph.ConfigSizeMax)
		raw = json.RawMessage("{}")
	}
	p.node.Config = raw
	im.tries(p)
}

// n8nKinds says what makes our nodes of which of theirs.
func n8nKinds() map[string]func(*reader, params) map[string]any {
	return map[string]func(*reader, params) map[string]any{
		"manualTrigger": (*reader).manual, "start": (*reader).manual, "executeWorkflowTrigger": (*reader).manual,
		"formTrigger": (*reader).otherTrigger, "chatTrigger": (*reader).otherTrigger, "manualChatTrigger": (*reader).otherTrigger,
		"scheduleTrigger": (*reader).schedule, "cron": (*reader).schedule, "interval": (*reader).schedule,
		"errorTrigger": (*reader).errorTrigger, "webhook": (*reader).webhook,
		"if": (*reader).ifElse, "filter": (*reader).filter, "switch": (*reader).choose,
		"merge": (*reader).merge, "splitInBatches": (*reader).batches, "noOp": (*reader).nothing,
		"wait": (*reader).wait, "stopAndError": (*reader).stop, "executeWorkflow": (*reader).call,
		"respondToWebhook": (*reader).respond, "set": (*reader).set,
		"code": (*reader).script, "function": (*reader).script, "functionItem": (*reader).script,
		"httpRequest": (*reader).request, "splitOut": (*reader).splitOut, "itemLists": (*reader).splitOut,
		"openAi": (*reader).openAI, "chainLlm": (*reader).chain, "agent": (*reader).chain,
		"stickyNote": (*reader).note,
	}
}

// became sets the kind of the node and its ways out, by the number of the output.
func (r *reader) became(kind string, ports ...string) {
	r.p.node.Kind, r.p.ports = kind, ports
}

func (r *reader) manual(params) map[string]any {
	r.became("manual", "success")
	return nil
}

func (r *reader) otherTrigger(params) map[string]any {
	r.became("manual", "success")
	r.p.near("Nothing here starts a run like “%s” does: it starts by hand, or by a program over the API.", r.p.short())
	return nil
}

func (r *reader) schedule(params) map[string]any {
	r.became("manual", "success")
	r.p.lack("Nothing here starts runs by the clock: it starts by hand, or by a program over the API.")
	return nil
}

func (r *reader) errorTrigger(params) map[string]any {
	r.became("manual", "success")
	r.p.near("n8n starts it when a run fails. Here a failed step leaves by its failure way: let that call this workflow.")
	return nil
}

func (r *reader) webhook(p params) map[string]any {
	r.became("webhook", "success")
	config := map[string]any{"auth": "none", "respond": map[string]string{"lastNode": "at_end", "responseNode": "by_node"}[p.at("responseMode").text()]}
	if config["respond"] == "" {
		config["respond"] = "at_once"
	}
	if path := p.at("path").text(); pathFits(path) {
		config["path"] = path
	} else {
		r.p.near("Its path “%s” has no form here; it gets an address of its own.", clipText(path, 80))
	}
	if method := p.at("httpMethod").or("GET"); method != "HEAD" {
		config["methods"] = []string{method}
	}
	switch p.at("authentication").or("none") {
	case "none":
		r.p.near("A webhook that anybody may call answers only this machine here: choose Signed or Token for others.")
	default:
		config["auth"] = "bearer"
		config["credential"] = r.credential()
		r.p.near("Callers bring a token here: store it as a credential.")
	}
	return config
}

func pathFits(path string) bool {
	for _, c := range path {
		if c != '-' && c != '_' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return false
		}
	}
	return len(path) >= 6 && len(path) <= 120
}

// credential is the name of what the node uses; its value stays where it is.
func (r *reader) credential() string {
	name := ""
	for _, c := range r.p.Credentials {
		if name == "" || c.Name < name {
			name = c.Name
		}
	}
	if name != "" {
		r.p.near("Store the credential “%s” here: only its name came along.", clipText(name, 200))
	}
	return clipText(name, 200)
}

func (r *reader) ifElse(p params) map[string]any {
	r.became("if", "true", "false")
	return map[string]any{"condition": r.asked(p.at("conditions"))}
}

// asked writes conditions; what cannot be translated is never true.
func (r *reader) asked(c params) string {
	t, err := r.conditions(c)
	if err != nil {
		r.p.lack("Its condition is not translated: %s. It is never true here.", err.Error())
		return "false"
	}
	return t.code
}

func (r *reader) filter(p params) map[string]any {
	r.became("if", "true")
	return map[string]any{"condition": r.asked(p.at("conditions"))}
}

func (r *reader) choose(p params) map[string]any {
	r.became("route")
	rules := []map[string]any{}
	names := shorten{}
	add := func(name, when string) {
		port := portName(&names, name, len(rules))
		rules = append(rules, map[string]any{"when": when, "port": port})
		r.p.ports = append(r.p.ports, port)
	}
	switch {
	case p.at("mode").text() == "expression":
		t, err := r.code(p.at("output"))
		if err != nil {
			r.p.lack("Its condition is not translated: %s. It is never true here.", err.Error())
			t = term{"-1", tightNot, numberSort}
		}
		for i := range int(min(max(p.at("numberOutputs").number(4), 1), 50)) {
			add("", t.within(tightCompare)+" == "+strconv.Itoa(i))
		}
	case len(p.at("rules", "values").list()) > 0: // version 3
		for _, rule := range p.at("rules", "values").list() {
			add(rule.at("outputKey").text(), r.asked(rule.at("conditions")))
		}
	default:
		r.olderRules(p, add)
	}
	fallback := cmp.Or(p.at("options", "fallbackOutput").text(), p.at("fallbackOutput").text())
	switch n, err := strconv.Atoi(fallback); {
	case fallback == "extra":
		r.p.ports = append(r.p.ports, "default")
	case err == nil && n >= len(rules) && n < 50:
		r.p.ports = append(append(r.p.ports, make([]string, n-len(rules))...), "default")
	case err == nil && n >= 0 && n < len(rules):
		rules = append(rules, map[string]any{"when": "true", "port": rules[n]["port"]})
		r.p.near("What fits no rule leaves by “%s”.", rules[n]["port"])
		rules[len(rules)-1]["port"] = portName(&names, "otherwise", len(rules))
	}
	match := "first"
	if p.at("options", "allMatchingOutputs").yes() {
		match = "every"
	}
	return map[string]any{"match": match, "rules": rules}
}

// olderRules reads the rules of the first two versions.
func (r *reader) olderRules(p params, add func(name, when string)) {
	value, sort := p.at("value1"), p.at("dataType").or("number")
	list := p.at("rules", "rules").list()
	byOutput := map[int]term{}
	most := -1
	for _, rule := range list {
		t, err := r.condition(sort, operationName(rule.at("operation").or("equal")), value, rule.at("value2"), false)
		if err != nil {
			r.p.lack("Its condition is not translated: %s. It is never true here.", err.Error())
			t = term{"false", tightField, boolSort}
		}
		output := int(min(max(rule.at("output").number(float64(most+1)), 0), 49))
		if rule.at("outputKey").there() {
			output = most + 1
		}
		if before, twice := byOutput[output]; twice {
			t = logical("||", before, t)
		}
		byOutput[output], most = t, max(most, output)
	}
	for i := range most + 1 {
		when := "false"
		if t, ok := byOutput[i]; ok {
			when = t.code
		}
		add("", when)
	}
}

// portName makes the name of a way out.
func portName(names *shorten, name string, i int) string {
	word := strings.ToLower(strings.Trim(strings.Map(func(c rune) rune {
		if c < 0x80 && wordByte(byte(c)) && c != '$' {
			return c
		}
		return '_'
	}, name), "_"))
	word = word[:min(len(word), 30)]
	if word == "" || word[0] >= '0' && word[0] <= '9' || word == "default" || word == "failure" || word == "compensate" {
		word = strings.TrimSuffix("out_"+strconv.Itoa(i)+"_"+word, "_")
	}
	return names.name(word, "")
}

func (r *reader) merge(p params) map[string]any {
	r.became("join", "success")
	if p.at("mode").text() == "chooseBranch" || p.at("mode").text() == "passThrough" {
		r.p.near("It hands on one branch in n8n; here it hands on one field for each step that came.")
	} else {
		r.p.near("It makes one list of items in n8n; here it gives one field for each step that came.")
	}
	return nil
}

func (r *reader) batches(p params) map[string]any {
	r.became("map", "success")
	if r.p.version() < 3 {
		r.p.ports = []string{"", "success"}
	}
	r.p.near("n8n goes over the items that come; here what comes must be a list.")
	if n := p.at("batchSize").number(1); n > 1 {
		r.p.near("It takes %d items at a time in n8n; here each goes by itself.", int(min(n, 1_000)))
	}
	t, err := r.w.formulaOf("$json")
	if err != nil {
		t.code = "input"
	}
	return map[string]any{"items": "=" + t.code, "concurrency": 1}
}

func (r *reader) nothing(params) map[string]any {
	r.became("transform", "success")
	return map[string]any{"expression": "input"}
}

func (r *reader) stop(p params) map[string]any {
	r.became("fail")
	message := p.at("errorMessage").or("It was stopped.")
	if p.at("errorType").text() == "errorObject" {
		message = p.at("errorObject").or(message)
	}
	return map[string]any{"code": "failed", "message": r.text(message)}
}

func (r *reader) note(p params) map[string]any {
	r.p.gone = true
	r.im.notes[r.p.node.ID] = graph.Note{
		X: r.p.lay.X, Y: r.p.lay.Y, W: int(min(max(p.at("width").number(240), 80), 2_000)), H: int(min(max(p.at("height").number(160), 40), 2_000)),
		Text: clipText(p.at("content").text(), graph.NotesLengthMax),
	}
	return nil
}

// other is any node that nothing here does the work of.
func (r *reader) other(p params) map[string]any {
	word := r.p.short()
	if strings.HasSuffix(strings.ToLower(word), "trigger") {
		return r.otherTriggerLost()
	}
	if r.p.into != nil {
		r.p.gone = true
		r.p.lack("Nothing here does what “%s” does; it is left out.", word)
		return nil
	}
	r.became("external", "success")
	r.credential()
	r.p.lack("Nothing here does what “%s” does. Its settings are kept in an External task, which waits for a worker of yours; or put another step in its place.", clipText(word, 60))
	return map[string]any{"type": taskType(word), "input": map[string]any{"input": "=input", "parameters": r.quiet(p.v)}}
}

func (r *reader) otherTriggerLost() map[string]any {
	r.became("manual", "success")
	r.p.lack("Nothing here starts a run like “%s” does: it starts by hand, or by a program over the API.", clipText(r.p.short(), 60))
	return nil
}

// quiet translates what can be, and keeps the rest as it is.
func (r *reader) quiet(v any) any {
	before := r.p.reasons
	out := r.value(v)
	r.p.reasons = before
	if out == nil {
		return map[string]any{}
	}
	return out
}

func taskType(word string) string {
	var b strings.Builder
	for i, c := range clipText(word, 50) {
		switch {
		case c >= 'A' && c <= 'Z':
			if i > 0 {
				b.WriteByte('_')
			}
			b.WriteRune(c + 'a' - 'A')
		case c >= 'a' && c <= 'z' || c >= '0' && c <= '9' && i > 0:
			b.WriteRune(c)
		}
	}
	if b.Len() == 0 {
		return "task"
	}
	return b.String()[:min(b.Len(), 60)]
}
