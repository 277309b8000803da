package machine

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"signalbox/engine/expr"
)

// Point is a number that a metric node wrote down.
type Point struct {
	Name   string            `json:"name"`
	Type   string            `json:"type"` // counter, gauge, histogram
	Value  float64           `json:"value"`
	Labels map[string]string `json:"labels,omitempty"`
}

// Types of points.
const (
	Counter   = "counter"
	Gauge     = "gauge"
	Histogram = "histogram"
)

// Statement is what an outcome node wrote down: a prediction or the truth of a
// decision.
type Statement struct {
	Name     string `json:"name"`
	Says     string `json:"says"`
	Decision string `json:"decision"`
	Value    string `json:"value"`
}

// What statements say.
const (
	SaysPrediction = "prediction"
	SaysTruth      = "truth"
)

// Limits of what is written down. Package kind tells people the same.
const (
	labelsMax = 5   // of one metric
	labelMax  = 60  // characters of a label's value
	answerMax = 100 // characters of a decision, a prediction, a truth
)

// point evaluates a metric. A point that is no number is the author's mistake
// and fails the visit, as with any other expression.
func point(l *link, sc *view) (*Point, error) {
	raw, err := l.config.Eval(sc)
	if err != nil {
		return nil, err
	}
	var c struct {
		Name   string         `json:"name"`
		Type   string         `json:"type"`
		Value  any            `json:"value"`
		Labels map[string]any `json:"labels"`
	}
	if err := json.Unmarshal(raw, &c); err != nil {
		return nil, invalid("the labels of the metric are not an object")
	}
	p := &Point{Name: c.Name, Type: c.Type}
	var number bool
	if p.Value, number = c.Value.(float64); !number || math.IsInf(p.Value, 0) || math.IsNaN(p.Value) {
		return nil, invalid("the value of the metric %s must be a number, this one is %s", c.Name, kindOf(c.Value))
	}
	if p.Type == Counter && p.Value < 0 {
		return nil, invalid("the counter %s cannot take %v: it only adds up", c.Name, p.Value)
	}
	if len(c.Labels) > labelsMax {
		return nil, invalid("the metric %s has %d labels, more than %d", c.Name, len(c.Labels), labelsMax)
	}
	for _, name := range slices.Sorted(maps.Keys(c.Labels)) {
		text, ok := plain(c.Labels[name])
		if !labelName(name) {
			return nil, invalid("a label cannot be called %.40q", name)
		}
		if !ok {
			return nil, invalid("the label %s must be text, a number, true or false, this one is %s", name, kindOf(c.Labels[name]))
		}
		if p.Labels == nil {
			p.Labels = map[string]string{}
		}
		p.Labels[name] = cut(text, labelMax)
	}
	return p, nil
}

// statement evaluates an outcome.
func statement(l *link, sc *view) (*Statement, error) {
	raw, err := l.config.Eval(sc)
	if err != nil {
		return nil, err
	}
	var c struct {
		Name     string `json:"name"`
		Says     string `json:"says"`
		Decision any    `json:"decision"`
		Value    any    `json:"value"`
	}
	if err := json.Unmarshal(raw, &c); err != nil {
		return nil, invalid("the configuration is not an object")
	}
	s := &Statement{Name: c.Name, Says: c.Says}
	for _, f := range []struct {
		name string
		from any
		into *string
	}{{"decision", c.Decision, &s.Decision}, {"value", c.Value, &s.Value}} {
		text, ok := plain(f.from)
		if !ok || text == "" || utf8.RuneCountInString(text) > answerMax {
			return nil, invalid("the %s of the outcome %s must be text of at most %d characters, a number, true or false", f.name, c.Name, answerMax)
		}
		*f.into = text
	}
	return s, nil
}

// labelName is the rule of package kind: an object of labels may come from an
// expression.
func labelName(name string) bool {
	for i, r := range name {
		if r < 'a' || r > 'z' {
			if i == 0 || r != '_' && (r < '0' || r > '9') {
				return false
			}
		}
	}
	return name != "" && len(name) <= 40 && !slices.Contains([]string{"workflow", "le", "quantile", "other"}, name)
}

// plain is a value that is no list and no object, as text.
func plain(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case bool:
		return strconv.FormatBool(v), true
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), true
	default:
		return "", false
	}
}

func cut(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}

func invalid(format string, args ...any) error {
	return &expr.Failure{Class: "invalid_input", Message: fmt.Sprintf(format, args...)}
}
