package kind

func group() Spec {
	return Spec{
		Name: "group", Title: "Group", Category: "flow", Tile: "logic", Icon: "group", Work: WorkScope, Container: true,
		Help:     "Holds steps together: catches the errors that they do not catch themselves, bounds their time, and, as a transaction, undoes what was done when one of them fails.",
		Ports:    []Port{success(), failure()},
		Subtitle: "",
		Config: Schema{Type: "object", Properties: Properties{
			{"transaction", Schema{
				Type: "boolean", Title: "Transaction", Default: raw(`false`), Constant: true,
				Description: "When a step fails, undo the steps that were completed, the latest first.",
			}},
			{"compensate", Schema{
				Type: "string", Title: "Undo", Enum: []string{"reverse", "parallel"}, EnumTitles: []string{"One after the other, the latest first", "All at once"},
				Default: raw(`"reverse"`), ShowIf: "transaction=true", Constant: true, Advanced: true,
				Description: "In which order completed steps are undone.",
			}},
		}},
		Example: raw(`{"transaction":true}`),
		Output:  raw(`{"charged":true}`),
	}
}
