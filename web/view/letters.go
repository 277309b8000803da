package view

import (
	"net/url"
	"time"
)

// Letters is the page of dead letters.
type Letters struct {
	Query  url.Values
	Rows   []Letter
	Next   string // cursor of the next page; empty: this is the last
	MayAct bool   // retry and discard
}

// Letter is one row.
type Letter struct {
	ID       string
	At       time.Time
	Run      string
	Workflow Named
	Node     string
	Class    string
	Message  string
	Attempts int
	State    string
	NewRun   string // that a retry started; empty: none
}

// letterStates are the filters of the page, in order.
func letterStates() []string { return []string{"open", "retried", "discarded"} }

// state is the one that is shown.
func (l Letters) state() string {
	if s := l.Query.Get("state"); s != "" {
		return s
	}
	return "open"
}

// acts reports whether there is something to choose and to act on.
func (l Letters) acts() bool { return l.MayAct && l.state() == "open" && len(l.Rows) > 0 }

// letterTone is the class of a state.
func letterTone(state string) string {
	switch state {
	case "open":
		return "fail"
	case "retried":
		return "ok"
	default:
		return "skip"
	}
}

// classWords say in plain words what kind of failure it was.
func (l Letter) classWords(p Page) string {
	switch l.Class {
	case "timeout", "internal", "unavailable", "invalid_input", "unauthorized", "rate_limited", "budget", "limit", "crash":
		return p.T("letters.class." + l.Class)
	default:
		return p.T("letters.class.other")
	}
}
