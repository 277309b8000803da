package insight

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/google/uuid"
)

// Column is one value for each interval; not a number is no data, and null in
// JSON.
type Column []float64

func newColumn(n int) Column {
	c := make(Column, n)
	for i := range c {
		c[i] = math.NaN()
	}
	return c
}

// MarshalJSON writes at most six digits behind the point.
func (c Column) MarshalJSON() ([]byte, error) {
	list := make([]any, len(c))
	for i, v := range c {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			list[i] = math.Round(v*1e6) / 1e6
		}
	}
	raw, err := json.Marshal(list)
	if err != nil {
		return nil, fmt.Errorf("write a column: %w", err)
	}
	return raw, nil
}

// Series is one measure over time.
type Series struct {
	Measure string    `json:"measure"`
	Label   string    `json:"label"`
	Version uuid.UUID `json:"version" doc:"Zero: all versions"`
	N       Column    `json:"n" doc:"How many in each interval; null: nothing was measured then"`
	Mean    Column    `json:"mean,omitempty"`
	High    Column    `json:"high,omitempty"`
	P50     Column    `json:"p50,omitempty" doc:"Of times, in seconds; off by 19 % at most"`
	P95     Column    `json:"p95,omitempty"`
	P99     Column    `json:"p99,omitempty"`
}

// Board is what rollups say about a span.
type Board struct {
	Covered Column // seconds of each interval in which somebody measured
	Series  []Series
}

// seriesKey tells series apart.
type seriesKey struct {
	measure, label string
	version        uuid.UUID
}

// Fold adds the rows of all server processes up, interval by interval. Where
// nobody measured, there is no number, not even 0. Rows with versions count for
// all versions together; measures in split are told by version, too.
func Fold(span Span, rows []Row, split ...string) Board {
	n := span.Len()
	parts, sums := coverage{}, map[seriesKey][]*cell{}
	put := func(k seriesKey, i int, r *Row) {
		list := sums[k]
		if list == nil {
			list = make([]*cell, n)
			sums[k] = list
		}
		if list[i] == nil {
			list[i] = &cell{}
		}
		list[i].add(r)
	}
	for i := range rows {
		r := &rows[i]
		at := span.Index(r.At)
		if at < 0 || at >= n {
			continue
		}
		if r.Measure == Covered {
			parts.add(at, r)
			continue
		}
		put(seriesKey{r.Measure, r.Label, uuid.Nil}, at, r)
		if r.Version != uuid.Nil && slices.Contains(split, r.Measure) {
			put(seriesKey{r.Measure, r.Label, r.Version}, at, r)
		}
	}
	covered := parts.seconds(n)
	b := Board{Covered: covered}
	for k, list := range sums {
		b.Series = append(b.Series, k.series(list, covered))
	}
	slices.SortFunc(b.Series, func(a, o Series) int {
		return cmp.Or(strings.Compare(a.Measure, o.Measure), strings.Compare(a.Label, o.Label), strings.Compare(a.Version.String(), o.Version.String()))
	})
	return b
}

// coverage is the milliseconds that were measured in each part of each row's
// interval, by whom it was the longest.
type coverage map[int]map[partOf]int64

type partOf struct {
	at   int64
	part uint8
}

func (c coverage) add(interval int, r *Row) {
	if c[interval] == nil {
		c[interval] = map[partOf]int64{}
	}
	for part, ms := range r.Spread {
		k := partOf{r.At.Unix(), part}
		c[interval][k] = max(c[interval][k], ms)
	}
}

func (c coverage) seconds(n int) Column {
	list := newColumn(n)
	for interval, parts := range c {
		var ms int64
		for _, one := range parts {
			ms += one
		}
		list[interval] = float64(ms) / 1000
	}
	return list
}

// cell is one interval of one series. Of what is looked at, each process has a
// mean of its own.
type cell struct {
	Sum
	looks map[uuid.UUID]*Sum
}

func (c *cell) add(r *Row) {
	if !looked(r.Measure) {
		c.Add(&r.Sum)
		return
	}
	if c.looks == nil {
		c.looks = map[uuid.UUID]*Sum{}
	}
	if c.looks[r.Server] == nil {
		c.looks[r.Server] = &Sum{}
	}
	c.looks[r.Server].Add(&r.Sum)
}

// looked reports whether a measure is looked at and not counted.
func looked(measure string) bool {
	return strings.HasPrefix(measure, "own.") || strings.HasPrefix(measure, "shared.")
}

// level is the mean of what was looked at: processes' own are added up, what is
// shared is one thing that several looked at.
func (c *cell) level(own bool) (n int64, mean, high float64) {
	for _, s := range c.looks {
		n += s.N
		switch {
		case own:
			mean, high = mean+s.Total/float64(s.N), high+s.High
		default:
			mean, high = mean+s.Total, max(high, s.High)
		}
	}
	if !own {
		mean /= float64(n)
	}
	return n, mean, high
}

func (k seriesKey) series(list []*cell, covered Column) Series {
	n := len(list)
	s := Series{Measure: k.measure, Label: k.label, Version: k.version, N: newColumn(n)}
	own, look := strings.HasPrefix(k.measure, "own."), looked(k.measure)
	spread := slices.ContainsFunc(list, func(c *cell) bool { return c != nil && len(c.Spread) > 0 })
	if look || spread {
		s.Mean, s.High = newColumn(n), newColumn(n)
	}
	if spread {
		s.P50, s.P95, s.P99 = newColumn(n), newColumn(n), newColumn(n)
	}
	for i, c := range list {
		switch {
		case c == nil && !look && !math.IsNaN(covered[i]):
			s.N[i] = 0
		case c == nil:
		case look:
			var count int64
			count, s.Mean[i], s.High[i] = c.level(own)
			s.N[i] = float64(count)
		default:
			s.N[i] = float64(c.N)
			if spread && c.N > 0 {
				s.Mean[i], s.High[i] = c.Total/float64(c.N), c.High
				s.P50[i], s.P95[i], s.P99[i] = c.Spread.At(.5, c.High), c.Spread.At(.95, c.High), c.Spread.At(.99, c.High)
			}
		}
	}
	return s
}
