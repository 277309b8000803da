package reference

import "signalbox/engine/graph"

// body is what a visit of a container keeps of its bodies.
type body struct {
	config   map[string]any
	opened   map[int]int // how often each index was opened: a container can be tried again
	items    []any       // map: the list
	next     int         // map: the item to open next
	results  map[int]any // map: by item
	failures int         // map: items that failed
	ready    bool        // something is to be done next
	rounds   int         // loop: how many have ended
	last     any         // what the last body gave

	runs    bool           // map: its items are runs of their own
	outside map[string]any // what those see of the nodes around
}

// enter begins the visit of a container.
func (w *world) enter(v *visit) {
	v.attempt++
	b := v.body
	b.next, b.results, b.failures, b.rounds, b.last, b.ready = 0, map[int]any{}, 0, 0, v.input, true
}

// reenter tries a container again: its first body opens at once, as it did
// before.
func (w *world) reenter(v *visit) {
	w.enter(v)
	if v.body.runs {
		v.body.ready = false
		w.crowd(v)
		return
	}
	first := v.input
	if v.node.Kind == "map" {
		first = v.body.items[0]
	}
	v.body.next, v.body.ready = 1, v.node.Kind == "map"
	w.openBody(v, 0, first)
}

// proceed does the next thing about a container of the scope: open a body, or
// end the visit. Everything else that can start in the scope has by then.
func (w *world) proceed(s *scope) bool {
	for _, v := range s.live {
		if v.body == nil || !v.body.ready {
			continue
		}
		v.body.ready = false
		switch v.node.Kind {
		case "group":
			w.group(v)
		case "loop":
			w.round(v)
		case "map":
			if v.body.runs {
				w.crowd(v)
			} else {
				w.fill(v)
			}
		}
		return true
	}
	return false
}

func (w *world) group(v *visit) {
	if v.body.rounds == 0 {
		w.openBody(v, 0, v.input)
		return
	}
	w.complete(v, []string{"success"}, v.body.last)
}

// fill opens bodies for the next items, as many as may be open at once, and
// ends the visit after the last one.
func (w *world) fill(v *visit) {
	b := v.body
	for b.next < len(b.items) && len(w.bodies(v)) < whole(b.config["concurrency"]) {
		b.next++
		w.openBody(v, b.next-1, b.items[b.next-1])
	}
	if b.next == len(b.items) && len(w.bodies(v)) == 0 {
		w.gather(v)
	}
}

// gather ends a map with the list of its results.
func (w *world) gather(v *visit) {
	b := v.body
	list := []any{}
	for i := range b.items {
		if value, there := b.results[i]; there {
			list = append(list, value)
		}
	}
	w.complete(v, []string{"success"}, list)
}

// round opens the next round of a loop, or ends its visit. The condition is
// asked before each round; check after: not before the first.
func (w *world) round(v *visit) {
	rounds, value := v.body.rounds, v.body.last
	if rounds > 0 || v.body.config["check"] != "after" {
		holds, err := w.holds(v, rounds, value)
		switch {
		case err != nil:
			w.failed(v, err)
			return
		case !holds:
			w.complete(v, []string{"success"}, value)
			return
		case rounds >= whole(v.body.config["max"]):
			w.failed(v, &Error{Class: "loop_limit", Message: "the condition still holds after the last round"})
			return
		}
	}
	w.openBody(v, rounds, value)
}

// holds asks the condition of a loop, over what the last round gave.
func (w *world) holds(v *visit, rounds int, value any) (bool, *Error) {
	source, _ := field(v.node, "condition").(string)
	asked := *v
	asked.input = value
	out, err := w.eval(source, environment{w: w, v: &asked, index: &rounds})
	if err != nil {
		return false, err
	}
	holds, is := out.(bool)
	if !is {
		return false, invalid("the condition is neither true nor false")
	}
	return holds, nil
}

// bodySucceeded takes what a body gave that has ended.
func (w *world) bodySucceeded(s *scope, value any) {
	b := s.of.body
	b.last, b.ready = value, true
	b.rounds++
	if s.of.node.Kind == "map" {
		b.results[s.index] = value
	}
}

// bodyFailed is the way up of an error: a map may keep it, every other
// container fails.
func (w *world) bodyFailed(s *scope, err *Error) {
	v := s.of
	b := v.body
	if v.node.Kind != "map" || b.config["on_item_error"] == "stop" {
		w.containerFailed(v, err)
		return
	}
	b.failures++
	if most := whole(b.config["max_failures"]); most > 0 && b.failures > most {
		w.containerFailed(v, err)
		return
	}
	if b.config["on_item_error"] == "collect" {
		b.results[s.index] = err.value()
	}
	b.ready = true
}

// containerFailed tries a container again after an error from inside, or lets
// it out. An error of the container's own (failed) is not tried again: the same
// items and rounds would give the same.
func (w *world) containerFailed(v *visit, err *Error) {
	for _, s := range w.bodies(v) {
		w.closeScope(s)
	}
	w.dismiss(v)
	if v.node.Retry != nil && v.attempt < v.node.Retry.MaxAttempts && w.again(v, err) {
		return
	}
	w.leave(v, err)
}

func (w *world) bodies(v *visit) []*scope {
	var list []*scope
	for _, s := range w.scopes {
		if s.of == v {
			list = append(list, s)
		}
	}
	return list
}

func container(n graph.Node) bool {
	return n.Kind == "group" || n.Kind == "map" || n.Kind == "loop"
}

// whole is a number of a configuration.
func whole(v any) int {
	f, _ := v.(float64)
	return int(f)
}
