package soundness

import (
	"encoding/json"
	"slices"

	"signalbox/engine/machine"
)

// waysOf lists the ways in which a visit of the node can end, each set of
// edges once. A failure that nobody catches ends the scope and needs no
// trying.
func (n *net) waysOf(i int) []way {
	node := &n.m.Nodes[i]
	if node.Op == machine.OpPass {
		return []way{n.way(i, node.Port)}
	}
	if len(node.Ports) == 0 {
		if node.Op == machine.OpFail {
			return nil
		}
		return []way{{}}
	}
	var ways []way
	var rules []string
	for _, p := range node.Ports {
		switch w := n.way(i, p); {
		case p == machine.PortFailure && len(w.edges) == 0:
		case p == machine.PortTimeout && waits(node.Op) && !timed(node): // it waits for ever
		case p == machine.PortTimeout && n.deadline(i) && !waits(node.Op): // the join's way out, not the visit's
		case n.m.Every(i) && p != machine.PortDefault && p != machine.PortFailure:
			rules = append(rules, p)
		default:
			ways = append(ways, w)
		}
	}
	for _, set := range n.matches(rules) {
		ways = append(ways, n.way(i, set...))
	}
	if node.Op == machine.OpFail {
		ways = slices.DeleteFunc(ways, func(w way) bool { return !slices.Equal(w.ports, []string{machine.PortFailure}) })
	}
	return distinct(ways)
}

// waits reports whether a visit can itself end on a port timeout, where a time
// is set.
func waits(op machine.Op) bool {
	return op == machine.OpSignal || op == machine.OpHuman || op == machine.OpCallback
}

// timed reports whether such a node gives up after some time.
func timed(node *machine.Node) bool {
	var config struct {
		Timeout any `json:"timeout"`
	}
	return json.Unmarshal(node.Config, &config) != nil || config.Timeout != nil && config.Timeout != ""
}

func (n *net) way(i int, ports ...string) way {
	w := way{ports: ports}
	for _, e := range n.m.Out(i) {
		if slices.Contains(ports, n.m.Edges[e].Port) {
			w.edges = append(w.edges, e)
		}
	}
	return w
}

// matches lists which rules can match together.
func (n *net) matches(rules []string) [][]string {
	var sets [][]string
	if len(rules) <= everyMax {
		for set := 1; set < 1<<len(rules); set++ {
			var ports []string
			for i, r := range rules {
				if set&(1<<i) != 0 {
					ports = append(ports, r)
				}
			}
			sets = append(sets, ports)
		}
		return sets
	}
	n.halfway = true
	for i, r := range rules {
		sets = append(sets, []string{r}, slices.Delete(slices.Clone(rules), i, i+1))
	}
	return append(sets, rules)
}

func distinct(ways []way) []way {
	var kept []way
	for _, w := range ways {
		if !slices.ContainsFunc(kept, func(k way) bool { return slices.Equal(k.edges, w.edges) }) {
			kept = append(kept, w)
		}
	}
	return kept
}

// fatal marks the ways of a node on which a fail node ends the scope before
// anything else can happen: whoever waits elsewhere then has not been left
// waiting.
func (n *net) fatal(i int) {
	for k := range n.ways[i] {
		w := &n.ways[i][k]
		w.fatal = slices.ContainsFunc(w.edges, func(e int) bool { return n.dies(n.m.Edges[e].To, len(n.nodes)) })
	}
}

// dies reports whether a token that comes to the node ends the scope at once.
func (n *net) dies(i, most int) bool {
	for ; most > 0 && (n.join[i] == "" || n.join[i] == machine.JoinFirst) && instant(n.m.Nodes[i].Op); most-- {
		ways := n.ways[i]
		if len(ways) == 0 {
			return true
		}
		if len(ways) > 1 || len(ways[0].edges) != 1 {
			return false
		}
		i = n.m.Edges[ways[0].edges[0]].To
	}
	return false
}
