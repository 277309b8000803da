package kind

import "encoding/json"

// Categories lists the categories in the order of the palette.
func Categories() []string { return []string{"trigger", "flow", "data", "connect", "ai", "ops"} }

// entry is a kind before it is made: most of what asks for one kind has no need
// of the others.
type entry struct {
	name string
	make func() Spec
}

// catalogue is in the order of the palette.
func catalogue() []entry {
	return []entry{
		{"manual", manual}, {"webhook", webhook},
		{"if", ifElse}, {"route", routes}, {"join", join}, {"group", group}, {"map", mapItems}, {"loop", loop}, {"states", states}, {"state", state}, {"call", call},
		{"wait", wait}, {"signal", signal}, {"human", human}, {"callback", callback}, {"respond", respond}, {"output", output}, {"end", end}, {"fail", fail},
		{"set", set}, {"transform", transform},
		{"http", request}, {"external", external},
		{"llm", llm}, {"mock", mock},
		{"metric", metric}, {"outcome", outcome},
	}
}

// All lists the catalogue in the order of the palette. The caller owns what it
// gets.
func All() []Spec {
	entries := catalogue()
	list := make([]Spec, len(entries))
	for i, e := range entries {
		list[i] = e.make()
	}
	return list
}

// Find returns the kind with the name.
func Find(name string) (Spec, bool) {
	for _, e := range catalogue() {
		if e.name == name {
			return e.make(), true
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

// inputSchema is the field of a trigger that says what starts a run.
func inputSchema() Property {
	return Property{"input_schema", Schema{
		Type: "object", Title: "Input must fit", UI: "schema", Constant: true, Advanced: true,
		Description: "Which fields the input has, and of which type, as a JSON Schema. A run with another input fails at its start, and the steps that follow are checked against it while you draw.",
	}}
}

// credential is the field that names a stored secret, never its value.
func credential(showIf string) Property {
	return Property{"credential", Schema{
		Type: "string", Title: "Credential", MaxLength: 200, UI: "credential", Constant: true, ShowIf: showIf,
		Description: "The name of a stored credential. Its value is joined in at the last moment and shows up in no event, log or trace.",
	}}
}
