package kind

func manual() Spec {
	return Spec{
		Name: "manual", Title: "Start by hand", Category: "trigger", Tile: "trigger", Icon: "play", Work: WorkTrigger, NoInput: true,
		Help:  "Starts a run when a person presses Run, or when a program calls the API. What they hand in is the input.",
		Ports: []Port{success()},
		Config: Schema{Type: "object", Properties: Properties{
			{"description", Schema{
				Type: "string", Title: "What to hand in", MaxLength: 2_000, UI: "text", Constant: true,
				Placeholder: "An order with customer, items and total.",
				Description: "Shown to whoever starts a run.",
			}},
			inputSchema(),
		}},
		Example: raw(`{"description":"A customer and how urgent it is, from 0 to 10."}`),
		Output:  raw(`{"customer":"Ada","priority":9}`),
	}
}
