package kind

func routes() Spec {
	return Spec{
		Name: "route", Title: "Route", Category: "flow", Tile: "logic", Icon: "split", Work: WorkInline,
		Help:     "Sends its input to the ways whose conditions hold, read from top to bottom. What fits none leaves by Otherwise.",
		Ports:    []Port{{Name: "default", Title: "Otherwise"}, failure()},
		PortsOf:  &PortsOf{Field: "rules", Name: "port", Label: "when"},
		Subtitle: "{match}",
		Config: Schema{Type: "object", Required: []string{"rules"}, Properties: Properties{
			{"match", Schema{
				Type: "string", Title: "Match", Enum: []string{"first", "every"}, EnumTitles: []string{"First match", "Every match"}, Default: raw(`"first"`), Constant: true,
				Description: "First match takes one way. Every match takes all ways that fit, at the same time.",
			}},
			{"rules", Schema{
				Type: "array", Title: "Routes", MinItems: 1, MaxItems: 50, UI: "rules",
				Description: "Each rule makes a way out of its own.",
				Items: &Schema{Type: "object", Required: []string{"when", "port"}, Properties: Properties{
					{"when", Schema{
						Type: "string", Title: "Condition", UI: "expr", Placeholder: "input.priority >= 8",
						Description: "An expression that gives true or false.",
					}},
					{"port", Schema{
						Type: "string", Title: "Way", MaxLength: 40, UI: "port", Constant: true, Placeholder: "express",
						Description: "The name of the way out: small letters, digits and _, a letter first.",
					}},
				}},
			}},
		}},
		Example: raw(`{"match":"every","rules":[{"port":"express","when":"input.priority >= 8"},{"port":"vision","when":"has(input.image)"}]}`),
		Output:  raw(`{"priority":9,"image":"receipt.png"}`),
	}
}
