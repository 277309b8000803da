package view

import (
	"net/url"
	"time"
)

// Members is the page of who belongs to the workspace.
type Members struct {
	Members     []Member
	Invitations []Invitation
	Roles       []string // that the person can give
	MayChange   bool
	MayAudit    bool
	Review      bool // publishing needs an approval
	MayRule     bool // the person may change that
}

// Member is a person in the workspace.
type Member struct {
	ID    string
	Name  string
	Email string
	Role  string
	Since time.Time
	You   bool // the person who looks
	Fixed bool // the person who looks cannot change it
}

// Invitation is an open invitation as it can be shown.
type Invitation struct {
	ID      string
	Role    string
	Note    string // who it is for
	By      string
	Expires time.Time
}

// Join is the page behind an invitation. Wrong names the field that was
// refused; Dead says that the link can't be used any more.
type Join struct {
	Token string
	Wrong string
	Dead  bool
	Role  string
	By    string
}

// Audit is the page of the audit log.
type Audit struct {
	Query   url.Values
	Actions []string
	Actors  []Named
	Rows    []Deed
	Next    string
	Check   *Check // nil: the chain was not looked at
}

// Deed is one entry of the audit log.
type Deed struct {
	Seq     int64
	At      time.Time
	Actor   string
	Token   bool // by an API token
	Action  string
	Detail  string
	Target  string
	Address string
}

// Check is what a look at the whole chain found.
type Check struct {
	Entries int
	Broken  int // number of the first entry that does not fit; 0: all fit
	Head    string
}

// export is the address of the log as a file, with the same filter.
func (a Audit) export(format string) string {
	q := url.Values{"format": {format}}
	for k, v := range a.Query {
		if k != "before" {
			q[k] = v
		}
	}
	return "/settings/audit/export?" + q.Encode()
}

// older is the address of the next page.
func (a Audit) older() string {
	q := url.Values{"before": {a.Next}}
	for k, v := range a.Query {
		if k != "before" {
			q[k] = v
		}
	}
	return "/settings/audit?" + q.Encode()
}
