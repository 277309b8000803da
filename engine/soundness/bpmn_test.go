//go:build conformance

package soundness_test

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"signalbox/engine/machine"
)

// model is the control flow of one BPMN file.
type model struct {
	processes int
	elements  []element
	flows     []flow
	fallbacks map[string]bool // ids of flows that are their gateway's default
}

// element is a task, an event, a gateway or a subprocess.
type element struct {
	id, sort, in, attached string
}

type flow struct {
	id, from, to string
	fallback     bool // taken when no other is
}

// readBPMN takes the control flow out of a BPMN file: flow elements by their
// names, sequence flows by their ends, subprocesses by nesting.
func readBPMN(path string) (model, error) {
	file, err := os.Open(path)
	if err != nil {
		return model{}, fmt.Errorf("open model: %w", err)
	}
	defer file.Close() //nolint:errcheck // it is only read
	m := model{fallbacks: map[string]bool{}}
	var inside []string // ids of the subprocesses around, then of all elements
	for dec := xml.NewDecoder(file); ; {
		tok, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return m, nil
		} else if err != nil {
			return m, fmt.Errorf("read model: %w", err)
		}
		switch tok := tok.(type) {
		case xml.StartElement:
			m.start(tok, inside)
			id := ""
			if len(inside) > 0 {
				id = inside[len(inside)-1]
			}
			if strings.HasSuffix(strings.ToLower(tok.Name.Local), "subprocess") {
				id = attr(tok, "id")
			}
			inside = append(inside, id)
		case xml.EndElement:
			inside = inside[:len(inside)-1]
		}
	}
}

func (m *model) start(tok xml.StartElement, inside []string) {
	name, around := tok.Name.Local, ""
	if len(inside) > 0 {
		around = inside[len(inside)-1]
	}
	if strings.Contains(tok.Name.Space, "/DI") || strings.Contains(tok.Name.Space, "/DD") {
		return
	}
	switch {
	case name == "process":
		m.processes++
	case name == "sequenceFlow":
		m.flows = append(m.flows, flow{attr(tok, "id"), attr(tok, "sourceRef"), attr(tok, "targetRef"), m.fallbacks[attr(tok, "id")]})
	case name == "startEvent", name == "endEvent", name == "boundaryEvent", name == "callActivity", strings.HasPrefix(name, "intermediate"),
		strings.HasSuffix(name, "Gateway"), name == "task", strings.HasSuffix(name, "Task"), strings.HasSuffix(strings.ToLower(name), "subprocess"):
		if id := attr(tok, "default"); id != "" {
			m.fallbacks[id] = true
		}
		if attr(tok, "id") != "" {
			m.elements = append(m.elements, element{attr(tok, "id"), name, around, attr(tok, "attachedToRef")})
		}
	}
}

