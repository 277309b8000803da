package exchange

import (
	"cmp"
	"fmt"
	"slices"

	"signalbox/engine/graph"
)

// Fidelity says how well a part of a file came over.
type Fidelity string

// The closed list of Fidelity, the best first.
const (
	Exact        Fidelity = "exact"        // it does here what it did there
	Approximated Fidelity = "approximated" // it is there, and differs as the reasons say
	Unsupported  Fidelity = "unsupported"  // nothing here does it
)

// Carried is what became of one part of a file.
type Carried struct {
	Name    string   `json:"name"`           // what the file calls it, or its place
	What    string   `json:"what"`           // its sort in the file, for example n8n-nodes-base.if
	How     Fidelity `json:"how"`            // the worst of its reasons
	Node    string   `json:"node,omitempty"` // id of the node that it became
	Reasons []string `json:"reasons"`        // in sentences; none when it is exact
}

// Question is something that the file leaves open.
type Question struct {
	Name    string   `json:"name"`    // of the node in the file; answers are given under it
	Node    string   `json:"node"`    // id of the node that it is about
	Options []string `json:"options"` // of JoinAnswers
	Branch  int      `json:"branches"`
	Answer  string   `json:"answer"` // the one that the result has
}

// Imported is what was read of a file. Nothing of it is saved yet.
type Imported struct {
	Form        string      `json:"form"` // signalbox, n8n, xstate or scxml
	Graph       graph.Graph `json:"-"`
	Parts       []Carried   `json:"parts"`
	Dangling    []string    `json:"dangling"`    // edges that lead nowhere, in sentences
	Questions   []Question  `json:"questions"`   // answered as said, or as the file's own tool would
	Credentials []string    `json:"credentials"` // names of credentials that must be stored here
}

// Count counts the parts that came over so.
func (im Imported) Count(how Fidelity) int {
	n := 0
	for _, p := range im.Parts {
		if p.How == how {
			n++
		}
	}
	return n
}

// reasons gathers what is to be said of one part.
type reasons struct {
	how  Fidelity
	said []string
}

func worst(a, b Fidelity) Fidelity {
	order := []Fidelity{"", Exact, Approximated, Unsupported}
	if slices.Index(order, a) > slices.Index(order, b) {
		return a
	}
	return b
}

func (r *reasons) say(how Fidelity, text string) {
	r.how = worst(r.how, how)
	if !slices.Contains(r.said, text) {
		r.said = append(r.said, text)
	}
}

// near notes a difference.
func (r *reasons) near(format string, args ...any) {
	r.say(Approximated, fmt.Sprintf(format, args...))
}

// lack notes that something is not there.
func (r *reasons) lack(format string, args ...any) {
	r.say(Unsupported, fmt.Sprintf(format, args...))
}

func (r *reasons) carried(name, what, node string) Carried {
	said := r.said
	if said == nil {
		said = []string{}
	}
	return Carried{Name: name, What: what, How: cmp.Or(r.how, Exact), Node: node, Reasons: said}
}
