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

	// Worker is the role of API tokens that programs of one's own work with. It
	// stands beside the others: it takes tasks and brings results, and sees
	// nothing else; no other role includes it.
	Worker Role = "worker"
)

// Roles lists the roles, strongest first.
func Roles() []Role {
	return []Role{Owner, Admin, Developer, Editor, Operator, Viewer, Guest}
}

// MayGrant reports whether who has a role may make tokens of another. What a
// worker brings goes on as if the program had made it, so that is for those who
// may have code run.
func (r Role) MayGrant(other Role) bool {
	if other == Worker {
		return r.AtLeast(Developer)
	}
	return other != Guest && r.AtLeast(other)
}

// AtLeast reports whether the role includes another. An unknown role includes
// nothing and is included in nothing.
func (r Role) AtLeast(other Role) bool {
	if r == Worker || other == Worker {
		return r == other
	}
	roles := Roles()
	mine, theirs := slices.Index(roles, r), slices.Index(roles, other)
	return mine >= 0 && theirs >= 0 && mine <= theirs
}
