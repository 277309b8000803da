package view

import (
	"net/url"
	"strconv"
	"time"
)

// Gallery is the home page.
type Gallery struct {
	Query     url.Values // q, show, tag and folder, as they stand in the address
	Folders   []Folder
	Tags      []Tag // that workflows have, most used first
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
	OK        int // runs of the last 24 hours that succeeded
	Failed    int // and that failed
	Hours     [24]Hour
	Tags      []string
	Folder    string // name; empty: in none
	Errors    int    // findings that stop it
	Warnings  int
	Picture   string // SVG made by package picture
}

// Tag is a word that groups workflows.
type Tag struct {
	Name  string
	Count int
}

// Folder groups workflows.
type Folder struct {
	ID    string
	Name  string
	Count int // of workflows in it
}

// folder is the one that is chosen; empty: none.
func (g Gallery) folder() Folder {
	for _, f := range g.Folders {
		if f.ID == g.Query.Get("folder") {
			return f
		}
	}
	return Folder{}
}

// Hour counts the runs that began in one hour.
type Hour struct{ OK, Failed int }

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

// bar is one hour of the bars of a day, in a picture of 96 by 20.
type bar struct{ x, okY, ok, failY, fail string }

// bars draw 24 hours, the newest at the right; the fullest hour has the whole
// height. A single failure among thousands stays visible.
func bars(hours [24]Hour) []bar {
	most := 0
	for _, h := range hours {
		most = max(most, h.OK+h.Failed)
	}
	var out []bar
	for i, h := range hours {
		if h.OK+h.Failed == 0 {
			continue
		}
		all := max(2, barHeight*(h.OK+h.Failed)/most)
		fail := 0
		if h.Failed > 0 {
			fail = min(all, max(2, all*h.Failed/(h.OK+h.Failed)))
		}
		out = append(out, bar{
			x: strconv.Itoa((23 - i) * 4), okY: strconv.Itoa(barHeight - all), ok: strconv.Itoa(all - fail),
			failY: strconv.Itoa(barHeight - fail), fail: strconv.Itoa(fail),
		})
	}
	return out
}

// barHeight is the height of the fullest hour.
const barHeight = 20

func showName(show string) string {
	if show == "" {
		return "all"
	}
	return show
}

// otherTag chooses a tag, or none when it is chosen already.
func otherTag(now, tag string) string {
	if now == tag {
		return ""
	}
	return tag
}
