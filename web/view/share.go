package view

import "time"

// SharePage is what a guest sees behind a link. Everything in it is public.
type SharePage struct {
	Title   string
	About   string
	Picture string // the full drawing, SVG made by package picture
	Steps   int
	Base    string // path of the link
	Address string // of this page, for the preview that other sites show
	Listed  bool   // search engines may find it
	Framed  bool   // in a page of another site
	Guest   bool   // a guest started the run
	Copies  bool   // the workflow may be taken along
	MayCopy bool   // by a member, into a workspace
	Island  any    // the properties of share.js

	Form   *ShareForm // nil: nothing can be started
	Run    *SharedRun // nil: a workflow is shared
	Events []SharedEvent
}

// ShareForm is what a guest fills in to start a run.
type ShareForm struct {
	About  string
	Fields []ShareField
	Whole  bool // the only field is the whole input
}

// ShareField is one question of the form.
type ShareField struct {
	Name string
	Type string // text, number, yes_no, json
}

// SharedRun is the outcome of a shared run.
type SharedRun struct {
	Status  string
	Started time.Time
	Lasted  time.Duration // zero while it runs
	Error   string        // class of the error of a failed one
	Input   string        // JSON; empty: the owner keeps it
	Result  string        // the same
}

// SharedEvent is one line of the list of events.
type SharedEvent struct {
	Seq   int
	After time.Duration // since the start
	Step  string        // title of the step; empty: the run itself
	Type  string
	Tone  string // class of the glyph: ok, run, fail, wait, skip
	Note  string // a port, a queue, a class of errors
}

func (s SharePage) lead(p Page) string {
	if s.About != "" {
		return s.About
	}
	if s.Run != nil {
		return p.T("pages.share.run.about", "n", s.Steps)
	}
	return p.T("pages.share.about", "n", s.Steps)
}

func toneIcon(tone string) string {
	switch tone {
	case "ok":
		return "check"
	case "fail":
		return "x"
	case "wait":
		return "clock"
	case "run":
		return "play"
	default:
		return "minus"
	}
}

func (s SharePage) class() string {
	if s.Framed {
		return "page share framed"
	}
	return "page share"
}
