package kind

func httpRequest() Spec {
	return Spec{
		Name: "http", Title: "HTTP request", Category: "connect", Tile: "http", Icon: "globe", Work: WorkTask, Effect: true, Attempts: 3, Timeout: "30s",
		Help:  "Calls a web address. Private addresses are refused; a failed call is tried again.",
		Ports: []Port{success(), failurePort()}, Subtitle: "{method} {url}",
		Config: Schema{Type: "object", Required: []string{"url"}, Properties: Properties{
			{"method", Schema{Type: "string", Title: "Method", Constant: true, Enum: []string{"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"}, Default: raw(`"GET"`)}},
			{"url", Schema{Type: "string", Title: "Address", Format: "uri", MaxLength: 4_000, Placeholder: "https://api.example.com/orders/{{ input.id }}"}},
			{"query", Schema{Type: "object", Title: "Query", UI: "kv", Advanced: true}},
			{"headers", Schema{Type: "object", Title: "Headers", UI: "kv", Advanced: true}},
			{"auth", Schema{Type: "string", Title: "Authorization", Constant: true, Enum: []string{"none", "credential"}, EnumTitles: []string{"None", "Credential"}, Default: raw(`"none"`)}},
			credential("auth=credential"),
			{"body_type", Schema{Type: "string", Title: "Body", Constant: true, Enum: []string{"none", "json", "text"}, EnumTitles: []string{"None", "JSON", "Text"}, Default: raw(`"none"`)}},
			{"body", Schema{Title: "Content", UI: "json", ShowIf: "body_type=json|text"}},
			{"response", Schema{Type: "string", Title: "Read the answer as", Constant: true, Advanced: true, Enum: []string{"json", "text"}, EnumTitles: []string{"JSON", "Text"}, Default: raw(`"json"`)}},
		}},
		Example: raw(`{"method":"POST","url":"https://api.example.com/tickets","body_type":"json","body":{"subject":"=input.subject"}}`),
		Output:  raw(`{"status":200,"headers":{"content-type":"application/json"},"body":{"id":41}}`),
	}
}
