package drawing_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"signalbox/engine/machine"
)

// ordersMax bounds how many ways through a run are tried.
const ordersMax = 20_000

// orders plays a run in every order in which its tasks can end, its times can
// pass, and the given inputs can come, each once.
type orders struct {
	d      drawn
	input  json.RawMessage
	more   []command // inputs from outside
	found  map[string]bool
	ends   map[string]bool
	tried  int
	atOnce int // most tasks under way at the same time
}

// play lists the traces: for each way through the run the nodes in the order
// in which their visits ended.
func (o *orders) play() (string, error) {
	o.found, o.ends = map[string]bool{}, map[string]bool{}
	if err := o.follow(nil); err != nil {
		return "", err
	}
	var b strings.Builder
	for _, trace := range slices.Sorted(maps.Keys(o.found)) {
		b.WriteString(trace + "\n")
	}
	fmt.Fprintf(&b, "%d orders, at most %d at once, %s\n", len(o.found), o.atOnce, strings.Join(slices.Sorted(maps.Keys(o.ends)), " or "))
	return b.String(), nil
}

// follow replays the choices made so far and branches at the next.
func (o *orders) follow(made []string) error {
	if o.tried++; o.tried > ordersMax {
		return errors.New("too many orders")
	}
	st, _, err := begin(o.d, o.input)
	if err != nil {
		return err
	}
	for _, choice := range made {
		if err := o.take(st, choice); err != nil {
			return err
		}
	}
	o.atOnce = max(o.atOnce, len(o.tasks(st)))
	choices := o.choices(st, made)
	if st.s.Status.Over() || len(choices) == 0 {
		o.found[o.traced(st)] = true
		o.ends[string(st.s.Status)] = true
		return st.replayed()
	}
	for _, c := range choices {
		if err := o.follow(append(slices.Clone(made), c)); err != nil {
			return err
		}
	}
	return nil
}

func (o *orders) tasks(st *stage) []string {
	var list []string
	for _, c := range o.d.m.Pending(st.s) {
		if d, ok := c.(machine.Dispatch); ok {
			list = append(list, fmt.Sprintf("%s@%d#%d", d.Node, d.Scope, d.Visit))
		}
	}
	return list
}

const passTime = "time passes"

func (o *orders) choices(st *stage, made []string) []string {
	list := o.tasks(st)
	for _, m := range o.more {
		if !slices.Contains(made, m.text) {
			list = append(list, m.text)
		}
	}
	if !o.d.m.WakeAt(st.s).IsZero() {
		list = append(list, passTime)
	}
	return list
}

func (o *orders) take(st *stage, choice string) error {
	if choice == passTime {
		st.at = o.d.m.WakeAt(st.s)
		_, err := st.step(machine.Wake{})
		return err
	}
	for _, m := range o.more {
		if m.text == choice {
			_, err := m.do(st)
			return err
		}
	}
	p, err := placeOf(choice)
	if err == nil {
		_, err = st.done(p, "")
	}
	return err
}

// traced names the nodes whose visits ended, in order, without the trigger.
func (o *orders) traced(st *stage) string {
	var names []string
	for _, e := range st.log {
		_, node := machine.Name(e.Fact)
		switch e.Fact.(type) {
		case *machine.NodeCompleted, *machine.TaskCompleted, *machine.WaitCompleted, *machine.ContainerCompleted, *machine.Responded:
			names = append(names, node)
		case *machine.VisitCanceled:
			names = append(names, "("+node+")")
		}
	}
	return strings.Join(names, " ")
}
