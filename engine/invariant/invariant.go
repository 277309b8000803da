// Package invariant checks what must hold of every stored run, whatever
// crashed, was cut or was lost on the way. It only looks; it repairs nothing.
package invariant

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/event"
	"signalbox/engine/machine"
	"signalbox/engine/runtime"
)

// Rule is one thing that must hold.
type Rule string

// The closed list of Rule.
const (
	Numbers  Rule = "numbers"  // events are numbered 1, 2, 3 …, and time never goes back
	Chain    Rule = "chain"    // the chain of hashes is unbroken
	Size     Rule = "size"     // no event is above the limit
	Fold     Rule = "fold"     // the events can be folded
	Row      Rule = "row"      // the run's row says what its events say
	End      Rule = "end"      // nothing follows the end, and success leaves no token
	Attempts Rule = "attempts" // an attempt is scheduled before it ends, and ends at most once
	Limits   Rule = "limits"   // attempts and visits stay within what the node allows
	Timers   Rule = "timers"   // no timer fires early
	Undo     Rule = "undo"     // what is undone was completed, and is undone once
	Stuck    Rule = "stuck"    // a run that goes on owes something, or waits for something
	Values   Rule = "values"   // the large values that events name are there and whole
	Known    Rule = "known"    // this program knows how runs that go on are stored
)

// Rules lists all rules with what each says.
func Rules() []struct{ Rule, Says string } {
	return []struct{ Rule, Says string }{
		{string(Numbers), "events are numbered without a gap, and time never goes back"},
		{string(Chain), "the chain of hashes is unbroken"},
		{string(Size), fmt.Sprintf("no event is above %d bytes", event.SizeMax)},
		{string(Fold), "the events can be folded by their machine"},
		{string(Row), "the run's row says what its events say"},
		{string(End), "nothing follows the end, and success leaves no token"},
		{string(Attempts), "every attempt that ends was scheduled, and ends once"},
		{string(Limits), "attempts and visits stay within their limits"},
		{string(Timers), "no timer fired early"},
		{string(Undo), "what is undone was completed, and is undone once"},
		{string(Stuck), "a run that goes on owes or awaits something"},
		{string(Values), "large values are there, whole, and kept for their runs"},
		{string(Known), "no run that goes on is a newer program's"},
	}
}

// Violation is one thing that does not hold.
type Violation struct {
	Rule Rule      `json:"rule"`
	Run  uuid.UUID `json:"run"`
	Seq  int       `json:"seq,omitempty"` // of the event; 0: the run as a whole
	Text string    `json:"text"`
}

// overdueMax is how long ago a timer may have been due while nothing happened.
const overdueMax = 2 * time.Minute

// check is one run under examination.
type check struct {
	rec   *runtime.Record
	m     *machine.Machine
	found []Violation
}

func (c *check) say(rule Rule, seq int, format string, args ...any) {
	c.found = append(c.found, Violation{rule, c.rec.Run, seq, fmt.Sprintf(format, args...)})
}

// Check examines one run as it is stored: its row and all of its events. The
// machine is that of its version.
func Check(rec *runtime.Record, m *machine.Machine, now time.Time) []Violation {
	c := &check{rec: rec, m: m}
	c.log()
	c.attempts()
	if s, ok := c.fold(); ok {
		c.state(s, now)
	}
	return c.found
}

// CheckLog examines only what needs no machine: numbers, times, sizes and the
// chain of hashes.
func CheckLog(rec *runtime.Record) []Violation {
	c := &check{rec: rec}
	c.log()
	return c.found
}

