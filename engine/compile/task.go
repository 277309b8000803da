package compile

import (
	"encoding/json"
	"strings"
	"time"

	"signalbox/engine/graph"
	"signalbox/engine/machine"
	"signalbox/engine/route"
)

// Bounds of a node's own limits.
const (
	ConcurrencyMax = 10_000 // attempts of a node at once
	RateMax        = 1_000  // attempts of a node within the time of its rate
	PerMin         = 100 * time.Millisecond
	PerMax         = 24 * time.Hour
	ThresholdMax   = 1_000 // failures that open a circuit
)

// taskFields are the places of a task that may hold expressions.
func taskFields(t *graph.Task) map[string]json.RawMessage {
	fields := map[string]json.RawMessage{
		"/task/priority": t.Priority, "/task/type": t.Type, "/task/size": t.Size, "/task/location": t.Location, "/task/labels": t.Labels,
	}
	if t.Concurrency != nil {
		fields["/task/concurrency/key"] = t.Concurrency.Key
	}
	if t.Rate != nil {
		fields["/task/rate/key"] = t.Rate.Key
	}
	return fields
}

// checkTask looks at where a node's tasks wait, and at what holds them back.
func (c *compiler) checkTask(n graph.Node, t *graph.Task) {
	if t.Queue != "" && !route.GoodQueue(t.Queue) {
		c.fail("bad_queue", n, "/task/queue", "“%.40s” cannot be a queue's name. Expected: %s", t.Queue, route.QueueExpected)
	}
	var text string
	if json.Unmarshal(t.Priority, &text) == nil && !strings.HasPrefix(text, "=") && !strings.Contains(text, "{{") {
		if _, ok := route.Priority(text); !ok {
			c.warn("unknown_priority", n, "/task/priority", "“%.40s” is no priority; it counts as normal, in the default queue. Expected: critical, high, normal, low or a number from 0 to 10", text)
		}
	}
	if n.Kind == kindExternal && json.Unmarshal(t.Location, &text) == nil && text != "" && !strings.HasPrefix(text, "=") && !strings.Contains(text, "{{") && !route.GoodLocation(text) {
		c.warn("bad_location", n, "/task/location", "“%.40s” can be no worker's location, so nobody takes the task. Expected: %s", text, route.LocationExpected)
	}
	var object map[string]any
	if len(t.Labels) > 0 && (json.Unmarshal(t.Labels, &object) != nil || len(object) > machine.LabelsMax) && json.Unmarshal(t.Labels, &text) != nil {
		c.fail("bad_labels", n, "/task/labels", "The labels cannot be used. Expected: an object of at most %d texts", machine.LabelsMax)
	}
	if k := t.Concurrency; limited(k) && (k.Limit < 1 || k.Limit > ConcurrencyMax) {
		c.fail("bad_limit", n, "/task/concurrency/limit", "%d attempts at once are out of range. Expected: 1 to %d", k.Limit, ConcurrencyMax)
	}
	if r := t.Rate; rated(r) {
		if r.N < 1 || r.N > RateMax {
			c.fail("bad_limit", n, "/task/rate/n", "%d attempts are out of range. Expected: 1 to %d; for more, name a shorter time", r.N, RateMax)
		}
		c.checkBetween(n, "/task/rate/per", r.Per)
	}
	if k := t.Circuit; tripped(k) {
		if k.Threshold < 1 || k.Threshold > ThresholdMax {
			c.fail("bad_limit", n, "/task/circuit/threshold", "%d failures are out of range. Expected: 1 to %d", k.Threshold, ThresholdMax)
		}
		if k.Cooldown != "" {
			c.checkBetween(n, "/task/circuit/cooldown", k.Cooldown)
		}
	}
}

// An object without anything in it is what a form leaves behind.
func limited(c *graph.Concurrency) bool { return c != nil && (c.Limit != 0 || len(c.Key) > 0) }
func rated(r *graph.Rate) bool          { return r != nil && (r.N != 0 || r.Per != "" || len(r.Key) > 0) }
func tripped(c *graph.Circuit) bool     { return c != nil && *c != graph.Circuit{} }

// checkBetween looks at a duration of a limit.
func (c *compiler) checkBetween(n graph.Node, field, text string) {
	if d, err := time.ParseDuration(text); err != nil || d < PerMin || d > PerMax {
		c.fail("bad_duration", n, field, "“%.40s” cannot be used here. Expected: a time from %s to %s, for example 1s or 1m", text, PerMin, PerMax)
	}
}
