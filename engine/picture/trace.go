package picture

import (
	"slices"

	"signalbox/engine/graph"
	"signalbox/engine/runtime/brief"
)

// Trace folds events of a run, from its first one on, into what each node and
// each edge shows, by id. Status is the run's: once it is over, what was at
// work was canceled and what no token reached was skipped.
func Trace(g graph.Graph, status string, events []brief.Brief) (nodes, edges map[string]State) {
	nodes, edges = map[string]State{}, map[string]State{}
	ids := make(map[string]string, len(g.Nodes))
	for _, n := range g.Nodes {
		ids[n.Key] = n.ID
	}
	from := make(map[string][]graph.Edge, len(g.Nodes))
	for _, e := range g.Edges {
		from[e.From] = append(from[e.From], e)
	}
	live := visits{}
	for _, event := range events {
		id, known := ids[NodeOf(event)]
		if !known {
			continue
		}
		if state := live.after(id, event); state != None {
			nodes[id] = state
		}
		for _, e := range from[id] {
			if e.Port == event.Port || slices.Contains(event.Ports, e.Port) {
				edges[e.ID] = Done
			}
		}
	}
	switch status {
	case "succeeded", "failed", "canceled", "compensated":
		settle(g, nodes, edges)
	}
	return nodes, edges
}

// NodeOf is the key of the node that an event is about; empty: the run itself.
func NodeOf(e brief.Brief) string {
	if e.Type == "RunStarted" {
		return e.Trigger
	}
	return e.Node
}

// visits are those that are not over, by node.
type visits map[string]map[place]State

// place is where a visit is, and which one.
type place struct{ scope, visit int }

// after is what a node shows after an event; None: no change. A node with
// several live visits shows the one that is furthest in its work.
func (v visits) after(id string, e brief.Brief) State {
	state := stateOf(e)
	if state == None {
		return None
	}
	if v[id] == nil {
		v[id] = map[place]State{}
	}
	if state == Running || state == Waiting {
		v[id][place{e.Scope, e.Visit}] = state
	} else {
		delete(v[id], place{e.Scope, e.Visit})
	}
	for _, other := range v[id] {
		if other == Running {
			return Running
		}
		state = Waiting
	}
	return state
}

// stateOf is what an event says of its visit.
func stateOf(e brief.Brief) State {
	switch e.Type {
	case "RunStarted", "NodeCompleted", "TaskCompleted", "Responded", "WaitCompleted", "ContainerCompleted":
		return Done
	case "NodeFailed":
		return Failed
	case "VisitCanceled":
		return Canceled
	case "TaskScheduled", "ContainerStarted", "CallStarted":
		return Running
	case "WaitStarted":
		return Waiting
	case "TaskFailed":
		if e.RetryAt > 0 {
			return Waiting
		}
		return Failed
	case "BodyFailed", "ItemFailed":
		if e.RetryAt > 0 {
			return Waiting
		}
	case "BodyStarted", "ItemsStarted":
		return Running // also when the container begins anew
	}
	return None
}

func settle(g graph.Graph, nodes, edges map[string]State) {
	for _, n := range g.Nodes {
		switch nodes[n.ID] {
		case None:
			nodes[n.ID] = Skipped
		case Running, Waiting:
			nodes[n.ID] = Canceled
		case Done, Failed, Skipped, Canceled:
			// It ended before the run did.
		}
	}
	for _, e := range g.Edges {
		if edges[e.ID] == None {
			edges[e.ID] = Skipped
		}
	}
}
