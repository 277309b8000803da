package share

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"signalbox/engine/graph"
	"signalbox/engine/kind"
	"signalbox/engine/problem"
)

// Limits of what a guest may send.
const (
	InputMax   = 64 << 10 // bytes of a form
	fieldsMax  = 40       // of one form
	inputDepth = 32       // nesting of a JSON field
)

// FieldType says what a field takes.
type FieldType string

// The closed list of field types.
const (
	FieldText   FieldType = "text"
	FieldNumber FieldType = "number"
	FieldYesNo  FieldType = "yes_no"
	FieldJSON   FieldType = "json"
)

// Form is what a guest fills in to start a run. It has the names of the sample
// input's fields, never their values.
type Form struct {
	Trigger string  `json:"trigger"` // key of the node that starts the run
	About   string  `json:"about,omitempty"`
	Fields  []Field `json:"fields"`
	Whole   bool    `json:"whole,omitempty"` // the only field is the whole input
}

// Field is one question.
type Field struct {
	Name string    `json:"name"`
	Type FieldType `json:"type"`
}

// FormOf makes the form of a drawing: from the sample input of its trigger.
func FormOf(g graph.Graph) (*Form, error) {
	trigger, err := triggerOf(g)
	if err != nil {
		return nil, err
	}
	f := &Form{Trigger: trigger.Key}
	var config struct {
		Description string `json:"description"`
	}
	if trigger.Kind == "manual" && json.Unmarshal(trigger.Config, &config) == nil {
		f.About = config.Description // written for whoever starts a run
	}
	var sample map[string]any
	if json.Unmarshal(g.Layout.Sample, &sample) != nil || len(sample) == 0 || len(sample) > fieldsMax {
		f.Fields, f.Whole = []Field{{"input", FieldJSON}}, true
		return f, nil //nolint:nilerr // no sample has fields: the input as a whole
	}
	for _, name := range inOrder(trigger, g.Layout.Sample) {
		f.Fields = append(f.Fields, Field{name, typeOf(sample[name])})
	}
	return f, nil
}

// inOrder are the names of a sample's fields as their author listed them: in
// what the trigger demands, else in the sample itself.
func inOrder(trigger graph.Node, sample json.RawMessage) []string {
	var config struct {
		Schema struct {
			Properties json.RawMessage `json:"properties"`
		} `json:"input_schema"`
	}
	names := graph.Names(sample)
	if json.Unmarshal(trigger.Config, &config) != nil {
		return names
	}
	listed := graph.Names(config.Schema.Properties)
	slices.SortStableFunc(names, func(a, b string) int { return place(listed, a) - place(listed, b) })
	return names
}

// place is where a name is listed; behind all others when it is not.
func place(listed []string, name string) int {
	if i := slices.Index(listed, name); i >= 0 {
		return i
	}
	return len(listed)
}

func typeOf(v any) FieldType {
	switch v.(type) {
	case string:
		return FieldText
	case float64:
		return FieldNumber
	case bool:
		return FieldYesNo
	default:
		return FieldJSON
	}
}

// triggerOf finds the node that a guest starts: the one by hand, or the only
// trigger there is.
func triggerOf(g graph.Graph) (graph.Node, error) {
	var manual, all []graph.Node
	for _, n := range g.Nodes {
		spec, known := kind.Find(n.Kind)
		if !known || spec.Work != kind.WorkTrigger || n.Disabled {
			continue
		}
		all = append(all, n)
		if n.Kind == "manual" {
			manual = append(manual, n)
		}
	}
	switch {
	case len(manual) == 1:
		return manual[0], nil
	case len(all) == 1:
		return all[0], nil
	case len(all) == 0:
		return graph.Node{}, problem.New(problem.Invalid, "This workflow has no trigger that a guest could start.")
	default:
		return graph.Node{}, problem.New(problem.Invalid, "This workflow has several triggers, and guests would not know which one starts. Draw exactly one start by hand.")
	}
}

// Input makes the input of a run of what a guest filled in. It takes the
// fields of the form and nothing else: no field can name a drawing, code or a
// credential, for the input is data to whatever reads it.
func (f *Form) Input(values map[string][]string) (json.RawMessage, error) {
	known := map[string]Field{}
	for _, field := range f.Fields {
		known[field.Name] = field
	}
	input := map[string]json.RawMessage{}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		field, ok := known[name]
		if !ok || len(values[name]) != 1 {
			return nil, problem.New(problem.Invalid, "This form has no such field.").At("/"+name, "unknown", "one of: "+strings.Join(slices.Sorted(maps.Keys(known)), ", "))
		}
		value, err := field.read(values[name][0])
		if err != nil {
			return nil, err
		}
		if value != nil {
			input[name] = value
		}
	}
	if f.Whole {
		if v := input[f.Fields[0].Name]; v != nil {
			return v, nil
		}
		return json.RawMessage("null"), nil
	}
	for name, field := range known {
		if field.Type == FieldYesNo && input[name] == nil {
			input[name] = json.RawMessage("false") // a box that is not ticked is not sent
		}
	}
	raw, err := json.Marshal(input)
	if err != nil {
		return nil, fmt.Errorf("write the input of a guest: %w", err)
	}
	if p := graph.CheckJSON(raw, inputDepth+1); p != nil {
		return nil, p
	}
	return raw, nil
}

// read turns the text of a field into a value; nil: nothing was entered.
func (f Field) read(text string) (json.RawMessage, error) {
	switch f.Type {
	case FieldText:
		return json.Marshal(strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", ""), "\uFFFD")) //nolint:wrapcheck // a string always encodes
	case FieldYesNo:
		return json.Marshal(text == "on" || text == "true") //nolint:wrapcheck // a truth value always encodes
	case FieldNumber:
		text = strings.TrimSpace(text)
		if text == "" {
			return nil, nil
		}
		if _, err := strconv.ParseFloat(text, 64); err != nil || !json.Valid([]byte(text)) {
			return nil, problem.New(problem.Invalid, "This is not a number.").At("/"+f.Name, "not a number", "digits, such as 12 or 0.5")
		}
		return json.RawMessage(text), nil
	case FieldJSON:
		if strings.TrimSpace(text) == "" {
			return nil, nil
		}
		if p := graph.CheckJSON([]byte(text), inputDepth); p != nil {
			return nil, p.At("/"+f.Name, "not readable", `JSON, such as {"name":"Ada"} or ["a","b"]`)
		}
		return json.RawMessage(text), nil
	}
	return nil, fmt.Errorf("a field of the type %q", f.Type)
}
