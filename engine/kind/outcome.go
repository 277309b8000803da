package kind

func outcome() Spec {
	return Spec{
		Name: "outcome", Title: "Outcome", Category: "ops", Tile: "data", Icon: "target", Work: WorkInline,
		Help:     "Writes down what was predicted for a decision, or what turned out to be true. The boards compare the two: accuracy, recall and precision for each version. Hands its input on; test runs write nothing down.",
		Ports:    []Port{last(), failure()},
		Subtitle: "{name}: {says}",
		Config: Schema{Type: "object", Required: []string{"name", "value"}, Properties: Properties{
			{"name", Schema{
				Type: "string", Title: "What is decided", MaxLength: MeasureNameMax, Pattern: measureRule, Constant: true, Placeholder: "ticket_label",
				Description: "Small letters, digits and _, a letter first. Predictions and truths of one name belong together.",
			}},
			{"says", Schema{
				Type: "string", Title: "Writes down", Enum: []string{"prediction", "truth"}, EnumTitles: []string{"A prediction", "The truth"}, Default: raw(`"prediction"`), Constant: true,
				Description: "The truth may come much later, from another run or by POST /api/outcomes.",
			}},
			{"decision", Schema{
				Type: "string", Title: "Decision", UI: "expr", Default: raw(`"run.id"`), Placeholder: "input.ticket",
				Description: "An expression that gives the id by which prediction and truth find each other: text or a number, at most 100 characters.",
			}},
			{"value", Schema{
				Type: "string", Title: "Value", UI: "expr", Placeholder: "input.label",
				Description: "An expression that gives the class: text of at most 100 characters, a number, true or false.",
			}},
		}},
		Example: raw(`{"name":"ticket_label","says":"prediction","decision":"input.ticket","value":"input.label"}`),
		Output:  raw(`{"ticket":"T-1041","label":"billing"}`),
	}
}
