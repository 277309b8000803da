package compile_test

import (
	"testing"
	"time"

	"signalbox/engine/event"
	"signalbox/engine/graph"
	"signalbox/engine/machine"
)

// nested is a run that is a transaction, with a step besides another
// transaction in it.
func nested(t *testing.T, more ...string) *machine.Machine {
	t.Helper()
	lines := append([]string{"s:manual", "other:mock", "first:mock", "unfirst:mock", `saga:group{"transaction":true}`, "take:mock", "give:mock", "fails:mock", "s>first", "first>other", "first>saga", "take>fails", "take.compensate>give", "first.compensate>unfirst"}, more...)
	g := inside(draw(t, lines...), "saga", "take", "give", "fails")
	g.Transaction = true
	return compiled(t, with(g, "give", func(n *graph.Node) {
		n.Retry = &graph.Retry{MaxAttempts: 2, Backoff: "fixed", Initial: "1s"}
	}))
}

// begun plays it to where the inner transaction has begun to undo.
func begun(t *testing.T) *stage {
	t.Helper()
	st := perform(t, nested(t), `{}`)
	st.succeed("first", `1`)
	st.succeed("take", `2`)
	st.breaks("fails")
	return st
}

func (st *stage) fails(node, class string) {
	st.t.Helper()
	d := st.task(node)
	st.step(machine.Fail{Scope: d.Scope, Node: d.Node, Visit: d.Visit, Attempt: d.Attempt, Error: event.Error{Class: class, Message: "no"}})
}

// TestCompensationThatHasBegunIsNotRunAgain when a failure further out takes
// over: it is waited for, with all of its attempts, and the rest is undone
// after it.
func TestCompensationThatHasBegunIsNotRunAgain(t *testing.T) {
	t.Parallel()
	st := begun(t)
	st.breaks("other")
	if got := undone(st.log); got != "take by give" {
		t.Fatalf("undone before the compensation has ended: %s", got)
	}
	st.succeed("give", `{}`)
	st.succeed("unfirst", `{}`)
	st.ends(machine.StatusCompensated, "")
	if got := undone(st.log); got != "take by give, first by unfirst" {
		t.Errorf("undone: %s", got)
	}

	st = begun(t)
	st.fails("give", "unavailable")
	st.breaks("other") // while it waits for another attempt
	st.pass(2 * time.Second)
	if d := st.task("give"); d.Attempt != 2 {
		t.Errorf("attempt %d", d.Attempt)
	}
	st.succeed("give", `{}`)
	st.succeed("unfirst", `{}`)
	st.ends(machine.StatusCompensated, "")
	if got := undone(st.log); got != "take by give, first by unfirst" {
		t.Errorf("undone: %s", got)
	}
}

// TestPersonDecidesAboutACompensationOnce also when its transaction is gone by
// then.
func TestPersonDecidesAboutACompensationOnce(t *testing.T) {
	t.Parallel()
	st := begun(t)
	d := st.task("give")
	st.breaks("give")
	st.breaks("other")
	if st.s.Status != machine.StatusAttention || undone(st.log) != "take by give" {
		t.Fatalf("%s, undone: %s", st.s.Status, undone(st.log))
	}
	st.step(machine.Resolve{Scope: d.Scope, Node: "give", Visit: d.Visit, Action: machine.ActionRetry, By: "ada"})
	st.succeed("give", `{}`)
	st.succeed("unfirst", `{}`)
	st.ends(machine.StatusCompensated, "")

	st = begun(t)
	d = st.task("give")
	st.breaks("other")
	st.breaks("give")
	if st.s.Status != machine.StatusAttention {
		t.Fatalf("%s\n%s", st.s.Status, trace(st.log))
	}
	st.step(machine.Resolve{Scope: d.Scope, Node: "give", Visit: d.Visit, Action: machine.ActionComplete, By: "ada"})
	st.succeed("unfirst", `{}`)
	st.ends(machine.StatusCompensated, "")
	if got := undone(st.log); got != "take by give, first by unfirst" {
		t.Errorf("undone: %s", got)
	}
}

// TestCanceledTransactionIsUndoneOnceByTheOneAround: a map that stops ends the
// bodies of its other items, also one that undoes; what became of that the
// transaction around knows when it fails later.
func TestCanceledTransactionIsUndoneOnceByTheOneAround(t *testing.T) {
	t.Parallel()
	lines := []string{
		"s:manual", `each:map{"items":[1,2]}`, `saga:group{"transaction":true}`, "take:mock", "give:mock", "fails:mock", "after:mock",
		"take>fails", "take.compensate>give", "s>each", "each.failure>after",
	}
	g := draw(t, lines...)
	for _, n := range []string{"take", "give", "fails"} {
		g = inside(g, "saga", n)
	}
	g = inside(g, "each", "saga")
	g.Transaction = true
	m := compiled(t, g)
	at := func(st *stage, scope int, node string) machine.Dispatch {
		for _, c := range m.Pending(st.s) {
			if d, ok := c.(machine.Dispatch); ok && d.Node == node && d.Scope == scope {
				return d
			}
		}
		t.Fatalf("no task of %s in scope %d\n%s", node, scope, trace(st.log))
		return machine.Dispatch{}
	}
	play := func(ends func(st *stage, d machine.Dispatch)) *stage {
		st := perform(t, m, `{}`)
		st.succeed("take", `1`)
		give := st.task("fails")
		st.breaks("fails") // the first item undoes
		d := at(st, give.Scope, "give")
		st.breaks("take") // the second stops the map
		ends(st, d)
		st.breaks("after")
		return st
	}
	st := play(func(st *stage, d machine.Dispatch) {
		st.step(machine.Complete{Scope: d.Scope, Node: d.Node, Visit: d.Visit, Attempt: d.Attempt, Output: []byte(`{}`)})
	})
	st.ends(machine.StatusCompensated, "")
	if got := undone(st.log); got != "take by give" {
		t.Errorf("undone: %s", got)
	}
	st = play(func(st *stage, d machine.Dispatch) { // it fails: the transaction around does it
		st.step(machine.Fail{Scope: d.Scope, Node: d.Node, Visit: d.Visit, Attempt: d.Attempt, Error: event.Error{Class: "invalid_input", Message: "no"}})
	})
	st.succeed("give", `{}`)
	st.ends(machine.StatusCompensated, "")
}
