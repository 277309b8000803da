package kind

import "encoding/json"

// All lists the catalogue in the order of the palette.
func All() []Spec {
	return []Spec{
		manual(), webhook(),
		ifSpec(), routeSpec(), join(), wait(), respond(), output(), end(), fail(),
		set(), transform(),
		httpRequest(),
		llm(), mock(),
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
func failurePort() Port {
	return Port{Name: "failure", Title: "Failure", Optional: true, Failure: true}
}
func raw(s string) json.RawMessage { return json.RawMessage(s) }
func at(f float64) *float64        { return &f }

// credential is the field that names a stored secret, never its value.
func credential(showIf string) Property {
	return Property{"credential", Schema{Type: "string", Title: "Credential", UI: "credential", Constant: true, ShowIf: showIf, Description: "The name of a stored credential. Its value is joined in by the worker at the last moment and shows up nowhere."}}
}
