package view

import "strconv"

// Import is the report on a file before anything is made of it.
type Import struct {
	Form         string // signalbox, n8n, xstate, scxml
	Name         string // of the workflow that it would become
	Nodes, Edges int
	Picture      string // of the result, SVG
	Graph        string // the result as JSON, for the script
	Insert       bool   // a drawing is open that it can go into

	Exact, Approximated, Unsupported int

	Lost, Near, Same []ImportPart
	Dangling         []string
	Questions        []ImportQuestion
	Credentials      []ImportCredential
	Issues           []ImportIssue
	Errors           int // of the issues
}

// ImportPart is what became of one part of the file.
type ImportPart struct {
	Name, What string
	Reasons    []string
}

// ImportQuestion asks which join a node meant.
type ImportQuestion struct {
	Name     string
	Options  []string
	Branches int
	Answer   string
}

// counts are the numbers of branches that can be waited for, besides one and all.
func (q ImportQuestion) counts() []string {
	var out []string
	for n := 2; n < q.Branches && n <= 9; n++ {
		out = append(out, strconv.Itoa(n))
	}
	return out
}

// ImportCredential is a credential that the file names.
type ImportCredential struct {
	Name    string
	Lacking bool // it is not stored here
}

// ImportIssue is a finding about the result.
type ImportIssue struct {
	Error bool
	Text  string
}
