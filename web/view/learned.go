package view

import (
	"strconv"
	"strings"
	"time"
)

// Learned is what the learned rules of a route table know.
type Learned struct {
	Rules []LearnedRule
	At    string // address of the rules
	May   bool   // pin and forget
}

// LearnedRule is a rule that learns.
type LearnedRule struct {
	ID      string
	Number  int // in its table, from 1
	Name    string
	Goal    string
	Explore float64
	Pin     string
	Went    Interval // what came of the work, in the measure of the goal
	All     LearnedPart
	Parts   []LearnedPart // by the values that are learned apart; none: nothing is
}

// LearnedPart is what is known for some values.
type LearnedPart struct {
	For    string // kind=llm,priority=high
	Queues []LearnedQueue
}

// LearnedQueue is one queue of a learned rule.
type LearnedQueue struct {
	Queue   string
	Share   float64
	Off     string // paused or stalled
	N       float64
	Seconds Interval
	Success Interval
	Fixed   Interval // had everything gone there, in the measure of the goal
}

// Interval is a figure and where it lies with 95 %; N is 0 where nothing is
// known.
type Interval struct{ Value, Low, High, N float64 }

// percent is a share as people read it: near the ends to a tenth.
func percent(share float64) string {
	digits := 0
	if share < 0.1 || share > 0.9 {
		digits = 1
	}
	return strings.TrimSuffix(strconv.FormatFloat(share*100, 'f', digits, 64), ".0") + "%"
}

// seconds is a time as people read it.
func seconds(p Page, s float64) string {
	return p.Took(time.Duration(s * float64(time.Second)))
}

// score is a figure in the measure of a goal.
func (r LearnedRule) score(p Page, v float64) string {
	switch r.Goal {
	case "most_reliable":
		return percent(v)
	case "cheapest":
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
	return seconds(p, v)
}

// filled is how wide a share is drawn, of 100.
func filled(share float64) string { return strconv.Itoa(int(share*100 + 0.5)) }

// count is a number of attempts that need not be whole.
func count(n float64) string { return strconv.FormatFloat(n, 'f', 0, 64) }

// title names a rule.
func (r LearnedRule) title(p Page) string {
	if r.Name != "" {
		return p.T("pages.learned.rule.named", "n", r.Number, "name", r.Name)
	}
	return p.T("pages.learned.rule", "n", r.Number)
}

// apart says in words for which values something is learned.
func (p Page) apart(values string) string {
	var list []string
	for one := range strings.SplitSeq(values, ",") {
		name, value, _ := strings.Cut(one, "=")
		if name == "priority" {
			value = p.T("pages.queues.priority." + value)
		}
		list = append(list, p.T("pages.learned.for."+name, "value", value))
	}
	return strings.Join(list, " · ")
}
