package machine

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"signalbox/engine/route"
)

// Limits of a node hold its attempts back until there is room. They are kept
// outside of the machine; it only says which of them a task falls under.
type Limits struct {
	Concurrency    int             `json:"concurrency,omitempty"` // attempts at work at once; 0: any number
	ConcurrencyKey json.RawMessage `json:"concurrency_key,omitempty"`
	Rate           int             `json:"rate,omitempty"` // attempts that begin within Per; 0: any number
	Per            time.Duration   `json:"per,omitempty"`
	RateKey        json.RawMessage `json:"rate_key,omitempty"`
	Threshold      int             `json:"threshold,omitempty"` // failures in a row that open the circuit; 0: none
	Cooldown       time.Duration   `json:"cooldown,omitempty"`  // how long it stays open
}

// Bounds of what a task says of itself, so that its event stays small.
const (
	LabelsMax     = 10
	LabelMax      = 100 // characters of a name or a value
	limitKeyMax   = 100
	attributeSize = 200
)

// routing is the template of what a task says of itself.
func (n *Node) routing() (json.RawMessage, error) {
	fields := map[string]json.RawMessage{"priority": orNull(n.Priority), "type": orNull(n.Type)}
	for name, raw := range map[string]json.RawMessage{"size": n.Size, "location": n.Location, "labels": n.Labels} {
		if len(raw) > 0 {
			fields[name] = raw
		}
	}
	if l := n.Limits; l != nil {
		if len(l.ConcurrencyKey) > 0 {
			fields["concurrency_key"] = l.ConcurrencyKey
		}
		if len(l.RateKey) > 0 {
			fields["rate_key"] = l.RateKey
		}
	}
	raw, err := json.Marshal(fields)
	if err != nil {
		return nil, fmt.Errorf("write what the task says of itself: %w", err)
	}
	return raw, nil
}

// said is the routing of one task, evaluated.
type said struct {
	Priority       any `json:"priority"`
	Type           any `json:"type"`
	Size           any `json:"size"`
	Location       any `json:"location"`
	Labels         any `json:"labels"`
	ConcurrencyKey any `json:"concurrency_key"`
	RateKey        any `json:"rate_key"`
}

// attributes are what route tables see of a task.
func (st *step) attributes(n *Node, l *link, sc *view, size int) (route.Attributes, said, error) {
	var r said
	raw, err := l.routed.Eval(sc)
	if err != nil {
		return route.Attributes{}, r, err
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		return route.Attributes{}, r, fmt.Errorf("read what the task says of itself: %w", err)
	}
	a := route.Attributes{
		Workspace: st.s.Workspace, Workflow: st.s.Workflow, Kind: n.Kind,
		Type: clip(textOf(r.Type), attributeSize), Size: size, Location: clip(textOf(r.Location), attributeSize), Labels: labels(r.Labels),
	}
	var known bool
	if a.Priority, known = route.Priority(r.Priority); !known {
		a.Unknown = route.Unknown(r.Priority)
	}
	if f, ok := r.Size.(float64); ok && f >= 0 && f < 1<<53 {
		a.Size = int(f)
	}
	return a, r, nil
}

// labels are the first so many, by name.
func labels(v any) map[string]string {
	all, _ := v.(map[string]any) // anything else has no labels
	if len(all) == 0 {
		return nil
	}
	out := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if len(out) == LabelsMax {
			break
		}
		if v := all[name]; v != nil && name != "" {
			out[clip(name, LabelMax)] = clip(textOf(v), LabelMax)
		}
	}
	return out
}

// textOf is a value as a key or an attribute.
func textOf(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case bool:
		return strconv.FormatBool(v)
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(raw)
}
