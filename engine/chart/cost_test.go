package chart_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"signalbox/engine/chart"
)

// regions is a parallel state with n regions, each of which takes the event.
func regions(n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteString(",")
		}
		fmt.Fprintf(&b, `{"key":"r%d","initial":"a","states":[{"key":"a","on":[{"event":"E","targets":["m.p.r%d.b"]}]},{"key":"b","on":[{"event":"E","targets":["m.p.r%d.a"]}]}]}`, i, i, i)
	}
	return `{"id":"m","initial":"p","states":[{"key":"p","kind":"parallel","states":[` + b.String() + `],"always":[{"guard":{"expr":"context.?spin.orValue(false)"},"targets":["m.q"]}]},` +
		`{"key":"q","always":[{"targets":["m.p"]}]}],"context":{"spin":"=input"}}`
}

func TestManyRegionsMoveTogether(t *testing.T) {
	t.Parallel()
	c := compiled(t, regions(600))
	s, _ := c.Start(false)
	s, _ = c.Send(s, chart.NewEvent("E", nil))
	v, ok := c.Value(s).(map[string]any)["p"].(map[string]any)
	if !ok || len(v) != 600 || v["r0"] != "b" || v["r599"] != "b" {
		t.Errorf("%d regions, the last in %v", len(v), v["r599"])
	}
}

func TestAChartThatCostsTooMuchFails(t *testing.T) {
	t.Parallel()
	s, _ := compiled(t, regions(600)).Start(true)
	if s.Status != chart.StatusFailed || s.Error.Class != "limit" || !strings.Contains(s.Error.Message, "units of work") {
		t.Errorf("status %s, error %+v", s.Status, s.Error)
	}
}

func BenchmarkSend(b *testing.B) {
	for _, n := range []int{3, 30, 600} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			d, err := chart.Decode([]byte(regions(n)))
			if err != nil {
				b.Fatal(err)
			}
			c, _ := chart.Compile(d)
			s, _ := c.Start(false)
			raw, err := json.Marshal(s)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(len(raw)), "state-bytes")
			for b.Loop() {
				s, _ = c.Send(s, chart.NewEvent("E", nil))
			}
		})
	}
	b.Run("never at rest", func(b *testing.B) {
		d, err := chart.Decode([]byte(regions(600)))
		if err != nil {
			b.Fatal(err)
		}
		c, _ := chart.Compile(d)
		for b.Loop() {
			if s, _ := c.Start(true); s.Status != chart.StatusFailed {
				b.Fatal(s.Status)
			}
		}
	})
}
