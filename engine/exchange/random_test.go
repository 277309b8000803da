package exchange_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"

	"signalbox/engine/chart"
)

// author writes random charts: small ones that use everything that both we
// and XState know.
type author struct {
	*rand.Rand
	ids   []string // of all states but the root
	count int
	idle  bool // states start no tasks
}

func (a *author) chance(percent int) bool { return a.IntN(100) < percent }

func pick[T any](a *author, list ...T) T { return list[a.IntN(len(list))] }

func (a *author) chart(id string) chart.Def {
	d := chart.Def{Context: json.RawMessage(`{"n":0,"last":""}`)}
	d.Guards = map[string]chart.Guard{"under": {Expr: "context.n < params.most"}, "even": {Expr: "context.n % 2 == 0"}, "odd": {Not: &chart.Guard{Name: "even"}}}
	d.Actions = map[string][]chart.Action{
		"inc":  {{Assign: json.RawMessage(`{"n":"=context.n + 1"}`)}},
		"by":   {{Assign: json.RawMessage(`{"n":"=context.n + params.by"}`)}},
		"both": {{Do: "inc"}, {Do: "a0"}, {Assign: json.RawMessage(`{"last":"both"}`)}},
	}
	d.Delays = map[string]string{"soon": "=context.n * 10 + 10", "nap": "40ms"}
	d.Node = a.shape(id, "", 0)
	d.ID, d.Key = id, ""
	for len(a.ids) == 0 {
		d.Node = a.shape(id, "", 0)
		d.ID, d.Key = id, ""
	}
	a.fill(&d.Node, id, true)
	if a.chance(70) {
		d.Output = json.RawMessage(`{"n":"=context.n","last":"=context.last"}`)
	}
	return d
}

// shape makes the tree of states.
func (a *author) shape(id, key string, depth int) chart.Node {
	n := chart.Node{Key: key}
	if depth > 0 {
		a.ids = append(a.ids, id)
	}
	if depth >= 3 || depth > 0 && a.chance(55) {
		if depth > 0 && a.chance(20) {
			n.Kind = chart.KindFinal
		}
		return n
	}
	if a.chance(35) {
		n.Kind = chart.KindParallel
	}
	for range 2 + a.IntN(2) {
		a.count++
		k := "s" + strconv.Itoa(a.count)
		c := a.shape(id+"."+k, k, depth+1)
		if n.Kind == chart.KindParallel && c.Kind == chart.KindFinal {
			c.Kind = ""
		}
		n.States = append(n.States, c)
	}
	n.Initial = n.States[0].Key
	if n.Kind == chart.KindParallel {
		n.Initial = ""
	}
	if depth > 0 && a.chance(40) {
		a.count++
		h := chart.Node{Key: "h" + strconv.Itoa(a.count), Kind: chart.KindHistory, Deep: a.chance(50)}
		if a.chance(40) {
			h.Targets = []string{id + "." + n.States[0].Key}
		}
		a.ids = append(a.ids, id+"."+h.Key)
		n.States = append(n.States, h)
	}
	return n
}

