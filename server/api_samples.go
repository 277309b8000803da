package server

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/graph"
	"signalbox/engine/history"
)

type samplesOut struct {
	Trigger json.RawMessage       `json:"trigger"`
	Nodes   map[string]sampleNode `json:"nodes"`
	Passed  []history.Passage     `json:"passed" doc:"The last tokens that left each port, newest first"`
	Last    *history.Traffic      `json:"last,omitempty" doc:"How many tokens took each way in the newest run"`
}

type sampleNode struct {
	Output json.RawMessage `json:"output"`
	At     *time.Time      `json:"at,omitempty"`
	Run    *uuid.UUID      `json:"run,omitempty"`
	Pinned bool            `json:"pinned,omitempty"`
}

func (s *Server) readSamples(ctx context.Context, in *ByID) (*body[samplesOut], error) {
	seen, err := s.samples(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	return reply(seen.out), nil
}

// samples are the last outputs of a workflow's nodes; what a person pinned
// goes before, and the drawing's sample input stands in for a trigger that
// never fired.
func (s *Server) samples(ctx context.Context, workflow uuid.UUID) (sampled, error) {
	workspace := identityOf(ctx).Workspace
	d, err := s.config.Drafts.Open(ctx, workspace, workflow)
	if err != nil {
		return sampled{}, err
	}
	seen, err := s.config.History.Seen(ctx, workspace, workflow)
	if err != nil {
		return sampled{}, err
	}
	out := samplesOut{Trigger: seen.Trigger, Nodes: map[string]sampleNode{}, Passed: append([]history.Passage{}, seen.Passed...), Last: seen.Last}
	if len(d.Graph.Layout.Sample) > 0 {
		out.Trigger = d.Graph.Layout.Sample
	}
	out.Trigger = orNull(out.Trigger)
	for _, n := range d.Graph.Nodes {
		last, ok := seen.Nodes[n.Key]
		switch pin := d.Graph.Layout.Nodes[n.ID].Pin; {
		case len(pin) > 0:
			out.Nodes[n.Key] = sampleNode{Output: pin, Pinned: true}
		case ok:
			at, run := last.At, last.Run
			out.Nodes[n.Key] = sampleNode{Output: last.Output, At: &at, Run: &run}
		case isTrigger(n.Kind):
			out.Nodes[n.Key] = sampleNode{Output: out.Trigger}
		}
	}
	return sampled{out: out, graph: d.Graph}, nil
}

// sampled are samples with the drawing that they belong to.
type sampled struct {
	out   samplesOut
	graph graph.Graph
}

// values are the variables that a node would see: the outputs of all nodes,
// and as its input what its predecessors put out.
func (s sampled) values(key string) values {
	decode := func(raw json.RawMessage) any {
		var v any
		if json.Unmarshal(orNull(raw), &v) != nil {
			return nil
		}
		return v
	}
	nodes := map[string]any{}
	for k, n := range s.out.Nodes {
		nodes[k] = map[string]any{"output": decode(n.Output)}
	}
	v := values{
		"nodes": nodes, "trigger": decode(s.out.Trigger), "input": nil, "inputs": map[string]any{},
		"run": map[string]any{"id": uuid.Nil.String(), "workflow": s.graph.Name, "version": strconv.Itoa(0), "started_at": "2026-01-01T00:00:00Z"},
	}
	inputs := s.inputsOf(key)
	joined := map[string]any{}
	for _, k := range inputs {
		joined[k] = decode(s.out.Nodes[k].Output)
	}
	switch len(inputs) {
	case 0:
		v["input"] = v["trigger"]
	case 1:
		v["input"] = joined[inputs[0]]
	default:
		v["input"] = joined
	}
	v["inputs"] = joined
	return v
}

// inputsOf lists the keys of the nodes with an edge to the node.
func (s sampled) inputsOf(key string) []string {
	byID := map[string]string{}
	for _, n := range s.graph.Nodes {
		byID[n.ID] = n.Key
	}
	var list []string
	for _, e := range s.graph.Edges {
		if from := byID[e.From]; byID[e.To] == key && from != "" && key != "" {
			list = append(list, from)
		}
	}
	return list
}
