package exchange

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"signalbox/engine/graph"
	"signalbox/engine/problem"
)

// N8nNodesMax is how many nodes a workflow of n8n may have to be read.
const N8nNodesMax = 1_000

// JoinAnswers lists what a Merge node can have meant: whatever comes, all of
// them, the first.
func JoinAnswers() []string { return []string{"inclusive", "all", "first"} }

// n8nFile is a workflow of n8n, as far as it is read.
type n8nFile struct {
	Name        string                                  `json:"name"`
	Nodes       []n8nNode                               `json:"nodes"`
	Connections map[string]map[string][][]n8nConnection `json:"connections"`
	Settings    map[string]json.RawMessage              `json:"settings"`
	PinData     map[string][]json.RawMessage            `json:"pinData"`
}

type n8nNode struct {
	Name        string          `json:"name"`
	Type        string          `json:"type"`
	Version     json.Number     `json:"typeVersion"`
	Position    []float64       `json:"position"`
	Parameters  json.RawMessage `json:"parameters"`
	Credentials map[string]struct {
		Name string `json:"name"`
	} `json:"credentials"`
	Disabled         bool    `json:"disabled"`
	Notes            string  `json:"notes"`
	RetryOnFail      bool    `json:"retryOnFail"`
	MaxTries         float64 `json:"maxTries"`
	WaitBetween      float64 `json:"waitBetweenTries"`
	OnError          string  `json:"onError"`
	ContinueOnFail   bool    `json:"continueOnFail"`
	ExecuteOnce      bool    `json:"executeOnce"`
	AlwaysOutputData bool    `json:"alwaysOutputData"`
}

type n8nConnection struct {
	Node  string `json:"node"`
	Type  string `json:"type"`
	Index int    `json:"index"`
}

// short is the last word of a node's type: httpRequest.
func (n n8nNode) short() string { return n.Type[strings.LastIndexByte(n.Type, '.')+1:] }

func (n n8nNode) version() float64 {
	v, err := n.Version.Float64()
	if err != nil {
		return 1
	}
	return v
}

// part is a node of the file and what becomes of it.
type part struct {
	reasons
	n8nNode
	p     params
	node  graph.Node
	lay   graph.NodeLayout
	shape *shape            // what its output looks like, seen from expressions of n8n; nil: not known yet
	body  []*part           // what it repeats
	inner *part             // whose body it stands in, the innermost
	ports []string          // by number of the output; empty: it has none there
	gone  bool              // it is no node of ours
	into  *part             // what took it in
	links map[string]string // by name of a sort of connection that is no flow: who is linked
}

// n8n reads one file.
type n8n struct {
	file    n8nFile
	parts   []*part
	byName  map[string]*part
	answers map[string]string
	keys    shorten
	out     Imported
	edges   []graph.Edge
	notes   map[string]graph.Note
	busy    map[*part]bool // whose shape is asked for
	ways    []way
}

// FromN8n reads a workflow of n8n. The answers say, by the name of a Merge
// node, which join was meant: one of JoinAnswers, or a number of branches.
func FromN8n(raw []byte, answers map[string]string) (Imported, error) {
	im := n8n{byName: map[string]*part{}, busy: map[*part]bool{}, answers: answers, notes: map[string]graph.Note{}}
	im.out = Imported{Form: "n8n", Parts: []Carried{}, Dangling: []string{}, Questions: []Question{}, Credentials: []string{}}
	if err := json.Unmarshal(raw, &im.file); err != nil {
		return Imported{}, problem.New(problem.Invalid, "This looks like a workflow of n8n, but a part of it has another form than n8n writes.").At("", "not understood", "a workflow as n8n exports it")
	}
	if n := len(im.file.Nodes); n > N8nNodesMax {
		return Imported{}, problem.New(problem.TooLarge, "A workflow of n8n may have %d nodes to be read; this one has %d.", N8nNodesMax, n)
	}
	for i := range im.file.Nodes {
		if err := im.begin(i); err != nil {
			return Imported{}, err
		}
	}
	im.link()
	im.bodies()
	for _, p := range im.parts {
		im.translate(p)
	}
	im.flow()
	if err := im.joins(); err != nil {
		return Imported{}, err
	}
	im.settings()
	im.finish()
	return im.out, nil
}

// begin takes a node in, with a key and a place.
func (im *n8n) begin(i int) error {
	p := &part{n8nNode: im.file.Nodes[i], links: map[string]string{}}
	if p.Name == "" || p.Type == "" || im.byName[p.Name] != nil {
		return problem.New(problem.Invalid, "In a workflow of n8n every node has a type and a name of its own; number %d has not.", i+1).At("/nodes/"+strconv.Itoa(i)+"/name", "missing or double", "a name of its own")
	}
	p.p = readParams(p.Parameters)
	p.node = graph.Node{ID: "n" + strconv.Itoa(i+1), Disabled: p.Disabled}
	if p.short() != "stickyNote" {
		p.node.Key = im.key(p.Name)
	}
	p.lay = graph.NodeLayout{Title: clipText(p.Name, graph.TitleLengthMax), Notes: clipText(p.Notes, graph.NotesLengthMax)}
	if len(p.Position) == 2 {
		p.lay.X, p.lay.Y = grid(p.Position[0]*1.5), grid(p.Position[1]*1.3)
	}
	im.parts = append(im.parts, p)
	im.byName[p.Name] = p
	return nil
}

