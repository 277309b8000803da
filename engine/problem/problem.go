// Package problem is the caller's error: a code from a closed list and a
// sentence that a person can act on. The server maps codes to statuses in one
// place; everything that is not a problem is internal.
//
// It is pure.
package problem

import (
	"errors"
	"fmt"
)

// Code says what sort of problem it is.
type Code string

// The closed list of codes.
const (
	Invalid      Code = "invalid"      // the request can't be understood or breaks a rule
	NotFound     Code = "not_found"    // there is no such thing, or not for this caller
	Conflict     Code = "conflict"     // it was right for an older state
	Forbidden    Code = "forbidden"    // the role does not allow it
	Unauthorized Code = "unauthorized" // nobody is logged in, or the token is wrong
	TooLarge     Code = "too_large"    // a named limit was passed
	TooMany      Code = "too_many"     // a rate or quota was passed
	Unavailable  Code = "unavailable"  // something that we need is down for now
)

// Problem is an error with a sentence for a person.
type Problem struct {
	Code   Code
	Detail string
	Fields []Field
}

// Field names one thing that is wrong and what would be right.
type Field struct {
	Location string `json:"location"`           // JSON pointer, or a parameter's name
	Message  string `json:"message"`            // what is wrong
	Expected string `json:"expected,omitempty"` // what would be right
}

// New makes a problem; the format must be a whole sentence.
func New(code Code, format string, args ...any) *Problem {
	return &Problem{Code: code, Detail: fmt.Sprintf(format, args...)}
}

// At adds the place and what would be right.
func (p *Problem) At(location, message, expected string) *Problem {
	p.Fields = append(p.Fields, Field{Location: location, Message: message, Expected: expected})
	return p
}

// Error is the sentence, with the first place where there is one.
func (p *Problem) Error() string {
	if len(p.Fields) > 0 {
		return p.Detail + " (" + p.Fields[0].Location + ": " + p.Fields[0].Message + ")"
	}
	return p.Detail
}

// Of returns the problem inside an error, or nil.
func Of(err error) *Problem {
	var p *Problem
	if errors.As(err, &p) {
		return p
	}
	return nil
}
