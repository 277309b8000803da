package machine

import (
	"fmt"
	"strings"

	"signalbox/engine/event"
)

// unsatisfied names the joins that wait for ever, each with its full and its
// empty edges (rule 6).
func (st *step) unsatisfied(c *scope) event.Error {
	class, lead := "join_cycle", "joins wait for each other: "
	var names []string
	first := st.starved(c)
	if first >= 0 {
		class, lead = "join_unsatisfied", "a join waits for a branch that cannot come any more: "
		names = []string{st.describe(c, first)}
	} else {
		for _, n := range st.m.bodies[c.body].nodes {
			if !st.m.joins(n) || c.heads[st.m.local[n]] == 0 {
				continue
			}
			if first < 0 {
				first = n
			}
			names = append(names, st.describe(c, n))
			if j := st.m.Nodes[n].Join; j == JoinAll || j == JoinN {
				class, lead = "join_unsatisfied", "joins wait for branches that cannot come any more: "
			}
		}
	}
	e := event.Error{Class: class, Message: clip(lead+strings.Join(names, "; "), 2_000)}
	if first >= 0 {
		e.Node = st.m.Nodes[first].Key
	}
	return e
}

// describe says what a waiting join has and has not.
func (st *step) describe(c *scope, node int) string {
	var full, empty []string
	for _, e := range st.m.in[node] {
		name := st.m.Nodes[st.m.Edges[e].From].Key + "." + st.m.Edges[e].Port
		if len(c.tokens[st.m.slot[e]]) > 0 {
			full = append(full, name)
		} else {
			empty = append(empty, name)
		}
	}
	return fmt.Sprintf("%s has %s, lacks %s", st.m.Nodes[node].Key, list(full), list(empty))
}

func list(names []string) string {
	const most = 10
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}
