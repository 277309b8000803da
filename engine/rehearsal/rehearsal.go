// Package rehearsal plays a run that is recorded on another machine: what the
// world answered then stands for the world now, so that nothing outside is
// called, and no time is waited for. It shows whether a changed drawing still
// does the same.
//
// A step that a worker does, a called workflow, a signal and a person give what
// they gave in the recorded run, as long as the step is still asked the same or
// has not been changed. A changed or new one gives what is pinned to it, else
// the rehearsal ends there: what follows cannot be known without a real call.
//
// It is pure: it gets a log and two machines and gives another log.
package rehearsal

import (
	"encoding/json"
	"fmt"
	"time"

	"signalbox/engine/event"
	"signalbox/engine/machine"
)

// EventsMax is how many events a rehearsal may have.
const EventsMax = 20_000

// Reasons why a rehearsal ends before the run does.
const (
	StopNotRecorded = "not_recorded" // a changed or new step would call outside, or one goes on where its record ends
	StopWaits       = "waits"        // a step waits for somebody who did not answer then
	StopNoTrigger   = "no_trigger"   // the trigger that started the run is gone
	StopTooLong     = "too_long"     // EventsMax, or the caller's time
	StopOpen        = "open"         // nothing is left that could move it
)

// Stop says where a rehearsal went no further, and why.
type Stop struct {
	Node string // key; empty: the run as a whole
	Why  string
}

// Recorded is a run as it was.
type Recorded struct {
	Run     string // its id: what the machine draws from it stays the same
	Machine *machine.Machine
	Log     []machine.Event
	// Value loads a large value by its digest.
	Value func(digest string) ([]byte, error)
	// Seen is what expressions see of the workflow and its version.
	Workspace, Workflow, Version string
}

// Played is what became of a run on another machine.
type Played struct {
	Log    []machine.Event
	Status machine.Status
	Result json.RawMessage // of a run that succeeded
	Error  *event.Error
	Stop   *Stop             // nil: it came to its end
	Asked  []machine.Event   // TaskScheduled, CallStarted: the step is the same, and asks for something else than recorded
	Pinned []string          // steps that gave what is pinned to them
	Large  map[string][]byte // large values that it made, by digest
}

// player is one rehearsal.
type player struct {
	was    *Recorded
	m      *machine.Machine
	s      *machine.Snapshot
	pins   map[string]json.RawMessage
	record *record
	places places
	out    *Played
	now    time.Time
	due    []coming // what will come in, in no order
	order  int
	live   map[visit]*did // the record of each visit under way
	mute   map[visit]bool // those that nobody answered then either
}

// visit names a visit of the run that is played.
type visit struct {
	scope  int
	node   string
	number int
}

// coming is an input that is on its way; of two at one time the one that was
// recorded first comes first.
type coming struct {
	at    time.Time
	seq   int
	order int
	input machine.Input
}

// Play plays a recorded run on a machine. Pins are outputs by node key. Going
// is asked now and then, and ends the play by an error.
func Play(was *Recorded, m *machine.Machine, pins map[string]json.RawMessage, going func() error) (*Played, error) {
	p := &player{
		was: was, m: m, s: m.New(was.Run), pins: pins, record: read(was.Log), places: places{},
		out: &Played{Large: map[string][]byte{}}, live: map[visit]*did{}, mute: map[visit]bool{},
	}
	p.s.Workspace, p.s.Workflow, p.s.Version = was.Workspace, was.Workflow, was.Version
	err := p.play(going)
	if err != nil {
		return nil, err
	}
	return p.out, p.end()
}

