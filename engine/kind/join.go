package kind

func join() Spec {
	return Spec{
		Name: "join", Title: "Join", Category: "flow", Tile: "logic", Icon: "merge", Work: WorkInline,
		Help:    "Waits for the branches that are on their way, then goes on once with what they gave: one field for each, named by its step.",
		Ports:   []Port{success()},
		Config:  Schema{Type: "object"},
		Example: raw(`{}`),
		Output:  raw(`{"express":{"label":"billing"},"vision":{"seen":"a receipt"}}`),
	}
}
