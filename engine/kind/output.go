package kind

func output() Spec {
	return Spec{
		Name: "output", Title: "Result", Category: "flow", Tile: "logic", Icon: "flag", Work: WorkInline,
		Help:  "Sets the result of the run. When several are reached, the latest counts.",
		Ports: []Port{last(), failure()},
		Config: Schema{Type: "object", Properties: Properties{
			{"value", Schema{
				Title: "Value", UI: "json",
				Description: "The JSON value that is the result. Left empty, the input is the result.",
			}},
		}},
		Example: raw(`{"value":{"label":"=input.label","ticket":"=trigger.id"}}`),
		Output:  raw(`{"label":"billing","ticket":"T-1041"}`),
	}
}
