package kind

func request() Spec {
	return Spec{
		Name: "http", Title: "HTTP request", Category: "connect", Tile: "http", Icon: "globe", Work: WorkTask, Effect: true, Attempts: 3, Timeout: "30s",
		Help:     "Calls a web address. Addresses inside a private network are refused. A call that fails is tried again with the same idempotency key.",
		Ports:    []Port{success(), failure()},
		Subtitle: "{method} {url}",
		Config: Schema{Type: "object", Required: []string{"url"}, Properties: Properties{
			{"method", Schema{
				Type: "string", Title: "Method", Enum: []string{"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"}, Default: raw(`"GET"`), Constant: true,
				Description: "What the call asks for.",
			}},
			{"url", Schema{
				Type: "string", Title: "Address", Format: "uri", MaxLength: 4_000, Placeholder: "https://api.example.com/orders/{{ input.id }}",
				Description: "A whole address, with https:// or http:// in front.",
			}},
			{"query", Schema{
				Type: "object", Title: "Query", UI: "kv", Advanced: true,
				Description: "Names and values behind the ? of the address; they are escaped for you.",
			}},
			{"headers", Schema{
				Type: "object", Title: "Headers", UI: "kv", Advanced: true,
				Description: "Further headers. Secrets belong into a credential.",
			}},
			{"auth", Schema{
				Type: "string", Title: "Authorization", Enum: []string{"none", "credential"}, EnumTitles: []string{"None", "Credential"}, Default: raw(`"none"`), Constant: true,
				Description: "Whether a stored credential goes with the call.",
			}},
			credential("auth=credential"),
			{"body_type", Schema{
				Type: "string", Title: "Body", Enum: []string{"none", "json", "text"}, EnumTitles: []string{"None", "JSON", "Text"}, Default: raw(`"none"`), Constant: true,
				Description: "How the content is sent.",
			}},
			{"body", Schema{
				Title: "Content", UI: "json", ShowIf: "body_type=json|text",
				Description: "What is sent. Expressions inside are filled in and escaped.",
			}},
			{"response", Schema{
				Type: "string", Title: "Read the answer as", Enum: []string{"json", "text"}, EnumTitles: []string{"JSON", "Text"}, Default: raw(`"json"`), Advanced: true, Constant: true,
				Description: "JSON becomes a value with fields; text stays as it is.",
			}},
		}},
		Example: raw(`{"method":"POST","url":"https://api.example.com/tickets","auth":"credential","credential":"helpdesk","body_type":"json","body":{"subject":"=input.subject"}}`),
		Output:  raw(`{"status":200,"headers":{"content-type":"application/json"},"body":{"id":41}}`),
	}
}
