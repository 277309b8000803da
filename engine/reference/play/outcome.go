package play

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"signalbox/engine/graph"
	"signalbox/engine/reference"
)

// Chance makes outcomes that depend on nothing but the seed and the place.
func Chance(seed uint64, failing uint64) reference.Outcomes {
	return func(p reference.Place) reference.Outcome {
		h := fnv.New64a()
		fmt.Fprint(h, seed, p)
		r := rand.New(rand.NewPCG(h.Sum64(), seed))
		o := reference.Outcome{After: time.Duration(r.IntN(5_000_000)) * time.Microsecond, Output: map[string]any{"r": float64(r.IntN(10))}}
		o.Choice = len(p.Node+p.Scope) + p.Visit // nothing is drawn for it: tasks have none
		if r.Uint64N(100) < failing {
			class := []string{"unavailable", "invalid_input", "rate_limited", "own"}[r.IntN(4)]
			o.Output, o.Error = nil, &reference.Error{Class: class, Message: "no"}
		}
		return o
	}
}

// Written is a run as text; two that are the same run read the same. A port
// without an edge is not told: nothing leaves there; nor are those of called
// runs, whose drawing is another.
func Written(g graph.Graph, r reference.Report) string {
	var b strings.Builder
	leads := map[string]bool{}
	for _, e := range g.Edges {
		leads[strings.TrimPrefix(e.From, "id-")+"."+e.Port] = true
	}
	for _, v := range r.Visits {
		fmt.Fprintf(&b, "%s%s#%d %s", v.Scope, v.Node, v.Number, Text(wordless(v.Input)))
		switch {
		case v.Error != nil:
			fmt.Fprintf(&b, " failed %s after %d", v.Error.Class, v.Error.Attempts)
		case v.Ports != nil || v.Output != nil:
			ports := slices.DeleteFunc(slices.Clone(v.Ports), func(p string) bool { return !leads[v.Node+"."+p] || strings.Contains(v.Run, "()") })
			fmt.Fprintf(&b, " -> %v %s", ports, Text(wordless(v.Output)))
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "%s at %s", r.Status, r.Ended.Format(time.RFC3339Nano))
	if r.Error != nil {
		fmt.Fprintf(&b, ": %s at %s", r.Error.Class, r.Error.Node)
	} else {
		fmt.Fprintf(&b, ": %s", Text(wordless(r.Result)))
	}
	return b.String()
}

// wordless leaves out the messages of errors: their words are free.
func wordless(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, part := range v {
			if _, is := v["class"]; name != "message" || !is {
				out[name] = wordless(part)
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, part := range v {
			out[i] = wordless(part)
		}
		return out
	}
	return v
}

// Drawn is a workflow as text, to read it in a report.
func Drawn(g graph.Graph) string {
	var b strings.Builder
	for _, n := range g.Nodes {
		fmt.Fprintf(&b, "%s:%s", n.Key, n.Kind)
		if n.Join != nil {
			fmt.Fprintf(&b, "/%s %d %s %s", n.Join.Mode, n.Join.N, n.Join.Then, n.Join.Deadline+" "+n.Join.Combine+" "+n.Join.Reduce)
		}
		if n.Disabled {
			b.WriteString(" disabled")
		}
		if n.In != "" {
			b.WriteString(" in " + n.In)
		}
		if n.Timeout != nil {
			b.WriteString(" at most " + n.Timeout.Total)
		}
		fmt.Fprintf(&b, " %s max %d", n.Config, n.MaxVisits)
		if n.Retry != nil {
			fmt.Fprintf(&b, " retry %+v", *n.Retry)
		}
		b.WriteByte('\n')
	}
	for _, e := range g.Edges {
		fmt.Fprintf(&b, "%s.%s>%s\n", e.From, e.Port, e.To)
	}
	return b.String()
}
