package kind

func fail() Spec {
	return Spec{
		Name: "fail", Title: "Fail", Category: "flow", Tile: "saga", Icon: "octagon-x", Work: WorkInline,
		Help:     "Ends the run as failed, with a reason of your own, and cancels what is still going on.",
		Ports:    []Port{},
		Subtitle: "{code}",
		Config: Schema{Type: "object", Required: []string{"message"}, Properties: Properties{
			{"code", Schema{
				Type: "string", Title: "Code", MaxLength: 60, Default: raw(`"failed"`), Placeholder: "out_of_stock",
				Description: "A short word for programs: the class of the error.",
			}},
			{"message", Schema{
				Type: "string", Title: "Message", MaxLength: 2_000, UI: "text", Placeholder: "The order cannot be filled.",
				Description: "One sentence for people.",
			}},
		}},
		Example: raw(`{"code":"out_of_stock","message":"{{ input.item }} is sold out."}`),
	}
}
