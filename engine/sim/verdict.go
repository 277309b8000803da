package sim

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"signalbox/engine/invariant"
	"signalbox/engine/machine"
	"signalbox/engine/reference"
	"signalbox/engine/reference/play"
)

func sorted[V any](m map[place]V) []place { return slices.SortedFunc(maps.Keys(m), place.compare) }

// judge looks at the whole history when it is over.
func (w *world) judge(s sketch) Played {
	p := Played{Seed: w.seed, Plan: fmt.Sprintf("%+v", w.plan), Status: map[string]int{}}
	sum := sha256.New()
	for _, b := range w.books {
		b.check(sum)
		p.Events += len(b.log)
		p.count(b)
		if raw, err := b.m.Encode(); err == nil {
			if rec, err := w.store.Load(context.Background(), b.id); err == nil {
				p.Stored = append(p.Stored, Stored{raw, rec, w.plan.Inside})
			}
		}
		p.Status[string(b.s.Status)]++
		if len(w.found) == 0 && b.compare() {
			p.Compared++
		}
	}
	for _, s := range w.servers {
		if s.dead || s.hurt {
			continue
		}
		for run := range s.notices {
			w.accuse("cancels", w.byRun[run].number, "%s ended the run and never told the workers", s.name)
		}
	}
	for _, g := range append(s.drawings, s.others...) {
		p.Drawings = append(p.Drawings, play.Drawn(g))
	}
	for _, l := range w.lines {
		fmt.Fprintln(sum, l)
	}
	p.Digest, p.Found, p.History = hex.EncodeToString(sum.Sum(nil)), w.found, w.lines
	return p
}

// count looks what became of a run that another one started.
func (p *Played) count(b *book) {
	if b.parent == nil {
		return
	}
	if b.link.index < 0 {
		p.Called++
	} else {
		p.Items++
	}
	if b.w.shardOf(b.id) != b.w.shardOf(b.parent.id) {
		p.Apart++
	}
	if _, is := b.unwanted(); is {
		p.Left++
	}
}

// check holds the rules of package invariant, and some more, against the stored
// run.
func (b *book) check(sum interface{ Write([]byte) (int, error) }) {
	rec, err := b.w.store.Load(context.Background(), b.id)
	if err != nil {
		if len(b.w.found) == 0 {
			b.w.accuse("runs", b.number, "%v", err)
		}
		return
	}
	for _, e := range rec.Events {
		_, _ = fmt.Fprintf(sum, "%d %d %s %s %s %x\n", e.Seq, e.At.UnixMicro(), e.Type, e.Node, e.Data, e.Hash)
	}
	_, _ = fmt.Fprintf(sum, "%+v\n", rec.RunState)
	for _, v := range invariant.Check(rec, b.m, b.w.now()) {
		if v.Rule != invariant.Stuck || len(b.w.found) == 0 {
			b.w.accuse(string(v.Rule), b.number, "event %d: %s", v.Seq, v.Text)
		}
	}
	if len(rec.Events) != len(b.log) {
		b.w.accuse("runs", b.number, "%d events are stored, %d were committed", len(rec.Events), len(b.log))
	}
	b.backwards()
	for _, a := range b.answers {
		if a.Run != string(b.s.Status) {
			b.w.accuse("answers", b.number, "whoever waited was told %q, and the run is %q", a.Run, b.s.Status)
		}
		if b.s.Status == machine.StatusSucceeded && !b.broken {
			if got, want := string(a.Body), b.result(); got != want {
				b.w.accuse("answers", b.number, "whoever waited was told %.80s, and the result is %.80s", got, want)
			}
		}
	}
}

// backwards checks that a scope undoes what completed latest first, as far as
// it was completed by then.
func (b *book) backwards() {
	for _, n := range b.m.Nodes {
		if strings.Contains(string(n.Config), `"parallel"`) {
			return
		}
	}
	completed := map[machine.VisitRef]int{}
	type undo struct {
		of  machine.VisitRef
		seq int
	}
	undone := map[int][]undo{} // by the scope that undoes
	for _, e := range b.log {
		switch f := e.Fact.(type) {
		case *machine.TaskCompleted:
			completed[machine.VisitRef{Scope: f.Scope, Node: f.Node, Visit: f.Visit}] = e.Seq
		case *machine.NodeCompleted:
			completed[machine.VisitRef{Scope: f.Scope, Node: f.Node, Visit: f.Visit}] = e.Seq
		case *machine.Responded:
			completed[machine.VisitRef{Scope: f.Scope, Node: f.Node, Visit: f.Visit}] = e.Seq
		case *machine.WaitCompleted:
			completed[machine.VisitRef{Scope: f.Scope, Node: f.Node, Visit: f.Visit}] = e.Seq
		case *machine.ContainerCompleted:
			completed[machine.VisitRef{Scope: f.Scope, Node: f.Node, Visit: f.Visit}] = e.Seq
		case *machine.AttentionResolved:
			return // a person decides about the order, too
		case *machine.TaskScheduled:
			if f.Undoes != nil && f.Attempt == 1 {
				undone[f.Scope] = append(undone[f.Scope], undo{*f.Undoes, e.Seq})
			}
		}
	}
	for _, list := range undone {
		for i := 1; i < len(list); i++ {
			earlier, later := list[i-1], list[i]
			if c := completed[later.of]; c > completed[earlier.of] && c < earlier.seq {
				b.w.accuse("undo", b.number, "visit %d of %s is undone before visit %d of %s, which completed later", earlier.of.Visit, earlier.of.Node, later.of.Visit, later.of.Node)
			}
		}
	}
}

