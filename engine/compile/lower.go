package compile

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"signalbox/engine/expr"
	"signalbox/engine/graph"
	"signalbox/engine/kind"
	"signalbox/engine/machine"
)

// Defaults of retry and timeout, where neither the node nor its kind says
// otherwise.
const (
	retryInitial  = time.Second
	retryFactor   = 2
	retryInterval = time.Minute
	timeout       = time.Minute
)

// lower writes the tables: nodes by key, edges by source key, port and target
// key, with every default filled in.
func (c *compiler) lower() *machine.Machine {
	m := &machine.Machine{Format: machine.Format, Semantics: machine.Semantics, Nodes: []machine.Node{}, Edges: []machine.Edge{}}
	nodes := slices.Clone(c.g.Nodes)
	slices.SortFunc(nodes, func(a, b graph.Node) int { return strings.Compare(a.Key, b.Key) })
	index := make(map[string]int, len(nodes))
	for i, n := range nodes {
		index[n.ID] = i
		m.Nodes = append(m.Nodes, c.lowerNode(n))
	}
	for _, e := range sortedEdges(c.g.Edges, keysOf(c.g)) {
		m.Edges = append(m.Edges, machine.Edge{From: index[e.From], Port: e.Port, To: index[e.To]})
	}
	return m
}

func (c *compiler) lowerNode(n graph.Node) machine.Node {
	spec := c.specs[n.ID]
	out := machine.Node{
		Key: n.Key, Kind: n.Kind, Op: opOf(spec), Config: spec.Defaults(n.Config),
		Join: machine.JoinInclusive, MaxVisits: machine.VisitsMax, Ports: []string{},
	}
	for _, p := range spec.PortsFor(n.Config) {
		out.Ports = append(out.Ports, p.Name)
	}
	if n.MaxVisits > 0 {
		out.MaxVisits = n.MaxVisits
	}
	if n.Join != nil && n.Join.Mode != "" {
		out.Join = n.Join.Mode
	}
	if n.Disabled {
		out.Op, out.Port = machine.OpPass, firstPort(out.Ports)
	} else if out.Op == machine.OpPass {
		out.Port = machine.PortSuccess
	}
	if out.Op == machine.OpTask {
		lowerTask(&out, n, spec)
	}
	if out.Op == machine.OpPass || out.Op == machine.OpTrigger {
		out.Config = json.RawMessage("{}") // what it does depends on nothing
	}
	out.Modes = modes(out.Config, spec)
	return out
}

func firstPort(ports []string) string {
	if len(ports) == 0 {
		return machine.PortSuccess
	}
	return ports[0]
}

// opOf maps a kind to what its visit does.
func opOf(spec kind.Spec) machine.Op {
	switch spec.Work {
	case kind.WorkTrigger:
		return machine.OpTrigger
	case kind.WorkTask:
		return machine.OpTask
	case kind.WorkWait:
		return machine.OpWait
	case kind.WorkInline:
		if spec.Name == "join" {
			return machine.OpPass
		}
	}
	return machine.Op(spec.Name)
}

func lowerTask(out *machine.Node, n graph.Node, spec kind.Spec) {
	out.Retry = machine.Retry{
		MaxAttempts: max(1, spec.Attempts), Initial: retryInitial, Factor: retryFactor, MaxInterval: retryInterval, Jitter: 0.2,
	}
	if r := n.Retry; r != nil {
		out.Retry = machine.Retry{
			MaxAttempts: min(max(1, r.MaxAttempts), AttemptsMax), Fixed: r.Backoff == "fixed",
			Initial: max(duration(r.Initial, retryInitial), DelayMin), Factor: retryFactor,
			MaxInterval: duration(r.MaxInterval, retryInterval), Jitter: r.Jitter, On: r.On,
		}
		if r.Factor > 0 {
			out.Retry.Factor = r.Factor
		}
	}
	out.Timeout = duration(spec.Timeout, timeout)
	if n.Timeout != nil {
		out.Timeout = duration(n.Timeout.Attempt, out.Timeout)
	}
	if t := n.Task; t != nil {
		out.Queue, out.Priority, out.Type = t.Queue, t.Priority, t.Type
	}
}

func duration(s string, otherwise time.Duration) time.Duration {
	if d, err := time.ParseDuration(s); err == nil && d > 0 {
		return d
	}
	return otherwise
}

// modes lists the texts of a configuration that are not read in the usual way.
func modes(config json.RawMessage, spec kind.Spec) map[string]expr.Mode {
	found := map[string]expr.Mode{}
	walkTexts(config, "", func(pointer, _ string) {
		if mode := spec.ExprMode(pointer); mode != expr.ModeValue {
			found[pointer] = mode
		}
	})
	if len(found) == 0 {
		return nil
	}
	return found
}

// walkTexts visits every text of a JSON value with its pointer.
func walkTexts(raw json.RawMessage, at string, do func(pointer, text string)) {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return
	}
	walkAny(v, at, do)
}