// log checks the events one by one and in their order.
func (c *check) log() {
	events := c.rec.Events
	if len(events) == 0 {
		c.say(Numbers, 0, "the run has no events")
		return
	}
	for i := range events {
		e := &events[i]
		if e.Seq != i+1 {
			c.say(Numbers, e.Seq, "event %d stands where %d should be", e.Seq, i+1)
			break // all later ones would be named too
		}
		if i > 0 && e.At.Before(events[i-1].At) {
			c.say(Numbers, e.Seq, "event %d is older than the one before it", e.Seq)
		}
	}
	var prev [32]byte
	for i := range events {
		e := &events[i]
		if e.Hash != event.Chain(prev, e) {
			c.say(Chain, e.Seq, "the hash of event %d does not fit: it, or one before it, was changed", e.Seq)
			break
		}
		prev = e.Hash
	}
	for i := range events {
		if n := len(events[i].Data); n > event.SizeMax {
			c.say(Size, events[i].Seq, "event %d has %d bytes", events[i].Seq, n)
		}
	}
}

// moment is what the checks read of any event of a node.
type moment struct {
	Scope   int       `json:"scope"`
	Visit   int       `json:"visit"`
	Attempt int       `json:"attempt"`
	For     string    `json:"for"`
	Until   time.Time `json:"until"`
	RetryAt time.Time `json:"retry_at"`
	Undoes  *struct {
		Scope int    `json:"scope"`
		Node  string `json:"node"`
		Visit int    `json:"visit"`
	} `json:"undoes"`
}

// visit names one visit, attempt one attempt of it.
type (
	visit struct {
		node          string
		scope, number int
	}
	attempt struct {
		visit
		number int
	}
)

// attempts checks who began and ended what, how often, and when.
func (c *check) attempts() {
	open, ended, due := map[attempt]bool{}, map[attempt]bool{}, map[visit]time.Time{}
	done, undoes, undone := map[visit]bool{}, map[visit]visit{}, map[visit]bool{}
	for i := range c.rec.Events {
		stored, err := machine.Released().Upcast(c.rec.Events[i])
		e := &stored
		var at moment
		if err != nil || e.Node == "" || json.Unmarshal(e.Data, &at) != nil {
			continue // the fold says what is wrong
		}
		v := visit{e.Node, at.Scope, at.Visit}
		a := attempt{v, at.Attempt}
		switch e.Type {
		case "TaskScheduled":
			open[a] = true
			c.early(e, due[v])
			c.limits(e, at)
			if u := at.Undoes; u != nil {
				undoes[v] = visit{u.Node, u.Scope, u.Visit}
				if !done[undoes[v]] {
					c.say(Undo, e.Seq, "visit %d of %s is undone and was never completed", u.Visit, u.Node)
				}
			}
		case "TaskCompleted", "TaskFailed":
			switch {
			case ended[a]:
				c.say(Attempts, e.Seq, "attempt %d of visit %d of %s ended twice", at.Attempt, at.Visit, e.Node)
			case !open[a]:
				c.say(Attempts, e.Seq, "attempt %d of visit %d of %s ended and was never scheduled", at.Attempt, at.Visit, e.Node)
			}
			ended[a], due[v] = true, at.RetryAt
			if e.Type == "TaskFailed" {
				continue
			}
			done[v] = true
			if of, is := undoes[v]; is {
				if undone[of] {
					c.say(Undo, e.Seq, "visit %d of %s is undone twice", of.number, of.node)
				}
				undone[of] = true
			}
		case "WaitStarted":
			if at.For == "" { // others may come before their time limit
				due[v] = at.Until
			}
			c.limits(e, at)
		case "BodyFailed", "ItemFailed":
			due[v] = at.RetryAt
		case "BodyStarted", "ItemsStarted":
			c.early(e, due[v])
		case "WaitCompleted":
			c.early(e, due[v])
			done[v] = true
		case "NodeCompleted", "Responded", "ContainerCompleted":
			c.limits(e, at)
			done[v] = true
		}
	}
}

func (c *check) early(e *event.Event, due time.Time) {
	if e.At.Before(due) {
		c.say(Timers, e.Seq, "event %d came %s before its time", e.Seq, due.Sub(e.At))
	}
}

