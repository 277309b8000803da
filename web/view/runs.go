package view

import (
	"net/url"
	"time"
)

// Runs is the list of runs, of all workflows or of one.
type Runs struct {
	Workflow *Named // nil: of all
	Query    url.Values
	Rows     []Run
	Next     string // cursor of the next page; empty: this is the last
	Narrowed bool   // a filter is set
	Letters  int    // dead letters that are open
}

// Named is a thing that a page refers to.
type Named struct {
	ID   string
	Name string
}

// Run is one row of the list.
type Run struct {
	ID       string
	Workflow Named
	Version  int // 0: a draft
	Status   string
	Test     bool
	Source   string
	Started  time.Time
	Lasted   time.Duration // zero while it runs
	Why      string        // of a failed one
}

// statuses are the filters of the list of runs, in order.
func statuses() []string {
	return []string{"", "running", "waiting", "needs_attention", "succeeded", "failed", "canceled"}
}

// sources are what a filter offers as having started a run.
func sources() []string {
	return []string{"manual", "api", "webhook", "test", "retry", "fork"}
}

// detailed reports whether a filter is set that stands in the form.
func (r Runs) detailed() bool {
	for _, name := range []string{"source", "version", "trigger", "attribute", "text", "from", "to"} {
		if r.Query.Get(name) != "" {
			return true
		}
	}
	return false
}

func (r Runs) path() string {
	if r.Workflow == nil {
		return "/runs"
	}
	return "/w/" + r.Workflow.ID + "/runs"
}

// tone is the class of a status.
func tone(status string) string {
	switch status {
	case "running":
		return "run"
	case "waiting", "paused":
		return "wait"
	case "succeeded":
		return "ok"
	case "failed", "needs_attention":
		return "fail"
	case "compensating", "compensated":
		return "comp"
	default:
		return "skip"
	}
}

// glyph is the icon of a status; running has a ring of its own.
func glyph(status string) string {
	switch status {
	case "waiting":
		return "clock"
	case "succeeded":
		return "check"
	case "failed":
		return "x"
	case "paused":
		return "pause"
	case "compensating", "compensated":
		return "undo-2"
	case "needs_attention":
		return "octagon-x"
	default:
		return "square"
	}
}

// shortRun is how a run is called on screen: the end of its id.
func shortRun(id string) string {
	if len(id) > 6 {
		return id[len(id)-6:]
	}
	return id
}

func (r Run) lasted(p Page) string {
	if r.Lasted <= 0 {
		return ""
	}
	return p.Took(r.Lasted)
}
