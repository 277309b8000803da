package kind

import "encoding/json"

// Categories lists the categories in the order of the palette.
func Categories() []string { return []string{"trigger", "flow", "data", "connect", "ai", "ops"} }

// All lists the catalogue in the order of the palette. The caller owns what it
// gets.
func All() []Spec {
	return []Spec{
		manual(), webhook(),
		ifElse(), routes(), join(), group(), mapItems(), loop(), states(), state(), call(),
		wait(), signal(), human(), callback(), respond(), output(), end(), fail(),
		set(), transform(),
		request(), external(),
		llm(), mock(),
		metric(), outcome(),
	}
}

// Find returns the kind with the name.
func Find(name string) (Spec, bool) {
	for _, s := range All() {
		if s.Name == name {
			return s, true
		}
	}
	return Spec{}, false
}

func success() Port { return Port{Name: "success", Title: "Success"} }

// last is the way out of what often comes last: it may lead nowhere.
func last() Port { return Port{Name: "success", Title: "Success", Optional: true} }

// late is the way out of a wait that nobody answered in time.
func late() Port { return Port{Name: "timeout", Title: "Timeout", Optional: true} }

func failure() Port { return Port{Name: "failure", Title: "Failure", Optional: true, Failure: true} }

func raw(s string) json.RawMessage { return json.RawMessage(s) }

func at(f float64) *float64 { return &f }

// credential is the field that names a stored secret, never its value.
func credential(showIf string) Property {
	return Property{"credential", Schema{
		Type: "string", Title: "Credential", MaxLength: 200, UI: "credential", Constant: true, ShowIf: showIf,
		Description: "The name of a stored credential. Its value is joined in at the last moment and shows up in no event, log or trace.",
	}}
}
