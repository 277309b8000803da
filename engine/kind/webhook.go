package kind

func webhook() Spec {
	return Spec{
		Name: "webhook", Title: "Webhook", Category: "trigger", Tile: "trigger", Icon: "webhook", Work: WorkTrigger, NoInput: true,
		Help:     "Starts a run for each request to an address of its own. The JSON body of the request is the input.",
		Ports:    []Port{success()},
		Subtitle: "/hooks/{path}",
		Config: Schema{Type: "object", Properties: Properties{
			{"path", Schema{
				Type: "string", Title: "Path", MaxLength: 120, Pattern: `^[A-Za-z0-9_-]{6,120}$`, Constant: true, Placeholder: "orders-3f9ab2",
				Description: "The part of the address behind /hooks/: 6 to 120 letters, digits, - and _. Left empty, one is made that nobody can guess.",
			}},
			{"auth", Schema{
				Type: "string", Title: "Who may call", Enum: []string{"hmac", "bearer", "none"}, EnumTitles: []string{"Signed", "Token", "Anybody"}, Default: raw(`"hmac"`), Constant: true,
				Description: "Signed: requests follow Standard Webhooks (HMAC-SHA256 over id, time and body). Token: an Authorization header with a bearer token. Anybody: no check, and only this machine may call.",
			}},
			credential("auth=hmac|bearer"),
			{"respond", Schema{
				Type: "string", Title: "Answer", Enum: []string{"at_once", "at_end", "by_node"}, EnumTitles: []string{"At once", "At the end", "By a Respond step"}, Default: raw(`"at_once"`), Constant: true,
				Description: "At once: the caller gets the number of the run. At the end: the caller waits for the result. By a Respond step: the caller waits until one answers.",
			}},
			{"methods", Schema{
				Type: "array", Title: "Methods", MinItems: 1, MaxItems: 5, Default: raw(`["POST"]`), Advanced: true, Constant: true,
				Items:       &Schema{Type: "string", Enum: []string{"POST", "PUT", "PATCH", "GET", "DELETE"}, Constant: true},
				Description: "Requests by another method are refused.",
			}},
			inputSchema(),
			{"max_bytes", Schema{
				Type: "integer", Title: "Largest body", Unit: "bytes", Minimum: at(1), Maximum: at(1_048_576), Default: raw(`1048576`), Advanced: true, Constant: true,
				Description: "A larger body is refused before it is read.",
			}},
			{"dedupe", Schema{
				Type: "string", Title: "Same request", UI: "expr", Advanced: true, Placeholder: "input.id",
				Description: "Requests for which this gives the same value start one run. Left empty, the Webhook-Id or Idempotency-Key header counts.",
			}},
		}},
		Example: raw(`{"path":"orders-3f9ab2","auth":"hmac","credential":"shop","respond":"at_once","dedupe":"input.id"}`),
		Output:  raw(`{"id":"T-1041","subject":"Payment failed twice","priority":9}`),
	}
}
