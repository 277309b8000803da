package chart_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"signalbox/engine/chart"
)

// FuzzLaws plays any steps on the random charts. The same step from the same
// state gives the same; a stored state is as good as the one in memory; a
// timer or a task answers once; what is over stays over; and what a chart
// opens, it closes or lists as open.
func FuzzLaws(f *testing.F) {
	var compiled []*chart.Chart
	for _, r := range readLines[random](f, "testdata/random.jsonl.gz") {
		c, faults := chart.Compile(r.Def)
		if len(faults) > 0 {
			f.Fatal(faults)
		}
		compiled = append(compiled, c)
	}
	f.Add([]byte{0, 1, 2, 3, 4, 5, 6, 7})
	f.Add([]byte{17, 90, 90, 130, 200, 90, 7, 250})
	f.Fuzz(func(t *testing.T, steps []byte) {
		if len(steps) == 0 || len(steps) > 40 {
			return
		}
		c := compiled[int(steps[0])%len(compiled)]
		s, effects := c.Start(nil)
		open := map[string]bool{}
		account(t, open, s, effects)
		for _, b := range steps[1:] {
			e := event(s, b)
			next, effects := c.Send(s, e)
			again, same := c.Send(reread(t, s), e)
			if diff := cmp.Diff(next, again) + cmp.Diff(effects, same); diff != "" {
				t.Fatalf("the same step gave something else: %s", diff)
			}
			if e.From != "" {
				delete(open, e.From)
				if twice, none := c.Send(next, e); len(none) > 0 || cmp.Diff(next, twice) != "" {
					t.Fatalf("%s answered twice", e.From)
				}
			}
			account(t, open, next, effects)
			if s.Status != chart.StatusActive && cmp.Diff(s, next) != "" {
				t.Fatal("a chart that was over moved")
			}
			s = next
		}
	})
}

// event chooses what happens next.
func event(s chart.State, b byte) chart.Event {
	live := slices.Concat(s.Timers, s.Tasks)
	if b >= 128 && len(live) > 0 {
		e := chart.Event{From: live[int(b)%len(live)].ID, Type: chart.Done, Data: map[string]any{"output": "x"}}
		if b%3 == 0 {
			e.Type, e.Data = chart.Failed, map[string]any{"error": "y"}
		}
		return e
	}
	names := []string{"A", "B", "C", "n.x", "n.y", "R1", "late", "*", "other"}
	return chart.NewEvent(names[int(b)%len(names)], map[string]any{"n": float64(b % 8)})
}

func reread(t *testing.T, s chart.State) chart.State {
	t.Helper()
	raw, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var out chart.State
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// account keeps the book of what is open and compares it with the state's.
func account(t *testing.T, open map[string]bool, s chart.State, effects []chart.Effect) {
	t.Helper()
	for _, e := range effects {
		switch e.Op {
		case chart.OpTimer, chart.OpStart:
			open[e.ID] = true
		case chart.OpCancel, chart.OpStop:
			if !open[e.ID] {
				t.Fatalf("%s is closed and was not open", e.ID)
			}
			delete(open, e.ID)
		default:
		}
	}
	listed := map[string]bool{}
	for _, o := range slices.Concat(s.Timers, s.Tasks) {
		listed[o.ID] = true
	}
	if diff := cmp.Diff(open, listed); diff != "" {
		t.Fatalf("open (-by effects +in the state): %s", diff)
	}
}
