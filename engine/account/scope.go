package account

import (
	"slices"
	"strings"

	"github.com/google/uuid"

	"signalbox/engine/problem"
)

// Scope is a part of what a role may do. A token that names some may do those
// and nothing else, and still no more than its role.
type Scope string

// The closed list of scopes.
const (
	RunsRead         Scope = "runs:read"  // runs, their events and results, and how far acts on many are
	RunsStart        Scope = "runs:start" // start runs
	RunsAct          Scope = "runs:act"   // answer, cancel, pause, retry runs, one or many
	WorkflowsRead    Scope = "workflows:read"
	WorkflowsWrite   Scope = "workflows:write"   // edit drafts
	WorkflowsPublish Scope = "workflows:publish" // publish drafts
	CasesPlay        Scope = "cases:play"        // play a draft on the cases, as CI does
	BoardsRead       Scope = "boards:read"
)

// ScopedWorkflowsMax is how many workflows a token may be limited to.
const ScopedWorkflowsMax = 50

// Scopes lists all scopes, in the order in which they are offered.
func Scopes() []Scope {
	return []Scope{RunsRead, RunsStart, RunsAct, WorkflowsRead, WorkflowsWrite, WorkflowsPublish, CasesPlay, BoardsRead}
}

// Limits is what a token is limited to, beside its role. The zero value limits
// nothing.
type Limits struct {
	Scopes    []Scope     // empty: all of the role
	Workflows []uuid.UUID // empty: all; only together with scopes
}

// Limited reports whether there is a limit at all.
func (l Limits) Limited() bool { return len(l.Scopes) > 0 }

// Allow reports whether something of a scope may be done. What has no scope is
// for tokens without limits alone.
func (l Limits) Allow(s Scope) bool { return !l.Limited() || s != "" && slices.Contains(l.Scopes, s) }

// Touch reports whether a workflow may be touched; zero: none in particular.
func (l Limits) Touch(workflow uuid.UUID) bool {
	return len(l.Workflows) == 0 || slices.Contains(l.Workflows, workflow)
}

// clean checks the limits of a new token and brings them into one order.
func (l *Limits) clean(role Role) *problem.Problem {
	var kept []Scope
	for _, s := range Scopes() {
		if slices.Contains(l.Scopes, s) {
			kept = append(kept, s)
		}
	}
	for _, s := range l.Scopes {
		if !slices.Contains(kept, s) {
			var names []string
			for _, k := range Scopes() {
				names = append(names, string(k))
			}
			return problem.New(problem.Invalid, "There is no such scope.").At("/scopes", "unknown", strings.Join(names, ", "))
		}
	}
	switch l.Scopes = kept; {
	case role == Worker && (l.Limited() || len(l.Workflows) > 0):
		return problem.New(problem.Invalid, "A worker's token has no scopes: it takes tasks and nothing else.").At("/scopes", "not possible here", "none")
	case len(l.Workflows) > 0 && !l.Limited():
		return problem.New(problem.Invalid, "A token for some workflows needs scopes: what it may do with them.").At("/scopes", "missing", "runs:start, for example")
	case len(l.Workflows) > ScopedWorkflowsMax:
		return problem.New(problem.TooMany, "A token may name %d workflows; these are %d.", ScopedWorkflowsMax, len(l.Workflows))
	}
	return nil
}
