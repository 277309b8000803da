package kind

func call() Spec {
	return Spec{
		Name: "call", Title: "Call a workflow", Category: "flow", Tile: "logic", Icon: "workflow", Work: WorkCall,
		Help:     "Runs another workflow as a run of its own and waits for its result, or goes on at once.",
		Ports:    []Port{success(), failure()},
		Subtitle: "{workflow}",
		Config: Schema{Type: "object", Required: []string{"workflow"}, Properties: Properties{
			{"workflow", Schema{
				Type: "string", Title: "Workflow", MaxLength: 200, Constant: true, Placeholder: "Charge a card",
				Description: "The name or the id of the workflow, which must have a published version.",
			}},
			{"version", Schema{
				Type: "string", Title: "Version", MaxLength: 200, Constant: true, Advanced: true, Placeholder: "latest",
				Description: "The id of a version; empty is the latest at the time of the call.",
			}},
			{"input", Schema{
				Title: "Input", Placeholder: "=input",
				Description: "What the other run gets. Nothing here: this step's input.",
			}},
			{"wait", Schema{
				Type: "boolean", Title: "Wait for its end", Default: raw(`true`), Constant: true,
				Description: "Otherwise the step goes on with the id of the run.",
			}},
		}},
		Example: raw(`{"workflow":"Charge a card","input":{"amount":"=input.total"}}`),
		Output:  raw(`{"charged":true}`),
	}
}