func (p *player) play(going func() error) error {
	first, ok := p.was.Log[0].Fact.(*machine.RunStarted)
	if !ok {
		return fmt.Errorf("run %s does not begin with its start", p.was.Run)
	}
	p.now = p.was.Log[0].At
	if i := p.m.Index(first.Trigger); i < 0 || p.m.Nodes[i].Op != machine.OpTrigger {
		p.out.Stop = &Stop{Node: first.Trigger, Why: StopNoTrigger}
		return nil
	}
	input, err := p.raw(first.Input)
	if err != nil {
		return err
	}
	for _, x := range p.record.early {
		signal, err := p.signal(&x)
		if err != nil {
			return err
		}
		p.due = append(p.due, coming{at: x.at, seq: x.seq, input: signal})
	}
	var in machine.Input = machine.Start{Trigger: first.Trigger, Value: input, Attributes: first.Attributes, Source: first.Source}
	for {
		more, err := p.m.Step(p.s, in, p.now)
		if err != nil {
			return fmt.Errorf("play run %s: %w", p.was.Run, err)
		}
		if err := p.took(more); err != nil {
			return err
		}
		if p.s.Status.Over() || p.out.Stop != nil {
			return nil
		}
		if len(p.out.Log) > EventsMax || going() != nil {
			p.out.Stop = &Stop{Why: StopTooLong}
			return nil
		}
		if in = p.next(); in == nil {
			p.out.Stop = p.standing()
			return nil
		}
	}
}

// end reads the result from the state.
func (p *player) end() error {
	p.out.Status, p.out.Error = p.s.Status, p.s.Failure
	if p.s.Status != machine.StatusSucceeded {
		return nil
	}
	raw, err := p.s.Result(p.m)
	if err != nil {
		raw = nil //nolint:nilerr // for one reason only: values that are too large to be loaded
	}
	p.out.Result = raw
	return nil
}

// took keeps what followed, and prepares what will answer it.
func (p *player) took(more []machine.Event) error {
	for digest, data := range p.s.Fresh() {
		p.out.Large[digest] = data
	}
	p.out.Log = append(p.out.Log, more...)
	for _, e := range more {
		p.places.note(e.Fact)
		if err := p.notice(e); err != nil {
			return err
		}
	}
	for _, c := range p.m.Commands(p.s, more) {
		if err := p.answer(c); err != nil {
			return err
		}
	}
	for _, digest := range p.s.Needs() {
		data, err := p.value(digest)
		if err != nil {
			return err
		}
		p.s.Supply(digest, data)
	}
	return nil
}

// notice finds the record of a visit that begins, and answers what waits.
func (p *player) notice(e machine.Event) error {
	switch f := e.Fact.(type) {
	case *machine.TaskScheduled:
		if f.Attempt == 1 {
			p.begin(f.Scope, f.Node, f.Visit)
			if d := p.live[visit{f.Scope, f.Node, f.Visit}]; d != nil && p.sameStep(f.Node) && !p.alike(d.config, f.Config) {
				p.out.Asked = append(p.out.Asked, e)
			}
		}
	case *machine.CallStarted:
		p.begin(f.Scope, f.Node, f.Visit)
		if d := p.live[visit{f.Scope, f.Node, f.Visit}]; d != nil && p.sameStep(f.Node) && (d.calls != f.Workflow+"@"+f.Version || !p.alike(d.config, f.Input)) {
			p.out.Asked = append(p.out.Asked, e)
		}
	case *machine.WaitStarted:
		p.begin(f.Scope, f.Node, f.Visit)
		return p.wait(f)
	}
	return nil
}

func (p *player) begin(scope int, node string, number int) {
	v := visit{scope, node, number}
	p.live[v] = p.record.take(p.places.of(scope), node, number)
}

// sameStep reports whether a step is configured as it was.
func (p *player) sameStep(key string) bool {
	i, j := p.was.Machine.Index(key), p.m.Index(key)
	if i < 0 || j < 0 {
		return false
	}
	a, b := &p.was.Machine.Nodes[i], &p.m.Nodes[j]
	return a.Kind == b.Kind && a.Op == b.Op && sameJSON(a.Config, b.Config)
}

// alike reports whether two values are the same data.
func (p *player) alike(a, b event.Value) bool { return SameValue(a, b) }

