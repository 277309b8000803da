package rehearsal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"time"

	"signalbox/engine/event"
	"signalbox/engine/machine"
)

// record is what the world answered in a run.
type record struct {
	visits map[name][]*did // several, where a container began anew
	early  []heard         // signals that came before a step waited for them, or for nobody
}

// name says which visit it was, wherever its scope was opened.
type name struct {
	place  string
	node   string
	number int
}

// heard is a signal as it came.
type heard struct {
	at     time.Time
	seq    int
	signal machine.Signal // without its value, which may have to be loaded
	value  event.Value
}

// did is how one visit went.
type did struct {
	node     string
	config   event.Value // what a task was asked; what a call was given
	calls    string      // workflow@version
	child    string
	attempts map[int]*attempt
	signal   *heard
	start    time.Time
	seq      int
	took     time.Duration
	ended    bool
	port     string
	by       string
	output   event.Value
	err      *event.Error
}

// attempt is how one attempt went; a canceled one has no end.
type attempt struct {
	start  time.Time
	seq    int
	began  time.Duration // until a worker took it; negative: never told
	took   time.Duration
	ended  bool
	worker string
	output event.Value
	err    *event.Error
}

// kind is that of the step when it was recorded.
func (d *did) kind(m *machine.Machine) string {
	if i := m.Index(d.node); i >= 0 {
		return m.Nodes[i].Kind
	}
	return ""
}

// take hands out the next record of a visit; nil: there is none.
func (r *record) take(place, node string, number int) *did {
	n := name{place, node, number}
	list := r.visits[n]
	if len(list) == 0 {
		return nil
	}
	r.visits[n] = list[1:]
	return list[0]
}

// reader reads a log into a record.
type reader struct {
	*record
	places places
	open   map[visit]*did
	mail   map[int]heard // by event
}

func read(log []machine.Event) *record {
	r := &reader{record: &record{visits: map[name][]*did{}}, places: places{}, open: map[visit]*did{}, mail: map[int]heard{}}
	for _, e := range log {
		r.places.note(e.Fact)
		r.note(e)
	}
	for _, seq := range sortedKeys(r.mail) {
		r.early = append(r.early, r.mail[seq])
	}
	return r.record
}

func sortedKeys(m map[int]heard) []int {
	keys := make([]int, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func (r *reader) begin(v visit, e machine.Event) *did {
	d := &did{node: v.node, attempts: map[int]*attempt{}, start: e.At, seq: e.Seq}
	r.open[v] = d
	n := name{r.places.of(v.scope), v.node, v.number}
	r.visits[n] = append(r.visits[n], d)
	return d
}

func (r *reader) note(e machine.Event) {
	switch f := e.Fact.(type) {
	case *machine.TaskScheduled:
		v := visit{f.Scope, f.Node, f.Visit}
		if f.Attempt == 1 {
			r.begin(v, e).config = f.Config
		}
		if d := r.open[v]; d != nil {
			d.attempts[f.Attempt] = &attempt{start: e.At, seq: e.Seq, began: -1}
		}
	case *machine.TaskStarted:
		if a := r.attempt(f.Scope, f.Node, f.Visit, f.Attempt); a != nil {
			a.began, a.worker = e.At.Sub(a.start), f.Worker
		}
	case *machine.TaskCompleted:
		if a := r.attempt(f.Scope, f.Node, f.Visit, f.Attempt); a != nil {
			a.ended, a.took, a.seq, a.output, a.worker = true, e.At.Sub(a.start), e.Seq, f.Output, f.Worker
		}
	case *machine.TaskFailed:
		if a := r.attempt(f.Scope, f.Node, f.Visit, f.Attempt); a != nil && !f.Late {
			err := f.Error
			a.ended, a.took, a.seq, a.err, a.worker = true, e.At.Sub(a.start), e.Seq, &err, f.Worker
		}
	case *machine.CallStarted:
		d := r.begin(visit{f.Scope, f.Node, f.Visit}, e)
		d.config, d.calls = f.Input, f.Workflow+"@"+f.Version
	case *machine.CallAnswered:
		if d := r.open[visit{f.Scope, f.Node, f.Visit}]; d != nil {
			d.child = f.Child
		}
	case *machine.NodeFailed:
		if d := r.open[visit{f.Scope, f.Node, f.Visit}]; d != nil && d.calls != "" {
			err := f.Error
			d.ended, d.took, d.seq, d.err = true, e.At.Sub(d.start), e.Seq, &err
		}
	case *machine.SignalReceived:
		r.mail[e.Seq] = heard{e.At, e.Seq, machine.Signal{Name: f.Name, Correlation: f.Correlation, ID: f.ID, By: f.By}, f.Value}
	case *machine.WaitStarted:
		r.begin(visit{f.Scope, f.Node, f.Visit}, e)
	case *machine.WaitCompleted:
		r.waited(f, e)
	default: // the machine's own doing
	}
}

func (r *reader) waited(f *machine.WaitCompleted, e machine.Event) {
	d := r.open[visit{f.Scope, f.Node, f.Visit}]
	if d == nil {
		return
	}
	if m, ok := r.mail[f.Signal]; ok && f.Signal > 0 {
		d.signal, d.took, d.seq = &m, m.at.Sub(d.start), m.seq
		if d.took >= 0 {
			delete(r.mail, f.Signal) // it comes as long after the wait began as it did
		}
		return
	}
	if f.Port == machine.PortTimeout {
		return // its own clock
	}
	d.ended, d.took, d.seq, d.port, d.by, d.output = true, e.At.Sub(d.start), e.Seq, f.Port, f.By, f.Output
}

func (r *reader) attempt(scope int, node string, number, n int) *attempt {
	if d := r.open[visit{scope, node, number}]; d != nil {
		return d.attempts[n]
	}
	return nil
}

// places names scopes by the containers around them: their numbers depend on
// the order in which they opened.
type places map[int]string

func (p places) of(scope int) string { return p[scope] }

func (p places) note(f machine.Fact) {
	b, ok := f.(*machine.BodyStarted)
	if !ok {
		return
	}
	at := fmt.Sprintf("%s#%d[%d]", b.Node, b.Visit, b.Index)
	if outer := p[b.Scope]; outer != "" {
		at = outer + "/" + at
	}
	p[b.Opens] = at
}

// openVisits are those that began in a log and did not end in it, the newest
// first.
func openVisits(log []machine.Event) []visit {
	var list []visit
	over := map[visit]bool{}
	for i := len(log) - 1; i >= 0; i-- {
		ref, ok := machine.VisitOf(log[i].Fact)
		v := visit{ref.Scope, ref.Node, ref.Visit}
		if !ok || over[v] {
			continue
		}
		switch log[i].Fact.(type) {
		case *machine.TaskScheduled, *machine.WaitStarted, *machine.CallStarted, *machine.CallAnswered, *machine.TaskStarted:
			list = append(list, v)
			over[v] = true
		default:
			over[v] = true
		}
	}
	return list
}

// SameValue reports whether two values are the same data. The order of members
// and the way numbers are written do not count.
func SameValue(a, b event.Value) bool {
	switch {
	case a.Payload != nil && b.Payload != nil:
		return a.Payload.Digest == b.Payload.Digest
	case a.Payload != nil || b.Payload != nil:
		return false
	default:
		return sameJSON(a.Inline, b.Inline)
	}
}

func sameJSON(a, b json.RawMessage) bool {
	if bytes.Equal(a, b) {
		return true
	}
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}
