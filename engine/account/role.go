package account

import "slices"

// Role says what a member may do. Each includes the ones below it.
type Role string

// The closed list of roles, strongest first.
const (
	Owner     Role = "owner"     // everything, and the workspace itself
	Admin     Role = "admin"     // members, tokens and shares of everybody
	Developer Role = "developer" // credentials and code
	Editor    Role = "editor"    // draws and publishes
	Operator  Role = "operator"  // starts and cancels runs
	Viewer    Role = "viewer"    // looks
	Guest     Role = "guest"     // holds a share link: sees that one thing
)

// Roles lists the roles, strongest first.
func Roles() []Role {
	return []Role{Owner, Admin, Developer, Editor, Operator, Viewer, Guest}
}

// AtLeast reports whether the role includes another. An unknown role includes
// nothing and is included in nothing.
func (r Role) AtLeast(other Role) bool {
	roles := Roles()
	mine, theirs := slices.Index(roles, r), slices.Index(roles, other)
	return mine >= 0 && theirs >= 0 && mine <= theirs
}
