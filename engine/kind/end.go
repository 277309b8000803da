package kind

func end() Spec {
	return Spec{
		Name: "end", Title: "End", Category: "flow", Tile: "logic", Icon: "circle-stop", Work: WorkInline,
		Help:  "Ends this branch. The run succeeds when every branch has ended.",
		Ports: []Port{},
		Config: Schema{Type: "object", Properties: Properties{
			{"output", Schema{
				Title: "Value", UI: "json",
				Description: "The JSON value that the branch ends with. Left empty, its input. It is the result of a run without a Result step.",
			}},
		}},
		Example: raw(`{"output":{"done":true}}`),
		Output:  raw(`{"done":true}`),
	}
}
