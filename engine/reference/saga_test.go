package reference_test

import (
	"testing"

	"signalbox/engine/reference"
)

// TestSagas plays sagas that a person can read.
func TestSagas(t *testing.T) {
	t.Parallel()
	order := []string{
		"s:manual", "reserve:mock", "charge:mock", "ship:mock", "release:mock", "refund:mock",
		"s>reserve", "reserve>charge", "charge>ship", "reserve.compensate>release", "charge.compensate>refund",
	}
	for name, c := range map[string]struct {
		lines   []string
		seconds map[string]float64
		want    string
	}{
		"nothing is undone when all goes well": {order, nil, `s reserve charge ship succeeded "ship"`},
		"the latest is undone first":           {order, map[string]float64{"ship": -1}, `s reserve charge ship refund release compensated own ship`},
		"only what completed is undone":        {order, map[string]float64{"charge": -1}, `s reserve charge release compensated own charge`},
		"nothing to undo is plain failure":     {order, map[string]float64{"reserve": -1}, `s reserve failed own reserve`},
		"after the pivot nothing is undone":    {append([]string{`charge set {"pivot":true}`}, order...), map[string]float64{"ship": -1}, `s reserve charge ship failed own ship`},
		"a person decides when it cannot be":   {order, map[string]float64{"ship": -1, "refund": -1}, `s reserve charge ship refund needs_attention own refund`},
		"a task in flight is waited for":       {append([]string{"slow:mock", "forget:mock", "s>slow", "slow.compensate>forget"}, order...), map[string]float64{"slow": 9, "ship": -1}, `s reserve slow charge ship forget refund release compensated own ship`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := sketch(t, nodesFirst(c.lines)...)
			g.Transaction = true
			for i := range g.Nodes {
				g.Nodes[i].Retry = once()
			}
			r, err := reference.Run(g, reference.Start{Trigger: "s", Input: map[string]any{"in": 1.0}, At: noon}, after(c.seconds))
			if err != nil {
				t.Fatal(err)
			}
			if got := told(r); got != c.want {
				t.Errorf("%s\nwant\n%s", got, c.want)
			}
		})
	}
}
