package picture

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"signalbox/engine/graph"
	"signalbox/engine/kind"
)

// Geometry of a card, the same as on the canvas.
const (
	cardWidth  = 208.0
	wideWidth  = 248.0 // a card that lists its ports
	headHeight = 56.0
	rowHeight  = 28.0
	rowsPad    = 4.0
	footHeight = 28.0
	tileSize   = 32.0
	portRadius = 5.5
	undoPort   = 28.0 // from the left: where the line to a compensation leaves the lower edge
)

// card is a node with its measures.
type card struct {
	id         string
	title, sub string
	tile, icon string
	state      State
	foot       string
	input      bool // an edge may end here
	off        bool // disabled
	frame      bool // an open container: drawn around what stands in it
	depth      int  // containers around it
	outs       []out
	rows       bool
	x, y, w, h float64
}

// out is a way out of a card.
type out struct {
	name, title, label string
	y                  float64 // from the card's top
	failure            bool
}

func layOut(g graph.Graph, o Options) []card {
	used := map[string][]string{} // by node id: the ports that edges leave from
	for _, e := range g.Edges {
		used[e.From] = append(used[e.From], e.Port)
	}
	held := map[string]int{} // by node id: the nodes that stand directly in it
	for _, n := range g.Nodes {
		held[n.In]++
	}
	cards := make([]card, 0, len(g.Nodes))
	for _, n := range g.Nodes {
		if folded(g, n) {
			continue
		}
		c := newCard(n, g.Layout.Nodes[n.ID], o, used[n.ID])
		c.contain(n, g.Layout.Nodes[n.ID], o, held[n.ID])
		c.depth = g.Depth(n)
		cards = append(cards, c)
	}
	return framed(g, cards)
}

func newCard(n graph.Node, at graph.NodeLayout, o Options, used []string) card {
	spec, known := o.Find(n.Kind)
	if !known {
		spec = kind.Spec{Name: n.Kind, Title: n.Kind, Tile: "logic", Icon: "circle-help"}
	}
	c := card{
		id: n.ID, title: at.Title, sub: subtitle(spec, n), tile: spec.Tile, icon: spec.Icon,
		state: o.Nodes[n.ID], foot: o.Foot[n.ID], input: !spec.NoInput, off: n.Disabled,
		x: float64(at.X), y: float64(at.Y),
	}
	if c.title == "" {
		c.title = spec.Title
	}
	c.measure(ports(spec, n, used))
	return c
}

// measure places the ports. One port sits beside the title, several get a row
// each.
func (c *card) measure(list []out) {
	c.outs, c.rows = list, len(list) > 1
	c.w, c.h = cardWidth, headHeight
	if c.rows {
		c.w = wideWidth
		c.h += float64(len(list))*rowHeight + 2*rowsPad + 1
		for i := range list {
			list[i].y = headHeight + rowsPad + rowHeight*(float64(i)+0.5) + 1
		}
	} else if len(list) == 1 {
		list[0].y = headHeight / 2
	}
	if c.foot != "" {
		c.h += footHeight
	}
}

// ports are the ways out that the card shows: the ones from the
// configuration, then the fixed ones. An optional port shows when it is used.
func ports(spec kind.Spec, n graph.Node, used []string) []out {
	var list []out
	if spec.PortsOf != nil {
		list = portsOf(*spec.PortsOf, n.Config)
		for _, more := range spec.MorePorts {
			list = append(list, portsOf(more, n.Config)...)
		}
	}
	for _, p := range spec.Ports {
		if p.Optional && !slices.Contains(used, p.Name) {
			continue
		}
		title := p.Title
		if title == "" {
			title = p.Name
		}
		list = append(list, out{name: p.Name, title: title, failure: p.Failure})
	}
	// A port that an edge uses and the catalogue does not know keeps its edge.
	for _, port := range used {
		if port == graph.PortCompensate {
			continue // it leaves from the lower edge
		}
		if !slices.ContainsFunc(list, func(o out) bool { return o.name == port }) {
			list = append(list, out{name: port, title: port})
		}
	}
	return list
}

func portsOf(from kind.PortsOf, config json.RawMessage) []out {
	var fields map[string]json.RawMessage
	if json.Unmarshal(config, &fields) != nil {
		return nil
	}
	var items []map[string]any
	if json.Unmarshal(fields[from.Field], &items) != nil {
		return nil
	}
	var list []out
	for _, item := range items {
		name, _ := item[from.Name].(string)
		label, _ := item[from.Label].(string)
		if name != "" {
			list = append(list, out{name: name, title: name, label: label})
		}
	}
	return list
}

// addressMax is the longest address that is shown whole.
const addressMax = 20

var (
	template = regexp.MustCompile(`\{\{(.*?)\}\}`)
	names    = regexp.MustCompile(`[A-Za-z_]\w*\b(\s*\()?`)
	lastPart = regexp.MustCompile(`(/[^/?#]+)/?(?:[?#].*)?$`)
)

// plain is a value as it reads on a card: names stand for "{{ expressions }}",
// and a long address for its last part. The editor's cards say the same.
func plain(text string) string {
	named := template.ReplaceAllStringFunc(text, func(s string) string {
		name := "…"
		for _, found := range names.FindAllString(s, -1) {
			if !strings.HasSuffix(found, "(") {
				name = found
			}
		}
		return "‹" + name + "›"
	})
	if expr, ok := strings.CutPrefix(named, "="); ok {
		return strings.TrimSpace(expr)
	}
	bare := strings.TrimPrefix(strings.TrimPrefix(named, "https://"), "http://")
	if bare == named || utf8.RuneCountInString(bare) <= addressMax {
		return bare
	}
	if last := lastPart.FindStringSubmatch(bare); last != nil {
		return "…" + last[1]
	}
	return bare
}

// choiceTitle is how a choice is called, or the value as it reads on a card.
func choiceTitle(spec kind.Spec, name, value string) string {
	for i := range spec.Config.Properties {
		if p := &spec.Config.Properties[i]; p.Name == name {
			if at := slices.Index(p.Schema.Enum, value); at >= 0 && at < len(p.Schema.EnumTitles) {
				return p.Schema.EnumTitles[at]
			}
		}
	}
	return plain(value)
}

// subtitle fills the kind's template with fields of the configuration.
func subtitle(spec kind.Spec, n graph.Node) string {
	if spec.Subtitle == "" {
		return n.Key
	}
	var fields map[string]any
	if len(n.Config) > 0 && json.Unmarshal(n.Config, &fields) != nil {
		return n.Key
	}
	var b strings.Builder
	rest, filled := spec.Subtitle, false
	for {
		before, after, found := strings.Cut(rest, "{")
		b.WriteString(before)
		if !found {
			break
		}
		name, tail, _ := strings.Cut(after, "}")
		filled = filled || fields[name] != nil
		switch v := fields[name].(type) {
		case string:
			b.WriteString(choiceTitle(spec, name, v))
		case nil:
		default:
			text, err := json.Marshal(v)
			if err == nil {
				b.Write(text)
			}
		}
		rest = tail
	}
	// A guest's drawing has no configuration: words around nothing say nothing.
	if s := strings.TrimSpace(b.String()); s != "" && (filled || !strings.Contains(spec.Subtitle, "{")) {
		return s
	}
	return n.Key
}
