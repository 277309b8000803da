package kind

func loop() Spec {
	return Spec{
		Name: "loop", Title: "Repeat", Category: "flow", Tile: "logic", Icon: "repeat", Work: WorkScope, Container: true,
		Help:     "Repeats the steps drawn in it while a condition holds. Each round gets what the round before gave; the last one's result leaves.",
		Ports:    []Port{success(), failure()},
		Subtitle: "{condition}",
		Config: Schema{Type: "object", Required: []string{"condition", "max"}, Properties: Properties{
			{"condition", Schema{
				Type: "string", Title: "While", UI: "expr", Placeholder: "input.score < 0.8",
				Description: "An expression over input (what the last round gave) and index (rounds so far) that gives true or false.",
			}},
			{"check", Schema{
				Type: "string", Title: "Ask", Enum: []string{"before", "after"}, EnumTitles: []string{"Before each round", "After each round"},
				Default: raw(`"before"`), Constant: true, Description: "After: the first round always runs.",
			}},
			{"max", Schema{
				Type: "integer", Title: "Most rounds", Default: raw(`10`), Minimum: at(1), Maximum: at(10_000), Constant: true,
				Description: "When the condition still holds after so many rounds, the step fails with loop_limit.",
			}},
		}},
		Example: raw(`{"condition":"input.score < 0.8","max":5}`),
		Output:  raw(`{"score":0.9}`),
	}
}
