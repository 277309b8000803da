package drawing_test

import (
	"encoding/json"
	"fmt"
	"strings"

	"signalbox/engine/event"
	"signalbox/engine/machine"
	"signalbox/engine/runtime/brief"
)

// trace writes events for people: type, node, and what matters of it.
func (st *stage) trace(events []machine.Event) string {
	var b strings.Builder
	for _, e := range events {
		name, node := machine.Name(e.Fact)
		line := name
		if node != "" {
			line += " " + node
		}
		short := brief.Of(e)
		if short.Visit > 1 {
			line += fmt.Sprintf(" visit %d", short.Visit)
		}
		if short.Scope > 0 {
			line += fmt.Sprintf(" in %d", short.Scope)
		}
		b.WriteString(line + st.detail(e) + "\n")
	}
	if b.Len() == 0 {
		return "nothing happens\n"
	}
	return b.String()
}

// detail is what a line says behind the name of the node.
func (st *stage) detail(e machine.Event) string {
	switch f := e.Fact.(type) {
	case *machine.NodeCompleted:
		return by(f.Ports...)
	case *machine.Responded:
		return by(f.Ports...)
	case *machine.TaskCompleted:
		return by(f.Port)
	case *machine.WaitCompleted:
		return by(f.Port)
	case *machine.ContainerCompleted:
		return by(f.Port)
	case *machine.TaskScheduled:
		if f.Undoes != nil {
			return " to undo " + f.Undoes.Node
		}
		if f.Attempt > 1 {
			return fmt.Sprintf(" attempt %d", f.Attempt)
		}
	case *machine.TaskFailed:
		return ": " + f.Error.Class
	case *machine.NodeFailed:
		if f.Handled {
			return ": " + f.Error.Class + ", by failure"
		}
		return ": " + f.Error.Class
	case *machine.BodyStarted:
		return fmt.Sprintf(" opens %d", f.Opens)
	case *machine.BodyCompleted:
		return fmt.Sprintf(" closes %d", f.Closes)
	case *machine.BodyFailed:
		return fmt.Sprintf(" closes %d: %s", f.Closes, f.Error.Class)
	case *machine.TokensAbsorbed:
		return " from " + st.sources(f.Took)
	case *machine.TokensCanceled:
		return " from " + st.sources(f.Edges)
	case *machine.ChartMoved:
		return ": " + strings.Join(f.Active, ", ")
	case *machine.SignalReceived:
		return " " + f.Name
	case *machine.RunSucceeded:
		return " " + result(st)
	case *machine.RunFailed:
		return " " + failure(f.Error)
	case *machine.RunCompensated:
		return " " + failure(f.Error)
	}
	return ""
}

// by names the ports that a visit left by, where they are not the usual one.
func by(ports ...string) string {
	if len(ports) == 1 && ports[0] == machine.PortSuccess || len(ports) == 0 {
		return ""
	}
	return " by " + strings.Join(ports, " and ")
}

// sources names the nodes that edges come from.
func (st *stage) sources(edges machine.Edges) string {
	list, err := edges.List()
	if err != nil {
		return err.Error()
	}
	names := make([]string, len(list))
	for i, e := range list {
		names[i] = st.d.m.Nodes[st.d.m.Edges[e].From].Key
	}
	return strings.Join(names, ", ")
}

func result(st *stage) string {
	raw, err := st.s.Result(st.d.m)
	if err != nil {
		return err.Error()
	}
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		return err.Error()
	}
	flat, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(flat)
}

func failure(e event.Error) string {
	if e.Node == "" {
		return e.Class
	}
	return e.Class + " at " + e.Node
}
