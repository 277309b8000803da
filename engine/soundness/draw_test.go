package soundness_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"signalbox/engine/machine"
	"signalbox/engine/soundness"
)

// draw makes a machine of words: "s" of the first line is the trigger. A line
// "a>b c" leads from a's port success to b and c, "a.p>b" from its port p. A
// line "j=all" sets a join: inclusive, each, all, first, n2, a "!" cancels, a
// "@" sets a deadline. "x:fail" sets an operation, "g:group x y" puts nodes
// into a container.
func draw(t testing.TB, lines ...string) *machine.Machine {
	t.Helper()
	d := drawing{m: &machine.Machine{Format: machine.Format, Semantics: machine.Semantics}, index: map[string]int{}}
	d.node("s")
	for _, l := range lines {
		d.line(l)
	}
	for i := range d.m.Nodes {
		n := &d.m.Nodes[i]
		if len(n.Ports) == 0 && n.Op != machine.OpEnd && n.Op != machine.OpFail {
			n.Ports = []string{"success"}
		}
	}
	d.m.Nodes[0].Op = machine.OpTrigger
	if err := d.m.Link(); err != nil {
		t.Fatal(err)
	}
	return d.m
}

type drawing struct {
	m     *machine.Machine
	index map[string]int
}

func (d *drawing) node(key string) int {
	if i, ok := d.index[key]; ok {
		return i
	}
	d.index[key] = len(d.m.Nodes)
	d.m.Nodes = append(d.m.Nodes, machine.Node{Key: key, Kind: "mock", Op: machine.OpTask, Join: machine.JoinInclusive, MaxVisits: 1_000, Config: json.RawMessage(`{}`)})
	return d.index[key]
}

func (d *drawing) line(l string) {
	switch {
	case strings.Contains(l, ">"):
		from, to, _ := strings.Cut(l, ">")
		key, port, ok := strings.Cut(from, ".")
		if !ok {
			port = "success"
		}
		f := d.node(key)
		if n := &d.m.Nodes[f]; !strings.Contains(" "+strings.Join(n.Ports, " ")+" ", " "+port+" ") {
			n.Ports = append(n.Ports, port)
		}
		for _, k := range strings.Fields(to) {
			d.m.Edges = append(d.m.Edges, machine.Edge{From: f, Port: port, To: d.node(k)})
		}
	case strings.Contains(l, "="):
		key, mode, _ := strings.Cut(l, "=")
		n := &d.m.Nodes[d.node(key)]
		n.Cancel = strings.Contains(mode, "!")
		if strings.Contains(mode, "@") {
			n.Deadline = time.Minute
		}
		mode = strings.Trim(mode, "!@")
		if count, ok := strings.CutPrefix(mode, "n"); ok {
			n.JoinN, _ = strconv.Atoi(count)
			mode = machine.JoinN
		}
		n.Join = mode
	default:
		key, rest, _ := strings.Cut(l, ":")
		words := strings.Fields(rest)
		i := d.node(key)
		d.m.Nodes[i].Op = machine.Op(words[0])
		switch d.m.Nodes[i].Op {
		case machine.OpMap:
			d.m.Nodes[i].Config = json.RawMessage(`{"items":"input"}`)
		case machine.OpLoop:
			d.m.Nodes[i].Config = json.RawMessage(`{"condition":"true","max":3}`)
		default:
		}
		for _, w := range words[1:] {
			if k := d.node(w); true {
				d.m.Nodes[k].In = i + 1
			}
		}
	}
}

// say writes findings as "code node" lines, with fix and counter-example.
func say(m *machine.Machine, found []soundness.Finding) string {
	var b strings.Builder
	for _, f := range found {
		node := ""
		if f.Node >= 0 {
			node = m.Nodes[f.Node].Key
		}
		fmt.Fprintf(&b, "%s %s", f.Code, node)
		if f.Fix != nil {
			fmt.Fprintf(&b, " fix %s=%s", m.Nodes[f.Fix.Node].Key, f.Fix.Mode)
			if f.Fix.Cancel {
				b.WriteString("!")
			}
		}
		for _, c := range f.Example {
			fmt.Fprintf(&b, " %s.%s", m.Nodes[c.Node].Key, c.Port)
		}
		b.WriteString("\n")
	}
	return b.String()
}
