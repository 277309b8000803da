package view

import "time"

// Versions is the list of published versions of a workflow.
type Versions struct {
	Workflow Named
	Live     int // number of the one that runs now; 0: none
	Edits    int // operations in the draft since then
	MayEdit  bool
	Rows     []Version
	Kept     []Checkpoint
}

// Checkpoint is a drawing that is kept under a name.
type Checkpoint struct {
	ID   string
	Name string
	By   string
	At   time.Time
}

// Version is one of them.
type Version struct {
	ID     string
	Number int
	Hash   string
	Note   string
	By     string
	Okay   string // name of who approved it; empty: nobody
	Over   bool   // an owner published it without the approval that is asked for
	At     time.Time
}

func shortHash(hash string) string {
	if len(hash) > 8 {
		return hash[:8]
	}
	return hash
}
