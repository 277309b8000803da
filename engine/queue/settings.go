// Package queue decides which waiting task may go out next: the most urgent
// first, each in turn where that is wanted, and never more than limits allow.
//
// It is pure: time comes in with every call, and what it decides depends on
// nothing else.
package queue

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"signalbox/engine/problem"
	"signalbox/engine/route"
)

// Settings of one queue of a workspace. The zero value limits nothing.
type Settings struct {
	// Concurrency is how many attempts are with workers at once, over all
	// processes; 0: any number.
	Concurrency int `json:"concurrency,omitempty"`
	// Rate is how many attempts begin within Per; 0: any number.
	Rate int    `json:"rate,omitempty"`
	Per  string `json:"per,omitempty"` // Go duration
	// Fair makes those take turns that differ in it: workflow, or
	// labels.<name>; empty: first come, first served.
	Fair string `json:"fair,omitempty"`
	// Paused: nothing goes out.
	Paused bool `json:"paused,omitempty"`
	// Handover is how tasks reach workers: jetstream (also when empty), or
	// local: straight to the workers of the process that runs the workflow.
	Handover string `json:"handover,omitempty"`
	// Backlog is how many attempts may be scheduled and not over before new
	// runs of the workspace are refused; 0: BacklogUsual.
	Backlog int `json:"backlog,omitempty"`
}

// Limits of settings.
const (
	ConcurrencyMax = 10_000
	RateMax        = 1_000 // the moments of so many attempts are remembered
	PerMin         = 100 * time.Millisecond
	PerMax         = 24 * time.Hour
	BacklogUsual   = 100_000
	BacklogMax     = 1_000_000
	// FairWindow is how many attempts of a fair queue are with workers at once
	// when its concurrency does not say: what went out cannot take turns any
	// more.
	FairWindow = 16
)

// Ways of handing over.
const (
	HandoverStream = "jetstream"
	HandoverLocal  = "local"
)

var fairRule = regexp.MustCompile(`^(workflow|labels\.[A-Za-z0-9_-]{1,40})$`)

// Check lists everything that is wrong with settings; nil: nothing is.
func (s Settings) Check() *problem.Problem {
	p := problem.New(problem.Invalid, "The settings of the queue cannot be used as they are.")
	if s.Concurrency < 0 || s.Concurrency > ConcurrencyMax {
		p = p.At("/concurrency", fmt.Sprintf("%d attempts at once", s.Concurrency), fmt.Sprintf("0 for any number, or 1 to %d", ConcurrencyMax))
	}
	if s.Rate < 0 || s.Rate > RateMax {
		p = p.At("/rate", fmt.Sprintf("%d attempts", s.Rate), fmt.Sprintf("0 for any number, or 1 to %d; for more, name a shorter time", RateMax))
	}
	if d, err := time.ParseDuration(s.Per); s.Rate > 0 && (err != nil || d < PerMin || d > PerMax) {
		p = p.At("/per", fmt.Sprintf("%.40q", s.Per), fmt.Sprintf("a time from %s to %s, for example 1s or 1m", PerMin, PerMax))
	}
	if s.Fair != "" && !fairRule.MatchString(s.Fair) {
		p = p.At("/fair", fmt.Sprintf("%.60q", s.Fair), "workflow, labels.<name>, or nothing")
	}
	if s.Handover != "" && s.Handover != HandoverStream && s.Handover != HandoverLocal {
		p = p.At("/handover", fmt.Sprintf("%.40q", s.Handover), "jetstream or local")
	}
	if s.Backlog < 0 || s.Backlog > BacklogMax {
		p = p.At("/backlog", fmt.Sprintf("%d attempts", s.Backlog), fmt.Sprintf("0 for %d, or 1 to %d", BacklogUsual, BacklogMax))
	}
	if len(p.Fields) == 0 {
		return nil
	}
	return p
}

// Gated reports whether tasks of the queue wait for their turn.
func (s *Settings) Gated() bool { return s.Concurrency > 0 || s.Rate > 0 || s.Fair != "" || s.Paused }

// Window is the concurrency that holds.
func (s *Settings) Window() int {
	if s.Concurrency == 0 && s.Fair != "" {
		return FairWindow
	}
	return s.Concurrency
}

func (s *Settings) per() time.Duration {
	d, err := time.ParseDuration(s.Per)
	if err != nil {
		return time.Second
	}
	return d
}

// BacklogLimit is the number that holds.
func (s *Settings) BacklogLimit() int {
	if s.Backlog == 0 {
		return BacklogUsual
	}
	return s.Backlog
}

// fairKey says with whom a task takes turns.
func (s *Settings) fairKey(e *Entry) string {
	switch s.Fair {
	case "":
		return ""
	case "workflow":
		return e.Task.Workflow
	}
	return e.Labels[s.Fair[len("labels."):]]
}

// need is what the settings ask for.
func (s *Settings) need(workspace, queue string) (Need, bool) {
	n := Need{Name: "queue/" + workspace + "/" + queue, Slots: s.Window(), Rate: s.Rate}
	if s.Rate > 0 {
		n.Per = s.per()
	}
	return n, n.Slots > 0 || n.Rate > 0
}

var ownRule = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,59}(@(\?|[a-z0-9][a-z0-9_-]{0,39}))?$`)

// Good reports whether a text may name a queue: one that people name, or that
// of a type of external tasks.
func Good(name string) bool {
	if own, ok := strings.CutPrefix(name, route.Own("")); ok {
		return ownRule.MatchString(own)
	}
	return route.GoodQueue(name)
}
