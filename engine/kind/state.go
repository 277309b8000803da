package kind

// moves is a list of transitions; each is a port of its own.
func moves(title, help string, own ...Property) Schema {
	return Schema{
		Type: "array", Title: title, MaxItems: 50, Description: help,
		Items: &Schema{Type: "object", Required: []string{"port"}, Properties: append(own,
			Property{"port", Schema{Type: "string", Title: "Way", UI: "port", Constant: true, MaxLength: 40, Description: "The name of the way out; its edges lead to the next states."}},
			Property{"guard", Schema{Type: "object", Title: "Only if", UI: "json", Constant: true, Advanced: true, Description: `A condition, for example {"expr":"context.tries < 3"}.`}},
			Property{"actions", Schema{Type: "array", Title: "Then", UI: "json", Constant: true, Advanced: true, Description: `What happens on the way, for example [{"assign":{"tries":"=context.tries + 1"}}].`}},
		)},
	}
}

func on() Property {
	return Property{"on", moves("On events", "Which events move it on. A signal with the event's name is one.",
		Property{"event", Schema{Type: "string", Title: "Event", MaxLength: 200, Constant: true, Placeholder: "order.paid", Description: "The name of the event; * is any."}})}
}

func after() Property {
	return Property{"after", moves("After a time", "What moves it on when time has passed.",
		Property{"delay", Schema{Type: "string", Title: "Delay", MaxLength: 200, Constant: true, Placeholder: "5000", Description: "Milliseconds, or the name of a delay."}})}
}

func always() Property {
	return Property{"always", moves("At once", "What moves it on as soon as a condition holds.")}
}

func acts(name, title string) Property {
	return Property{name, Schema{Type: "array", Title: title, UI: "json", Constant: true, Advanced: true, Description: `What happens then, for example [{"assign":{"seen":true}}].`}}
}

func invoke() Property {
	return Property{"invoke", Schema{
		Type: "array", Title: "Tasks", UI: "json", Constant: true, Advanced: true,
		Description: `What workers do while it is active, for example [{"src":"http","input":{"url":"=context.url"},"done":[{"port":"done_http"}],"error":[{"port":"error_http"}]}]. src is the kind of a step that a worker does, input its configuration; a task ends with its state.`,
	}}
}

// charted are the ports that the transitions of a state make.
func charted(s Spec) Spec {
	s.PortsOf = &PortsOf{Field: "on", Name: "port", Label: "event"}
	s.MorePorts = []PortsOf{{Field: "after", Name: "port", Label: "delay"}, {Field: "always", Name: "port", Label: "port"}, {Field: "done", Name: "port", Label: "port"}, {Field: "invoke.done", Name: "port", Label: "port"}, {Field: "invoke.error", Name: "port", Label: "port"}, {Field: "exits", Name: "port", Label: "from"}}
	return s
}

func state() Spec {
	return charted(Spec{
		Name: "state", Title: "State", Category: "flow", Tile: "human", Icon: "circle-dot", Work: WorkState,
		Help:  "A state of a state machine: it stays active until an event moves it on. It stands in a container of states.",
		Ports: []Port{},
		Config: Schema{Type: "object", Properties: Properties{
			on(), after(), always(), invoke(),
			{"final", Schema{Type: "boolean", Title: "Final", Default: raw(`false`), Constant: true, Description: "The state machine around it is done when it comes here."}},
			acts("entry", "On entering"), acts("exit", "On leaving"),
		}},
		Example: raw(`{"on":[{"event":"order.paid","port":"on_paid"}]}`),
		Output:  raw(`{"paid":true}`),
	})
}

func states() Spec {
	return charted(Spec{
		Name: "states", Title: "State machine", Category: "flow", Tile: "human", Icon: "network", Work: WorkState, Container: true,
		Help:  "A state machine of the states drawn in it: signals and time move it from state to state until it comes to a final one. States can hold state machines of their own, also side by side.",
		Ports: []Port{success(), failure()},
		Config: Schema{Type: "object", Properties: Properties{
			{"initial", Schema{Type: "string", Title: "Begins in", MaxLength: 40, Constant: true, Placeholder: "waiting", Description: "The key of the state that it begins in."}},
			{"parallel", Schema{Type: "boolean", Title: "Side by side", Default: raw(`false`), Constant: true, Description: "All of its states are active at the same time."}},
			{"context", Schema{Type: "object", Title: "Memory", UI: "json", Constant: true, Advanced: true, Description: "What the machine remembers at first; texts that start with = are expressions over input."}},
			on(), after(), always(), {"done", moves("When done", "What moves it on when a final state of its own was reached.")}, invoke(),
			acts("entry", "On entering"), acts("exit", "On leaving"),
		}},
		Example: raw(`{"initial":"waiting"}`),
		Output:  raw(`{"paid":true}`),
	})
}
