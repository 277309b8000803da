// Package route chooses the queue of a task from its attributes.
//
// It is pure: the same table and attributes always give the same queue.
package route

import "strings"

// Attributes describe one task.
type Attributes struct {
	Kind     string `json:"kind"`
	Priority int    `json:"priority"` // 0 critical .. 3 low
	Type     string `json:"type,omitempty"`
	Workflow string `json:"workflow,omitempty"`
}

// Rule sends matching tasks to a queue. Empty fields match everything.
type Rule struct {
	Name        string `json:"name"`
	Queue       string `json:"queue"`
	PriorityMax *int   `json:"priority_max,omitempty"` // this urgent or more
	Kind        string `json:"kind,omitempty"`
	TypePrefix  string `json:"type_prefix,omitempty"` // "image/"
	Workflow    string `json:"workflow,omitempty"`
}

// Table is an ordered list of rules: the first that matches decides.
type Table struct {
	Rules   []Rule `json:"rules"`
	Default string `json:"default"`
}

// Standard is the table that a new workspace starts with: high priority to
// the express queue, images to the vision queue, the rest to default.
func Standard() Table {
	high := 1
	return Table{
		Rules: []Rule{
			{Name: "high priority", Queue: "express", PriorityMax: &high},
			{Name: "images", Queue: "vision", TypePrefix: "image/"},
		},
		Default: "default",
	}
}

// Queue returns the queue for a task.
func (t Table) Queue(a Attributes) string {
	for _, r := range t.Rules {
		if r.matches(a) {
			return r.Queue
		}
	}
	return t.Default
}

func (r Rule) matches(a Attributes) bool {
	switch {
	case r.PriorityMax != nil && a.Priority > *r.PriorityMax,
		r.Kind != "" && r.Kind != a.Kind,
		r.TypePrefix != "" && !strings.HasPrefix(a.Type, r.TypePrefix),
		r.Workflow != "" && r.Workflow != a.Workflow:
		return false
	}
	return true
}

// Priority reads a priority from a name (critical, high, normal, low) or a
// number from 0 to 10, 10 the most urgent. What it does not know is normal.
func Priority(v any) int {
	switch v := v.(type) {
	case float64:
		switch {
		case v >= 10:
			return 0
		case v >= 7:
			return 1
		case v >= 4:
			return 2
		default:
			return 3
		}
	case string:
		switch v {
		case "critical":
			return 0
		case "high":
			return 1
		case "low":
			return 3
		}
	}
	return 2
}
