package kind

// Limits of what a node may write down for the boards.
const (
	MeasureNameMax = 60  // characters of a metric's or decision's name
	LabelsMax      = 5   // labels of one metric
	LabelNameMax   = 40  // characters of a label's name
	LabelValueMax  = 60  // characters of a label's value; what is longer is cut
	SeriesMax      = 100 // combinations of label values of one metric that are told apart; the rest is "other"
	AnswerMax      = 100 // characters of a decision's id, of a prediction and of a truth
)

// measureRule is what the name of a metric, a decision or a label looks like.
const measureRule = `^[a-z][a-z0-9_]*$`

func metric() Spec {
	return Spec{
		Name: "metric", Title: "Metric", Category: "ops", Tile: "data", Icon: "chart-line", Work: WorkInline,
		Help:     "Writes down a number for the boards and for Prometheus, exactly once for each visit, and hands its input on. Test runs write nothing down.",
		Ports:    []Port{last(), failure()},
		Subtitle: "{name}",
		Config: Schema{Type: "object", Required: []string{"name"}, Properties: Properties{
			{"name", Schema{
				Type: "string", Title: "Name", MaxLength: MeasureNameMax, Pattern: measureRule, Constant: true, Placeholder: "orders_paid",
				Description: "Small letters, digits and _, a letter first. Prometheus sees it as signalbox_business_<name>.",
			}},
			{"type", Schema{
				Type: "string", Title: "Type", Enum: []string{"counter", "gauge", "histogram"}, EnumTitles: []string{"Counter (adds up)", "Gauge (the latest counts)", "Histogram (how values spread)"}, Default: raw(`"counter"`), Constant: true,
				Description: "A counter adds its values up, a gauge shows the latest one, a histogram shows percentiles.",
			}},
			{"value", Schema{
				Type: "string", Title: "Value", UI: "expr", Default: raw(`"1"`), Placeholder: "input.total",
				Description: "An expression that gives a number. A counter takes none below zero.",
			}},
			{"labels", Schema{
				Type: "object", Title: "Labels", UI: "kv",
				Description: "Up to 5 names and values that tell series apart, such as country. Use few different values: of more than 100 combinations, those that come later count as other.",
			}},
		}},
		Example: raw(`{"name":"orders_paid","type":"counter","value":"input.total","labels":{"country":"=input.country"}}`),
		Output:  raw(`{"total":30,"country":"NO"}`),
	}
}
