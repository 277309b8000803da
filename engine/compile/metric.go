package compile

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"signalbox/engine/graph"
)

// checkMetrics wants metrics of one name to be of one type and to have the same
// labels: a monitor that reads them adds them up.
func (c *compiler) checkMetrics() {
	type shape struct {
		Name   string         `json:"name"`
		Type   string         `json:"type"`
		Labels map[string]any `json:"labels"`
	}
	type seen struct {
		node   graph.Node
		typ    string
		labels []string
	}
	first := map[string]seen{}
	for _, n := range c.g.Nodes {
		var s shape
		if n.Kind != "metric" || n.Disabled || json.Unmarshal(c.specs[n.ID].Defaults(n.Config), &s) != nil || s.Name == "" {
			continue // what is wrong with it was said already
		}
		labels := slices.Sorted(maps.Keys(s.Labels))
		other, twice := first[s.Name]
		switch {
		case !twice:
			first[s.Name] = seen{n, s.Type, labels}
		case other.typ != s.Type:
			c.fail("bad_metric", n, "/config/type", "“%s” and “%s” write down %s as different types.", c.title(other.node.ID), c.title(n.ID), s.Name)
		case !slices.Equal(other.labels, labels):
			c.fail("bad_metric", n, "/config/labels", "“%s” and “%s” write down %s with different labels. Expected: %s", c.title(other.node.ID), c.title(n.ID), s.Name, labelList(other.labels))
		}
	}
}

func labelList(names []string) string {
	if len(names) == 0 {
		return "no labels"
	}
	return strings.Join(names, ", ")
}
