package view

import "time"

// Cases is the list of past runs that drafts of a workflow are rehearsed on.
type Cases struct {
	Workflow Named
	Guarded  bool // the workflow is published only when they do the same
	MayEdit  bool // rename and remove
	MayGuard bool
	Rows     []Case
}

// Case is one of them.
type Case struct {
	ID      string
	Run     string
	Name    string
	Version int // that the run ran; 0: a draft
	Status  string
	By      string
	At      time.Time
	Why     string // an owner accepted a difference
	WhyBy   string
}
