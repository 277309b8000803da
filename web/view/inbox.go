package view

import (
	"strconv"
	"time"
)

// Inbox is what a person is told.
type Inbox struct {
	Unread int
	Rows   []Nudge
}

// Nudge is one thing of it.
type Nudge struct {
	Kind  string
	By    string
	At    time.Time
	Read  bool
	Name  string // of the workflow
	Title string // of the step; empty: it is about the drawing as a whole
	Text  string
	Href  string
}

// count is the number on the bell; it stays short.
func (i Inbox) count() string {
	if i.Unread > 99 {
		return "99+"
	}
	return strconv.Itoa(i.Unread)
}

// place is where the nudge leads, in words.
func (n Nudge) place() string {
	if n.Title == "" {
		return n.Name
	}
	return n.Name + " · " + n.Title
}
