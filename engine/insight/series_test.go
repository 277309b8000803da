package insight_test

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"signalbox/engine/insight"
	"signalbox/engine/problem"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func TestSpans(t *testing.T) {
	t.Parallel()
	now := noon.Add(7 * time.Second)
	for _, c := range []struct {
		from, to   time.Duration // before now
		tier, step int
		n          int
	}{
		{15 * time.Minute, 0, 10, 10, 91},
		{time.Hour, 0, 10, 10, 361},
		{6 * time.Hour, 0, 60, 60, 361},
		{24 * time.Hour, 0, 600, 600, 145},
		{7 * 24 * time.Hour, 0, 3600, 3600, 169},
		{90 * 24 * time.Hour, 0, 3600, 6 * 3600, 361},
		{3 * 24 * time.Hour, 3*24*time.Hour - 30*time.Minute, 600, 600, 4}, // minutes are not kept that long
		{20 * 24 * time.Hour, 20*24*time.Hour - time.Hour, 3600, 3600, 2},
		{time.Hour, -time.Hour, 10, 10, 361}, // it ends now
	} {
		s, err := insight.SpanOf(now.Add(-c.from), now.Add(-c.to), now)
		if err != nil || s.Tier != c.tier || s.Step != c.step || s.Len() != c.n || s.Len() > insight.PointsMax+1 {
			t.Errorf("%s to %s: %+v, %d intervals, %v; want %+v", c.from, c.to, s, s.Len(), err, c)
		}
		if times := s.Times(); times[0] > now.Add(-c.from).Unix() || times[0]%int64(s.Step) != 0 {
			t.Errorf("%s: begins at %d", c.from, times[0])
		}
	}
	for _, c := range [][2]time.Duration{{time.Second, 0}, {0, time.Hour}, {-time.Hour, -2 * time.Hour}, {500 * 24 * time.Hour, 0}} {
		if _, err := insight.SpanOf(now.Add(-c[0]), now.Add(-c[1]), now); problem.Of(err) == nil {
			t.Errorf("%v was taken: %v", c, err)
		}
	}
}

var nan = math.NaN()

// measured is so many milliseconds from a second of an interval of ten on.
func measured(second uint8, ms int64) insight.Sum {
	s := insight.Sum{N: ms, Spread: insight.Spread{}}
	for ; ms > 0; second++ {
		s.Spread[second] = min(ms, 1000)
		ms -= 1000
	}
	return s
}

func same() cmp.Option {
	return cmp.Comparer(func(a, b insight.Column) bool {
		for i := range a {
			if len(a) != len(b) || math.Abs(a[i]-b[i]) > 1e-9 || math.IsNaN(a[i]) != math.IsNaN(b[i]) {
				return false
			}
		}
		return len(a) == len(b)
	})
}

