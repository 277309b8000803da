package machine

import (
	"encoding/json"
	"fmt"
	"slices"

	"signalbox/engine/chart"
	"signalbox/engine/event"
	"signalbox/engine/route"
)

// A state of a statechart can start tasks, and a callback one that hands its
// address out. Each is a node of the machine that
// no token starts: the chart's step says what it wants started and stopped, and
// the scope sees to it, one thing after the other. What a task comes to is kept
// with the chart until it has moved it.

// Serves says which task of which visit of a statechart a visit does.
type Serves struct {
	Visit int    `json:"visit"`
	Task  string `json:"task"`
}

// ChartStart is a task that a state wants started.
type ChartStart struct {
	Task  string      `json:"task"`
	Node  string      `json:"node"`
	Input event.Value `json:"input"`
}

// ended is what a task of a chart came to.
type ended struct {
	task   string
	node   string
	output *box
	error  *event.Error
}

const (
	startsMax  = 10  // tasks that one step of a chart may start
	startBytes = 300 // of an input that is written into the chart's event
)

// starts notes in a chart's event what its step wants started and stopped.
func (st *step) starts(f *ChartMoved, e chart.Effect) error {
	if e.Op == chart.OpStop {
		f.Stops = append(f.Stops, e.ID)
		return nil
	}
	if len(f.Starts) >= startsMax {
		return tooMany(startsMax)
	}
	input := e.Input
	if input == nil {
		input = json.RawMessage("{}")
	}
	s := ChartStart{Task: e.ID, Node: e.Source, Input: event.Value{Inline: input}}
	if len(input) > startBytes {
		s.Input = st.apart(input)
	}
	f.Starts = append(f.Starts, s)
	return nil
}

// apart makes a value that is stored beside the events whatever its size.
func (st *step) apart(raw json.RawMessage) event.Value {
	v, large := event.Apart(raw)
	st.keep(v, large)
	return v
}

// foldTasks takes over what a chart's step wants started and stopped.
func (v *visit) foldTasks(c *scope, f *ChartMoved) {
	gone := func(task string) bool { return slices.Contains(f.Stops, task) }
	v.starts = slices.DeleteFunc(v.starts, func(s ChartStart) bool { return gone(s.Task) })
	v.ended = slices.DeleteFunc(v.ended, func(e ended) bool { return gone(e.task) || e.task == f.Answers })
	for _, task := range f.Stops {
		if c.serving(v, task) != nil {
			v.stops = append(v.stops, task)
		}
	}
	v.starts = append(v.starts, f.Starts...)
}

// serving finds the live visit that does a task of a chart.
func (c *scope) serving(v *visit, task string) *visit {
	for i := range c.visits {
		if s := c.visits[i].serves; s != nil && s.Visit == v.number && c.visits[i].chartNode == v.node && (task == "" || s.Task == task) {
			return &c.visits[i]
		}
	}
	return nil
}

// tend does the next thing about the tasks of the scope's charts: end what is
// no longer wanted, start what is, tell what ended. It reports whether
// something happened.
func (st *step) tend(c *scope) (bool, error) {
	for i := range c.visits {
		v := &c.visits[i]
		switch {
		case v.state != visitChart && v.kind != ForCallback:
		case len(v.stops) > 0:
			return true, st.cancelVisit(c, c.serving(v, v.stops[0]), "its state was left")
		case len(v.starts) > 0:
			return true, st.invoke(c, v, v.starts[0])
		case len(v.ended) > 0 && v.kind == ForCallback:
			err := *v.ended[0].error
			err.Node = st.m.Nodes[v.node].Key
			return true, st.chartFails(c, v, err)
		case len(v.ended) > 0:
			return true, st.tell(c, v, v.ended[0])
		}
	}
	return false, nil
}

// invoke starts a task of a chart.
func (st *step) invoke(c *scope, v *visit, s ChartStart) error {
	at := st.m.Index(s.Node)
	if at < 0 || st.m.Nodes[at].Of != v.node+1 {
		return fmt.Errorf("the chart %s has no task %q", st.m.Nodes[v.node].Key, s.Node)
	}
	n := &st.m.Nodes[at]
	number := c.count[st.m.local[at]] + 1
	if number > n.MaxVisits {
		err := event.Error{Class: "loop_limit", Node: n.Key, Message: fmt.Sprintf("%s started %d times, which is its limit in one scope", n.Key, n.MaxVisits)}
		return st.chartFails(c, v, err)
	}
	d := route.Decision{Queue: route.DefaultQueue, Priority: route.Normal}
	if st.s.Routes != nil {
		d = st.s.Routes(route.Attributes{
			Workspace: st.s.Workspace, Workflow: st.s.Workflow, Kind: n.Kind, Priority: route.Normal, Size: s.Input.Size(),
			ID: route.Attempt{Run: st.s.Run, Node: n.Key, Scope: c.id, Visit: number},
		})
	}
	return st.emit(&TaskScheduled{
		Node: n.Key, Scope: c.id, Visit: number, Attempt: 1, Serves: &Serves{v.number, s.Task},
		Queue: d.Queue, Priority: d.Priority, Config: s.Input, Learned: d.Learned,
	})
}

