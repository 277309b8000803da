package graph

// Severity of an issue.
const (
	SeverityError   = "error"   // stops publishing
	SeverityWarning = "warning" // is shown
)

// Issue is one finding about a drawing, pinned to where it is.
type Issue struct {
	Code     string   `json:"code"`              // from a closed list, for example join_stuck
	Severity string   `json:"severity"`          // error or warning
	Message  string   `json:"message"`           // one sentence a person can act on
	Node     string   `json:"node,omitempty"`    // node id
	Edge     string   `json:"edge,omitempty"`    // edge id
	Field    string   `json:"field,omitempty"`   // JSON pointer into the node, for example /config/url
	Example  []Choice `json:"example,omitempty"` // port choices that lead there, in order
	Fix      *Fix     `json:"fix,omitempty"`     // what would put it right
	Related  []string `json:"related,omitempty"` // further node ids
	Offset   int      `json:"offset,omitempty"`  // byte offset inside the field, for expressions
}

// Choice is one step of a counter-example: the node ended on the port.
type Choice struct {
	Node string `json:"node"` // node id
	Port string `json:"port"`
}

// Fix is a set of operations that would remove an issue.
type Fix struct {
	Title string `json:"title"`
	Ops   []Op   `json:"ops"`
}

// Errors reports whether any issue stops publishing.
func Errors(issues []Issue) bool {
	for _, i := range issues {
		if i.Severity == SeverityError {
			return true
		}
	}
	return false
}