// TestProcessesAddUp folds what two processes counted one after the other, with
// a time between in which nobody did.
func TestProcessesAddUp(t *testing.T) {
	t.Parallel()
	a, b, version := uuid.New(), uuid.New(), uuid.New()
	at := func(i int) time.Time { return noon.Add(time.Duration(i*10) * time.Second) }
	row := func(server uuid.UUID, i int, measure, label string, s insight.Sum) insight.Row {
		return insight.Row{Key: insight.Key{Measure: measure, Label: label, Version: version}, Step: 10, At: at(i), Server: server, Sum: s}
	}
	rows := []insight.Row{
		row(a, 0, insight.Covered, "", measured(0, 10_000)), row(a, 1, insight.Covered, "", measured(0, 4_000)),
		row(b, 1, insight.Covered, "", measured(3, 2_500)), row(b, 3, insight.Covered, "", measured(0, 10_000)), // for a second both did
		row(a, 0, insight.Events, "", insight.Sum{N: 7}), row(a, 1, insight.Events, "", insight.Sum{N: 5}), row(b, 1, insight.Events, "", insight.Sum{N: 3}),
		row(a, 1, insight.RunTime, "failed", insight.Sum{N: 1, Total: 2, High: 2, Spread: insight.Spread{}.Put(2)}),
		row(b, 1, insight.RunTime, "failed", insight.Sum{N: 3, Total: 18, High: 6, Spread: insight.Spread{}.Put(6).Put(6).Put(6)}),
		row(a, 0, insight.Goroutines, "", insight.Sum{N: 2, Total: 20, High: 12}), row(b, 0, insight.Goroutines, "", insight.Sum{N: 1, Total: 30, High: 30}),
		row(a, 0, insight.Waiting, "q", insight.Sum{N: 1, Total: 4, High: 4}), row(b, 0, insight.Waiting, "q", insight.Sum{N: 1, Total: 8, High: 8}),
		row(a, 9, insight.Events, "", insight.Sum{N: 99}), // outside
	}
	got := insight.Fold(insight.Span{From: noon, To: at(4), Tier: 10, Step: 10}, rows, insight.RunTime)
	want := insight.Board{
		Covered: insight.Column{10, 5.5, nan, 10},
		Series: []insight.Series{
			{Measure: insight.Events, N: insight.Column{7, 8, nan, 0}},
			{Measure: insight.Goroutines, N: insight.Column{3, nan, nan, nan}, Mean: insight.Column{40, nan, nan, nan}, High: insight.Column{42, nan, nan, nan}},
			{Measure: insight.RunTime, Label: "failed", N: insight.Column{0, 4, nan, 0}, Mean: insight.Column{nan, 5, nan, nan}, High: insight.Column{nan, 6, nan, nan}},
			{Measure: insight.RunTime, Label: "failed", Version: version, N: insight.Column{0, 4, nan, 0}, Mean: insight.Column{nan, 5, nan, nan}, High: insight.Column{nan, 6, nan, nan}},
			{Measure: insight.Waiting, Label: "q", N: insight.Column{2, nan, nan, nan}, Mean: insight.Column{6, nan, nan, nan}, High: insight.Column{8, nan, nan, nan}},
		},
	}
	for i := range got.Series {
		s := &got.Series[i]
		if s.Measure == insight.RunTime {
			if s.P50[1] < 5 || s.P50[1] > 6 || s.P99[1] > 6 || !math.IsNaN(s.P95[0]) {
				t.Errorf("percentiles: %v %v %v", s.P50, s.P95, s.P99)
			}
			s.P50, s.P95, s.P99 = nil, nil, nil
		}
	}
	if diff := cmp.Diff(want, got, same()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestParts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		step int
		at   time.Duration
		want uint8
	}{{10, 9900 * time.Millisecond, 9}, {60, 59 * time.Second, 59}, {600, 599 * time.Second, 119}, {3600, 31 * time.Second, 1}, {3600, time.Hour, 0}} {
		if got := insight.Part(c.step, noon.Add(c.at)); got != c.want {
			t.Errorf("%d s, %s: part %d, want %d", c.step, c.at, got, c.want)
		}
	}
}

func TestNoDataIsNull(t *testing.T) {
	t.Parallel()
	raw, err := json.Marshal(insight.Column{1, nan, 0, math.Inf(1), 1.0 / 3})
	if err != nil || string(raw) != `[1,null,0,null,0.333333]` {
		t.Errorf("%s %v", raw, err)
	}
}

// TestDecisions holds predictions of two versions against the truth.
func TestDecisions(t *testing.T) {
	t.Parallel()
	old, young := uuid.UUID{1}, uuid.UUID{2}
	span := insight.Span{From: noon, To: noon.Add(20 * time.Second), Tier: 10, Step: 10}
	v := func(version uuid.UUID, slot int, predicted, truth string, n int64) insight.Verdict {
		return insight.Verdict{Name: "spam", Version: version, At: noon.Add(time.Duration(slot*10) * time.Second), Predicted: predicted, Truth: truth, N: n}
	}
	got := insight.Decide(span, []insight.Verdict{
		v(old, 0, "yes", "yes", 6), v(old, 0, "yes", "no", 2), v(old, 1, "no", "yes", 4), v(old, 1, "no", "no", 8), v(old, 1, "no", "", 5),
		v(young, 1, "yes", "", 1),
	})
	if len(got) != 1 || len(got[0].Scores) != 2 {
		t.Fatalf("%+v", got)
	}
	s := got[0].Scores[0]
	if s.Version != old || s.Predicted != 25 || s.Known != 20 || s.Right != 14 || *s.Accuracy != .7 {
		t.Errorf("%+v", s)
	}
	rates := map[string][2]float64{}
	for _, c := range s.Classes {
		rates[c.Value] = [2]float64{*c.Precision, *c.Recall}
	}
	if diff := cmp.Diff(map[string][2]float64{"yes": {.75, .6}, "no": {8. / 12, .8}}, rates); diff != "" {
		t.Errorf("precision and recall (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(insight.Column{.75, 8. / 12}, s.Share, same()); diff != "" {
		t.Error(diff)
	}
	if s := got[0].Scores[1]; s.Accuracy != nil || s.Predicted != 1 || len(s.Classes) != 0 || !math.IsNaN(s.Share[1]) {
		t.Errorf("nothing is known of it: %+v", s)
	}
}
