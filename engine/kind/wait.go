package kind

func wait() Spec {
	return Spec{
		Name: "wait", Title: "Wait", Category: "flow", Tile: "human", Icon: "timer", Work: WorkWait,
		Help:     "Lets time pass, then hands its input on. A wait survives restarts; one that ended while everything was down ends at once.",
		Ports:    []Port{success(), failure()},
		Subtitle: "{duration}",
		Config: Schema{Type: "object", Properties: Properties{
			{"duration", Schema{
				Type: "string", Title: "For", UI: "duration", Format: "duration", Default: raw(`"10s"`), Placeholder: "15m",
				Description: "How long: a number with a unit (ms, s, m, h), for example 90s, 15m or 2h30m.",
			}},
			{"until", Schema{
				Type: "string", Title: "Or until", Format: "date-time", Advanced: true, Placeholder: "=input.due_at",
				Description: "A moment, for example 2026-11-30T09:00:00Z. It counts instead of the duration.",
			}},
		}},
		Example: raw(`{"duration":"15m"}`),
		Output:  raw(`{"what":"call Ada back"}`),
	}
}
