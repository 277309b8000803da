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
	MayAct   bool   // cancel, label and the like
	MayKeep  bool   // as cases
	Filters  []RunFilter
	Stuck    int // open runs that nothing seems to move
}

// RunFilter is a filter that is kept under a name.
type RunFilter struct {
	ID        string
	Name      string
	Query     string
	Shared    bool
	Default   bool
	OfAll     bool // not of one workflow
	MayDelete bool
}

// on reports whether the list shows a filter.
func (r Runs) on(f RunFilter) bool {
	q := url.Values{}
	for name, v := range r.Query {
		if name != "after" {
			q[name] = v
		}
	}
	return q.Encode() == f.Query
}

// known reports whether what is shown is kept already.
func (r Runs) known() bool {
	for _, f := range r.Filters {
		if r.on(f) {
			return true
		}
	}
	return false
}

// all is the address of the list without any filter, also where the list
// begins with one.
func (r Runs) all() string { return r.path() + "?status=" }

// filterQuery is the filter as it is kept.
func (r Runs) filterQuery() string {
	q := url.Values{}
	for name, v := range r.Query {
		if name != "after" && v[0] != "" {
			q[name] = v
		}
	}
	return q.Encode()
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
	Labels   []string
	Test     bool
	Source   string
	Started  time.Time
	Lasted   time.Duration
	Over     bool   // it runs no more
	Why      string // of a failed one
	Stuck    *Stuck // of an open one that nothing seems to move
}

// Stuck says why nothing seems to move a run.
type Stuck struct {
	Reason string
	Node   string
	Since  time.Time
	Usual  time.Duration // 0: it should not take at all
}

// words say it in a sentence.
func (s Stuck) words(p Page) string {
	return p.T("stuck."+s.Reason, "step", s.Node, "since", p.Took(p.Now.Sub(s.Since)), "usual", p.Took(s.Usual))
}

// help says what can be done about it.
func (s Stuck) help(p Page) string { return p.T("stuck.help." + s.Reason) }

// way leads to where something can be done about it.
func (s Stuck) way(run string) string {
	switch s.Reason {
	case "timer":
		return "/boards"
	case "silent":
		return "/queues"
	default:
		return "/runs/" + run
	}
}

func (s Stuck) icon() string {
	switch s.Reason {
	case "timer":
		return "activity"
	case "silent":
		return "list-ordered"
	default:
		return "eye"
	}
}

// statuses are the filters of the list of runs, in order.
func statuses() []string {
	return []string{"", "running", "waiting", "needs_attention", "succeeded", "failed", "canceled", "stuck"}
}

// sources are what a filter offers as having started a run.
func sources() []string {
	return []string{"manual", "api", "webhook", "test", "retry", "fork", "call", "share"}
}

// detailed reports whether a filter is set that stands in the form.
func (r Runs) detailed() bool {
	for _, name := range []string{"source", "version", "trigger", "attribute", "label", "text", "from", "to"} {
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
	case "failed", "needs_attention", "stuck":
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
	case "stuck":
		return "circle-alert"
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
	if !r.Over {
		return ""
	}
	return p.Took(r.Lasted)
}

// workflowID is that of the workflow whose runs are listed; empty: of all.
func (r Runs) workflowID() string {
	if r.Workflow == nil {
		return ""
	}
	return r.Workflow.ID
}

// statusHref is the list with another status; all of them are asked for by
// name, because a bare address may begin with a filter of the person's.
func statusHref(r Runs, status string) string {
	to := with(r.path(), r.Query, "status", status)
	if to == r.path() {
		return r.all()
	}
	return to
}

// bulkActs are the acts on many runs, in order.
func bulkActs(mayKeep bool) []string {
	acts := []string{"cancel", "pause", "resume", "retry", "label", "unlabel", "discard"}
	if mayKeep {
		acts = append(acts, "case")
	}
	return acts
}
