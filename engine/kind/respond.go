package kind

func respond() Spec {
	return Spec{
		Name: "respond", Title: "Respond", Category: "flow", Tile: "http", Icon: "reply", Work: WorkInline,
		Help:     "Answers the request that started the run, if the webhook waits for it. The run goes on.",
		Ports:    []Port{last(), failure()},
		Subtitle: "status {status}",
		Config: Schema{Type: "object", Properties: Properties{
			{"status", Schema{
				Type: "integer", Title: "Status", Minimum: at(200), Maximum: at(599), Default: raw(`200`),
				Description: "The HTTP status of the answer.",
			}},
			{"body", Schema{
				Title: "Body", UI: "json",
				Description: "The JSON value to answer with. Left empty, the input is the body.",
			}},
			{"headers", Schema{
				Type: "object", Title: "Headers", UI: "kv", Advanced: true,
				Description: "Further headers of the answer; at most 1,000 bytes.",
			}},
		}},
		Example: raw(`{"status":201,"body":{"ok":true,"case":"=input.case"}}`),
		Output:  raw(`{"ok":true,"case":"C-17"}`),
	}
}
