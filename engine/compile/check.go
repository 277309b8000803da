package compile

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"signalbox/engine/chart/draw"
	"signalbox/engine/expr"
	"signalbox/engine/graph"
	"signalbox/engine/kind"
	"signalbox/engine/machine"
)

// Limits of a node's policies.
const (
	AttemptsMax = 1_000                  // attempts of one visit
	DelayMin    = 100 * time.Millisecond // before another attempt
	InMax       = 10_000                 // edges into one node
)

// check looks at every node by itself, then at what its expressions read.
func (c *compiler) check() {
	for _, n := range c.g.Nodes {
		spec, ok := c.specs[n.ID]
		if !ok {
			continue
		}
		if inChart(c.g, &n) {
			continue // a state: its chart looks at it
		}
		if spec.Work == kind.WorkState {
			if n.Kind != draw.KindStates {
				c.fail("state_outside", n, "/in", "“%s” is a state and must stand in a state machine.", c.title(n.ID))
				continue
			}
			c.checkChart(n)
			continue
		}
		c.checkConfig(n, spec)
		c.callsOut(n)
		c.checkPolicies(n, spec)
		c.checkPorts(n, spec)
		if !n.Disabled {
			c.checkExpressions(n, spec)
		}
		if len(c.in[n.ID]) > InMax {
			c.fail("too_many_edges", n, "", "More than %d edges end at “%s”.", InMax, c.title(n.ID))
		}
	}
	c.checkMetrics()
}

func (c *compiler) checkConfig(n graph.Node, spec kind.Spec) {
	c.checkFields(n, "/config", spec, n.Config)
}

// checkFields holds a configuration against the schema of a kind.
func (c *compiler) checkFields(n graph.Node, at string, spec kind.Spec, config json.RawMessage) {
	for _, f := range spec.Check(config) {
		msg := f.Message
		if f.Expected != "" {
			msg += " Expected: " + f.Expected
		}
		c.fail("bad_config", n, at+f.Pointer, "%s", msg)
	}
}

func (c *compiler) checkPolicies(n graph.Node, spec kind.Spec) {
	if n.Join != nil {
		c.checkJoin(n, n.Join)
	}
	if n.Timeout != nil {
		c.checkDuration(n, "/timeout/attempt", n.Timeout.Attempt)
		c.checkDuration(n, "/timeout/queue", n.Timeout.Queue)
		c.checkDuration(n, "/timeout/total", n.Timeout.Total)
		c.checkDuration(n, "/timeout/heartbeat", n.Timeout.Heartbeat)
	}
	if spec.Work != kind.WorkTask && !spec.Container {
		return
	}
	if r := n.Retry; r != nil {
		c.checkRetry(n, r)
	}
	if n.Kind == kindExternal {
		c.checkExternal(n)
	}
	if n.Task != nil {
		c.checkTask(n, n.Task)
	}
}

func (c *compiler) checkRetry(n graph.Node, r *graph.Retry) {
	if r.MaxAttempts < 0 || r.MaxAttempts > AttemptsMax {
		c.fail("bad_retry", n, "/retry/max_attempts", "%d attempts are out of range. Expected: 1 to %d", r.MaxAttempts, AttemptsMax)
	}
	if r.Backoff != "" && r.Backoff != "fixed" && r.Backoff != "exponential" {
		c.fail("bad_retry", n, "/retry/backoff", "“%.40s” is not a way to back off. Expected: fixed or exponential", r.Backoff)
	}
	if r.Jitter < 0 || r.Jitter > 1 {
		c.fail("bad_retry", n, "/retry/jitter", "The jitter is a share. Expected: 0 to 1")
	}
	if r.Factor < 0 || r.Factor > 100 {
		c.fail("bad_retry", n, "/retry/factor", "The factor is out of range. Expected: 1 to 100")
	}
	c.checkDuration(n, "/retry/initial", r.Initial)
	c.checkDuration(n, "/retry/max_interval", r.MaxInterval)
	c.checkDuration(n, "/retry/total", r.Total)
	c.checkProgram(n, "/retry/when", r.When)
	if d, err := time.ParseDuration(r.Initial); err == nil && d > 0 && d < DelayMin {
		c.fail("bad_retry", n, "/retry/initial", "The first delay is shorter than %s.", DelayMin)
	}
}

