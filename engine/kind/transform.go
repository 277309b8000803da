package kind

func transform() Spec {
	return Spec{
		Name: "transform", Title: "Transform", Category: "data", Tile: "data", Icon: "wand-sparkles", Work: WorkInline,
		Help:     "Makes a new value out of its input with one expression.",
		Ports:    []Port{success(), failure()},
		Subtitle: "{expression}",
		Config: Schema{Type: "object", Required: []string{"expression"}, Properties: Properties{
			{"expression", Schema{
				Type: "string", Title: "Expression", UI: "expr", Placeholder: "input.items.map(i, i.name)",
				Description: "What it gives is the output, whatever its type.",
			}},
		}},
		Example: raw(`{"expression":"input.items.filter(i, i.paid).map(i, i.name)"}`),
		Output:  raw(`["pen","paper"]`),
	}
}
