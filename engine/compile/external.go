package compile

import (
	"encoding/json"
	"time"

	"signalbox/engine/graph"
)

// kindExternal is the kind whose tasks workers of one's own take.
const kindExternal = "external"

// Leases that an external task can have.
const (
	leaseMin = time.Second
	leaseMax = 10 * time.Minute
)

// external is the task type of an external task; empty: it is none, or says
// none.
func external(n graph.Node) string {
	if n.Kind != kindExternal {
		return ""
	}
	var config struct {
		Type string `json:"type"`
	}
	if json.Unmarshal(n.Config, &config) != nil {
		return "" // said already
	}
	return config.Type
}

func (c *compiler) checkExternal(n graph.Node) {
	if n.Task != nil && n.Task.Queue != "" {
		c.warn("queue_ignored", n, "/task/queue", "An external task waits in the queue of its type, not in “%.40s”. Expected: no queue", n.Task.Queue)
	}
	var config struct {
		Lease  string          `json:"lease"`
		Result json.RawMessage `json:"result_schema"`
	}
	if json.Unmarshal(n.Config, &config) != nil {
		return // said already
	}
	if d, err := time.ParseDuration(config.Lease); err == nil && (d < leaseMin || d > leaseMax) {
		c.fail("bad_config", n, "/config/lease", "A lease of %s is out of range. Expected: %s to %s", d, leaseMin, leaseMax)
	}
	var schema map[string]any
	if len(config.Result) > 0 && json.Unmarshal(config.Result, &schema) != nil {
		c.fail("bad_config", n, "/config/result_schema", "The result schema is no object. Expected: a JSON Schema such as {\"type\":\"object\"}")
	}
}
