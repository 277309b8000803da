package view

import (
	"strconv"
	"strings"
	"time"
)

// Queues is the page of queues and of the routes that lead to them.
type Queues struct {
	Rows      []Queue
	Workers   []Worker // of one's own, that were heard of in the last day
	Workflow  *Named   // whose route table is shown; nil: the workspace's
	Workflows []Named  // to choose from
	Table     any      // the route table, for the script
	Learned   Learned  // what its rules know
	Letters   int      // dead letters that are open
	MayHold   bool     // pause and resume
	MayLimit  bool     // change limits
	MayRoute  bool     // change the table that is shown
	Updated   time.Time
	UpdatedBy string
}

// Queue is one queue as it is now.
type Queue struct {
	Name        string
	Revision    int
	Paused      bool
	Depth       [4]int // by priority
	Waiting     int    // held back
	Out         int
	Oldest      time.Time
	Slots       int
	Concurrency int // 0: any number
	Rate        int
	Per         string
	Fair        string
	Handover    string
	Backlog     int // as set; 0: the usual
	BacklogMost int // what holds
	Ins, Outs   []int
	PerSecond   float64 // of one number in Ins and Outs
	Own         bool    // workers of one's own serve it
	Location    string  // the only one where they do; empty: any
	Workers     int     // that serve it now
}

// Worker is a worker of one's own.
type Worker struct {
	Name     string
	Location string
	Types    []string
	Steps    bool // the program's own steps, too
	Alive    bool
	Left     bool // it said goodbye
	SeenAt   time.Time
}

// deserted reports whether tasks wait that nobody takes.
func (q Queue) deserted() bool { return q.Own && q.Workers == 0 && q.total() > 0 }

// impossible reports whether no worker can ever be where the tasks want to be.
func (q Queue) impossible() bool { return q.Location == "?" }

func (q Queue) total() int { return q.Depth[0] + q.Depth[1] + q.Depth[2] + q.Depth[3] }

// pressed reports whether more has come than a queue should hold.
func (q Queue) pressed() bool { return q.total() > q.BacklogMost }

// impossibleWhy says what a location looks like, where none is meant.
func (q Queue) impossibleWhy(p Page) string {
	if !q.impossible() {
		return ""
	}
	return p.T("pages.queues.impossible.why")
}

// rate is what came or went in a second, over the last few looks.
func (q Queue) rate(list []int) string {
	const looks = 5
	list = list[max(0, len(list)-looks):]
	if len(list) == 0 {
		return "0"
	}
	n := 0
	for _, v := range list {
		n += v
	}
	per := float64(n) / float64(len(list)) * q.PerSecond
	if per >= 10 || per == 0 {
		return strconv.FormatFloat(per, 'f', 0, 64)
	}
	return strconv.FormatFloat(per, 'f', 1, 64)
}

// Size of the picture of a rate.
const (
	sparkWidth  = 96
	sparkHeight = 22
)

// spark is the line of a rate; both lines of a queue have one scale.
func (q Queue) spark(list []int) string {
	most := 1
	for _, v := range q.Ins {
		most = max(most, v)
	}
	for _, v := range q.Outs {
		most = max(most, v)
	}
	var b strings.Builder
	for i, v := range list {
		if i > 0 {
			b.WriteByte(' ')
		}
		x := float64(i) * sparkWidth / float64(max(1, len(list)-1))
		y := 1 + (1-float64(v)/float64(most))*(sparkHeight-2)
		b.WriteString(strconv.FormatFloat(x, 'f', 1, 64) + "," + strconv.FormatFloat(y, 'f', 1, 64))
	}
	return b.String()
}

// share is how much of a bar is filled, of 100.
func (q Queue) share() string {
	if q.Concurrency == 0 {
		return "0"
	}
	return strconv.Itoa(min(100, q.Slots*100/q.Concurrency))
}

// urgencies are the names of priorities, in the order of Depth.
func urgencies() []string { return []string{"critical", "high", "normal", "low"} }

func orEmpty(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}
