package view

import "time"

// Workspace is one that the person belongs to.
type Workspace struct {
	ID    string
	Name  string
	Role  string // the person's there
	Here  bool   // it is the one that the page is about
	Since time.Time
}

// elsewhere reports whether there is another workspace to go to.
func (u *User) elsewhere() bool { return len(u.Workspaces) > 1 }

// Place is the name of the workspace, where it has to be told from others.
func (u *User) Place() string {
	for _, w := range u.Workspaces {
		if w.Here && u.elsewhere() {
			return w.Name
		}
	}
	return ""
}
