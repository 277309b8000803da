package kind

func signal() Spec {
	return Spec{
		Name: "signal", Title: "Wait for a signal", Category: "flow", Tile: "human", Icon: "radio", Work: WorkWait,
		Help:     "Waits until a message with this name comes from outside, and goes on with what it carries. Each signal is consumed once.",
		Ports:    []Port{success(), late(), failure()},
		Subtitle: "{name}",
		Config: Schema{Type: "object", Required: []string{"name"}, Properties: Properties{
			{"name", Schema{
				Type: "string", Title: "Name", MaxLength: 200, Placeholder: "payment.received",
				Description: "Which signals count.",
			}},
			{"correlation", Schema{
				Title: "Belongs to", Placeholder: "=input.order_id",
				Description: "Only a signal with the same value counts. Nothing here: any without one.",
			}},
			{"keep", Schema{
				Type: "string", Title: "Also earlier ones", UI: "duration", Format: "duration", Advanced: true, Placeholder: "10m",
				Description: "A signal that came up to this long before counts as well. Nothing here: since the run began.",
			}},
			{"timeout", Schema{
				Type: "string", Title: "Give up after", UI: "duration", Format: "duration", Placeholder: "24h",
				Description: "How long to wait; then the step goes on by Timeout. Nothing here: for ever.",
			}},
		}},
		Example: raw(`{"name":"payment.received","correlation":"=input.order_id","timeout":"24h"}`),
		Output:  raw(`{"paid":true}`),
	}
}
