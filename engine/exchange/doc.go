// Package exchange carries drawings and statecharts to other tools and back:
// XState 5, SCXML, Mermaid and Graphviz go out; XState 5, SCXML and workflows
// of n8n come in.
//
// It is pure: text in, text out. What another form cannot say is never dropped
// in silence: every import and export comes with a list of losses, each with
// its place.
package exchange

// Loss is something that did not come along.
type Loss struct {
	Path    string `json:"path"`    // where: a JSON pointer of the import, or the id of a state or node
	What    string `json:"what"`    // the construct, for example onSnapshot
	Message string `json:"message"` // what becomes of it
}
