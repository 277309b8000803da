package kind

func callback() Spec {
	return Spec{
		Name: "callback", Title: "Wait for a callback", Category: "flow", Tile: "human", Icon: "phone-incoming", Work: WorkWait,
		Help:  "Makes a one-time address and waits until another system calls it. What it sends is the output. A second call is refused.",
		Ports: []Port{success(), late(), failure()},
		Config: Schema{Type: "object", Properties: Properties{
			{"call", Schema{
				Type: "object", Title: "Tell the address", UI: "json",
				Description: `A request that hands the address to the other system: the configuration of an HTTP request, with {callback} where the address belongs, for example {"method":"POST","url":"https://example.org/jobs","body":{"reply_to":"{callback}"}}. Nothing here: people give it on.`,
			}},
			{"timeout", Schema{
				Type: "string", Title: "Give up after", UI: "duration", Format: "duration", Placeholder: "24h",
				Description: "How long to wait; then the step goes on by Timeout. Nothing here: for ever.",
			}},
		}},
		Example: raw(`{"timeout":"1h"}`),
		Output:  raw(`{"status":"done"}`),
	}
}
