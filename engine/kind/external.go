package kind

func external() Spec {
	return Spec{
		Name: "external", Title: "External task", Category: "connect", Tile: "queue", Icon: "cpu", Work: WorkTask, Effect: true, Attempts: 3, Timeout: "10m",
		Help:     "A worker of yours does it, in any language, over HTTP or NATS. A worker that falls silent loses the task, and another gets it with the same idempotency key.",
		Ports:    []Port{success(), failure()},
		Subtitle: "{type}",
		Config: Schema{Type: "object", Required: []string{"type"}, Properties: Properties{
			{"type", Schema{
				Type: "string", Title: "Task type", MaxLength: 60, Pattern: `^[a-z][a-z0-9_-]{0,59}$`, Placeholder: "resize_image", Constant: true,
				Description: "Which workers take it: those that have said that they do this type.",
			}},
			{"input", Schema{
				Title: "Input", UI: "json", Default: raw(`"=input"`),
				Description: "What the worker gets. Expressions inside are filled in.",
			}},
			{"lease", Schema{
				Type: "string", Title: "Lease", Format: "duration", UI: "duration", Default: raw(`"30s"`), Constant: true, Advanced: true,
				Description: "How long a worker may be silent before another one gets the task. It says every third of that time that it is still at work.",
			}},
			{"result_schema", Schema{
				Title: "Result schema", UI: "json", Constant: true, Advanced: true,
				Description: "A JSON Schema. A result that does not fit fails the attempt as invalid_output.",
			}},
		}},
		Example: raw(`{"type":"resize_image","input":{"url":"=input.url","width":640},"lease":"30s","result_schema":{"type":"object","required":["url"]}}`),
		Output:  raw(`{"url":"https://files.example.com/small.png","width":640}`),
	}
}