// checkJoin looks at how a node joins its branches.
func (c *compiler) checkJoin(n graph.Node, j *graph.Join) {
	modes := []string{"", machine.JoinInclusive, machine.JoinEach, machine.JoinAll, machine.JoinN, machine.JoinFirst}
	if !slices.Contains(modes, j.Mode) {
		c.fail("bad_join", n, "/join/mode", "“%.40s” is not a way to join. Expected: inclusive, each, all, n or first", j.Mode)
	}
	if edges := len(c.flowIn(n.ID)); j.Mode == machine.JoinN && (j.N < 1 || edges > 1 && j.N > edges) {
		c.fail("bad_join", n, "/join/n", "The join waits for %d branches. Expected: 1 to %d", j.N, max(1, edges))
	}
	if !slices.Contains([]string{"", "absorb", "cancel"}, j.Then) {
		c.fail("bad_join", n, "/join/then", "“%.40s” is nothing that can become of the others. Expected: absorb or cancel", j.Then)
	}
	if j.Deadline != "" && j.Mode == machine.JoinEach {
		c.fail("bad_join", n, "/join/deadline", "A join that takes each branch by itself waits for nothing and has no deadline.")
	}
	c.checkDuration(n, "/join/deadline", j.Deadline)
	switch j.Combine {
	case "", "object":
	case "append", "zip", "merge", "reduce":
		if n.Kind != "join" {
			c.fail("bad_join", n, "/join/combine", "Only a Join node can combine its branches in another way than as an object.")
		}
		if j.Combine == "merge" && j.Key == "" {
			c.fail("bad_join", n, "/join/key", "To merge, name the field that makes two items the same.")
		}
		if j.Combine == "reduce" {
			c.checkProgram(n, "/join/reduce", cmp.Or(j.Reduce, " "))
			c.checkProgram(n, "/join/start", j.Start)
		}
	default:
		c.fail("bad_join", n, "/join/combine", "“%.40s” is not a way to combine. Expected: object, append, zip, merge or reduce", j.Combine)
	}
}

// checkProgram parses an expression of a policy; an empty one is none.
func (c *compiler) checkProgram(n graph.Node, field, src string) {
	if src == "" {
		return
	}
	p, fault := expr.Parse(strings.TrimPrefix(src, "="))
	if fault != nil {
		c.add(graph.Issue{Code: "bad_expression", Severity: graph.SeverityError, Node: n.ID, Field: field, Message: fault.Message, Offset: fault.Offset})
		return
	}
	c.checkRefs(n, field, p.Refs())
	c.checkAround(n, field, len(src)-len(strings.TrimPrefix(src, "=")), p)
}

func (c *compiler) checkDuration(n graph.Node, field, s string) {
	if s == "" {
		return
	}
	if d, err := time.ParseDuration(s); err != nil || d <= 0 {
		c.fail("bad_duration", n, field, "“%.40s” is not a duration. Expected: a number with a unit, for example 500ms, 30s or 5m", s)
	}
}

// checkPorts warns of ways out that lead nowhere, where that is rarely meant.
func (c *compiler) checkPorts(n graph.Node, spec kind.Spec) {
	for _, p := range spec.PortsFor(n.Config) {
		if p.Optional || p.Failure || p.Name == machine.PortSuccess {
			continue
		}
		if !slices.ContainsFunc(c.out[n.ID], func(e graph.Edge) bool { return e.Port == p.Name }) {
			c.add(graph.Issue{
				Code: "unhandled_port", Severity: graph.SeverityWarning, Node: n.ID, Field: "/ports/" + p.Name,
				Message: fmt.Sprintf("“%s” sends “%s” nowhere: what leaves there simply ends.", c.title(n.ID), p.Name),
			})
		}
	}
}

