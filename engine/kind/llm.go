package kind

func llm() Spec {
	return Spec{
		Name: "llm", Title: "Language model", Category: "ai", Tile: "ai", Icon: "sparkles", Work: WorkTask, Effect: true, Attempts: 3, Timeout: "120s",
		Help:     "Asks a language model that speaks the OpenAI-compatible protocol, and streams its words to the run view.",
		Ports:    []Port{success(), failure()},
		Subtitle: "{model}",
		Config: Schema{Type: "object", Required: []string{"base_url", "model", "messages"}, Properties: Properties{
			{"base_url", Schema{
				Type: "string", Title: "Address", Format: "uri", MaxLength: 2_000, Constant: true, Placeholder: "https://api.openai.com/v1",
				Description: "Where the model is served, up to /v1.",
			}},
			credential(""),
			{"model", Schema{
				Type: "string", Title: "Model", MaxLength: 200, Placeholder: "gpt-4o-mini",
				Description: "The name that the service knows it by.",
			}},
			{"messages", Schema{
				Type: "array", Title: "Messages", MinItems: 1, MaxItems: 100,
				Description: "What the model is told, in order.",
				Items: &Schema{Type: "object", Required: []string{"role", "content"}, Properties: Properties{
					{"role", Schema{
						Type: "string", Title: "Role", Enum: []string{"system", "user", "assistant"}, EnumTitles: []string{"Rules", "Question", "Answer"}, Constant: true,
						Description: "Who says it: system sets the rules, user asks, assistant answered before.",
					}},
					{"content", Schema{
						Type: "string", Title: "Text", MaxLength: 100_000, UI: "text", Placeholder: "Classify this ticket: {{ input.subject }}",
						Description: "The words, with expressions in {{ }}.",
					}},
				}},
			}},
			{"temperature", Schema{
				Type: "number", Title: "Temperature", Minimum: at(0), Maximum: at(2), Advanced: true,
				Description: "0 always takes the likeliest word, 2 takes chances. Left empty, the model decides.",
			}},
			{"max_tokens", Schema{
				Type: "integer", Title: "Longest answer", Unit: "tokens", Minimum: at(1), Maximum: at(200_000), Advanced: true,
				Description: "The answer is cut here. Left empty, the model decides.",
			}},
			{"json_schema", Schema{
				Type: "object", Title: "Answer must fit", UI: "json", Advanced: true,
				Description: "A JSON Schema. The answer is then read as JSON and must fit it; it comes out as json.",
			}},
		}},
		Example: raw(`{"base_url":"https://api.openai.com/v1","credential":"openai","model":"gpt-4o-mini","messages":[{"role":"system","content":"Answer with one word."},{"role":"user","content":"Classify: {{ input.subject }}"}],"temperature":0}`),
		Output:  raw(`{"text":"billing","usage":{"in":12,"out":2},"finish_reason":"stop","model":"gpt-4o-mini"}`),
	}
}
