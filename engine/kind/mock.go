package kind

func mock() Spec {
	return Spec{
		Name: "mock", Title: "Mock model", Category: "ai", Tile: "ai", Icon: "bot", Work: WorkTask, Attempts: 3, Timeout: "60s",
		Help:     "Stands in for a model or a service without any key: gives a scripted answer after a time, or fails as often as you say.",
		Ports:    []Port{success(), failure()},
		Subtitle: "answers after {latency_ms} ms",
		Config: Schema{Type: "object", Properties: Properties{
			{"answer", Schema{
				Title: "Answer", UI: "json", Default: raw(`{"ok":true}`),
				Description: "The JSON value to give. Expressions inside are filled in.",
			}},
			{"latency_ms", Schema{
				Type: "integer", Title: "Takes", Unit: "ms", Minimum: at(0), Maximum: at(60_000), Default: raw(`0`),
				Description: "How long an attempt takes, at most a minute.",
			}},
			{"stream", Schema{
				Type: "boolean", Title: "Stream the words", Default: raw(`false`), Advanced: true,
				Description: "Shows the answer word by word in the run view, as a model would.",
			}},
			{"fail_times", Schema{
				Type: "integer", Title: "Failing attempts first", Minimum: at(0), Maximum: at(1_000), Default: raw(`0`), Advanced: true,
				Description: "So many attempts of each visit fail before one succeeds.",
			}},
			{"error_class", Schema{
				Type: "string", Title: "Class of the error", MaxLength: 60, Default: raw(`"unavailable"`), Advanced: true,
				Description: "Classes like unavailable, timeout and rate_limited are tried again; invalid_input and unauthorized are not.",
			}},
			{"error_message", Schema{
				Type: "string", Title: "Message of the error", MaxLength: 2_000, Default: raw(`"the mock model failed as it was told to"`), Advanced: true,
				Description: "One sentence for people.",
			}},
		}},
		Example: raw(`{"answer":{"label":"billing","ticket":"=input.id"},"latency_ms":400}`),
		Output:  raw(`{"label":"billing","ticket":"T-1041"}`),
	}
}
