package exchange

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"signalbox/engine/graph"
	"signalbox/engine/problem"
)

// way is a connection between two nodes that are there.
type way struct {
	from, to *part
	output   int
}

// trigger reports whether a node starts runs.
func (p *part) trigger() bool {
	word := p.short()
	return word == "webhook" || word == "start" || word == "cron" || word == "interval" || strings.HasSuffix(strings.ToLower(word), "trigger")
}

// bodies finds the connections of the flow, and what each Loop Over Items
// repeats: all that its loop output leads to, if nothing else leads there.
func (im *n8n) bodies() {
	for _, p := range im.parts {
		for output, list := range im.file.Connections[p.Name]["main"] {
			for _, c := range list {
				if q := im.byName[c.Node]; q != nil && (c.Type == "main" || c.Type == "") {
					im.ways = append(im.ways, way{p, q, output})
				}
			}
		}
	}
	for _, p := range im.parts {
		if p.short() == "splitInBatches" {
			p.body = im.bodyOf(p)
		}
	}
	loops := slices.DeleteFunc(slices.Clone(im.parts), func(p *part) bool { return len(p.body) == 0 })
	slices.SortStableFunc(loops, func(a, b *part) int { return cmp.Compare(len(a.body), len(b.body)) })
	for _, p := range loops {
		for _, q := range p.body {
			if q.inner == nil {
				q.inner, q.node.In = p, p.node.ID
			}
		}
	}
}

// loopOutput is the output that leads to what is repeated.
func (p *part) loopOutput() int {
	if p.version() >= 3 {
		return 1
	}
	return 0
}

func (im *n8n) bodyOf(loop *part) []*part {
	inside := map[*part]bool{}
	var body []*part
	reach := func(p *part) {
		if p != loop && !inside[p] {
			inside[p] = true
			body = append(body, p)
		}
	}
	for _, w := range im.ways {
		if w.from == loop && w.output == loop.loopOutput() {
			reach(w.to)
		}
	}
	for i := 0; i < len(body); i++ {
		for _, w := range im.ways {
			if w.from == body[i] {
				reach(w.to)
			}
		}
	}
	for _, w := range im.ways {
		foreign := !inside[w.from] && !(w.from == loop && w.output == loop.loopOutput())
		if inside[w.to] && foreign || inside[w.to] && w.to.trigger() {
			return nil
		}
	}
	return body
}

// shapeOf tells how a node's output looks here.
func (im *n8n) shapeOf(p *part) shape {
	if p.shape != nil {
		return *p.shape
	}
	if im.busy[p] {
		return shape{}
	}
	im.busy[p] = true
	defer delete(im.busy, p)
	s := im.shapeMade(p)
	p.shape = &s
	return s
}

func (im *n8n) shapeMade(p *part) shape {
	switch p.short() {
	case "webhook":
		why := "a webhook hands on the body of the request only"
		return shape{alias: map[string]string{"body": ""}, lacks: map[string]string{"headers": why, "query": why, "params": why}}
	case "httpRequest":
		return requestShape(p.p)
	case "openAi":
		return shape{nested: map[string]string{"message.content": "text"}, alias: map[string]string{"content": "text"}}
	case "agent", "chainLlm":
		return shape{alias: map[string]string{"output": "text", "response": "text"}}
	case "merge":
		if im.count(p) > 1 {
			return shape{mixed: "a join gives one field for each step that came, so that nobody can tell where “$json” is"}
		}
		return im.inputShape(p)
	case "if", "filter", "switch", "noOp", "respondToWebhook", "stopAndError":
		return im.inputShape(p)
	case "wait":
		if p.p.at("resume").or("timeInterval") == "timeInterval" || p.p.at("resume").text() == "specificTime" {
			return im.inputShape(p)
		}
	case "set":
		return im.setShape(p)
	}
	return shape{}
}

// setShape is that of the input with the fields that are set beside it.
func (im *n8n) setShape(p *part) shape {
	s := im.inputShape(p)
	older := p.version() < 3 && !p.p.at("keepOnlySet").yes()
	if !older && !p.p.at("includeOtherFields").yes() || s.prefix == "" && s.mixed == "" && s.alias == nil {
		return shape{}
	}
	own := maps.Clone(s.own)
	if own == nil {
		own = map[string]bool{}
	}
	for _, at := range [][]string{{"assignments", "assignments"}, {"fields", "values"}, {"values", "string"}, {"values", "number"}, {"values", "boolean"}} {
		for _, a := range p.p.at(at...).list() {
			own[a.at("name").text()] = true
		}
	}
	s.own = own
	return s
}

func (im *n8n) count(p *part) int {
	n := 0
	for _, w := range im.ways {
		if w.to == p {
			n++
		}
	}
	return n
}

// inputShape is that of all that leads to a node.
func (im *n8n) inputShape(p *part) shape {
	var found *shape
	for _, w := range im.ways {
		if w.to != p || slices.Contains(p.body, w.from) || im.busy[w.from] {
			continue
		}
		s := im.shapeOf(w.from)
		if w.from.short() == "splitInBatches" && w.output != w.from.loopOutput() {
			s = shape{}
		}
		if found != nil && !found.same(s) {
			return shape{mixed: "steps of different form lead here, so that nobody can tell where “$json” is"}
		}
		found = &s
	}
	if found == nil {
		return shape{}
	}
	return *found
}

