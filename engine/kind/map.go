package kind

func mapItems() Spec {
	return Spec{
		Name: "map", Title: "For each item", Category: "flow", Tile: "logic", Icon: "list-tree", Work: WorkScope, Container: true,
		Help:     "Runs the steps drawn in it once for each item of a list, several at a time, and gives the list of their results in the order of the items.",
		Ports:    []Port{success(), failure()},
		Subtitle: "{items}",
		Config: Schema{Type: "object", Required: []string{"items"}, Properties: Properties{
			{"items", Schema{
				Title: "Items", Placeholder: "=input.orders",
				Description: "The list, at most 1,000,000 items; when there are more than 10,000, each is a run of its own. Steps see each as item, its number as index.",
			}},
			{"concurrency", Schema{
				Type: "integer", Title: "At a time", Default: raw(`10`), Minimum: at(1), Maximum: at(1_000), Constant: true,
				Description: "How many items are worked on at once.",
			}},
			{"on_item_error", Schema{
				Type: "string", Title: "When an item fails", Enum: []string{"stop", "skip", "collect"},
				EnumTitles: []string{"Stop with its error", "Leave it out", "Put its error into the list"}, Default: raw(`"stop"`), Constant: true,
				Description: "What becomes of an item whose steps fail.",
			}},
			{"max_failures", Schema{
				Type: "integer", Title: "Most failures", Default: raw(`0`), Minimum: at(0), Maximum: at(1_000_000), Advanced: true, Constant: true,
				Description: "Stop when more items than this have failed. 0 is any number.",
			}},
		}},
		Example: raw(`{"items":"=input.orders","concurrency":5}`),
		Output:  raw(`[{"total":12},{"total":7}]`),
	}
}
