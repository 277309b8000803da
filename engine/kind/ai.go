package kind

func llm() Spec {
	return Spec{
		Name: "llm", Title: "Language model", Category: "ai", Tile: "ai", Icon: "sparkles", Work: WorkTask, Effect: true, Attempts: 3, Timeout: "120s",
		Help:  "Asks a language model over the OpenAI-compatible protocol, and streams its words to the run view.",
		Ports: []Port{success(), failurePort()}, Subtitle: "model: {model}",
		Config: Schema{Type: "object", Required: []string{"base_url", "model", "messages"}, Properties: Properties{
			{"base_url", Schema{Type: "string", Title: "Address", Format: "uri", Constant: true, Placeholder: "https://api.openai.com/v1"}},
			credential(""),
			{"model", Schema{Type: "string", Title: "Model", MaxLength: 200, Placeholder: "gpt-4o-mini"}},
			{"messages", Schema{Type: "array", Title: "Messages", MinItems: 1, MaxItems: 100, Items: &Schema{Type: "object", Required: []string{"role", "content"}, Properties: Properties{
				{"role", Schema{Type: "string", Title: "Role", Constant: true, Enum: []string{"system", "user", "assistant"}}},
				{"content", Schema{Type: "string", Title: "Text", UI: "text", Placeholder: "Classify this ticket: {{ input.subject }}"}},
			}}}},
			{"temperature", Schema{Type: "number", Title: "Temperature", Advanced: true, Minimum: at(0), Maximum: at(2)}},
			{"max_tokens", Schema{Type: "integer", Title: "Longest answer", Unit: "tokens", Advanced: true, Minimum: at(1), Maximum: at(200_000)}},
			{"json_schema", Schema{Type: "object", Title: "Answer must fit (JSON Schema)", UI: "json", Advanced: true}},
		}},
		Example: raw(`{"base_url":"https://api.openai.com/v1","model":"gpt-4o-mini","messages":[{"role":"user","content":"Classify: {{ input.subject }}"}]}`),
		Output:  raw(`{"text":"billing","usage":{"in":12,"out":2},"finish_reason":"stop","model":"gpt-4o-mini"}`),
	}
}

func mock() Spec {
	return Spec{
		Name: "mock", Title: "Mock model", Category: "ai", Tile: "ai", Icon: "bot", Work: WorkTask, Attempts: 3, Timeout: "60s",
		Help:  "Stands in for a model or a service: gives a scripted answer after a time, or fails as often as you say. Needs no key.",
		Ports: []Port{success(), failurePort()}, Subtitle: "answers after {latency_ms} ms",
		Config: Schema{Type: "object", Properties: Properties{
			{"answer", Schema{Title: "Answer", UI: "json", Default: raw(`{"ok":true}`)}},
			{"latency_ms", Schema{Type: "integer", Title: "Takes", Unit: "ms", Minimum: at(0), Maximum: at(60_000), Default: raw(`0`)}},
			{"stream", Schema{Type: "boolean", Title: "Stream the words", Advanced: true, Default: raw(`false`)}},
			{"fail_times", Schema{Type: "integer", Title: "Failing attempts first", Advanced: true, Minimum: at(0), Maximum: at(1_000), Default: raw(`0`)}},
			{"error_class", Schema{Type: "string", Title: "Class of the error", Advanced: true, MaxLength: 60, Default: raw(`"unavailable"`)}},
			{"error_message", Schema{Type: "string", Title: "Message of the error", Advanced: true, MaxLength: 2_000, Default: raw(`"the mock model failed as it was told to"`)}},
		}},
		Example: raw(`{"answer":{"label":"billing","score":0.97},"latency_ms":400}`), Output: raw(`{"label":"billing","score":0.97}`),
	}
}
