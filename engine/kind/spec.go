// Package kind is the catalogue: one Spec per kind of node, in a file of its
// own. The palette, the form, the compiler's checks, the docs page and the
// API all read the same Spec.
//
// It is pure: it describes, it never acts.
package kind

import "encoding/json"

// Work says who does the work of a visit.
type Work string

// The closed list of Work.
const (
	WorkTrigger Work = "trigger" // starts runs; its visit is over when the run starts
	WorkInline  Work = "inline"  // done inside the machine's step, without outside effect
	WorkTask    Work = "task"    // done by a worker
	WorkWait    Work = "wait"    // over when time or a message comes
	WorkScope   Work = "scope"   // a container: done by the nodes drawn in it
	WorkState   Work = "state"   // part of a statechart, which events move
	WorkCall    Work = "call"    // done by another run
)

// Spec describes one kind.
type Spec struct {
	Name      string          `json:"name"`     // "http": the word in the file
	Title     string          `json:"title"`    // "HTTP request"
	Category  string          `json:"category"` // trigger, flow, data, connect, ai, ops
	Tile      string          `json:"tile"`     // colour of the tile: trigger, http, logic, ai, queue, saga, human, data
	Icon      string          `json:"icon"`     // name in lucide
	Help      string          `json:"help"`     // one or two sentences
	Work      Work            `json:"work"`
	Effect    bool            `json:"effect"`               // it changes something outside
	Ports     []Port          `json:"ports"`                // always there, in drawing order
	PortsOf   *PortsOf        `json:"ports_of,omitempty"`   // ports made from the configuration, drawn before Ports
	MorePorts []PortsOf       `json:"more_ports,omitempty"` // made from other fields as well
	Config    Schema          `json:"config"`               // an object schema
	Subtitle  string          `json:"subtitle,omitempty"`   // "{method} {url}": fields of the configuration
	Example   json.RawMessage `json:"example"`              // a configuration that compiles
	Output    json.RawMessage `json:"output,omitempty"`     // a sample of what it emits
	NoInput   bool            `json:"no_input,omitempty"`   // no edge may end here
	Container bool            `json:"container,omitempty"`  // other nodes stand in it: its body is a scope of its own
	Unique    bool            `json:"unique,omitempty"`     // at most one in a graph
	Attempts  int             `json:"attempts,omitempty"`   // default retry: most attempts; 0 is 1
	Timeout   string          `json:"timeout,omitempty"`    // default attempt timeout, Go duration
}

// Port is a named way out.
type Port struct {
	Name     string `json:"name"`
	Title    string `json:"title"`
	Optional bool   `json:"optional,omitempty"` // may stay unconnected without a warning
	Failure  bool   `json:"failure,omitempty"`  // carries an error
}

// PortsOf derives ports from an array in the configuration: one port per
// item, named by the item's Name field.
type PortsOf struct {
	Field string `json:"field"` // "rules"; "invoke.done": the entries of done of each entry of invoke
	Name  string `json:"name"`  // "port"
	Label string `json:"label"` // "when": shown at the left of the port row
}

// Schema is the subset of JSON Schema 2020-12 that forms are made from, with
// hints for the form (x-…).
type Schema struct {
	Type        string          `json:"type,omitempty"` // object, array, string, integer, number, boolean; empty is any
	Title       string          `json:"title,omitempty"`
	Description string          `json:"description,omitempty"`
	Properties  Properties      `json:"properties,omitempty"` // ordered
	Required    []string        `json:"required,omitempty"`
	Items       *Schema         `json:"items,omitempty"`
	Enum        []string        `json:"enum,omitempty"`
	EnumTitles  []string        `json:"x-enum-titles,omitempty"`
	Default     json.RawMessage `json:"default,omitempty"`
	Format      string          `json:"format,omitempty"` // uri, email, date-time, duration
	Minimum     *float64        `json:"minimum,omitempty"`
	Maximum     *float64        `json:"maximum,omitempty"`
	MinLength   int             `json:"minLength,omitempty"`
	MaxLength   int             `json:"maxLength,omitempty"`
	MinItems    int             `json:"minItems,omitempty"`
	MaxItems    int             `json:"maxItems,omitempty"`
	Pattern     string          `json:"pattern,omitempty"`

	UI          string `json:"x-ui,omitempty"`          // expr, text, secret, duration, kv, rules, code, credential, json, schema, port
	Unit        string `json:"x-unit,omitempty"`        // shown behind the field
	Placeholder string `json:"x-placeholder,omitempty"` // an example, shown while empty
	ShowIf      string `json:"x-showIf,omitempty"`      // "auth=bearer": another field's value
	Advanced    bool   `json:"x-advanced,omitempty"`    // folded away at first
	Constant    bool   `json:"x-constant,omitempty"`    // never an expression or template
}

// Property is one named field of an object.
type Property struct {
	Name   string
	Schema Schema
}

// Properties keep the order in which a form shows them.
type Properties []Property
