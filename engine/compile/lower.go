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
	"signalbox/engine/route"
	"signalbox/engine/shape"
)

// Defaults of retry and timeout, where neither the node nor its kind says
// otherwise.
const (
	retryInitial  = time.Second
	retryFactor   = 2
	retryInterval = time.Minute
	timeout       = time.Minute
	cooldown      = 30 * time.Second
)

// lower writes the tables: nodes by key, edges by source key, port and target
// key, with every default filled in.
func (c *compiler) lower() *machine.Machine {
	m := &machine.Machine{Format: machine.Format, Semantics: machine.Semantics, Nodes: []machine.Node{}, Edges: []machine.Edge{}}
	nodes := slices.DeleteFunc(slices.Clone(c.g.Nodes), func(n graph.Node) bool { return inChart(c.g, &n) })
	slices.SortFunc(nodes, func(a, b graph.Node) int { return strings.Compare(a.Key, b.Key) })
	index := make(map[string]int, len(nodes))
	for i, n := range nodes {
		index[n.ID] = i
		m.Nodes = append(m.Nodes, c.lowerNode(n))
	}
	m.Transaction = c.g.Transaction
	for i, n := range nodes {
		if n.In != "" {
			m.Nodes[i].In = index[n.In] + 1
		}
		for _, e := range c.out[n.ID] {
			if e.Port == graph.PortCompensate {
				m.Nodes[i].Undo = index[e.To] + 1
				m.Nodes[index[e.To]].Undoes = true
			}
		}
	}
	c.lowerTasks(m, index)
	for _, e := range sortedEdges(flow(c.g), keysOf(c.g)) {
		m.Edges = append(m.Edges, machine.Edge{From: index[e.From], Port: e.Port, To: index[e.To]})
	}
	return m
}

func (c *compiler) lowerNode(n graph.Node) machine.Node {
	spec := c.specs[n.ID]
	out := machine.Node{
		Key: n.Key, Kind: n.Kind, Op: opOf(spec), Config: spec.Defaults(n.Config),
		Join: machine.JoinInclusive, MaxVisits: machine.VisitsMax, Ports: []string{}, Pivot: n.Pivot,
	}
	for _, p := range spec.PortsFor(n.Config) {
		out.Ports = append(out.Ports, p.Name)
	}
	if n.MaxVisits > 0 {
		out.MaxVisits = n.MaxVisits
	}
	if n.Join != nil {
		lowerJoin(&out, n.Join)
	}
	if n.Disabled {
		out.Op, out.Port = machine.OpPass, firstPort(out.Ports)
	} else if out.Op == machine.OpPass {
		out.Port = machine.PortSuccess
	}
	if out.Op == machine.OpTask {
		lowerTask(&out, n, spec)
	}
	if spec.Work == kind.WorkState {
		c.lowerChart(&out, n)
		return out
	}
	if spec.Container {
		lowerContainer(&out, n)
	}
	if out.Op == machine.OpCallback {
		lowerCallback(&out, n)
	}
	if out.Op == machine.OpTrigger {
		out.Takes = lowerTakes(n)
	}
	if out.Op == machine.OpPass || out.Op == machine.OpTrigger {
		out.Config = json.RawMessage("{}") // what it does depends on nothing
	}
	out.Modes = modes(out.Config, spec)
	return out
}

// lowerTakes is the shape that a trigger demands, if it demands any.
func lowerTakes(n graph.Node) json.RawMessage {
	var config struct {
		Schema json.RawMessage `json:"input_schema"`
	}
	if json.Unmarshal(n.Config, &config) != nil || shape.Schema(config.Schema).IsAny() {
		return nil
	}
	raw, err := json.Marshal(shape.Schema(config.Schema))
	if err != nil {
		return nil
	}
	return raw
}

func lowerJoin(out *machine.Node, j *graph.Join) {
	if j.Mode != "" {
		out.Join = j.Mode
	}
	if j.Mode == machine.JoinN {
		out.JoinN = j.N
	}
	out.Cancel = j.Then == "cancel" && (j.Mode == machine.JoinN || j.Mode == machine.JoinFirst)
	if out.Deadline = duration(j.Deadline, 0); out.Deadline > 0 && !slices.Contains(out.Ports, machine.PortTimeout) {
		out.Ports = append(out.Ports, machine.PortTimeout)
	}
	if j.Combine != "" && j.Combine != "object" {
		out.Combine = &machine.Combine{How: j.Combine}
		switch j.Combine {
		case "merge":
			out.Combine.Key = j.Key
		case "reduce":
			out.Combine.Reduce, out.Combine.Start = j.Reduce, j.Start
		}
	}
}

// lowerContainer fills in a container's own retry and time limit: none unless
// they are set.
func lowerContainer(out *machine.Node, n graph.Node) {
	if r := n.Retry; r != nil && r.MaxAttempts > 1 {
		out.Retry = lowerRetry(r)
	}
	if n.Timeout != nil {
		out.Timeout = duration(n.Timeout.Total, duration(n.Timeout.Attempt, 0))
	}
}

func lowerRetry(r *graph.Retry) machine.Retry {
	out := machine.Retry{
		MaxAttempts: min(max(1, r.MaxAttempts), AttemptsMax), Fixed: r.Backoff == "fixed",
		Initial: max(duration(r.Initial, retryInitial), DelayMin), Factor: retryFactor,
		MaxInterval: duration(r.MaxInterval, retryInterval), Jitter: r.Jitter, On: r.On,
		Total: duration(r.Total, 0), When: r.When,
	}
	if r.Factor > 0 {
		out.Factor = r.Factor
	}
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
	case kind.WorkWait, kind.WorkScope, kind.WorkCall, kind.WorkState:
		return machine.Op(spec.Name)
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
		out.Retry = lowerRetry(r)
	}
	out.Timeout = duration(spec.Timeout, timeout)
	if n.Timeout != nil {
		out.Timeout = duration(n.Timeout.Attempt, out.Timeout)
		out.Total, out.InQueue, out.Heartbeat = duration(n.Timeout.Total, 0), duration(n.Timeout.Queue, 0), duration(n.Timeout.Heartbeat, 0)
	}
	if t := n.Task; t != nil {
		out.Queue, out.Priority, out.Type = t.Queue, t.Priority, t.Type
		out.Size, out.Location, out.Labels = t.Size, t.Location, t.Labels
		out.Limits = lowerLimits(t)
	}
	if taskType := external(n); taskType != "" {
		out.Queue = route.Own(taskType)
		out.Located = n.Task != nil && len(n.Task.Location) > 0
	}
}

// lowerLimits are what holds a node's attempts back; nil: nothing does.
func lowerLimits(t *graph.Task) *machine.Limits {
	if !limited(t.Concurrency) && !rated(t.Rate) && !tripped(t.Circuit) {
		return nil
	}
	l := &machine.Limits{}
	if c := t.Concurrency; limited(c) {
		l.Concurrency, l.ConcurrencyKey = c.Limit, c.Key
	}
	if r := t.Rate; rated(r) {
		l.Rate, l.Per, l.RateKey = r.N, duration(r.Per, time.Minute), r.Key
	}
	if c := t.Circuit; tripped(c) {
		l.Threshold, l.Cooldown = c.Threshold, duration(c.Cooldown, cooldown)
	}
	return l
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