// grid puts a place on the canvas's grid; one that nobody could draw is the corner.
func grid(x float64) int {
	if x != x || x > 1e6 || x < -1e6 {
		return 0
	}
	return int(x/8) * 8
}

// clipText keeps what can stand in a title or note.
func clipText(s string, most int) string {
	s = strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || r >= ' ' && r != 0x7f && (r < 0x80 || r > 0x9f) && (r < 0x202A || r > 0x202E) && (r < 0x2066 || r > 0x2069) {
			return r
		}
		return -1
	}, s)
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most])
	}
	return s
}

// key makes a key of a name.
func (im *n8n) key(name string) string {
	word := strings.Trim(strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return '_'
	}, name), "_")
	for strings.Contains(word, "__") {
		word = strings.ReplaceAll(word, "__", "_")
	}
	word = strings.Trim(word[:min(len(word), 32)], "_")
	if word == "" {
		word = "step"
	}
	if !graph.GoodKey(word) {
		word = "step_" + word
	}
	if im.keys.taken == nil {
		im.keys.taken = map[string]bool{}
	}
	free := word
	for i := 2; im.keys.taken[free]; i++ {
		free = word + "_" + strconv.Itoa(i)
	}
	im.keys.taken[free] = true
	return free
}

// link notes connections that are no flow: a model that a chain asks.
func (im *n8n) link() {
	for _, from := range slices.Sorted(maps.Keys(im.file.Connections)) {
		for _, sort := range slices.Sorted(maps.Keys(im.file.Connections[from])) {
			if sort == "main" {
				continue
			}
			for _, list := range im.file.Connections[from][sort] {
				for _, c := range list {
					if p, q := im.byName[from], im.byName[c.Node]; p != nil && q != nil {
						q.links[sort], p.into = from, q
					}
				}
			}
		}
	}
}

// settings says what of the workflow's own settings does not come along.
func (im *n8n) settings() {
	var r reasons
	for _, name := range []string{"errorWorkflow", "executionTimeout", "timezone", "callerPolicy"} {
		if v := im.file.Settings[name]; len(v) > 0 && string(v) != `""` && string(v) != "-1" && string(v) != `"DEFAULT"` && string(v) != `"workflowsFromSameOwner"` {
			r.lack("The workflow's setting “%s” is left out.", name)
		}
	}
	if len(r.said) > 0 {
		im.out.Parts = append(im.out.Parts, r.carried(im.file.Name, "settings", ""))
	}
}

// finish puts the parts together.
func (im *n8n) finish() {
	g := graph.Graph{Format: graph.Format, Name: clipText(im.file.Name, graph.TitleLengthMax), Nodes: []graph.Node{}, Edges: im.edges, Layout: graph.Layout{Nodes: map[string]graph.NodeLayout{}, Notes: im.notes}}
	credentials := map[string]bool{}
	for _, p := range im.parts {
		id := p.node.ID
		if p.gone {
			id = ""
			if p.into != nil && !p.into.gone {
				id = p.into.node.ID
			}
		} else {
			im.pins(&g, p)
			g.Nodes = append(g.Nodes, p.node)
			g.Layout.Nodes[p.node.ID] = p.lay
		}
		for _, kind := range slices.Sorted(maps.Keys(p.Credentials)) {
			if name := p.Credentials[kind].Name; name != "" {
				credentials[clipText(name, 200)] = true
			}
		}
		im.out.Parts = append(im.out.Parts, p.carried(p.Name, p.Type, id))
	}
	im.out.Credentials = append(im.out.Credentials, slices.Sorted(maps.Keys(credentials))...)
	if g.Edges == nil {
		g.Edges = []graph.Edge{}
	}
	im.out.Graph = g
}

// pins keeps sample outputs: of a trigger it is the sample input of test runs.
func (im *n8n) pins(g *graph.Graph, p *part) {
	list := im.file.PinData[p.Name]
	if len(list) == 0 {
		return
	}
	var item struct {
		JSON json.RawMessage `json:"json"`
	}
	if json.Unmarshal(list[0], &item) != nil || len(item.JSON) == 0 {
		return
	}
	value := item.JSON
	if p.node.Kind == "webhook" {
		var request struct {
			Body json.RawMessage `json:"body"`
		}
		if json.Unmarshal(value, &request) == nil && len(request.Body) > 0 {
			value = request.Body
		}
	}
	if len(list) > 1 {
		p.near("Of its %d pinned items the first is kept.", len(list))
	}
	if p.node.Kind == "webhook" || p.node.Kind == "manual" {
		g.Layout.Sample = value
		return
	}
	if p.node.Kind == "http" {
		value = json.RawMessage(fmt.Sprintf(`{"status":200,"headers":{},"body":%s}`, value))
	}
	p.lay.Pin = value
}