func (c *check) limits(e *event.Event, at moment) {
	i := c.m.Index(e.Node)
	if i < 0 {
		c.say(Fold, e.Seq, "event %d names the node %q, which the machine does not have", e.Seq, e.Node)
		return
	}
	n := &c.m.Nodes[i]
	if limit := max(1, n.Retry.MaxAttempts); at.Attempt > limit {
		c.say(Limits, e.Seq, "attempt %d of %s, whose limit is %d", at.Attempt, e.Node, limit)
	}
	if at.Visit > n.MaxVisits {
		c.say(Limits, e.Seq, "visit %d of %s, whose limit is %d", at.Visit, e.Node, n.MaxVisits)
	}
}

// fold makes the state from the events, as far as they go.
func (c *check) fold() (*machine.Snapshot, bool) {
	s := c.m.New(c.rec.Run.String())
	for _, stored := range c.rec.Events {
		if s.Status.Over() {
			c.say(End, stored.Seq, "event %d (%s) follows the end", stored.Seq, stored.Type)
			return s, false
		}
		e, err := machine.Decode(stored)
		if err == nil {
			err = safely(c.m, s, e)
		}
		if err != nil {
			c.say(Fold, stored.Seq, "%v", err)
			return s, false
		}
	}
	return s, len(c.rec.Events) > 0
}

// safely folds an event that may be any nonsense.
func safely(m *machine.Machine, s *machine.Snapshot, e machine.Event) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("event %d breaks the machine: %v", e.Seq, p)
		}
	}()
	if err := m.Fold(s, e); err != nil {
		return fmt.Errorf("event %d: %w", e.Seq, err)
	}
	return nil
}

// state compares the row with the fold of the events.
func (c *check) state(s *machine.Snapshot, now time.Time) {
	last := c.rec.Events[len(c.rec.Events)-1].At
	want, have := runtime.RowOf(c.m, s, last), c.rec.RunState
	_, held := s.Held()
	stands := held || s.Paused() // until a person lets it go on
	status, idle, left := s.Status, !s.Owed() && s.Live() == 0, s.Tokens()+s.Live()
	if more, err := c.m.Settle(s, last); err == nil && len(more) == 0 {
		want = runtime.RowOf(c.m, s, last) // the last step was whole
	}
	want.WakeAt = want.WakeAt.Truncate(time.Microsecond) // as PostgreSQL keeps it
	want.Error = strings.ReplaceAll(want.Error, "\x00", "")
	for _, d := range []struct {
		what       string
		row, event any
	}{
		{"status", have.Status, want.Status},
		{"owed", have.Owed, want.Owed},
		{"time to wake", have.WakeAt.UTC(), want.WakeAt.UTC()},
		{"end", have.EndedAt.UTC(), want.EndedAt.UTC()},
		{"error", have.Error, want.Error},
	} {
		if d.row != d.event {
			c.say(Row, 0, "%s: the row says %v, the events say %v", d.what, d.row, d.event)
		}
	}
	// The row of a run that goes on is not written for every event.
	if have.Seq > want.Seq || status.Over() && have.Seq != want.Seq {
		c.say(Row, 0, "the row says %d events, there are %d", have.Seq, want.Seq)
	}
	if status == machine.StatusSucceeded && left > 0 {
		c.say(End, 0, "the run succeeded with %d tokens and visits left", left)
	}
	if status.Over() {
		return
	}
	if idle && !stands && have.WakeAt.IsZero() {
		c.say(Stuck, 0, "nothing is owed and nothing is awaited")
	}
	if at := have.WakeAt; !at.IsZero() && now.Sub(at) > overdueMax {
		c.say(Stuck, 0, "its timer was due %s ago", now.Sub(at).Round(time.Second))
	}
}

// digests lists the large values that the events name.
func digests(events []event.Event) []string {
	var list []string
	for i := range events {
		if !bytes.Contains(events[i].Data, []byte(`"$payload"`)) {
			continue
		}
		var fields map[string]json.RawMessage
		if json.Unmarshal(events[i].Data, &fields) != nil {
			continue
		}
		for _, raw := range fields {
			var v event.Value
			if json.Unmarshal(raw, &v) == nil && v.Payload != nil {
				list = append(list, v.Payload.Digest)
			}
		}
	}
	return list
}
