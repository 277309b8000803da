package insight

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"signalbox/engine/problem"
)

// Limits of what is told about decisions, and of what is shown of them.
const (
	TruthsMax   = 1_000 // in one request
	answerMax   = 100   // characters of a decision and of its value; package kind tells people the same
	ClassesMax  = 20    // classes of one decision that are shown
	VersionsMax = 20    // rows of one decision
)

// Truth says what turned out to be true of a decision.
type Truth struct {
	Name     string
	Decision string
	Value    string
	At       time.Time
}

// Check reports what is wrong with it, and where in a list it stands.
func (t Truth) Check(place string) error {
	for _, f := range []struct{ name, text string }{{"name", t.Name}, {"decision", t.Decision}, {"value", t.Value}} {
		if f.text == "" || utf8.RuneCountInString(f.text) > answerMax || strings.ContainsRune(f.text, 0) {
			return problem.New(problem.Invalid, "An outcome cannot be read.").At(place+"/"+f.name, "empty or too long", "text of 1 to 100 characters")
		}
	}
	return nil
}

// Verdict counts decisions that were predicted alike and turned out alike.
type Verdict struct {
	Name      string
	Workflow  uuid.UUID
	Version   uuid.UUID
	At        time.Time // the beginning of the interval in which it was predicted
	Predicted string
	Truth     string // empty: not known yet
	N         int64
}

// Score is how one version did at one decision.
type Score struct {
	Workflow  uuid.UUID `json:"workflow"`
	Version   uuid.UUID `json:"version"`
	Predicted int64     `json:"predicted"`
	Known     int64     `json:"known" doc:"Predictions whose truth is known"`
	Right     int64     `json:"right"`
	Accuracy  *float64  `json:"accuracy" doc:"Right of known; null: nothing is known yet"`
	Classes   []Class   `json:"classes"`

	Count Column `json:"n"`      // predictions in each interval
	Share Column `json:"shares"` // accuracy in each interval
}

// Class is one of the things that can be true.
type Class struct {
	Value     string   `json:"value"`
	Predicted int64    `json:"predicted"` // predictions of it whose truth is known
	True      int64    `json:"true"`      // decisions that it was true of
	Hit       int64    `json:"hit"`       // both
	Precision *float64 `json:"precision" doc:"Hit of predicted; null: it was never predicted"`
	Recall    *float64 `json:"recall" doc:"Hit of true; null: it was never true"`
}

// Decision is what is known about one kind of decision.
type Decision struct {
	Name   string  `json:"name"`
	Scores []Score `json:"scores" doc:"By version, those with the most predictions first"`
	More   int     `json:"more,omitempty" doc:"Versions that are left out"`
}

// Decide holds predictions against the truth. Every prediction counts, also a
// second one of the same decision.
func Decide(span Span, list []Verdict) []Decision {
	type versionOf struct {
		name    string
		version uuid.UUID
	}
	groups := map[versionOf][]Verdict{}
	for _, v := range list {
		groups[versionOf{v.Name, v.Version}] = append(groups[versionOf{v.Name, v.Version}], v)
	}
	byName := map[string]*Decision{}
	for k, group := range groups {
		if byName[k.name] == nil {
			byName[k.name] = &Decision{Name: k.name}
		}
		byName[k.name].Scores = append(byName[k.name].Scores, scoreOf(span, group))
	}
	decisions := []Decision{}
	for _, d := range byName {
		slices.SortFunc(d.Scores, func(a, b Score) int {
			return cmp.Or(cmp.Compare(b.Predicted, a.Predicted), strings.Compare(a.Version.String(), b.Version.String()))
		})
		if d.More = len(d.Scores) - VersionsMax; d.More > 0 {
			d.Scores = d.Scores[:VersionsMax]
		}
		d.More = max(0, d.More)
		decisions = append(decisions, *d)
	}
	slices.SortFunc(decisions, func(a, b Decision) int { return strings.Compare(a.Name, b.Name) })
	return decisions
}