// checkExpressions parses every expression and looks at what it reads.
func (c *compiler) checkExpressions(n graph.Node, spec kind.Spec) {
	fields := map[string]json.RawMessage{"/config": n.Config}
	if n.Task != nil {
		maps.Copy(fields, taskFields(n.Task))
	}
	for _, at := range slices.Sorted(maps.Keys(fields)) {
		raw := fields[at]
		if len(raw) == 0 {
			continue
		}
		mode := func(string) expr.Mode { return expr.ModeValue }
		if at == "/config" {
			mode = spec.ExprMode
		}
		tree, faults := expr.ParseTree(raw, mode)
		for _, f := range faults {
			c.add(graph.Issue{
				Code: "bad_expression", Severity: graph.SeverityError, Node: n.ID, Field: at + f.Pointer,
				Message: f.Fault.Message, Offset: f.Fault.Offset,
			})
		}
		if len(faults) == 0 {
			c.checkParts(n, at, tree)
			if c.trees[n.ID] == nil {
				c.trees[n.ID] = map[string]*expr.Tree{}
			}
			c.trees[n.ID][at] = tree
		}
	}
}

// checkRefs refuses reading what can never be there and warns of what may be
// missing (docs/semantics.md, Data).
func (c *compiler) checkRefs(n graph.Node, field string, refs expr.Refs) {
	for _, key := range refs.Nodes {
		other := c.key[key]
		var here *graph.Node
		if other != nil {
			here = c.lift(&n, other.In)
		}
		switch {
		case c.undoes(n.ID):
		case other != nil && here == nil:
			c.fail("never_ready_data", n, field, "“%s” reads the output of “%s”, which stands in a container of its own; read the container's output.", c.title(n.ID), c.title(other.ID))
		case other == nil:
			c.fail("unknown_reference", n, field, "There is no node with the key “%s” whose output could be read.", key)
		case !c.leads(other.ID, here.ID):
			c.fail("never_ready_data", n, field, "“%s” reads the output of “%s”, which never runs before it.", c.title(n.ID), c.title(other.ID))
		case !c.always(other, here.ID):
			c.warn("maybe_missing_data", n, field, "“%s” reads the output of “%s”, which may not have run by then.", c.title(n.ID), c.title(other.ID))
		}
	}
	for _, key := range refs.Inputs {
		if !slices.Contains(c.inputKeys(n.ID), key) {
			c.fail("unknown_input", n, field, "No edge from “%s” ends at “%s”. Expected: %s", key, c.title(n.ID), orNothing(c.inputKeys(n.ID)))
		}
	}
}

func orNothing(keys []string) string {
	if len(keys) == 0 {
		return "nothing, for no edge ends here"
	}
	return strings.Join(keys, ", ")
}

// inputKeys names the incoming edges as the machine does.
func (c *compiler) inputKeys(id string) []string {
	var keys []string
	flow, times := c.flowIn(id), map[string]int{}
	for _, e := range flow {
		times[e.From]++
	}
	for _, e := range flow {
		key := c.node[e.From].Key
		if times[e.From] > 1 {
			key += "_" + e.Port
		}
		keys = append(keys, key)
	}
	return keys
}

// leads reports whether a way leads from one node to another.
func (c *compiler) leads(from, to string) bool { return c.walk(from, to, "") }

// always reports whether every way from every start of their scope to the node
// passes the other one.
func (c *compiler) always(other *graph.Node, node string) bool {
	for _, t := range c.g.Nodes {
		starts := c.trigger(t)
		if other.In != "" {
			starts = t.In == other.In && len(c.in[t.ID]) == 0
		}
		if starts && t.ID != other.ID && (t.ID == node || c.walk(t.ID, node, other.ID)) {
			return false
		}
	}
	return true
}

// walk searches a way that avoids one node.
func (c *compiler) walk(from, to, avoid string) bool {
	seen, queue := map[string]bool{from: true}, []string{from}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		for _, e := range c.out[at] {
			if e.Port == graph.PortCompensate {
				continue
			}
			if e.To == to {
				return true
			}
			if e.To != avoid && !seen[e.To] {
				seen[e.To] = true
				queue = append(queue, e.To)
			}
		}
	}
	return false
}

func walkAny(v any, at string, do func(pointer, text string)) {
	switch v := v.(type) {
	case string:
		do(at, v)
	case []any:
		for i, e := range v {
			walkAny(e, at+"/"+strconv.Itoa(i), do)
		}
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			walkAny(v[k], at+"/"+strings.NewReplacer("~", "~0", "/", "~1").Replace(k), do)
		}
	}
}
