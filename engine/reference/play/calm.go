package play

import (
	"encoding/json"
	"strings"

	"signalbox/engine/graph"
)

// Calm takes out what may follow the order of things: joins that do not wait
// for all, limits of time, maps that leave out what fails, and a second result
// in one scope, of which the latest counts.
func Calm(g *graph.Graph) {
	results := map[string]bool{}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if n.Kind == "output" && results[n.In] {
			n.Kind, n.Config = "join", nil
		}
		results[n.In] = results[n.In] || n.Kind == "output"
		n.Timeout = nil
		if n.Retry != nil {
			n.Retry.Total = ""
		}
		if n.Join != nil {
			n.Join.Deadline = ""
			if n.Join.Mode == "n" || n.Join.Mode == "first" {
				n.Join = nil
			}
		}
		for _, kept := range []string{"skip", "collect"} {
			n.Config = json.RawMessage(strings.Replace(string(n.Config), `"on_item_error":"`+kept+`"`, `"on_item_error":"stop"`, 1))
		}
	}
}

// Steady makes every choice the same whatever the values are.
func Steady(g *graph.Graph) {
	fixed := map[string]string{marks + " % 2 == 0": "true", "has(input.r) && input.r > 4": "true", marks + " % 3 > 0": "false", "size(inputs) > 1": "false"}
	for i := range g.Nodes {
		config := string(g.Nodes[i].Config)
		for was, is := range fixed {
			raw, err := json.Marshal(was)
			if err != nil {
				panic(err)
			}
			config = strings.ReplaceAll(config, string(raw[1:len(raw)-1]), is)
		}
		g.Nodes[i].Config = json.RawMessage(config)
	}
}
