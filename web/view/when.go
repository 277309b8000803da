package view

import (
	"strconv"
	"time"
)

// Day is a date as the page's language writes it.
func (p Page) Day(at time.Time) string {
	layout := time.DateOnly
	if p.Lang == "zh-CN" {
		layout = "2006年1月2日"
	}
	return at.UTC().Format(layout)
}

// Exact is a moment in full, for the title of a relative time.
func (p Page) Exact(at time.Time) string { return p.Day(at) + at.UTC().Format(" 15:04:05 UTC") }

// Took says how long something lasted.
func (p Page) Took(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return "< " + p.T("time.took.ms", "t", 1)
	case d < time.Second:
		return p.T("time.took.ms", "t", int(d/time.Millisecond))
	case d < 10*time.Second:
		return p.T("time.took.s", "t", strconv.FormatFloat(d.Seconds(), 'f', 2, 64))
	case d < time.Minute:
		return p.T("time.took.s", "t", strconv.FormatFloat(d.Seconds(), 'f', 1, 64))
	case d < time.Hour:
		return p.T("time.took.min", "t", int(d/time.Minute), "s", int(d/time.Second)%60)
	default:
		return p.T("time.took.h", "t", int(d/time.Hour), "m", int(d/time.Minute)%60)
	}
}
