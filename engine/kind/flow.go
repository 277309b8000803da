package kind

func ifSpec() Spec {
	return Spec{
		Name: "if", Title: "If", Category: "flow", Tile: "logic", Icon: "git-branch", Work: WorkInline,
		Help:     "Sends its input one way when a condition holds and another way when it does not.",
		Ports:    []Port{{Name: "true", Title: "True"}, {Name: "false", Title: "False", Optional: true}, failurePort()},
		Subtitle: "{condition}",
		Config: Schema{Type: "object", Required: []string{"condition"}, Properties: Properties{
			{"condition", Schema{Type: "string", Title: "Condition", UI: "expr", Placeholder: "input.priority >= 8"}},
		}},
		Example: raw(`{"condition":"input.priority >= 8"}`),
	}
}

func routeSpec() Spec {
	return Spec{
		Name: "route", Title: "Route", Category: "flow", Tile: "logic", Icon: "split", Work: WorkInline,
		Help:     "Chooses a way by rules, from top to bottom. What no rule wants goes to default.",
		Ports:    []Port{{Name: "default", Title: "Otherwise"}, failurePort()},
		PortsOf:  &PortsOf{Field: "rules", Name: "port", Label: "when"},
		Subtitle: "{match} match",
		Config: Schema{Type: "object", Required: []string{"rules"}, Properties: Properties{
			{"match", Schema{Type: "string", Title: "Match", Constant: true, Enum: []string{"first", "every"}, EnumTitles: []string{"First match", "Every match"}, Default: raw(`"first"`)}},
			{"rules", Schema{Type: "array", Title: "Routes", UI: "rules", MinItems: 1, MaxItems: 50, Items: &Schema{Type: "object", Required: []string{"port", "when"}, Properties: Properties{
				{"when", Schema{Type: "string", Title: "Condition", UI: "expr", Placeholder: "input.priority >= 8"}},
				{"port", Schema{Type: "string", Title: "Port", UI: "port", Constant: true, MaxLength: 40, Placeholder: "express"}},
			}}}},
		}},
		Example: raw(`{"match":"first","rules":[{"port":"express","when":"input.priority >= 8"},{"port":"vision","when":"has(input.image)"}]}`),
	}
}

func join() Spec {
	return Spec{
		Name: "join", Title: "Join", Category: "flow", Tile: "logic", Icon: "merge", Work: WorkInline,
		Help:   "Waits for the branches that are on their way and hands on what they gave, one field for each.",
		Ports:  []Port{success()},
		Config: Schema{Type: "object", Properties: Properties{}}, Example: raw(`{}`), Output: raw(`{"express":{"label":"billing"}}`),
	}
}

func wait() Spec {
	return Spec{
		Name: "wait", Title: "Wait", Category: "flow", Tile: "human", Icon: "timer", Work: WorkWait,
		Help: "Lets time pass. A wait survives restarts and ends on time.", Ports: []Port{success(), failurePort()}, Subtitle: "{duration}",
		Config: Schema{Type: "object", Properties: Properties{
			{"duration", Schema{Type: "string", Title: "For", UI: "duration", Placeholder: "15m", Default: raw(`"10s"`)}},
			{"until", Schema{Type: "string", Title: "Or until", Format: "date-time", Placeholder: "2026-11-30T09:00:00Z", Advanced: true, Description: "A moment; it counts instead of the duration."}},
		}},
		Example: raw(`{"duration":"15m"}`),
	}
}

func respond() Spec {
	return Spec{
		Name: "respond", Title: "Respond", Category: "flow", Tile: "http", Icon: "reply", Work: WorkInline,
		Help: "Answers the request that started the run. The run goes on.", Ports: []Port{{Name: "success", Title: "Success", Optional: true}, failurePort()}, Subtitle: "status {status}",
		Config: Schema{Type: "object", Properties: Properties{
			{"status", Schema{Type: "integer", Title: "Status", Minimum: at(200), Maximum: at(599), Default: raw(`200`)}},
			{"body", Schema{Title: "Body", UI: "json", Description: "Left empty, the input is the body."}},
			{"headers", Schema{Type: "object", Title: "Headers", UI: "kv", Advanced: true}},
		}},
		Example: raw(`{"status":200,"body":{"ok":true,"label":"=input.label"}}`),
	}
}

func output() Spec {
	return Spec{
		Name: "output", Title: "Result", Category: "flow", Tile: "logic", Icon: "flag", Work: WorkInline,
		Help: "Sets the result of the run.", Ports: []Port{{Name: "success", Title: "Success", Optional: true}, failurePort()},
		Config: Schema{Type: "object", Properties: Properties{
			{"value", Schema{Title: "Value", UI: "json", Description: "Left empty, the input is the result."}},
		}},
		Example: raw(`{"value":{"label":"=input.label"}}`),
	}
}

func end() Spec {
	return Spec{
		Name: "end", Title: "End", Category: "flow", Tile: "logic", Icon: "circle-stop", Work: WorkInline,
		Help: "Ends this branch. The run succeeds when every branch has ended.", Ports: []Port{},
		Config: Schema{Type: "object", Properties: Properties{
			{"output", Schema{Title: "Value", UI: "json", Description: "Left empty, the input is the value."}},
		}},
		Example: raw(`{}`),
	}
}

func fail() Spec {
	return Spec{
		Name: "fail", Title: "Fail", Category: "flow", Tile: "saga", Icon: "octagon-x", Work: WorkInline,
		Help: "Ends the run as failed, with a reason of your own.", Ports: []Port{}, Subtitle: "{code}",
		Config: Schema{Type: "object", Required: []string{"message"}, Properties: Properties{
			{"code", Schema{Type: "string", Title: "Code", MaxLength: 60, Placeholder: "out_of_stock", Default: raw(`"failed"`)}},
			{"message", Schema{Type: "string", Title: "Message", UI: "text", MaxLength: 2_000, Placeholder: "The order cannot be filled."}},
		}},
		Example: raw(`{"code":"out_of_stock","message":"{{ input.item }} is sold out."}`),
	}
}
