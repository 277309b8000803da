package machine

import (
	"time"

	"signalbox/engine/event"
)

// TestArranged says how a test run is controlled from then on.
type TestArranged struct {
	Virtual bool     `json:"virtual,omitempty"`
	Skip    bool     `json:"skip,omitempty"`
	Step    bool     `json:"step,omitempty"`
	Breaks  []string `json:"breaks,omitempty"` // node keys
	Stop    string   `json:"stop,omitempty"`   // node key
	By      string   `json:"by,omitempty"`
}

// OutputPinned gives what stands in for a node of a test run: its visits do
// not begin, and end with this.
type OutputPinned struct {
	Node   string      `json:"-"`
	Output event.Value `json:"output"`
}

// ClockMoved says how far the clock of a test run is before the real one. Its
// own time is that of the clock after the move. Until: it is on its way there,
// and moves on whenever nothing else is at work.
type ClockMoved struct {
	Ahead time.Duration `json:"ahead"` // nanoseconds
	Until time.Time     `json:"until,omitzero"`
	ID    string        `json:"id,omitempty"` // of who asked for it, so that it counts once
	By    string        `json:"by,omitempty"`
}

// VisitHeld: a test run stands before this visit, and nothing new starts.
type VisitHeld struct {
	Node  string      `json:"-"`
	Scope int         `json:"scope,omitempty"`
	Visit int         `json:"visit"`
	Input event.Value `json:"input,omitzero"`
}

// How a hold ends.
const (
	HowStep     = "step"     // the next visit is held again
	HowContinue = "continue" // up to the next breakpoint
	HowGone     = "gone"     // the visit cannot begin any more
)

// VisitReleased ends the hold. Input is what a person entered instead of what
// the visit would get.
type VisitReleased struct {
	Node  string        `json:"-"`
	Scope int           `json:"scope,omitempty"`
	Visit int           `json:"visit"`
	How   string        `json:"how"`
	Input event.Value   `json:"input,omitzero"`
	Ahead time.Duration `json:"ahead,omitempty"` // of a virtual clock, which stood still
	By    string        `json:"by,omitempty"`
}

func (*TestArranged) fact()  {}
func (*OutputPinned) fact()  {}
func (*ClockMoved) fact()    {}
func (*VisitHeld) fact()     {}
func (*VisitReleased) fact() {}