// known reports whether what was recorded may stand for what a step would do:
// it asks for the same, or it is the same step.
func (p *player) known(d *did, kind string, asks event.Value) bool {
	return d != nil && (d.kind(p.was.Machine) == kind && p.alike(d.config, asks) || p.sameStep(d.node))
}

// next is what comes in next, and moves the clock there; nil: nothing.
func (p *player) next() machine.Input {
	first := -1
	for i, c := range p.due {
		if first < 0 || c.before(p.due[first]) {
			first = i
		}
	}
	wake := p.m.WakeAt(p.s)
	if first >= 0 && (wake.IsZero() || !wake.Before(p.due[first].at)) {
		c := p.due[first]
		p.due = append(p.due[:first], p.due[first+1:]...)
		p.pass(c.at)
		return c.input
	}
	if wake.IsZero() {
		return nil
	}
	p.pass(wake)
	return machine.Wake{}
}

func (c coming) before(o coming) bool {
	switch {
	case !c.at.Equal(o.at):
		return c.at.Before(o.at)
	case c.seq != o.seq:
		return c.seq < o.seq
	default:
		return c.order < o.order
	}
}

// pass moves the clock; it never goes back.
func (p *player) pass(to time.Time) {
	if to.After(p.now) {
		p.now = to
	}
}

func (p *player) later(after time.Duration, seq int, in machine.Input) {
	p.order++
	p.due = append(p.due, coming{p.now.Add(max(after, 0)), seq, p.order, in})
}

// standing says what a run that nothing moves any more is at.
func (p *player) standing() *Stop {
	for _, v := range openVisits(p.out.Log) {
		if p.mute[v] {
			return &Stop{Node: v.node, Why: StopNotRecorded}
		}
	}
	for _, v := range openVisits(p.out.Log) {
		if _, waits := p.live[v]; waits {
			return &Stop{Node: v.node, Why: StopWaits}
		}
	}
	return &Stop{Why: StopOpen}
}

func (p *player) stop(node, why string) {
	if p.out.Stop == nil {
		p.out.Stop = &Stop{Node: node, Why: why}
	}
}

// raw is a recorded value as it would come in.
func (p *player) raw(v event.Value) (json.RawMessage, error) {
	switch {
	case v.IsZero():
		return json.RawMessage("null"), nil
	case v.Payload == nil:
		return v.Inline, nil
	default:
		return p.value(v.Payload.Digest)
	}
}

// signal is a recorded signal as it would come in.
func (p *player) signal(h *heard) (machine.Signal, error) {
	in := h.signal
	var err error
	in.Value, err = p.raw(h.value)
	return in, err
}

func (p *player) value(digest string) (json.RawMessage, error) {
	if data := p.out.Large[digest]; data != nil {
		return data, nil
	}
	data, err := p.was.Value(digest)
	if err != nil {
		return nil, fmt.Errorf("load a large value of run %s: %w", p.was.Run, err)
	}
	return data, nil
}

// Event is one event as it would be stored, with a large value that the
// rehearsal made itself whole, up to a size.
func (p *Played) Event(seq, most int) (event.Event, error) {
	e := p.Log[seq-1]
	stored, err := machine.Encode(e)
	if err != nil {
		return event.Event{}, fmt.Errorf("write event %d of a rehearsal: %w", seq, err)
	}
	v, ok := machine.OutputOf(e.Fact)
	if !ok || v.Payload == nil || v.Payload.Size > most || p.Large[v.Payload.Digest] == nil {
		return stored, nil
	}
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(stored.Data, &fields); err != nil {
		return event.Event{}, fmt.Errorf("read event %d of a rehearsal: %w", seq, err)
	}
	fields["output"] = p.Large[v.Payload.Digest]
	if stored.Data, err = json.Marshal(fields); err != nil {
		return event.Event{}, fmt.Errorf("write event %d of a rehearsal: %w", seq, err)
	}
	return stored, nil
}
