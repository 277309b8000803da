package view

import "time"

// Settings is the page of settings.
type Settings struct {
	Credentials []Credential
	Kinds       []string // sorts of credentials that can be made
	Tokens      []Token
	Shares      []Share
	MaySecrets  bool     // may make and delete credentials
	NoSecrets   bool     // may not even see the names of credentials
	MayShare    bool     // may revoke shares
	Roles       []string // roles that a new token may have
	Scopes      []string // that a new token may be limited to
	Workflows   []Named  // that it may be limited to
	Assistant   Assistant
}

// Assistant is the model that answers when a change is described in words.
type Assistant struct {
	Chosen     bool
	Provider   string
	BaseURL    string
	Model      string
	Credential string
}

// Credential is a stored secret as it can be shown: never its value.
type Credential struct {
	ID   string
	Name string
	Kind string
	At   time.Time // of its newest value
}

// Token is an API token as it can be shown.
type Token struct {
	ID      string
	Name    string
	Role    string
	Scopes  []string // empty: all of its role
	Owner   string   // empty: the person who looks
	At      time.Time
	Used    time.Time // zero: never
	Expires time.Time // zero: never
}

// Share is a link that shows something to guests.
type Share struct {
	ID      string
	Target  string // workflow or run
	Name    string // of the workflow
	At      time.Time
	Expires time.Time // zero: never
	Views   int
	Viewed  time.Time // zero: never
	Slug    string    // listed publicly under this name; empty: not listed
}

// secretField is one field of the form for a credential.
type secretField struct {
	name   string
	secret bool
	kind   string // the sort that needs it
}

func secretFields() []secretField {
	return []secretField{
		{"token", true, "bearer"},
		{"username", false, "basic"},
		{"password", true, "basic"},
		{"header", false, "header"},
		{"value", true, "header"},
		{"secrets", true, "webhook"},
	}
}
