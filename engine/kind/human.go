package kind

func human() Spec {
	return Spec{
		Name: "human", Title: "Ask a person", Category: "flow", Tile: "human", Icon: "user-check", Work: WorkWait,
		Help:     "Shows a person what there is to decide, and goes on by the way that they choose, with what they entered.",
		PortsOf:  &PortsOf{Field: "decisions", Name: "port", Label: "title"},
		Ports:    []Port{late(), failure()},
		Subtitle: "{title}",
		Config: Schema{Type: "object", Required: []string{"title", "decisions"}, Properties: Properties{
			{"title", Schema{Type: "string", Title: "Question", MaxLength: 500, Placeholder: "Refund {{ input.amount }} to {{ input.customer }}?", Description: "One line."}},
			{"text", Schema{Type: "string", Title: "Text", MaxLength: 5_000, UI: "text", Description: "What one must know to decide."}},
			{"assignees", Schema{Type: "array", Title: "For", Items: &Schema{Type: "string", MaxLength: 200}, Description: "Who is asked. Nobody here: whoever may work on runs."}},
			{"decisions", Schema{
				Type: "array", Title: "Ways on", MinItems: 1, MaxItems: 20, Description: "The buttons; each is a way out.",
				Default: raw(`[{"port":"approved"},{"port":"refused"}]`),
				Items: &Schema{Type: "object", Required: []string{"port"}, Properties: Properties{
					{"port", Schema{Type: "string", Title: "Way", UI: "port", Constant: true, MaxLength: 40, Placeholder: "approved", Description: "The name of the way out."}},
					{"title", Schema{Type: "string", Title: "Button", MaxLength: 80, Description: "What the button says; nothing here: the name."}},
				}},
			}},
			{"fields", Schema{
				Type: "array", Title: "Ask for", MaxItems: 30, Advanced: true, Description: "What the person enters.",
				Items: &Schema{Type: "object", Required: []string{"name"}, Properties: Properties{
					{"name", Schema{Type: "string", Title: "Name", Constant: true, MaxLength: 40, Pattern: "^[a-z][a-z0-9_]*$", Description: "The field of the output."}},
					{"title", Schema{Type: "string", Title: "Label", MaxLength: 200, Description: "What the form says."}},
					{"type", Schema{Type: "string", Title: "Kind", Enum: []string{"text", "number", "yes_no"}, EnumTitles: []string{"Text", "Number", "Yes or no"}, Default: raw(`"text"`), Constant: true, Description: "What can be entered."}},
				}},
			}},
			{"timeout", Schema{
				Type: "string", Title: "Give up after", UI: "duration", Format: "duration", Placeholder: "24h",
				Description: "How long to wait; then the step goes on by Timeout. Nothing here: for ever.",
			}},
		}},
		Example: raw(`{"title":"Refund {{ input.amount }}?","decisions":[{"port":"approved","title":"Approve"},{"port":"refused","title":"Refuse"}],"timeout":"24h"}`),
		Output:  raw(`{"note":"ok"}`),
	}
}
