package kind

func manual() Spec {
	return Spec{
		Name: "manual", Title: "Start by hand", Category: "trigger", Tile: "trigger", Icon: "play", Work: WorkTrigger, NoInput: true,
		Help:  "Starts a run when a person presses the button or the API is called. The input is what they hand in.",
		Ports: []Port{success()}, Config: Schema{Type: "object", Properties: Properties{
			{"description", Schema{Type: "string", Title: "What to hand in", UI: "text", Constant: true, MaxLength: 2_000, Description: "Shown to whoever starts a run."}},
		}},
		Example: raw(`{}`), Output: raw(`{"customer":"Ada","priority":9}`),
	}
}

func webhook() Spec {
	return Spec{
		Name: "webhook", Title: "Webhook", Category: "trigger", Tile: "trigger", Icon: "webhook", Work: WorkTrigger, NoInput: true,
		Help:  "Starts a run for each request to an address of its own. The input is the JSON body.",
		Ports: []Port{success()}, Subtitle: "/hooks/{path}",
		Config: Schema{Type: "object", Properties: Properties{
			{"path", Schema{Type: "string", Title: "Path", Constant: true, MaxLength: 120, Pattern: `^[A-Za-z0-9_-]{6,120}$`, Placeholder: "letters, digits, - and _", Description: "The part of the address behind /hooks/. Left empty, publishing makes one that cannot be guessed."}},
			{"methods", Schema{Type: "array", Title: "Methods", Constant: true, Advanced: true, MaxItems: 5, Default: raw(`["POST"]`), Items: &Schema{Type: "string", Constant: true, Enum: []string{"POST", "PUT", "PATCH", "GET", "DELETE"}}}},
			{"auth", Schema{Type: "string", Title: "Who may call", Constant: true, Enum: []string{"hmac", "bearer", "none"}, EnumTitles: []string{"Signed", "Bearer token", "Anybody"}, Default: raw(`"hmac"`), Description: "Signed requests follow Standard Webhooks: HMAC-SHA256 over id, time and body."}},
			credential("auth=hmac|bearer"),
			{"respond", Schema{Type: "string", Title: "Answer", Constant: true, Enum: []string{"at_once", "at_end", "by_node"}, EnumTitles: []string{"At once", "At the end", "By a Respond step"}, Default: raw(`"at_once"`)}},
			{"max_bytes", Schema{Type: "integer", Title: "Largest body", Unit: "bytes", Constant: true, Advanced: true, Minimum: at(1), Maximum: at(1_048_576), Default: raw(`1048576`)}},
			{"dedupe", Schema{Type: "string", Title: "Same request", UI: "expr", Advanced: true, Placeholder: "input.id", Description: "Requests for which this gives the same value start one run."}},
		}},
		Example: raw(`{"path":"orders-3f9ab2","auth":"none","respond":"at_once"}`), Output: raw(`{"subject":"Payment failed twice","priority":9}`),
	}
}
