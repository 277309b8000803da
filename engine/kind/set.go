package kind

func set() Spec {
	return Spec{
		Name: "set", Title: "Set fields", Category: "data", Tile: "data", Icon: "braces", Work: WorkInline,
		Help:  "Adds fields to its input or changes them.",
		Ports: []Port{success(), failure()},
		Config: Schema{Type: "object", Required: []string{"fields"}, Properties: Properties{
			{"fields", Schema{
				Type: "object", Title: "Fields", UI: "kv", Default: raw(`{}`),
				Description: "Names and values. A name with dots reaches into objects: customer.city. A value that starts with = is an expression.",
			}},
			{"keep", Schema{
				Type: "boolean", Title: "Keep the other fields", Default: raw(`true`),
				Description: "Off, the output has only the fields that are set here.",
			}},
		}},
		Example: raw(`{"fields":{"total":"=input.price * input.count","currency":"EUR"},"keep":true}`),
		Output:  raw(`{"price":15,"count":2,"total":30,"currency":"EUR"}`),
	}
}
