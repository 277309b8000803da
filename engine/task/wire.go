package task

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"time"
	"unicode/utf8"

	"signalbox/engine/event"
)

// A task and its result are read and written once for every step, so both have
// a codec of their own beside the general one: the same JSON, a fifth of the
// time. What the reader does not know at a glance it leaves to the general one.

// Encode writes the task as JSON behind b.
func (t *Task) Encode(b []byte) ([]byte, error) {
	w := writer{b: append(b, '{')}
	w.text("workspace", t.Workspace)
	w.text("workflow", t.Workflow)
	w.text("run", t.Run)
	w.number("shard", int64(t.Shard))
	w.text("node", t.Node)
	if t.Scope != 0 {
		w.number("scope", int64(t.Scope))
	}
	w.number("visit", int64(t.Visit))
	w.number("attempt", int64(t.Attempt))
	w.text("kind", t.Kind)
	w.text("queue", t.Queue)
	w.number("priority", int64(t.Priority))
	w.value("config", t.Config)
	w.text("key", t.Key)
	w.number("timeout", int64(t.Timeout))
	if t.Deadline != nil {
		w.value("deadline", t.Deadline)
	}
	if len(t.Labels) > 0 {
		w.raw("labels", t.Labels)
	}
	return w.end()
}

// Decode reads what Encode, or the general codec, wrote.
func (t *Task) Decode(data []byte) error {
	*t = Task{}
	r := reader{b: data}
	for r.begin(); r.next(); {
		switch string(r.name) {
		case "workspace":
			r.text(&t.Workspace)
		case "workflow":
			r.text(&t.Workflow)
		case "run":
			r.text(&t.Run)
		case "shard":
			r.number(&t.Shard)
		case "node":
			r.text(&t.Node)
		case "visit":
			r.number(&t.Visit)
		case "scope":
			r.number(&t.Scope)
		case "attempt":
			r.number(&t.Attempt)
		case "kind":
			r.text(&t.Kind)
		case "queue":
			r.text(&t.Queue)
		case "priority":
			r.number(&t.Priority)
		case "config":
			r.value(&t.Config)
		case "key":
			r.text(&t.Key)
		case "timeout":
			r.duration(&t.Timeout)
		case "labels":
			r.raw(&t.Labels)
		default:
			r.strange = true
		}
	}
	if !r.strange {
		return nil
	}
	*t = Task{}
	if err := json.Unmarshal(data, t); err != nil {
		return fmt.Errorf("read a task: %w", err)
	}
	return nil
}

// Encode writes the result as JSON behind b.
func (r *Result) Encode(b []byte) ([]byte, error) {
	w := writer{b: append(b, '{')}
	w.text("workspace", r.Workspace)
	w.text("run", r.Run)
	w.number("shard", int64(r.Shard))
	w.text("node", r.Node)
	if r.Scope != 0 {
		w.number("scope", int64(r.Scope))
	}
	w.number("visit", int64(r.Visit))
	w.number("attempt", int64(r.Attempt))
	if len(r.Output) > 0 {
		w.raw("output", r.Output)
	}
	if r.OutputRef != nil {
		w.value("output_ref", r.OutputRef)
	}
	if r.Error != nil {
		w.value("error", r.Error)
	}
	if r.RetryAfter != 0 {
		w.number("retry_after", int64(r.RetryAfter))
	}
	if r.Worker != "" {
		w.text("worker", r.Worker)
	}
	w.time("started_at", r.StartedAt)
	w.time("ended_at", r.EndedAt)
	return w.end()
}

// Decode reads what Encode, or the general codec, wrote.
func (r *Result) Decode(data []byte) error {
	*r = Result{}
	in := reader{b: data}
	for in.begin(); in.next(); {
		switch string(in.name) {
		case "workspace":
			in.text(&r.Workspace)
		case "run":
			in.text(&r.Run)
		case "shard":
			in.number(&r.Shard)
		case "node":
			in.text(&r.Node)
		case "visit":
			in.number(&r.Visit)
		case "scope":
			in.number(&r.Scope)
		case "attempt":
			in.number(&r.Attempt)
		case "output":
			in.raw(&r.Output)
		case "retry_after":
			in.duration(&r.RetryAfter)
		case "worker":
			in.text(&r.Worker)
		case "started_at":
			in.time(&r.StartedAt)
		case "ended_at":
			in.time(&r.EndedAt)
		default: // a failure, a reference
			in.strange = true
		}
	}
	if !in.strange {
		return nil
	}
	*r = Result{}
	if err := json.Unmarshal(data, r); err != nil {
		return fmt.Errorf("read a result: %w", err)
	}
	return nil
}

