package play

import (
	"fmt"
	"strconv"

	"signalbox/engine/machine"
)

// readContainer rebuilds the bodies of containers from one event.
func (r *Reading) readContainer(e machine.Event) {
	switch f := e.Fact.(type) {
	case *machine.ContainerStarted:
		v := visitRef{f.Scope, f.Node, f.Visit}
		r.begin(v, f.Took)
		b := &bodies{list: map[int]any{}, last: r.Report.Visits[r.live[v]].Input}
		if !f.Items.IsZero() {
			b.items, _ = r.value(f.Items).([]any)
		} else if list, is := b.last.([]any); is {
			b.items = list
		}
		r.bodies[v] = b
	case *machine.BodyStarted:
		v := visitRef{f.Scope, f.Node, f.Visit}
		parent := r.scopes[f.Scope]
		path := fmt.Sprintf("%s[%d]", v, f.Index)
		if parent.path != "" {
			path = parent.path + "/" + path
		}
		parent.opened[path]++
		if n := parent.opened[path]; n > 1 {
			path += fmt.Sprintf("~%d", n)
			if f.Index == 0 {
				r.again(v)
			}
		}
		input := r.bodies[v].last
		if r.kind(f.Node) == machine.OpMap {
			input = r.bodies[v].items[f.Index]
		}
		r.open(f.Opens, &place{path: path, of: v, index: f.Index, input: input})
	case *machine.BodyCompleted:
		s, b := r.scopes[f.Closes], r.bodies[visitRef{f.Scope, f.Node, f.Visit}]
		b.last = r.results(f.Results, f.Keyed, s.count == 0, s.input)
		b.list[f.Index] = b.last
	case *machine.BodyFailed:
		if f.Kept == "collect" {
			r.bodies[visitRef{f.Scope, f.Node, f.Visit}].list[f.Index] = r.failure(f.Error)
		}
	case *machine.ContainerCompleted:
		v := visitRef{f.Scope, f.Node, f.Visit}
		list := r.gathered(v)
		if !f.Output.IsZero() && Text(r.value(f.Output)) != Text(list) {
			r.t.Errorf("the items of %s gave %s, and its end says %s", f.Node, Text(list), Text(r.value(f.Output)))
		}
		r.emit(e, v, []string{f.Port}, list)
	default:
		r.readItems(e)
	}
}

// itemRef names an item of a map that is a run of its own.
type itemRef struct {
	of    visitRef
	index int
}

// readItems rebuilds what is told of items that are runs.
func (r *Reading) readItems(e machine.Event) {
	switch f := e.Fact.(type) {
	case *machine.ItemsStarted:
		v := visitRef{f.Scope, f.Node, f.Visit}
		if f.From == 0 {
			r.again(v)
		}
		parent := r.scopes[f.Scope]
		for i := range f.Count {
			path := fmt.Sprintf("%s[%d]", r.Path(f.Scope, f.Node, f.Visit), f.From+i)
			parent.opened[path]++
			if n := parent.opened[path]; n > 1 {
				path += fmt.Sprintf("~%d", n)
			}
			r.items[itemRef{v, f.From + i}] = path
		}
	case *machine.ItemsEnded:
		if f.Results.IsZero() {
			return
		}
		some, _ := r.value(f.Results).(map[string]any)
		for name, value := range some {
			index, err := strconv.Atoi(name)
			if err != nil {
				r.t.Fatalf("%v", err)
			}
			r.bodies[visitRef{f.Scope, f.Node, f.Visit}].list[index] = value
		}
	}
}

// Path names a visit as the reference does.
func (r *Reading) Path(scope int, node string, visit int) string {
	path := fmt.Sprintf("%s#%d", node, visit)
	if outer := r.scopes[scope].path; outer != "" {
		return outer + "/" + path
	}
	return path
}

// Item names an item that is a run of its own.
func (r *Reading) Item(scope int, node string, visit, index int) string {
	return r.items[itemRef{visitRef{scope, node, visit}, index}]
}

// again forgets what the bodies of a container gave before it was tried anew.
func (r *Reading) again(v visitRef) {
	b := r.bodies[v]
	b.list, b.last = map[int]any{}, r.Report.Visits[r.live[v]].Input
}

func (r *Reading) kind(node string) machine.Op { return r.m.Nodes[r.m.Index(node)].Op }

// gathered is the output of a container: a list in the order of the items, or
// what the last body gave.
func (r *Reading) gathered(v visitRef) any {
	b := r.bodies[v]
	if r.kind(v.node) != machine.OpMap {
		return b.last
	}
	list := []any{}
	for i := range b.items {
		if value, there := b.list[i]; there {
			list = append(list, value)
		}
	}
	return list
}

// results puts together what a scope gave from the events that it names.
func (r *Reading) results(refs []machine.ResultRef, keyed, empty bool, input any) any {
	if len(refs) == 0 && empty {
		return input
	}
	if len(refs) == 0 {
		return nil
	}
	if !keyed {
		return r.output[refs[0].Seq]
	}
	out := map[string]any{}
	for _, ref := range refs {
		out[ref.Node] = r.output[ref.Seq]
	}
	return out
}
