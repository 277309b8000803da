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
	case OpSet, OpRespond, OpOutput, OpEnd, OpFail, OpTask, OpWait:
		l.config, err = tree(n.Config, n.Modes)
	default:
		err = fmt.Errorf("unknown operation %q", n.Op)
	}
	if err == nil && n.Op == OpTask {
		raw, e := json.Marshal(map[string]json.RawMessage{"priority": orNull(n.Priority), "type": orNull(n.Type)})
		if e != nil {
			return l, fmt.Errorf("write priority: %w", e)
		}
		l.routed, err = tree(raw, nil)
	}
	l.refs = l.allRefs()
	return l, err
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
		p, fault := expr.Parse(strings.TrimPrefix(src, "="))
		if fault != nil {
			return errors.New(fault.Message)
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

// allRefs lists the nodes whose output the expressions read; nil means that
// any may be read.
func (l *link) allRefs() []string {
	refs := []string{}
	add := func(r expr.Refs) {
		for _, n := range r.Nodes {
			if !slices.Contains(refs, n) {
				refs = append(refs, n)
			}
		}
	}
	for _, p := range l.when {
		add(p.Refs())
	}
	for _, t := range []*expr.Tree{l.config, l.routed} {
		if t != nil {
			add(t.Refs())
		}
	}
	return refs
}

func (l *link) reads(key string) bool { return slices.Contains(l.refs, key) }
