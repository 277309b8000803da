package view

import (
	"net/url"
	"time"
)

// Gallery is the home page.
type Gallery struct {
	Query     url.Values // q and show, as they stand in the address
	Workflows []Workflow
	Total     int // of workflows before the filters
	Templates []Template
	MayEdit   bool // may make workflows
}

// Workflow is one card of the gallery.
type Workflow struct {
	ID        string
	Name      string
	About     string
	Version   int // number of the published version; 0: none
	Edits     int // operations since then
	UpdatedAt time.Time
	Owner     string
	Last      *LastRun
	OK        int    // runs of the last 24 hours that succeeded
	Failed    int    // and that failed
	Picture   string // SVG made by package picture
}

// LastRun is the newest run of a workflow.
type LastRun struct {
	ID     string
	Status string
	At     time.Time
}

// Template is an example that becomes a workflow in one click.
type Template struct {
	Name    string // in the API
	Title   string
	About   string
	Picture string // SVG made by package picture
}

// shows are the filters of the gallery, in order.
func shows() []string { return []string{"", "published", "draft", "failing"} }

// share24 is the part of a bar of 100 that the failed runs take. A single
// failure among thousands stays visible.
func share24(ok, failed int) int {
	all := ok + failed
	if all == 0 || failed == 0 {
		return 0
	}
	return min(max(failed*100/all, 2), 100)
}

func showName(show string) string {
	if show == "" {
		return "all"
	}
	return show
}
