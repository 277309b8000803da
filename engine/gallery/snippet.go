package gallery

import (
	"fmt"

	"signalbox/engine/graph"
)

// snippetOrder is how the list shows them.
func snippetOrder() []string {
	return []string{"try-again-then-otherwise", "side-by-side", "ask-with-deadline", "two-step-saga"}
}

// readSnippets reads the parts of drawings that come with the program.
func readSnippets() ([]Template, error) {
	var list []Template
	for _, name := range snippetOrder() {
		raw, err := files.ReadFile("snippets/" + name + ".json")
		if err != nil {
			return nil, fmt.Errorf("read snippet %s: %w", name, err)
		}
		decoded, err := graph.Decode(raw)
		if err != nil {
			return nil, fmt.Errorf("read snippet %s: %w", name, err)
		}
		list = append(list, Template{Name: name, Title: decoded.Name, Description: decoded.Description, Graph: decoded})
	}
	return list, nil
}

// Snippets lists parts of drawings that every workspace can use. The caller
// changes nothing in them.
func (g *Gallery) Snippets() []Template { return g.snippets }
