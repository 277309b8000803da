package runtime

import "signalbox/engine/machine"

// appendDead adds a dead letter when the first of the events is the failure of
// a step that nothing caught. Test runs have none: a trial is no business; nor
// has the run of an item: its map catches the failure, or fails itself.
func appendDead(list []Note, l *live, events []machine.Event) []Note {
	f, ok := events[0].Fact.(*machine.NodeFailed)
	if !ok || f.Handled || l.row.Test || contains(l.m, l.row.Trigger) || contains(l.m, f.Node) || !endsRun(events[1:]) {
		return list
	}
	e := &events[0]
	return append(list, Note{
		Run: l.row.Run, Seq: e.Seq, At: e.At, Workspace: l.row.Workspace, Workflow: l.row.Workflow, Version: l.row.Version,
		Node: f.Node, Dead: &DeadLetter{Scope: f.Scope, Visit: f.Visit, Error: f.Error},
	})
}

// contains reports whether a node is a container. One that fails because a
// node in it did is the same failure on its way up.
func contains(m *machine.Machine, node string) bool {
	i := m.Index(node)
	if i < 0 {
		return false
	}
	switch m.Nodes[i].Op {
	case machine.OpGroup, machine.OpMap, machine.OpLoop:
		return true
	default:
		return false
	}
}

// endsRun reports whether a failure goes up to the run itself: what follows it
// in the same step says who catches it.
func endsRun(events []machine.Event) bool {
	for _, e := range events {
		switch f := e.Fact.(type) {
		case *machine.RunFailed, *machine.RunCompensated, *machine.CompensationStarted:
			return true
		case *machine.NodeFailed:
			if f.Handled {
				return false
			}
		case *machine.BodyFailed:
			if f.Kept != "" || !f.RetryAt.IsZero() {
				return false
			}
		}
	}
	return false
}
