package machine

import (
	"encoding/json"
	"fmt"

	"signalbox/engine/shape"
)

// refuses says why a run cannot start with an input; empty: it can.
func (m *Machine) refuses(node int, input json.RawMessage) string {
	takes := m.Nodes[node].Takes
	if len(takes) == 0 {
		return ""
	}
	var v any
	if len(input) > 0 && json.Unmarshal(input, &v) != nil {
		return "the input is not JSON"
	}
	f := shape.Schema(takes).Fits(v)
	switch {
	case f == nil:
		return ""
	case f.Missing:
		return fmt.Sprintf("the input has no %s, which %s demands", f.Pointer, m.Nodes[node].Key)
	case f.Extra:
		return fmt.Sprintf("the input has %s, which %s does not take", f.Pointer, m.Nodes[node].Key)
	case f.Pointer == "":
		return fmt.Sprintf("the input is %s, but %s demands %s", f.Got.Words(), m.Nodes[node].Key, f.Want.Words())
	}
	return fmt.Sprintf("%s of the input is %s, but %s demands %s", f.Pointer, f.Got.Words(), m.Nodes[node].Key, f.Want.Words())
}
