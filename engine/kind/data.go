package kind

func set() Spec {
	return Spec{
		Name: "set", Title: "Set fields", Category: "data", Tile: "data", Icon: "braces", Work: WorkInline,
		Help: "Adds or changes fields of its input. A name with dots reaches into objects.", Ports: []Port{success(), failurePort()},
		Config: Schema{Type: "object", Required: []string{"fields"}, Properties: Properties{
			{"fields", Schema{Type: "object", Title: "Fields", UI: "kv", Default: raw(`{}`)}},
			{"keep", Schema{Type: "boolean", Title: "Keep the other fields", Default: raw(`true`)}},
		}},
		Example: raw(`{"fields":{"total":"=input.price * input.count","currency":"EUR"},"keep":true}`), Output: raw(`{"total":30,"currency":"EUR"}`),
	}
}

func transform() Spec {
	return Spec{
		Name: "transform", Title: "Transform", Category: "data", Tile: "data", Icon: "wand-sparkles", Work: WorkInline,
		Help: "Makes a new value of its input with one expression.", Ports: []Port{success(), failurePort()}, Subtitle: "{expression}",
		Config: Schema{Type: "object", Required: []string{"expression"}, Properties: Properties{
			{"expression", Schema{Type: "string", Title: "Expression", UI: "expr", Placeholder: "input.items.map(i, i.name)"}},
		}},
		Example: raw(`{"expression":"input.items.map(i, i.name)"}`),
	}
}
