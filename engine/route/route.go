// Package route chooses the queue of a task from its attributes.
//
// It is pure: the same tables, attributes and figures always give the same
// queue.
package route

import (
	"cmp"
	"strconv"
	"strings"
)

// Attributes describe one task.
type Attributes struct {
	Workspace string            `json:"workspace,omitempty"`
	Workflow  string            `json:"workflow,omitempty"` // id
	Kind      string            `json:"kind"`
	Priority  int               `json:"priority"` // 0 critical .. 3 low
	Type      string            `json:"type,omitempty"`
	Size      int               `json:"size"` // bytes
	Location  string            `json:"location,omitempty"`
	Labels    map[string]string `json:"labels,omitempty"`

	// Unknown is a priority that nobody understands. It counts as normal, and
	// no rule is asked: the task goes to the default queue.
	Unknown string `json:"unknown_priority,omitempty"`

	// ID is whom it is about. No condition asks for it.
	ID Attempt `json:"-"`
}

// Condition compares one attribute with a value.
type Condition struct {
	Attribute string `json:"attribute"` // one of AttributeNames, or labels.<name>
	Op        string `json:"op"`        // one of Ops
	Value     string `json:"value"`
}

// Rule sends a task for which every condition holds to a queue, or to one that
// is learned.
type Rule struct {
	Name     string      `json:"name,omitempty"`
	When     []Condition `json:"when"`
	Queue    string      `json:"queue,omitempty"`
	Learn    *Learn      `json:"learn,omitempty"`    // instead of Queue
	Priority string      `json:"priority,omitempty"` // empty: the task keeps its own
}

// Table is an ordered list of rules: the first that matches decides.
type Table struct {
	Rules []Rule `json:"rules"`
	// Default is the queue of what no rule matches. Empty in the table of a
	// workflow: the table of the workspace is asked.
	Default string `json:"default,omitempty"`
}

// Decision is what the tables say about a task.
type Decision struct {
	Queue    string `json:"queue"`
	Priority int    `json:"priority"`
	Of       string `json:"of"`   // whose table decided: workflow or workspace
	Rule     int    `json:"rule"` // position of the rule; -1: the default
	Name     string `json:"name,omitempty"`
	Warning  string `json:"warning,omitempty"`

	// Learn is the choice that is still open: Queue is the default until then,
	// and stays it if none of its queues takes anything. See Settle.
	Learn   *Learn   `json:"-"`
	Learned *Learned `json:"learned,omitempty"` // how it was made
}

// Whose table it was.
const (
	OfWorkflow  = "workflow"
	OfWorkspace = "workspace"
)

// DefaultQueue is where tasks go that nothing sends elsewhere.
const DefaultQueue = "default"

// Standard is the table that a new workspace starts with: high priority to
// the express queue, images to the vision queue, the rest to default.
func Standard() Table {
	return Table{
		Rules: []Rule{
			{Name: "High priority", When: []Condition{{"priority", "at_least", "high"}}, Queue: "express"},
			{Name: "Images", When: []Condition{{"type", "starts_with", "image/"}}, Queue: "vision"},
		},
		Default: DefaultQueue,
	}
}

// Choose asks the table of the workflow, which may be nil, then that of the
// workspace.
func Choose(workflow, workspace *Table, a Attributes) Decision {
	d := Decision{Queue: DefaultQueue, Priority: a.Priority, Of: OfWorkspace, Rule: -1, Warning: Warning(a.Unknown)}
	if workflow != nil {
		if i := workflow.match(a); i >= 0 {
			d.Queue = cmp.Or(workflow.Default, workspace.rest())
			return d.by(OfWorkflow, &workflow.Rules[i], i)
		}
		if workflow.Default != "" {
			d.Queue, d.Of = workflow.Default, OfWorkflow
			return d
		}
	}
	if workspace == nil {
		return d
	}
	d.Queue = workspace.rest()
	if i := workspace.match(a); i >= 0 {
		return d.by(OfWorkspace, &workspace.Rules[i], i)
	}
	return d
}

// rest is the queue of what no rule of a workspace matches.
func (t *Table) rest() string {
	if t == nil || t.Default == "" {
		return DefaultQueue
	}
	return t.Default
}

// Choose asks this table alone.
func (t Table) Choose(a Attributes) Decision { return Choose(nil, &t, a) }

func (d Decision) by(of string, r *Rule, i int) Decision {
	d.Of, d.Rule, d.Name, d.Learn = of, i, r.Name, r.Learn
	if r.Learn == nil {
		d.Queue = r.Queue
	}
	if p, ok := Priority(r.Priority); ok && r.Priority != "" {
		d.Priority = p
	}
	return d
}

// match returns the first rule that matches; -1: none.
func (t *Table) match(a Attributes) int {
	if a.Unknown != "" {
		return -1
	}
	for i := range t.Rules {
		if t.Rules[i].matches(&a) {
			return i
		}
	}
	return -1
}

func (r *Rule) matches(a *Attributes) bool {
	for i := range r.When {
		if !r.When[i].holds(a) {
			return false
		}
	}
	return true
}

func (c *Condition) holds(a *Attributes) bool {
	switch c.Attribute {
	case "priority":
		want, _ := Priority(c.Value)
		return compare(c.Op, -a.Priority, -want) // the smaller number is the more urgent
	case "size":
		want, _ := bytesOf(c.Value)
		return compare(c.Op, a.Size, want)
	}
	have := a.text(c.Attribute)
	switch c.Op {
	case "is":
		return have == c.Value
	case "is_not":
		return have != c.Value
	case "starts_with":
		return strings.HasPrefix(have, c.Value)
	case "one_of":
		for one := range strings.SplitSeq(c.Value, ",") {
			if strings.TrimSpace(one) == have {
				return true
			}
		}
	}
	return false
}

func compare(op string, have, want int) bool {
	switch op {
	case "is":
		return have == want
	case "is_not":
		return have != want
	case "at_least":
		return have >= want
	case "at_most":
		return have <= want
	}
	return false
}

func (a *Attributes) text(name string) string {
	switch name {
	case "kind":
		return a.Kind
	case "type":
		return a.Type
	case "workspace":
		return a.Workspace
	case "workflow":
		return a.Workflow
	case "location":
		return a.Location
	}
	return a.Labels[strings.TrimPrefix(name, labelPrefix)]
}

const labelPrefix = "labels."

// bytesOf reads a size: a number with or without KB, MB or GB behind it.
func bytesOf(s string) (int, bool) {
	s, factor := strings.TrimSpace(s), 1
	for i, unit := range []string{"KB", "MB", "GB"} {
		if rest, ok := strings.CutSuffix(strings.ToUpper(s), unit); ok {
			s, factor = strings.TrimSpace(rest), 1<<(10*(i+1))
		}
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 || n > 1<<40/factor {
		return 0, false
	}
	return n * factor, true
}
