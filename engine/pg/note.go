package pg

import (
	"encoding/json"
	"strconv"

	"signalbox/engine/machine"
	"signalbox/engine/runtime"
)

// fillNotes makes the parameters of what a turn writes down beside its events.
func (w *writer) fillNotes(notes []runtime.Note) {
	for i := range notes {
		n := &notes[i]
		switch {
		case n.Point != nil:
			c := w.columns[partPoints]
			addNote(c, n, n.Point.Name)
			c[8].addText(n.Point.Type)
			c[9].addText(strconv.FormatFloat(n.Point.Value, 'g', -1, 64))
			c[10].addText(labelText(n.Point.Labels))
		case n.Dead != nil:
			c := w.columns[partDead]
			addNote(c, n, storable(n.Dead.Error.Class))
			c[8].addInt(n.Dead.Scope)
			c[9].addInt(n.Dead.Visit)
			c[10].addText(storable(n.Dead.Error.Message))
			c[11].addInt(n.Dead.Error.Attempts)
		case n.Said.Says == machine.SaysTruth:
			c := w.columns[partTruths]
			for i, text := range []string{n.Workspace, n.Said.Name, n.Said.Decision, n.Said.Value} {
				c[i].addText(storable(text))
			}
			c[4].addTime(n.At)
		default:
			c := w.columns[partPredictions]
			addNote(c, n, n.Said.Name)
			c[8].addText(storable(n.Said.Decision))
			c[9].addText(storable(n.Said.Value))
		}
	}
}

func addNote(c []column, n *runtime.Note, name string) {
	c[0].add(n.Run[:])
	c[1].addInt(n.Seq)
	c[2].addTime(n.At)
	c[3].addText(n.Workspace)
	c[4].add(n.Workflow[:])
	c[5].add(n.Version[:])
	c[6].addText(n.Node)
	c[7].addText(name)
}

// labelText names a series: an object with its names in order, so that equal
// labels are equal texts. Empty: no labels.
func labelText(labels map[string]string) string {
	if len(labels) == 0 {
		return ""
	}
	clean := make(map[string]string, len(labels))
	for name, value := range labels {
		clean[name] = storable(value)
	}
	raw, err := json.Marshal(clean)
	if err != nil {
		return "" // texts can always be written
	}
	return string(raw)
}
