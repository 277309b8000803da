// Package gallery holds the templates that a workflow can begin with. Each one
// runs at once, without a key and without a network.
//
// It is pure: the files are part of the program.
package gallery

import (
	"embed"
	"fmt"

	"signalbox/engine/graph"
)

// Flagship is the template that a new installation starts with.
const Flagship = "support-ticket-triage"

// Here is how templates name the server that they run on. The process's guard
// sends it to the demo endpoint on this machine.
const Here = "http://signalbox.invalid"

//go:embed templates/*.json snippets/*.json
var files embed.FS

// Template is one of them.
type Template struct {
	Name        string // the file's name
	Title       string
	Description string
	Graph       graph.Graph
}

// order is how the gallery shows them: the flagship first, then what tells the
// most.
func order() []string {
	return []string{Flagship, "order-saga", "deep-research", "pull-request-approval", "quorum", "document-life",
		"answer-with-sources", "invoice-extraction", "sensor-alarm", "check-at-the-edge", "write-judge-revise", "email-triage", "incident-runbook",
		"webhook-fan-out", "two-system-sync", "lead-score", "parallel-research", "order-with-fallback", "reminder"}
}

// Gallery are the templates.
type Gallery struct {
	list     []Template
	snippets []Template
}

// New reads the templates.
func New() (*Gallery, error) {
	g := &Gallery{}
	for _, name := range order() {
		raw, err := files.ReadFile("templates/" + name + ".json")
		if err != nil {
			return nil, fmt.Errorf("read template %s: %w", name, err)
		}
		decoded, err := graph.Decode(raw)
		if err != nil {
			return nil, fmt.Errorf("read template %s: %w", name, err)
		}
		g.list = append(g.list, Template{Name: name, Title: decoded.Name, Description: decoded.Description, Graph: decoded})
	}
	var err error
	g.snippets, err = readSnippets()
	return g, err
}

// All lists the templates. The caller changes nothing in them.
func (g *Gallery) All() []Template { return g.list }

// Find returns a template with a graph of its own.
func (g *Gallery) Find(name string) (Template, bool) {
	for _, t := range g.list {
		if t.Name == name {
			t.Graph = t.Graph.Clone()
			return t, true
		}
	}
	return Template{}, false
}
