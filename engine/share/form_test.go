package share_test

import (
	"slices"
	"testing"

	"signalbox/engine/graph"
	"signalbox/engine/share"
)

// What a guest is asked comes in the order in which the author put it.
func TestAFormAsksInItsAuthorsOrder(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, config, sample string
		want                 []string
	}{
		{"as in the sample", `{}`, `{"subject":"x","priority":1,"about":""}`, []string{"subject", "priority", "about"}},
		{"as the trigger lists them", `{"input_schema":{"type":"object","properties":{"priority":{},"subject":{}}}}`, `{"zone":1,"subject":"x","about":"","priority":1}`, []string{"priority", "subject", "zone", "about"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			g, err := graph.Decode([]byte(`{"signalbox":1,"nodes":[{"id":"a","key":"a","kind":"manual","config":` + c.config + `}],"edges":[],"layout":{"sample":` + c.sample + `}}`))
			if err != nil {
				t.Fatal(err)
			}
			form, err := share.FormOf(g)
			if err != nil {
				t.Fatal(err)
			}
			names := []string{}
			for _, f := range form.Fields {
				names = append(names, f.Name)
			}
			if !slices.Equal(names, c.want) {
				t.Errorf("asks %q, want %q", names, c.want)
			}
		})
	}
}