// result is the result of a run that succeeded, as the machine assembles it.
func (b *book) result() string {
	for _, digest := range b.s.Needs() {
		b.s.Supply(digest, b.w.payloads[digest])
	}
	raw, err := b.s.Result(b.m)
	if err != nil {
		return err.Error()
	}
	return string(raw)
}

// compare plays the drawing on the reference as well.
func (b *book) compare() bool {
	exact := b.w.plan.Exact
	if b.parent != nil || b.broken || b.meddled || b.w.plan.Waits || b.w.plan.Nursery || !b.began() || !exact && !b.calm {
		return false
	}
	b.start.At, b.start.Inside, b.start.Workflows = b.log[0].At, b.w.plan.Inside, map[string]reference.Workflow{}
	for name, o := range b.w.others {
		b.start.Workflows[name] = reference.Workflow{Drawing: o.g, Trigger: o.trigger}
	}
	outcomes := b.outcomes
	if exact {
		outcomes = b.timed()
	}
	want, err := b.refer(outcomes)
	if err != nil {
		b.w.accuse("reference", b.number, "%v", err)
		return false
	}
	if want.Status == reference.StatusNeedsAttention {
		return false // what a person decided then, the reference does not know
	}
	got := b.report()
	if exact {
		if a, c := play.Written(b.g, got), play.Written(b.g, want); a != c {
			b.w.accuse("reference", b.number, "the run\n%s\n\nthe reference\n%s", a, c)
		}
		return true
	}
	want.Visits = slices.DeleteFunc(want.Visits, func(v reference.Visit) bool { return v.Run != "" })
	for _, v := range want.Visits { // how far a failing scope got follows the order
		switch b.g.Node("id-" + v.Node).Kind {
		case "group", "map", "loop":
			if v.Error != nil {
				return false
			}
		}
	}
	if a, c := essence(got), essence(want); a != c {
		b.w.accuse("reference", b.number, "the run %s, the reference %s", a, c)
	}
	return true
}

// essence is what does not follow the order in which things happen.
func essence(r reference.Report) string {
	if r.Status != reference.StatusSucceeded {
		return "did not go well"
	}
	return fmt.Sprint(r.Status, r.Count())
}

func (b *book) refer(outcomes reference.Outcomes) (r reference.Report, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the reference breaks: %v", p)
		}
	}()
	return reference.Run(b.g, b.start, outcomes)
}

// report is the run as the reference tells it.
func (b *book) report() reference.Report {
	r := b.reading.Report
	r.Status, r.Ended = string(b.s.Status), b.log[len(b.log)-1].At
	if f := b.s.Failure; b.s.Status != machine.StatusSucceeded && f != nil {
		r.Error = &reference.Error{Class: f.Class, Message: f.Message, Node: f.Node, Attempts: f.Attempts}
	}
	if b.s.Status == machine.StatusSucceeded {
		r.Result = play.Parse([]byte(b.result()))
	}
	return r
}

// timed gives every attempt the time that it took in this history.
func (b *book) timed() reference.Outcomes {
	took := map[reference.Place]time.Duration{}
	began := map[reference.Place]time.Time{}
	name := func(scope int, node string, visit, attempt int) reference.Place {
		return b.reading.Place(machine.Dispatch{Scope: scope, Node: node, Visit: visit, Attempt: attempt})
	}
	for _, e := range b.log {
		switch f := e.Fact.(type) {
		case *machine.TaskScheduled:
			began[name(f.Scope, f.Node, f.Visit, f.Attempt)] = e.At
		case *machine.TaskCompleted:
			p := name(f.Scope, f.Node, f.Visit, f.Attempt)
			took[p] = e.At.Sub(began[p])
		case *machine.TaskFailed:
			if p := name(f.Scope, f.Node, f.Visit, f.Attempt); !f.Late {
				took[p] = e.At.Sub(began[p])
			}
		}
	}
	return func(p reference.Place) reference.Outcome {
		o := b.outcomes(p)
		d, ended := took[p]
		if o.After = d; !ended {
			o.After = 10_000 * time.Hour
		}
		return o
	}
}