func scoreOf(span Span, list []Verdict) Score {
	n := span.Len()
	s := Score{Workflow: list[0].Workflow, Version: list[0].Version, Count: newColumn(n), Share: newColumn(n)}
	known, right, classes := make([]int64, n), make([]int64, n), map[string]*Class{}
	class := func(value string) *Class {
		if classes[value] == nil {
			classes[value] = &Class{Value: value}
		}
		return classes[value]
	}
	for _, v := range list {
		s.Predicted += v.N
		at := span.Index(v.At)
		if at >= 0 && at < n {
			if math.IsNaN(s.Count[at]) {
				s.Count[at] = 0
			}
			s.Count[at] += float64(v.N)
		}
		if v.Truth == "" {
			continue
		}
		s.Known += v.N
		class(v.Predicted).Predicted += v.N
		class(v.Truth).True += v.N
		hit := v.Predicted == v.Truth
		if hit {
			s.Right += v.N
			class(v.Truth).Hit += v.N
		}
		if at >= 0 && at < n {
			known[at] += v.N
			if hit {
				right[at] += v.N
			}
		}
	}
	for i := range n {
		if known[i] > 0 {
			s.Share[i] = float64(right[i]) / float64(known[i])
		}
	}
	s.Accuracy, s.Classes = share(s.Right, s.Known), classesOf(classes)
	return s
}

func classesOf(found map[string]*Class) []Class {
	list := []Class{}
	for _, c := range found {
		c.Precision, c.Recall = share(c.Hit, c.Predicted), share(c.Hit, c.True)
		list = append(list, *c)
	}
	slices.SortFunc(list, func(a, b Class) int {
		return cmp.Or(cmp.Compare(b.True, a.True), cmp.Compare(b.Predicted, a.Predicted), strings.Compare(a.Value, b.Value))
	})
	return list[:min(len(list), ClassesMax)]
}

func share(part, all int64) *float64 {
	if all == 0 {
		return nil
	}
	s := float64(part) / float64(all)
	return &s
}

// Metric is what metric nodes wrote down under one name.
type Metric struct {
	Name   string         `json:"name"`
	Type   string         `json:"type"`
	Series []MetricSeries `json:"series" doc:"Those with the most points first"`
	More   int            `json:"more,omitempty" doc:"Series beyond the limit; of counters and histograms they are added up as the last one"`
}

// MetricSeries is one combination of labels.
type MetricSeries struct {
	Labels map[string]string `json:"labels"`
	Rest   bool              `json:"rest,omitempty" doc:"All series beyond the limit together"`
	N      Column            `json:"n" doc:"Points in each interval; null: none"`
	Total  Column            `json:"total"`
	Last   Column            `json:"last,omitempty" doc:"Of gauges"`
	P50    Column            `json:"p50,omitempty" doc:"Of histograms, exact"`
	P95    Column            `json:"p95,omitempty"`
	Points int64             `json:"points" doc:"Points in the whole range"`
	Sum    float64           `json:"sum" doc:"Of all of them"`
}

// NewMetricSeries has room for a span.
func NewMetricSeries(span Span, typ string) MetricSeries {
	n := span.Len()
	s := MetricSeries{N: newColumn(n), Total: newColumn(n)}
	switch typ {
	case "gauge":
		s.Last = newColumn(n)
	case "histogram":
		s.P50, s.P95 = newColumn(n), newColumn(n)
	}
	return s
}

// Limits of metrics on a board.
const (
	MetricsMax = 50 // names
	DrawnMax   = 12 // series of one name that are told by themselves
)

// Mark is a moment worth a line in every chart.
type Mark struct {
	At       time.Time `json:"at"`
	What     string    `json:"what" doc:"publish"`
	Workflow uuid.UUID `json:"workflow"`
	Name     string    `json:"name"`
	Version  int       `json:"version"`
	Note     string    `json:"note,omitempty"`
}
