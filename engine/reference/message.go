package reference

import (
	"encoding/json"
	"slices"
	"time"

	"signalbox/engine/graph"
)

// Signal is a message from outside to a run.
type Signal struct {
	At          time.Time
	Name        string
	Correlation string
	ID          string // the sender's: it counts once; empty: it has none
	Value       any
}

// letter is a signal that nobody has consumed.
type letter struct {
	Signal
	came time.Time
}

// listen holds a visit until somebody answers, or it gives up: a signal, a
// person, or the call of a one-time address.
func (w *world) listen(v *visit, config map[string]any) {
	text, _ := config["timeout"].(string)
	if most := duration(text, 0); text != "" {
		w.agree(appointment{at: w.stage.now.Add(most), why: gaveUp, visit: v})
	}
	if v.node.Kind == "signal" {
		v.name, _ = config["name"].(string)
		v.correlation = correlation(config["correlation"])
		v.since = w.began
		if keep, _ := config["keep"].(string); keep != "" {
			v.since = w.stage.now.Add(-duration(keep, 0))
		}
		return
	}
	o := w.stage.outcomes(Place{Scope: v.scope.path, Node: v.node.Key, Visit: v.number, Attempt: 1})
	if o.Error == nil { // else nobody ever answers
		w.agree(appointment{at: w.stage.now.Add(o.After), why: answered, visit: v, outcome: o})
	}
}

// answeredBy ends the visit by the way that a person chose.
func (w *world) answeredBy(v *visit, o Outcome) {
	port := "success"
	if v.node.Kind == "human" {
		port = Decision(v.node, o)
	}
	w.complete(v, []string{port}, o.Output)
}

// Decision is the way on that an outcome stands for: one of those that a person
// can choose.
func Decision(n graph.Node, o Outcome) string {
	list, _ := field(n, "decisions").([]any)
	chosen, _ := list[o.Choice%len(list)].(map[string]any)
	port, _ := chosen["port"].(string)
	return port
}

// hear takes a signal. It is kept if a node of the workflow could ever wait for
// one; one with a sender's id counts once.
func (w *world) hear(s Signal) {
	waits := slices.ContainsFunc(w.drawing.g.Nodes, func(n graph.Node) bool { return n.Kind == "signal" && !n.Disabled })
	twice := s.ID != "" && slices.Contains(w.heard, s.ID)
	if w.over || !waits || twice {
		return
	}
	if s.ID != "" {
		w.heard = append(w.heard, s.ID)
	}
	w.mail = append(w.mail, letter{s, w.stage.now})
}

// deliver gives a letter to a visit that waits for it: the oldest wait of the
// scope gets the oldest letter.
func (w *world) deliver(s *scope) bool {
	for _, v := range s.live {
		if v.node.Kind != "signal" || v.node.Disabled {
			continue
		}
		for i, l := range w.mail {
			if l.Name == v.name && l.Correlation == v.correlation && !l.came.Before(v.since) {
				w.mail = slices.Delete(w.mail, i, i+1)
				w.complete(v, []string{"success"}, l.Value)
				return true
			}
		}
	}
	return false
}

// correlation is a value as signals are compared by.
func correlation(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(raw)
}

// rollBack undoes everything that the run has done, whether or not a
// transaction covers it. One that is over, or is undone already, stays as it
// is.
func (w *world) rollBack() {
	root := w.scopes
	if w.over || len(root) == 0 || root[0].undoing {
		return
	}
	w.turn(root[0], &Error{Class: "rolled_back", Message: "a person wanted it"}, true)
}