// writer builds one JSON object.
type writer struct {
	b   []byte
	err error
}

func (w *writer) name(n string) {
	if w.b[len(w.b)-1] != '{' {
		w.b = append(w.b, ',')
	}
	w.b = append(append(append(w.b, '"'), n...), '"', ':')
}

func (w *writer) text(name, s string) {
	w.name(name)
	if plain(s) {
		w.b = append(append(append(w.b, '"'), s...), '"')
		return
	}
	w.put(json.Marshal(s))
}

// plain reports whether a text needs no escapes.
func plain[T string | []byte](s T) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= utf8.RuneSelf || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

func (w *writer) number(name string, n int64) {
	w.name(name)
	w.b = strconv.AppendInt(w.b, n, 10)
}

func (w *writer) raw(name string, raw json.RawMessage) {
	w.name(name)
	w.b = append(w.b, raw...)
}

func (w *writer) time(name string, t time.Time) {
	w.name(name)
	w.b = append(t.AppendFormat(append(w.b, '"'), time.RFC3339Nano), '"')
}

// value writes what is rare, or writes itself.
func (w *writer) value(name string, v any) {
	w.name(name)
	if m, ok := v.(event.Value); ok {
		w.put(m.MarshalJSON())
		return
	}
	w.put(json.Marshal(v))
}

func (w *writer) put(data []byte, err error) {
	w.b = append(w.b, data...)
	if err != nil && w.err == nil {
		w.err = err
	}
}

func (w *writer) end() ([]byte, error) { return append(w.b, '}'), w.err }

// reader reads one flat JSON object without spaces between its members.
type reader struct {
	b       []byte
	i       int
	name    []byte
	strange bool // something that the general codec has to look at
}

func (r *reader) begin() { r.expect('{') }

func (r *reader) expect(c byte) {
	if r.i >= len(r.b) || r.b[r.i] != c {
		r.strange = true
		return
	}
	r.i++
}

// next goes to the next member.
func (r *reader) next() bool {
	if r.strange || r.i >= len(r.b) {
		r.strange = true
		return false
	}
	switch c := r.b[r.i]; {
	case c == '}':
		r.strange = r.i != len(r.b)-1
		return false
	case c == ',' && r.name != nil:
		r.i++
	case r.name != nil:
		r.strange = true
		return false
	}
	r.name = r.quoted()
	r.expect(':')
	return !r.strange
}

// quoted reads a text without escapes.
func (r *reader) quoted() []byte {
	r.expect('"')
	for from := r.i; r.i < len(r.b); r.i++ {
		if r.b[r.i] == '"' {
			s := r.b[from:r.i]
			r.i++
			r.strange = r.strange || !plain(s)
			return s
		}
	}
	r.strange = true
	return nil
}

func (r *reader) text(to *string) { *to = string(r.quoted()) }

func (r *reader) integer() int64 {
	from := r.i
	for r.i < len(r.b) && (r.b[r.i] >= '0' && r.b[r.i] <= '9' || r.b[r.i] == '-') {
		r.i++
	}
	n, err := strconv.ParseInt(string(r.b[from:r.i]), 10, 64)
	r.strange = r.strange || err != nil
	return n
}

func (r *reader) number(to *int) {
	n := r.integer()
	r.strange = r.strange || n > math.MaxInt32 || n < math.MinInt32
	*to = int(n)
}

func (r *reader) duration(to *time.Duration) { *to = time.Duration(r.integer()) }

func (r *reader) time(to *time.Time) {
	t, err := time.Parse(time.RFC3339Nano, string(r.quoted()))
	r.strange = r.strange || err != nil
	*to = t
}

// raw takes a value of any form as it stands: a part of the message.
func (r *reader) raw(to *json.RawMessage) {
	from := r.i
	depth, text := 0, false
	for ; r.i < len(r.b); r.i++ {
		switch c := r.b[r.i]; {
		case text && c == '\\':
			r.i++
		case c == '"':
			text = !text
		case text:
		case c == '{' || c == '[':
			depth++
		case depth > 0 && (c == '}' || c == ']'):
			depth--
		case depth == 0 && (c == ',' || c == '}'):
			*to = r.b[from:r.i:r.i]
			r.strange = r.strange || !json.Valid(*to)
			return
		}
	}
	r.strange = true
}

func (r *reader) value(to *event.Value) {
	var raw json.RawMessage
	if r.raw(&raw); !r.strange {
		r.strange = to.UnmarshalJSON(raw) != nil
	}
}