// fill gives states their behavior.
func (a *author) fill(n *chart.Node, id string, root bool) {
	if n.Kind == chart.KindHistory {
		return
	}
	n.Entry, n.Exit = a.actions(2), a.actions(2)
	if n.Initial != "" && a.chance(25) {
		n.InitialDo = a.actions(2)
	}
	if a.chance(30) {
		n.Tags = []string{pick(a, "t0", "t1", "t2")}
	}
	if n.Kind == chart.KindFinal {
		if a.chance(60) {
			n.Output = json.RawMessage(`{"from":"=context.n * 2"}`)
		}
		return
	}
	for range a.IntN(5) {
		n.On = append(n.On, a.transition(chart.Transition{Event: pick(a, "A", "B", "C", "n.x", "n.y", "n.*", "*", "R1", "R2", "late")}))
	}
	if a.chance(20) {
		n.On = append(n.On, chart.Transition{Event: pick(a, "A", "B")})
	}
	for range a.IntN(3) - 1 {
		n.After = append(n.After, a.transition(chart.Transition{Delay: pick(a, "10", "50", "100", "30ms", "soon", "nap")}))
	}
	if a.chance(20) && !root {
		t := a.transition(chart.Transition{})
		t.Guard = &chart.Guard{And: []chart.Guard{{Expr: "context.n > " + strconv.Itoa(a.IntN(6))}, {Expr: "context.n < 9"}}}
		t.Actions = append(t.Actions, chart.Action{Do: "inc"}) // so that it comes to rest
		n.Always = append(n.Always, t)
	}
	if len(n.States) > 0 && a.chance(60) {
		t := a.transition(chart.Transition{})
		if a.chance(50) {
			t.Actions = append(t.Actions, chart.Action{Assign: json.RawMessage(`{"last":"=default(event.?output.?from.orValue(null), \"none\")"}`)})
		}
		n.Done = append(n.Done, t)
	}
	if !a.idle && a.chance(25) {
		v := chart.Invoke{Source: "work", Input: json.RawMessage(`{"n":"=context.n"}`)}
		if a.chance(80) {
			v.Done = append(v.Done, a.transition(chart.Transition{Actions: []chart.Action{{Assign: json.RawMessage(`{"last":"=event.output"}`)}}}))
		}
		if a.chance(70) {
			v.Error = append(v.Error, a.transition(chart.Transition{Actions: []chart.Action{{Assign: json.RawMessage(`{"last":"=event.error"}`)}}}))
		}
		n.Invoke = append(n.Invoke, v)
	}
	for i := range n.States {
		a.fill(&n.States[i], id+"."+n.States[i].Key, false)
	}
}

func (a *author) transition(t chart.Transition) chart.Transition {
	for range pick(a, 0, 1, 1, 1, 1, 1, 1, 2) {
		if id := pick(a, a.ids...); !slices.Contains(t.Targets, id) {
			t.Targets = append(t.Targets, id)
		}
	}
	if a.chance(45) {
		g := a.guard(2)
		t.Guard = &g
	}
	t.Actions = append(a.actions(3), t.Actions...)
	t.Reenter = a.chance(30)
	return t
}

func (a *author) guard(depth int) chart.Guard {
	switch kind := a.IntN(9); {
	case kind == 0 && depth > 0:
		g := a.guard(depth - 1)
		return chart.Guard{Not: &g}
	case kind == 1 && depth > 0:
		return chart.Guard{And: []chart.Guard{a.guard(depth - 1), a.guard(depth - 1)}}
	case kind == 2 && depth > 0:
		return chart.Guard{Or: []chart.Guard{a.guard(depth - 1), a.guard(depth - 1)}}
	case kind == 3:
		return chart.Guard{In: pick(a, a.ids...)}
	case kind == 4:
		return chart.Guard{Name: "under", Params: json.RawMessage(fmt.Sprintf(`{"most":%d}`, 1+a.IntN(8)))}
	case kind == 5:
		return chart.Guard{Expr: "event.?n.orValue(0) >= context.n"}
	case kind == 6:
		return chart.Guard{Name: "odd"}
	}
	return chart.Guard{Name: "even"}
}

func (a *author) actions(most int) []chart.Action {
	var out []chart.Action
	for range a.IntN(most) {
		switch a.IntN(9) {
		case 0:
			out = append(out, chart.Action{Do: "inc"})
		case 1:
			out = append(out, chart.Action{Do: "by", Params: json.RawMessage(`{"by":"=context.n % 3"}`)})
		case 2:
			out = append(out, chart.Action{Do: "both"})
		case 3:
			out = append(out, chart.Action{Assign: json.RawMessage(`{"last":"=event.type + \" {{\"","n":"=context.n"}`)})
		case 4:
			if a.chance(40) { // seldom, or charts never come to rest
				out = append(out, chart.Action{Raise: &chart.Raise{Event: pick(a, "R1", "R2"), Data: json.RawMessage(`{"n":"=context.n + 1"}`)}})
			}
		case 5:
			out = append(out, chart.Action{Raise: &chart.Raise{Event: "late", Delay: pick(a, "20", "soon", "60ms"), ID: "x" + strconv.Itoa(a.IntN(2))}})
		case 6:
			out = append(out, chart.Action{Cancel: "x" + strconv.Itoa(a.IntN(2))})
		default:
			out = append(out, chart.Action{Do: "a" + strconv.Itoa(a.IntN(6))})
		}
	}
	return out
}
