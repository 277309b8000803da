package graph

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Encode writes the graph as a file: one key order, nodes and edges in the
// order of their ids, layout apart, two spaces of indentation, so that two
// versions differ in as few lines as possible.
func (g *Graph) Encode() ([]byte, error) {
	c := g.Clone()
	c.Format = Format
	if c.Nodes == nil {
		c.Nodes = []Node{}
	}
	if c.Edges == nil {
		c.Edges = []Edge{}
	}
	slices.SortFunc(c.Nodes, func(a, b Node) int { return strings.Compare(a.ID, b.ID) })
	slices.SortFunc(c.Edges, func(a, b Edge) int { return strings.Compare(a.ID, b.ID) })
	raw, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := json.Indent(&out, raw, "", "  "); err != nil {
		return nil, fmt.Errorf("indent: %w", err)
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}

// Clone copies the graph so that changing one leaves the other alone. Raw JSON
// is shared: it is replaced, never written into.
func (g *Graph) Clone() Graph {
	c := *g
	c.Nodes = slices.Clone(g.Nodes)
	c.Edges = slices.Clone(g.Edges)
	c.Layout.Nodes = make(map[string]NodeLayout, len(g.Layout.Nodes))
	for k, v := range g.Layout.Nodes {
		c.Layout.Nodes[k] = v
	}
	c.Layout.Notes = make(map[string]Note, len(g.Layout.Notes))
	for k, v := range g.Layout.Notes {
		c.Layout.Notes[k] = v
	}
	return c
}

// Node returns the node with the id, or nil.
func (g *Graph) Node(id string) *Node {
	for i := range g.Nodes {
		if g.Nodes[i].ID == id {
			return &g.Nodes[i]
		}
	}
	return nil
}

// Title is what the card of a node says first: its own title, else the key.
func (g *Graph) Title(id string) string {
	if t := g.Layout.Nodes[id].Title; t != "" {
		return t
	}
	if n := g.Node(id); n != nil {
		return n.Key
	}
	return id
}

// meaning is the part of a node that the digest covers.
type meaning struct {
	Key       string          `json:"key"`
	Kind      string          `json:"kind"`
	Config    json.RawMessage `json:"config,omitempty"`
	Join      *Join           `json:"join,omitempty"`
	Retry     *Retry          `json:"retry,omitempty"`
	Timeout   *Timeout        `json:"timeout,omitempty"`
	Task      *Task           `json:"task,omitempty"`
	MaxVisits int             `json:"max_visits,omitempty"`
	Disabled  bool            `json:"disabled,omitempty"`
	Pivot     bool            `json:"pivot,omitempty"`
	In        string          `json:"in,omitempty"`  // key of the container
	Out       [][2]string     `json:"out,omitempty"` // port, key of the target
}

// Digest names the meaning of the graph: SHA-256 over canonical JSON (RFC
// 8785) of everything but ids, layout, name and description. The order of
// nodes and edges in the file does not matter.
func (g *Graph) Digest() ([32]byte, error) {
	keys := make(map[string]string, len(g.Nodes))
	for _, n := range g.Nodes {
		keys[n.ID] = n.Key
	}
	out := map[string][][2]string{}
	for _, e := range g.Edges {
		out[e.From] = append(out[e.From], [2]string{e.Port, keys[e.To]})
	}
	ms := make([]meaning, 0, len(g.Nodes))
	for _, n := range g.Nodes {
		edges := out[n.ID]
		slices.SortFunc(edges, func(a, b [2]string) int {
			return strings.Compare(a[0]+"\x00"+a[1], b[0]+"\x00"+b[1])
		})
		ms = append(ms, meaning{n.Key, n.Kind, n.Config, n.Join, n.Retry, n.Timeout, n.Task, n.MaxVisits, n.Disabled, n.Pivot, keys[n.In], edges})
	}
	slices.SortFunc(ms, func(a, b meaning) int { return strings.Compare(a.Key, b.Key) })
	raw, err := json.Marshal(ms)
	if g.Transaction {
		raw, err = json.Marshal(map[string]any{"nodes": ms, "transaction": true})
	}
	if err != nil {
		return [32]byte{}, err
	}
	v := jsontext.Value(raw)
	if err := v.Canonicalize(); err != nil {
		return [32]byte{}, fmt.Errorf("put in order: %w", err)
	}
	return sha256.Sum256(v), nil
}