// foldServes begins a visit that does a task of a chart.
func (m *Machine) foldServes(s *Snapshot, f *TaskScheduled) error {
	c, n, err := m.where(s, f.Scope, f.Node)
	if err != nil {
		return err
	}
	if m.Nodes[n].Of == 0 || f.Visit != c.count[m.local[n]]+1 {
		return fmt.Errorf("%s does no task of a chart", f.Node)
	}
	i := c.find(m.Nodes[n].Of-1, f.Serves.Visit)
	if i < 0 {
		return fmt.Errorf("%s serves a chart that is over", f.Node)
	}
	v := &c.visits[i]
	v.starts = slices.DeleteFunc(v.starts, func(s ChartStart) bool { return s.Task == f.Serves.Task })
	c.count[m.local[n]] = f.Visit
	task := m.queued(s, n, f, nil)
	task.serves, task.chartNode = f.Serves, v.node
	c.add(m, task)
	return nil
}

// served keeps what a task came to for its chart.
func (m *Machine) served(c *scope, v visit, output *box, err *event.Error) {
	if i := c.find(v.chartNode, v.serves.Visit); i >= 0 && !slices.Contains(c.visits[i].stops, v.serves.Task) {
		at := &c.visits[i]
		if at.kind == ForCallback && err == nil {
			c.dirty = true
			return // it is told; the answer is still to come
		}
		at.ended = append(at.ended, ended{task: v.serves.Task, node: m.Nodes[v.node].Key, output: output, error: err})
	}
	c.withdrawn(v)
	c.dirty = true
}

// withdrawn forgets a task of a chart that was to be stopped.
func (c *scope) withdrawn(v visit) {
	if i := c.find(v.chartNode, v.serves.Visit); i >= 0 {
		at := &c.visits[i]
		at.stops = slices.DeleteFunc(at.stops, func(task string) bool { return task == v.serves.Task })
	}
}

// tell moves a chart by the end of one of its tasks.
func (st *step) tell(c *scope, v *visit, e ended) error {
	in := chart.Event{Type: chart.Done, From: e.task, Data: map[string]any{}}
	value, err := e.output.any()
	switch {
	case e.error == nil && err == nil:
		in.Data["output"] = value
	default:
		failed := e.error
		if failed == nil {
			f := failure(err, e.node)
			failed = &f
		}
		in.Type = chart.Failed
		told, _ := boxError(*failed).any()
		all, _ := told.(map[string]any)
		in.Data["error"] = all["error"]
	}
	return st.moveChart(c.id, v, in, e.node+"."+in.Type, "", e.task)
}

// chartFails ends the visit of a chart for good, and its tasks before.
func (st *step) chartFails(c *scope, v *visit, err event.Error) error {
	node, number := v.node, v.number
	if e := st.cancelTasks(c, v, "its chart failed"); e != nil {
		return e
	}
	return st.nodeFailed(c, node, number, "", err)
}

// cancelTasks ends the tasks of a chart.
func (st *step) cancelTasks(c *scope, v *visit, reason string) error {
	node, number := v.node, v.number
	for {
		i := c.find(node, number)
		if i < 0 {
			return nil
		}
		task := c.serving(&c.visits[i], "")
		if task == nil {
			return nil
		}
		if err := st.emit(liveRef{c.id, *task}.canceled(st.m, reason)); err != nil {
			return err
		}
	}
}

// callTask is what the one task of a callback is called.
const callTask = "call"

// handOut lets a callback's own request begin: it tells another system the
// address. The address is known to no event: the worker fills it in.
func (st *step) handOut(f *WaitStarted, node int, call json.RawMessage) error {
	at := st.m.links[node].task - 1
	if at < 0 || len(call) == 0 || string(call) == "null" {
		return nil
	}
	input, err := json.Marshal(map[string]any{"call": call, "wait": map[string]any{"scope": f.Scope, "node": f.Node, "visit": f.Visit}})
	if err != nil {
		return fmt.Errorf("write the call: %w", err)
	}
	s := ChartStart{Task: callTask, Node: st.m.Nodes[at].Key, Input: event.Value{Inline: input}}
	if len(input) > startBytes {
		s.Input = st.apart(input)
	}
	f.Starts = []ChartStart{s}
	return nil
}
