package otlp

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/event"
	"signalbox/engine/machine"
	"signalbox/engine/runtime"
	"signalbox/engine/span"
)

// spansMax is how many spans one run may have; what comes later is left out.
const spansMax = 5_000

// The wire form of OTLP/HTTP with JSON.
type (
	export struct {
		ResourceSpans []resourceSpans `json:"resourceSpans"` //nolint:tagliatelle // OTLP's own names, here and below
	}
	resourceSpans struct {
		Resource   resource     `json:"resource"`
		ScopeSpans []scopeSpans `json:"scopeSpans"` //nolint:tagliatelle // see above
	}
	resource struct {
		Attributes []attribute `json:"attributes"`
	}
	scopeSpans struct {
		Scope scope    `json:"scope"`
		Spans []record `json:"spans"`
	}
	scope struct {
		Name string `json:"name"`
	}
	record struct {
		TraceID    string      `json:"traceId"`                //nolint:tagliatelle // see above
		SpanID     string      `json:"spanId"`                 //nolint:tagliatelle // see above
		Parent     string      `json:"parentSpanId,omitempty"` //nolint:tagliatelle // see above
		Name       string      `json:"name"`
		Kind       int         `json:"kind"`
		Start      string      `json:"startTimeUnixNano"` //nolint:tagliatelle // see above
		End        string      `json:"endTimeUnixNano"`   //nolint:tagliatelle // see above
		Attributes []attribute `json:"attributes"`
		Status     *status     `json:"status,omitempty"`
	}
	attribute struct {
		Key   string `json:"key"`
		Value text   `json:"value"`
	}
	text struct {
		String string `json:"stringValue"` //nolint:tagliatelle // see above
	}
	status struct {
		Code    int    `json:"code"`
		Message string `json:"message,omitempty"`
	}
)

// Kinds and codes of OTLP.
const (
	kindInternal = 1
	kindConsumer = 5
	codeOK       = 1
	codeError    = 2
)

func attr(key, value string) attribute { return attribute{"signalbox." + key, text{value}} }

func nanos(t time.Time) string { return strconv.FormatInt(t.UnixNano(), 10) }

// moment is what is read of any event of a node.
type moment struct {
	Scope   int         `json:"scope"`
	Visit   int         `json:"visit"`
	Attempt int         `json:"attempt"`
	Queue   string      `json:"queue"`
	Worker  string      `json:"worker"`
	Began   time.Time   `json:"began"`
	Error   event.Error `json:"error"`
}

// builder makes the spans of one run from its events. Payloads and messages of
// errors stay out: a trace leaves the house.
type builder struct {
	run   uuid.UUID
	m     *machine.Machine
	began map[span.ID]time.Time // visits that are open
	tasks map[span.ID]moment    // attempts that are open
	since map[span.ID]time.Time // the same
	list  []record
}

// spansOf describes a run that is over.
func spansOf(row *runtime.NewRun, m *machine.Machine, log []event.Event) []record {
	if len(log) == 0 {
		return nil
	}
	b := &builder{run: row.Run, m: m, began: map[span.ID]time.Time{}, tasks: map[span.ID]moment{}, since: map[span.ID]time.Time{}}
	first, last := &log[0], &log[len(log)-1]
	root := record{
		TraceID: span.Trace(row.Run), SpanID: span.Run(row.Run).String(), Name: "run", Kind: kindInternal, Start: nanos(first.At), End: nanos(last.At),
		Attributes: []attribute{
			attr("run", row.Run.String()), attr("workflow", row.Workflow.String()), attr("version", row.Version.String()),
			attr("workspace", row.Workspace), attr("trigger", row.Trigger), attr("source", row.Source), attr("end", last.Type),
		},
	}
	var end moment
	if json.Unmarshal(last.Data, &end) == nil && end.Error.Class != "" {
		root.Status = &status{codeError, end.Error.Class}
	} else if last.Type == "RunSucceeded" {
		root.Status = &status{Code: codeOK}
	}
	b.list = append(b.list, root)
	for i := range log {
		if len(b.list) >= spansMax {
			break
		}
		b.add(&log[i])
	}
	return b.list
}

func (b *builder) add(e *event.Event) {
	var at moment
	if e.Node == "" || json.Unmarshal(e.Data, &at) != nil || at.Visit == 0 {
		return
	}
	visit := span.Visit(b.run, at.Scope, e.Node, at.Visit)
	switch {
	case e.Type == "TaskScheduled":
		if _, open := b.began[visit]; !open {
			b.began[visit] = e.At
		}
		id := span.Attempt(b.run, at.Scope, e.Node, at.Visit, at.Attempt)
		b.tasks[id], b.since[id] = at, e.At
	case e.Type == "TaskCompleted" || e.Type == "TaskFailed":
		b.attempt(e, at, visit)
		if e.Type == "TaskCompleted" {
			b.visit(e, at, visit)
		}
	case strings.HasPrefix(e.Type, "Body"), e.Type == "TaskStarted": // bodies show by what is in them, attempts when they end
	case strings.HasSuffix(e.Type, "Started"):
		b.began[visit] = e.At
	case strings.HasSuffix(e.Type, "Completed"), strings.HasSuffix(e.Type, "Failed"), strings.HasSuffix(e.Type, "Canceled"), e.Type == "Responded":
		b.visit(e, at, visit)
	}
}

// attempt describes an attempt that has ended.
func (b *builder) attempt(e *event.Event, at moment, visit span.ID) {
	id := span.Attempt(b.run, at.Scope, e.Node, at.Visit, at.Attempt)
	asked, start := b.tasks[id], at.Began
	if start.IsZero() {
		start = b.since[id]
	}
	r := record{
		TraceID: span.Trace(b.run), SpanID: id.String(), Parent: visit.String(), Name: e.Node + " attempt", Kind: kindConsumer, Start: nanos(start), End: nanos(e.At),
		Attributes: []attribute{attr("node", e.Node), attr("attempt", strconv.Itoa(at.Attempt)), attr("queue", asked.Queue), attr("worker", at.Worker)},
	}
	if since := b.since[id]; !since.IsZero() && start.After(since) {
		r.Attributes = append(r.Attributes, attr("queued", start.Sub(since).String()))
	}
	if e.Type == "TaskFailed" {
		r.Status = &status{codeError, at.Error.Class}
	}
	delete(b.tasks, id)
	delete(b.since, id)
	b.list = append(b.list, r)
}

// visit describes a visit that has ended; one that began with its end took no
// time.
func (b *builder) visit(e *event.Event, at moment, id span.ID) {
	start, open := b.began[id]
	if !open {
		start = e.At
	}
	delete(b.began, id)
	kind := ""
	if i := b.m.Index(e.Node); i >= 0 {
		kind = b.m.Nodes[i].Kind
	}
	r := record{
		TraceID: span.Trace(b.run), SpanID: id.String(), Parent: span.Run(b.run).String(), Name: e.Node, Kind: kindInternal, Start: nanos(start), End: nanos(e.At),
		Attributes: []attribute{attr("node", e.Node), attr("kind", kind), attr("visit", strconv.Itoa(at.Visit)), attr("scope", strconv.Itoa(at.Scope))},
	}
	if at.Error.Class != "" {
		r.Status = &status{codeError, at.Error.Class}
	}
	b.list = append(b.list, r)
}
