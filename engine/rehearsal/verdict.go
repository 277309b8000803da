package rehearsal

import (
	"encoding/json"
	"fmt"
	"slices"

	"signalbox/engine/compare"
	"signalbox/engine/event"
	"signalbox/engine/machine"
)

// What a case came to.
const (
	Same    = "same"    // it does what it did
	Differs = "differs" // it does something else
	Stopped = "stopped" // it cannot be known to the end without a real call
)

// Sorts of differences. The first five make a case differ; the others only say
// what is new about the way there.
const (
	InStatus  = "status"  // how the run ends
	InResult  = "result"  // what it gives
	InAnswer  = "answer"  // what it answers to whoever waits
	InWay     = "way"     // a step that both have is not visited, or left another way
	InRequest = "request" // a step asks something else of the outside

	IsNew  = "new"  // a visit of a step that the recorded version does not have
	IsGone = "gone" // a visit of a step that the draft does not have
	InData = "data" // a step puts something else out
)

// DifferencesMax is how many differences of a case are listed.
const DifferencesMax = 100

// Difference is one thing that is not as it was.
type Difference struct {
	What  string
	Node  string // key; empty: the run as a whole
	Place string
	Visit int
	Was   string // for people, shortened
	Now   string
}

// Counts reports whether the difference makes a case differ.
func (d Difference) Counts() bool {
	switch d.What {
	case InStatus, InResult, InAnswer, InWay, InRequest:
		return true
	default:
		return false
	}
}

// Verdict says how a case compares.
type Verdict struct {
	Says        string // same, differs, stopped
	Differences []Difference
	More        int // differences beyond those listed
	Rows        []compare.Row
}

// Ended reads how a recorded run ended.
func Ended(was *Recorded) (*Played, error) {
	s := was.Machine.New(was.Run)
	if err := was.Machine.Fold(s, was.Log...); err != nil {
		return nil, fmt.Errorf("read run %s: %w", was.Run, err)
	}
	for _, digest := range s.Needs() {
		data, err := was.Value(digest)
		if err != nil {
			return nil, fmt.Errorf("load a large value of run %s: %w", was.Run, err)
		}
		s.Supply(digest, data)
	}
	p := player{m: was.Machine, s: s, out: &Played{Log: was.Log}}
	return p.out, p.end()
}

// Judge compares what was recorded with what was played.
func Judge(was *Recorded, before, now *Played, m *machine.Machine) Verdict {
	j := judge{was: was.Machine, now: m}
	j.Rows = compare.Logs(before.Log, now.Log)
	j.Says = Same
	if now.Stop == nil {
		j.whole(before, now)
	}
	for _, e := range now.Asked {
		j.request(e, before.Log)
	}
	for _, r := range j.Rows {
		j.row(r, now.Stop != nil)
	}
	switch {
	case now.Stop != nil:
		j.Says = Stopped
	case slices.ContainsFunc(j.Differences, Difference.Counts):
		j.Says = Differs
	}
	return j.Verdict
}

type judge struct {
	Verdict
	was, now *machine.Machine
}

// add keeps those that count before those that do not.
func (j *judge) add(d Difference) {
	if len(j.Differences) < DifferencesMax {
		j.Differences = append(j.Differences, d)
		return
	}
	j.More++
	if at := slices.IndexFunc(j.Differences, func(o Difference) bool { return !o.Counts() }); at >= 0 && d.Counts() {
		j.Differences = append(slices.Delete(j.Differences, at, at+1), d)
	}
}

// whole compares the ends.
func (j *judge) whole(before, now *Played) {
	if a, b := ending(before), ending(now); a != b {
		j.add(Difference{What: InStatus, Was: a, Now: b})
	}
	if before.Status == machine.StatusSucceeded && now.Status == machine.StatusSucceeded && !sameJSON(before.Result, now.Result) {
		j.add(Difference{What: InResult, Was: short(before.Result), Now: short(now.Result)})
	}
	a, b := answered(before.Log), answered(now.Log)
	if (a == nil) != (b == nil) || a != nil && (a.Status != b.Status || !SameValue(a.Output, b.Output)) {
		j.add(Difference{What: InAnswer, Was: answerText(a), Now: answerText(b)})
	}
}

func ending(p *Played) string {
	if p.Error != nil && p.Status != machine.StatusSucceeded {
		return string(p.Status) + ": " + p.Error.Class
	}
	return string(p.Status)
}

func answered(log []machine.Event) *machine.Responded {
	for _, e := range log {
		if f, ok := e.Fact.(*machine.Responded); ok {
			return f
		}
	}
	return nil
}

func answerText(f *machine.Responded) string {
	if f == nil {
		return ""
	}
	return fmt.Sprintf("%d %s", f.Status, valueText(f.Output))
}

// request notes that a step asks something else.
func (j *judge) request(e machine.Event, before []machine.Event) {
	ref, _ := machine.VisitOf(e.Fact)
	d := Difference{What: InRequest, Node: ref.Node, Visit: ref.Visit, Now: valueText(askedOf(e.Fact))}
	for _, o := range before {
		if r, ok := machine.VisitOf(o.Fact); ok && r == ref {
			if v := askedOf(o.Fact); !v.IsZero() {
				d.Was = valueText(v)
				break
			}
		}
	}
	j.add(d)
}

func askedOf(f machine.Fact) event.Value {
	switch f := f.(type) {
	case *machine.TaskScheduled:
		return f.Config
	case *machine.CallStarted:
		return f.Input
	default:
		return event.Value{}
	}
}

// row notes what one visit shows. Of a rehearsal that stopped, what is missing
// or still open says nothing.
func (j *judge) row(r compare.Row, part bool) {
	d := Difference{Node: r.Node, Place: r.Place, Visit: r.Visit, Was: leftBy(r.A), Now: leftBy(r.B)}
	switch {
	case part && (r.B == nil || r.B.Outcome == compare.Open || r.B.Outcome == compare.Canceled):
		return
	case r.A == nil && j.was.Index(r.Node) < 0:
		d.What = IsNew
	case r.B == nil && j.now.Index(r.Node) < 0:
		d.What = IsGone
	case !r.SameWay():
		d.What = InWay
	case !r.SameData():
		d.What, d.Was, d.Now = InData, valueText(r.A.Output), valueText(r.B.Output)
	default:
		return
	}
	j.add(d)
}

// leftBy says in short how a visit ended.
func leftBy(v *compare.Visit) string {
	switch {
	case v == nil:
		return ""
	case v.Error != "":
		return string(v.Outcome) + ": " + v.Error
	case len(v.Ports) > 0:
		text := v.Ports[0]
		for _, p := range v.Ports[1:] {
			text += ", " + p
		}
		return text
	default:
		return string(v.Outcome)
	}
}

// shownMax is how many bytes of a value are shown.
const shownMax = 300

func valueText(v event.Value) string {
	if v.Payload != nil {
		return short([]byte(v.Payload.Preview))
	}
	return short(v.Inline)
}

func short(raw json.RawMessage) string {
	text := []rune(string(raw))
	if len(text) > shownMax {
		return string(text[:shownMax]) + "…"
	}
	return string(text)
}
