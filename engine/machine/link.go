package machine

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"signalbox/engine/expr"
)

// linkNode parses the expressions of one node.
func (m *Machine) linkNode(i int) (link, error) {
	n := &m.Nodes[i]
	l := link{keys: m.inputKeys(i)}
	var err error
	switch n.Op {
	case OpTrigger, OpPass:
	case OpIf, OpRoute, OpTransform:
		err = l.linkRules(n)
	case OpChart:
		err = l.linkChart(n)
	case OpGroup, OpMap, OpLoop:
		err = l.linkContainer(n)
	case OpSet, OpRespond, OpOutput, OpEnd, OpFail, OpTask, OpWait, OpCall, OpSignal, OpHuman, OpCallback, OpMetric, OpOutcome:
		l.config, err = tree(n.Config, n.Modes)
	default:
		err = fmt.Errorf("unknown operation %q", n.Op)
	}
	if err == nil && n.Op == OpTask {
		raw, e := n.routing()
		if e != nil {
			return l, e
		}
		l.routed, err = tree(raw, nil)
	}
	if err == nil {
		err = l.linkPolicies(n)
	}
	l.refs, l.trigger = l.allRefs()
	return l, err
}

// linkContainer reads what a container keeps in its configuration.
func (l *link) linkContainer(n *Node) error {
	if err := json.Unmarshal(n.Config, &l.box); err != nil {
		return fmt.Errorf("read configuration: %w", err)
	}
	l.box.Concurrency = min(max(1, l.box.Concurrency), ConcurrencyMax)
	l.box.items = pathOf(l.box.Items)
	if l.box.OnItemError == "" {
		l.box.OnItemError = "stop"
	}
	if n.Op == OpLoop {
		p, err := program(l.box.Condition)
		l.when = []*expr.Program{p}
		return err
	}
	var err error
	l.config, err = tree(n.Config, n.Modes)
	return err
}

// linkPolicies parses the expressions of a node's policies.
func (l *link) linkPolicies(n *Node) error {
	var err error
	if n.Retry.When != "" {
		if l.again, err = program(n.Retry.When); err != nil {
			return err
		}
	}
	if c := n.Combine; c != nil && c.How == "reduce" {
		if l.reduce, err = program(c.Reduce); err != nil {
			return err
		}
		if c.Start != "" {
			l.start, err = program(c.Start)
		}
	}
	return err
}

func program(src string) (*expr.Program, error) {
	p, fault := expr.Parse(strings.TrimPrefix(src, "="))
	if fault != nil {
		return nil, errors.New(fault.Message)
	}
	return p, nil
}

// ruleConfig is what if, route and transform keep in their configuration.
type ruleConfig struct {
	Condition  string `json:"condition"`
	Expression string `json:"expression"`
	Match      string `json:"match"`
	Rules      []struct {
		Port string `json:"port"`
		When string `json:"when"`
	} `json:"rules"`
}

func (l *link) linkRules(n *Node) error {
	var c ruleConfig
	if err := json.Unmarshal(n.Config, &c); err != nil {
		return fmt.Errorf("read configuration: %w", err)
	}
	sources := []string{c.Condition}
	switch n.Op {
	case OpTransform:
		sources = []string{c.Expression}
	case OpRoute:
		sources = nil
		l.every = c.Match == "every"
		for _, r := range c.Rules {
			sources, l.ports = append(sources, r.When), append(l.ports, r.Port)
		}
	default:
	}
	for _, src := range sources {
		p, err := program(src)
		if err != nil {
			return err
		}
		l.when = append(l.when, p)
	}
	return nil
}

func tree(raw json.RawMessage, modes map[string]expr.Mode) (*expr.Tree, error) {
	t, faults := expr.ParseTree(raw, func(pointer string) expr.Mode {
		if mode, ok := modes[pointer]; ok {
			return mode
		}
		return expr.ModeValue
	})
	if len(faults) > 0 {
		return nil, errors.New(faults[0].Pointer + ": " + faults[0].Fault.Message)
	}
	return t, nil
}

func orNull(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return json.RawMessage("null")
	}
	return raw
}

// inputKeys names the incoming edges in a joined value: by the source's key,
// and its port when two ports of one node lead here.
func (m *Machine) inputKeys(node int) []string {
	keys := make([]string, len(m.in[node]))
	for i, e := range m.in[node] {
		keys[i] = m.Nodes[m.Edges[e].From].Key
	}
	for i, e := range m.in[node] {
		from := m.Edges[e].From
		for j, o := range m.in[node] {
			if i != j && m.Edges[o].From == from {
				keys[i] = m.Nodes[from].Key + "_" + m.Edges[e].Port
			}
		}
	}
	return keys
}

// allRefs lists the nodes whose output the expressions read, and says whether
// they read what started the run.
func (l *link) allRefs() (refs []string, trigger bool) {
	refs = []string{}
	add := func(r expr.Refs) {
		trigger = trigger || r.Trigger
		for _, n := range r.Nodes {
			if !slices.Contains(refs, n) {
				refs = append(refs, n)
			}
		}
	}
	for _, p := range append([]*expr.Program{l.again, l.reduce, l.start}, l.when...) {
		if p != nil {
			add(p.Refs())
		}
	}
	for _, t := range []*expr.Tree{l.config, l.routed} {
		if t != nil {
			add(t.Refs())
		}
	}
	return refs, trigger
}

func (l *link) reads(key string) bool { return slices.Contains(l.refs, key) }
