package compile_test

import (
	"encoding/json"
	"strings"
	"testing"

	"signalbox/engine/machine"
)

// TestATriggerRefusesAnotherInput starts runs with inputs that fit and that do
// not.
func TestATriggerRefusesAnotherInput(t *testing.T) {
	t.Parallel()
	m := build(t, `s:manual{"input_schema":{"type":"object","required":["amount"],"properties":{"amount":{"type":"number"},"note":{"type":"string"}},"additionalProperties":false}}`, "r:output", "s>r")
	for input, say := range map[string]string{
		`{"amount":3}`:            ``,
		`{"amount":3,"note":"n"}`: ``,
		`{}`:                      `the input has no /amount, which s demands`,
		`{"amount":"3"}`:          `/amount of the input is text, but s demands a number`,
		`{"amount":3,"tip":1}`:    `the input has /tip, which s does not take`,
		`7`:                       `the input is a number, but s demands an object`,
		`null`:                    `the input is null, but s demands an object`,
	} {
		s := m.New("018f0000-0000-7000-8000-000000000001")
		events, err := m.Step(s, machine.Start{Trigger: "s", Value: json.RawMessage(input)}, noon)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case say == "" && s.Status != machine.StatusSucceeded:
			t.Errorf("%s: %s %+v", input, s.Status, s.Failure)
		case say != "" && (s.Status != machine.StatusFailed || s.Failure.Class != "invalid_input" || !strings.Contains(s.Failure.Message, say) || len(events) != 2):
			t.Errorf("%s: %s %+v, %d events", input, s.Status, s.Failure, len(events))
		}
		again := m.New(s.Run)
		if err := m.Fold(again, events...); err != nil || again.Status != s.Status {
			t.Errorf("%s: replayed it is %s (%v)", input, again.Status, err)
		}
	}
	// What demands nothing says nothing of it.
	if plain := build(t, "s:manual", "r:output", "s>r"); plain.Nodes[plain.Index("s")].Takes != nil {
		t.Error("a trigger without a schema demands something")
	}
}
