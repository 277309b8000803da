package kind

func ifElse() Spec {
	return Spec{
		Name: "if", Title: "If", Category: "flow", Tile: "logic", Icon: "git-branch", Work: WorkInline,
		Help:     "Sends its input one way when a condition holds, and the other way when it does not.",
		Ports:    []Port{{Name: "true", Title: "True"}, {Name: "false", Title: "False", Optional: true}, failure()},
		Subtitle: "{condition}",
		Config: Schema{Type: "object", Required: []string{"condition"}, Properties: Properties{
			{"condition", Schema{
				Type: "string", Title: "Condition", UI: "expr", Placeholder: "input.priority >= 8",
				Description: "An expression that gives true or false.",
			}},
		}},
		Example: raw(`{"condition":"input.priority >= 8"}`),
		Output:  raw(`{"priority":9}`),
	}
}