// flow makes edges of connections.
func (im *n8n) flow() {
	im.dangle()
	seen := map[graph.Edge]bool{}
	add := func(from, port, to string) {
		e := graph.Edge{From: from, Port: port, To: to}
		if seen[e] {
			return
		}
		seen[e] = true
		e.ID = "e" + strconv.Itoa(len(im.edges)+1)
		im.edges = append(im.edges, e)
	}
	for _, w := range im.ways {
		switch {
		case slices.Contains(w.to.body, w.from): // back for the next item
		case len(w.from.body) > 0 && w.output == w.from.loopOutput():
			im.enter(w, add)
		case w.from.gone || w.to.gone:
			im.lost("“%s” led to “%s”, which is left out.", w.from.Name, w.to.Name)
		case w.to.trigger():
			im.lost("“%s” led to “%s”, which starts runs and so has no way in.", w.from.Name, w.to.Name)
		case w.output >= len(w.from.ports) || w.from.ports[w.output] == "":
			im.lost("“%s” led to “%s” by a way out that it has not here.", w.from.Name, w.to.Name)
		default:
			port := w.from.ports[w.output]
			add(w.from.node.ID, port, w.to.node.ID)
			if (w.from.OnError == "continueRegularOutput" || w.from.ContinueOnFail) && port == "success" && w.from.node.Kind != "join" {
				add(w.from.node.ID, "failure", w.to.node.ID)
			}
		}
	}
	im.frames()
}

// enter lets a body begin: what nothing in it leads to begins by itself;
// anything else begins by a step that only hands on.
func (im *n8n) enter(w way, add func(from, port, to string)) {
	back := slices.ContainsFunc(im.ways, func(o way) bool { return o.to == w.to && o.from != w.from })
	if !back {
		return
	}
	id := w.to.node.ID + "_in"
	if im.byName["\x00"+id] == nil {
		p := &part{gone: false, n8nNode: n8nNode{Name: w.to.Name, Type: "begin"}, node: graph.Node{ID: id, Key: im.key("begin"), Kind: "transform", In: w.from.node.ID, Config: []byte(`{"expression":"input"}`)}}
		p.lay = graph.NodeLayout{X: w.to.lay.X - 320, Y: w.to.lay.Y}
		p.near("It lets the steps that are repeated begin.")
		im.byName["\x00"+id] = p
		im.parts = append(im.parts, p)
	}
	add(id, "success", w.to.node.ID)
}

// frames puts each container around what it holds.
func (im *n8n) frames() {
	for _, p := range im.parts {
		if p.short() != "splitInBatches" || p.gone {
			continue
		}
		if len(p.body) == 0 {
			p.node.Kind, p.node.Config = "transform", []byte(`{"expression":"input"}`)
			p.reasons = reasons{}
			p.lack("What it repeats is also reached from elsewhere, or is nothing; it is not repeated here.")
			continue
		}
		p.lay.X, p.lay.Y = p.body[0].lay.X-40, p.body[0].lay.Y-80
		for _, q := range p.body {
			p.lay.X, p.lay.Y = min(p.lay.X, q.lay.X-40), min(p.lay.Y, q.lay.Y-80)
		}
	}
}

func (im *n8n) lost(format string, from, to string) {
	text := strings.Replace(strings.Replace(format, "%s", clipText(from, 120), 1), "%s", clipText(to, 120), 1)
	if !slices.Contains(im.out.Dangling, text) {
		im.out.Dangling = append(im.out.Dangling, text)
	}
}

// dangle lists connections whose ends are not in the file.
func (im *n8n) dangle() {
	for _, from := range slices.Sorted(maps.Keys(im.file.Connections)) {
		for _, lists := range im.file.Connections[from] {
			for _, list := range lists {
				for _, c := range list {
					if im.byName[from] == nil || im.byName[c.Node] == nil {
						im.lost("“%s” leads to “%s”, and one of them is not in the file.", from, c.Node)
					}
				}
			}
		}
	}
	slices.Sort(im.out.Dangling)
}

// joins says when nodes with several edges begin. A Merge node is asked about.
func (im *n8n) joins() error {
	for _, p := range im.parts {
		branches := 0
		for _, e := range im.edges {
			if e.To == p.node.ID {
				branches++
			}
		}
		if branches < 2 || p.gone {
			continue
		}
		if p.short() != "merge" {
			p.node.Join = &graph.Join{Mode: "each"}
			continue
		}
		answer, answered := im.answers[p.Name]
		if !answered {
			answer = "inclusive"
			p.near("Say which join it is: n8n itself goes on with whatever comes.")
		}
		j := &graph.Join{Mode: answer}
		if n, err := strconv.Atoi(answer); err == nil && n >= 1 && n <= branches {
			j = &graph.Join{Mode: "n", N: n}
		} else if !slices.Contains(JoinAnswers(), answer) {
			return problem.New(problem.Invalid, "This is no join that a Merge node can have meant.").At("/answers/"+p.Name, clipText(answer, 40), "inclusive, all, first or a number of branches")
		}
		p.node.Join = j
		im.out.Questions = append(im.out.Questions, Question{Name: p.Name, Node: p.node.ID, Options: JoinAnswers(), Branch: branches, Answer: answer})
	}
	return nil
}
