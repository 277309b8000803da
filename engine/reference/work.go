package reference

import (
	"encoding/json"
	"strings"
	"time"

	"signalbox/engine/expr"
	"signalbox/engine/graph"
	"signalbox/engine/kind"
)

// work does what a node does when its visit begins.
func (w *world) work(v *visit) {
	if v.node.Disabled {
		w.complete(v, w.drawing.firstPort(v.node), v.input)
		return
	}
	if v.node.Kind == "route" {
		w.route(v)
		return
	}
	if v.node.Kind == "loop" { // its condition is asked for each round
		v.body = &body{config: constant(v.node), opened: map[int]int{}}
		w.bound(v)
		w.enter(v)
		return
	}
	config, err := w.config(v)
	if err != nil {
		w.failed(v, err)
		return
	}
	switch v.node.Kind {
	case "manual", "webhook", "join", "metric", "outcome":
		w.complete(v, []string{"success"}, v.input)
	case "if":
		w.choose(v, config)
	case "set":
		w.set(v, config)
	case "transform":
		w.complete(v, []string{"success"}, config["expression"])
	case "output":
		w.complete(v, []string{"success"}, given(config, "value", v.input))
	case "respond":
		w.complete(v, []string{"success"}, given(config, "body", v.input))
	case "end":
		w.complete(v, nil, given(config, "output", v.input))
	case "fail":
		w.throw(v, config)
	case "wait":
		w.wait(v, config)
	case "signal", "human", "callback":
		w.listen(v, config)
	case "call":
		w.call(v, config)
	case "group", "map":
		items, is := config["items"].([]any)
		if v.node.Kind == "map" && !is {
			w.failed(v, invalid("the items are not a list"))
			return
		}
		v.body = &body{config: config, items: items, opened: map[int]int{}}
		if err := w.crowded(v); v.node.Kind == "map" && err != nil {
			w.failed(v, err)
			return
		}
		w.bound(v)
		w.enter(v)
	default: // a task
		w.bound(v)
		w.attempt(v)
	}
}

// given is a field of a configuration, or another value when it is left empty.
func given(config map[string]any, field string, otherwise any) any {
	if value, there := config[field]; there {
		return value
	}
	return otherwise
}

func (w *world) choose(v *visit, config map[string]any) {
	switch config["condition"] {
	case true:
		w.complete(v, []string{"true"}, v.input)
	case false:
		w.complete(v, []string{"false"}, v.input)
	default:
		w.failed(v, invalid("the condition is neither true nor false"))
	}
}

// route reads its rules from top to bottom.
func (w *world) route(v *visit) {
	rules, _ := field(v.node, "rules").([]any)
	var ports []string
	for _, rule := range rules {
		r, _ := rule.(map[string]any)
		when, _ := r["when"].(string)
		port, _ := r["port"].(string)
		value, err := w.eval(when, environment{w: w, v: v})
		if err != nil {
			w.failed(v, err)
			return
		}
		if _, is := value.(bool); !is {
			w.failed(v, invalid("a condition is neither true nor false"))
			return
		}
		if value == true {
			ports = append(ports, port)
			if field(v.node, "match") != "every" {
				break
			}
		}
	}
	if len(ports) == 0 {
		ports = []string{"default"}
	}
	w.complete(v, ports, v.input)
}

// set writes fields into the input; a name with dots reaches into objects.
func (w *world) set(v *visit, config map[string]any) {
	out := map[string]any{}
	if config["keep"] != false {
		in, is := copied(v.input).(map[string]any)
		if !is && v.input != nil { // null has no fields, and none to lose
			w.failed(v, invalid("the input has no fields to keep"))
			return
		}
		if is {
			out = in
		}
	}
	fields, _ := config["fields"].(map[string]any)
	for _, name := range sorted(fields) {
		into := out
		parts := strings.Split(name, ".")
		for _, part := range parts[:len(parts)-1] {
			next, is := into[part].(map[string]any)
			if !is {
				next = map[string]any{}
				into[part] = next
			}
			into = next
		}
		into[parts[len(parts)-1]] = fields[name]
	}
	w.complete(v, []string{"success"}, out)
}

func (w *world) throw(v *visit, config map[string]any) {
	code, _ := config["code"].(string)
	message, _ := config["message"].(string)
	w.failed(v, &Error{Class: code, Message: message})
}

// wait holds the visit until its time has come.
func (w *world) wait(v *visit, config map[string]any) {
	var until time.Time
	if text, is := config["until"].(string); is && text != "" {
		at, err := time.Parse(time.RFC3339Nano, text)
		if err != nil {
			w.failed(v, invalid(err.Error()))
			return
		}
		until = at
	} else {
		text, _ := config["duration"].(string)
		d, err := time.ParseDuration(text)
		if err != nil {
			w.failed(v, invalid(err.Error()))
			return
		}
		until = w.stage.now.Add(d)
	}
	if until.Before(w.stage.now) {
		until = w.stage.now // late: it fires once, at once
	}
	w.agree(appointment{at: until, why: waited, visit: v})
}

// failed ends a visit with an error of its own.
func (w *world) failed(v *visit, err *Error) {
	err.Node, err.Attempts = v.node.Key, max(1, v.attempt)
	w.leave(v, err)
}

// leave lets an error out of a visit: by its failure port if that has an edge,
// else the scope fails.
func (w *world) leave(v *visit, err *Error) {
	w.report.Visits[v.record].Error = err
	if len(w.drawing.outOf(v.node.ID, "failure")) == 0 {
		w.forget(v)
		w.fail(v.scope, err)
		return
	}
	w.report.Visits[v.record].Ports = []string{"failure"}
	w.emit(v, []string{"failure"}, err.value())
}

// value is the error as a failure port carries it.
func (e *Error) value() map[string]any {
	fields := map[string]any{"class": e.Class, "message": e.Message, "node": e.Node}
	if e.Attempts > 0 {
		fields["attempts"] = float64(e.Attempts)
	}
	return map[string]any{"error": fields}
}

func invalid(message string) *Error { return &Error{Class: "invalid_input", Message: message} }

// config is the configuration with its defaults, every expression replaced by
// its value.
func (w *world) config(v *visit) (map[string]any, *Error) {
	spec, _ := kind.Find(v.node.Kind)
	tree, faults := expr.ParseTree(spec.Defaults(v.node.Config), spec.ExprMode)
	if len(faults) > 0 {
		return nil, invalid(faults[0].Fault.Message)
	}
	raw, err := tree.Eval(environment{w: w, v: v})
	if err != nil {
		return nil, failure(err)
	}
	var config map[string]any
	if err := json.Unmarshal(raw, &config); err != nil {
		return nil, invalid(err.Error())
	}
	return config, nil
}

// field is one field of a configuration as it stands, with its default.
func field(n graph.Node, name string) any {
	return constant(n)[name]
}

// constant is a configuration as it stands, with its defaults.
func constant(n graph.Node) map[string]any {
	spec, _ := kind.Find(n.Kind)
	var config map[string]any
	if err := json.Unmarshal(spec.Defaults(n.Config), &config); err != nil {
		return nil
	}
	return config
}

// attempts is how often a task may be tried, by its own policy or its kind's.
func attempts(n graph.Node) int {
	if n.Retry != nil && n.Retry.MaxAttempts > 0 {
		return n.Retry.MaxAttempts
	}
	spec, _ := kind.Find(n.Kind)
	return max(1, spec.Attempts)
}
