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
	return []string{"", "running", "waiting", "succeeded", "failed", "canceled"}
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
	case "waiting":
		return "wait"
	case "succeeded":
		return "ok"
	case "failed":
		return "fail"
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