func attr(tok xml.StartElement, name string) string {
	for _, a := range tok.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// lowering makes the machine of a model; subprocesses are groups.
type lowering struct {
	model
	m    *machine.Machine
	at   map[string]int    // first node of an element
	out  map[string]int    // the node whose ports are the element's ways out
	name map[string]string // element by node key
}

func (m model) lower() (*lowering, error) {
	l := &lowering{model: m, m: &machine.Machine{Format: machine.Format, Semantics: machine.Semantics}, at: map[string]int{}, out: map[string]int{}, name: map[string]string{}}
	l.node("start", machine.OpTrigger, machine.JoinEach, "start")
	for _, e := range m.elements { // outer ones come before what is in them
		if e.sort != "boundaryEvent" {
			l.element(e)
		}
	}
	for _, e := range m.elements {
		if e.in == "" && e.sort == "startEvent" && !slices.ContainsFunc(m.flows, func(f flow) bool { return f.to == e.id }) {
			l.edge(0, machine.PortSuccess, l.at[e.id])
		}
	}
	for _, f := range m.flows {
		l.flow(f)
	}
	if err := l.m.Link(); err != nil {
		return nil, fmt.Errorf("link: %w", err)
	}
	return l, nil
}

func (l *lowering) node(id string, op machine.Op, join, element string) int {
	n := machine.Node{
		Key: fmt.Sprintf("n%03d", len(l.m.Nodes)), Kind: "mock", Op: op, Join: join, Ports: []string{machine.PortSuccess}, MaxVisits: 50, Config: json.RawMessage(`{}`),
		Retry: machine.Retry{MaxAttempts: 1, Initial: time.Second, Factor: 1, MaxInterval: time.Second},
	}
	if op == machine.OpTask || op == machine.OpGroup {
		n.Ports = append(n.Ports, machine.PortFailure)
	}
	l.m.Nodes = append(l.m.Nodes, n)
	l.at[id] = len(l.m.Nodes) - 1
	l.name[n.Key] = element
	return l.at[id]
}

// element adds what an element becomes. BPMN's exclusive and implicit merges
// pass every token (each), parallel ones want all, inclusive ones what comes.
// A choice is a task that decides and a route that follows it.
func (l *lowering) element(e element) {
	join := machine.JoinEach
	switch e.sort {
	case "parallelGateway":
		join = machine.JoinAll
	case "inclusiveGateway":
		join = machine.JoinInclusive
	}
	op := machine.OpTask
	if e.isSub() {
		op = machine.OpGroup
	}
	from := len(l.m.Nodes)
	defer func() {
		for i := from; i < len(l.m.Nodes); i++ {
			l.put(i, e.in)
		}
	}()
	first := l.node(e.id, op, join, e.sort+" "+e.id)
	l.out[e.id] = first
	ways := l.ways(e.id)
	match := map[string]string{"exclusiveGateway": "first", "eventBasedGateway": "first", "inclusiveGateway": "every"}[e.sort]
	if match == "" || len(ways) < 2 {
		return
	}
	route := l.node(e.id+" route", machine.OpRoute, machine.JoinEach, e.sort+" "+e.id)
	l.at[e.id] = first
	l.edge(first, machine.PortSuccess, route)
	n := &l.m.Nodes[route]
	n.Ports = nil
	var rules []string
	for k, f := range ways {
		if f.fallback {
			n.Ports = append(n.Ports, machine.PortDefault)
			continue
		}
		n.Ports = append(n.Ports, fmt.Sprintf("p%d", k))
		rules = append(rules, fmt.Sprintf(`{"port":"p%d","when":"%d in input.take"}`, k, k))
	}
	n.Config = json.RawMessage(`{"match":"` + match + `","rules":[` + strings.Join(rules, ",") + `]}`)
	l.out[e.id] = route
}

// put places a node in a subprocess.
func (l *lowering) put(i int, sub string) {
	if sub != "" {
		l.m.Nodes[i].In = l.at[sub] + 1
	}
}

func (e element) isSub() bool { return strings.HasSuffix(strings.ToLower(e.sort), "subprocess") }

// ways lists the flows out of an element.
func (l *lowering) ways(id string) []flow {
	return slices.DeleteFunc(slices.Clone(l.flows), func(f flow) bool { return f.from != id })
}

// flow adds an edge. Two flows between the same two elements, which a drawing
// of ours does not have, get a node each.
func (l *lowering) flow(f flow) {
	from, port := f.from, machine.PortSuccess
	for _, e := range l.elements {
		if e.id == f.from && e.attached != "" {
			from, port = e.attached, machine.PortFailure // a boundary event: another way out
		}
	}
	source, ok := l.out[from]
	target, there := l.at[f.to]
	if !ok || !there {
		return // from or to what is no part of the control flow
	}
	if l.m.Nodes[source].Op == machine.OpRoute && port == machine.PortSuccess {
		port = l.m.Nodes[source].Ports[slices.Index(l.ways(f.from), f)]
	}
	if slices.Contains(l.m.Edges, machine.Edge{From: source, Port: port, To: target}) {
		between := l.node(fmt.Sprintf("%s %s %d", f.from, f.to, len(l.m.Nodes)), machine.OpTask, machine.JoinEach, "second flow")
		l.m.Nodes[between].In = l.m.Nodes[source].In
		l.edge(source, port, between)
		source, port = between, machine.PortSuccess
	}
	l.edge(source, port, target)
}

func (l *lowering) edge(from int, port string, to int) {
	l.m.Edges = append(l.m.Edges, machine.Edge{From: from, Port: port, To: to})
}
