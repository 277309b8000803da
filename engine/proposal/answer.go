package proposal

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"signalbox/engine/graph"
	"signalbox/engine/kind"
	"signalbox/engine/problem"
)

// answer is what a model has to say.
type answer struct {
	Summary string            `json:"summary"`
	Ops     []json.RawMessage `json:"ops"`
}

// decode reads an answer, which may stand in a code fence.
func decode(text string) (answer, error) {
	var a answer
	if len(text) > AnswerMax {
		return a, problem.New(problem.TooLarge, "The model's answer is larger than %d bytes.", AnswerMax)
	}
	text = strings.TrimSpace(text)
	if inner, ok := strings.CutPrefix(text, "```"); ok {
		inner = strings.TrimPrefix(inner, "json")
		text = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(inner), "```"))
	}
	if p := graph.CheckJSON([]byte(text), graph.DepthMax); p != nil {
		return a, problem.New(problem.Invalid, "The model did not answer with JSON.").At("/answer", "not readable", `an object with "summary" and "ops"`)
	}
	if err := json.Unmarshal([]byte(text), &a); err != nil {
		return a, problem.New(problem.Invalid, "The model's answer has another form than it was asked for.").At("/answer", "another form", `an object with "summary" and "ops"`)
	}
	if n := len(a.Ops); n > OpsMax {
		return a, problem.New(problem.TooLarge, "The model proposes %d operations; at most %d are taken.", n, OpsMax)
	}
	a.Summary = clip(a.Summary, SummaryMax)
	return a, nil
}

// clip keeps what a person can read of a text of others.
func clip(s string, most int) string {
	s = strings.Map(func(r rune) rune {
		if r == '\n' || r >= ' ' && r != 0x7f && (r < 0x202A || r > 0x202E) && (r < 0x2066 || r > 0x2069) {
			return r
		}
		return -1
	}, s)
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most])
	}
	return s
}

// reading turns what a model says into operations.
type reading struct {
	graph       graph.Graph
	credentials []string
	ids         map[string]string // what the model calls new things, and their ids
	newID       func() string
}

// Hidden stands in what a model is shown for values that it must not see. What
// it sets must not have it: it would overwrite the real one.
const Hidden = "(hidden)"

// ops reads the operations. Only those that change this drawing pass.
func (r *reading) ops(raws []json.RawMessage) ([]graph.Op, error) {
	var out []graph.Op
	for i, raw := range raws {
		list, err := graph.DecodeOps([]byte("[" + string(raw) + "]"))
		if err != nil || len(list) != 1 {
			return nil, r.refuse(i, "it is no operation of a drawing")
		}
		op, why := r.op(list[0])
		if why != "" {
			return nil, r.refuse(i, why)
		}
		out = append(out, op)
	}
	return out, nil
}

func (r *reading) refuse(i int, why string) error {
	return problem.New(problem.Invalid, "Operation %d of the model cannot be used: %s.", i+1, why).At(fmt.Sprintf("/ops/%d", i), "refused", "an operation that fits the drawing")
}

// op checks one operation and gives new things ids of their own.
func (r *reading) op(op graph.Op) (graph.Op, string) {
	switch op.Op {
	case "node.add":
		return r.addNode(op)
	case "edge.add":
		return r.addEdge(op)
	case "node.set", "node.move", "node.del":
		op.ID = r.id(op.ID)
		var within string
		if op.Path == "/in" && json.Unmarshal(op.Value, &within) == nil && within != "" {
			op.Value = quote(r.id(within))
		}
		return op, r.setFits(op)
	case "edge.set":
		op.ID = r.id(op.ID)
		var to string
		if op.Path == "/from" || op.Path == "/to" {
			if json.Unmarshal(op.Value, &to) != nil {
				return op, "an end of an edge is the id of a node"
			}
			op.Value = quote(r.id(to))
		}
		return op, ""
	case "edge.del":
		op.ID = r.id(op.ID)
		return op, ""
	case "graph.set":
		if op.Path != "/name" && op.Path != "/description" && op.Path != "/transaction" {
			return op, "of the drawing as a whole only its name, description and whether it is a transaction can be set"
		}
		return op, ""
	}
	return op, "there is no such operation for a model"
}

// id is what something that the model names is called in the drawing. A model
// may use the key of a node for its id.
func (r *reading) id(name string) string {
	if id, ok := r.ids[name]; ok {
		return id
	}
	if r.graph.Node(name) == nil {
		for _, n := range r.graph.Nodes {
			if n.Key == name {
				return n.ID
			}
		}
	}
	return name
}

func (r *reading) fresh(name string) string {
	id := r.newID()
	r.ids[name] = id
	return id
}

func (r *reading) addNode(op graph.Op) (graph.Op, string) {
	var doc map[string]json.RawMessage
	if json.Unmarshal(op.Value, &doc) != nil {
		return op, "a new step is an object"
	}
	delete(doc, "pin")
	delete(doc, "id")
	var name, within string
	if json.Unmarshal(doc["kind"], &name) != nil {
		return op, "a new step has a kind"
	}
	if _, ok := kind.Find(name); !ok {
		return op, fmt.Sprintf("there is no kind “%s”", clip(name, 40))
	}
	if why := r.secretFree(op.Value); why != "" {
		return op, why
	}
	if json.Unmarshal(doc["in"], &within) == nil && within != "" {
		doc["in"] = quote(r.id(within))
	}
	for _, at := range []string{"x", "y"} {
		if doc[at] == nil {
			doc[at] = json.RawMessage("0")
		}
	}
	value, err := json.Marshal(doc)
	if err != nil {
		return op, "a new step is an object"
	}
	called := op.ID
	op.ID, op.Value = r.fresh(called), value
	var key string
	if json.Unmarshal(doc["key"], &key) == nil {
		r.ids[key] = op.ID
	}
	return op, ""
}

func (r *reading) addEdge(op graph.Op) (graph.Op, string) {
	var ends struct {
		From string `json:"from"`
		Port string `json:"port"`
		To   string `json:"to"`
	}
	if json.Unmarshal(op.Value, &ends) != nil {
		return op, "a new edge is an object with from, port and to"
	}
	ends.From, ends.To = r.id(ends.From), r.id(ends.To)
	if ends.Port == "" {
		ends.Port = "success"
	}
	value, err := json.Marshal(ends)
	if err != nil {
		return op, "a new edge is an object with from, port and to"
	}
	op.ID, op.Value = r.fresh(op.ID), value
	return op, ""
}

func (r *reading) setFits(op graph.Op) string {
	if op.Op != "node.set" {
		return ""
	}
	if op.Path == "/pin" {
		return "this cannot be set by a model"
	}
	if op.Path == "/kind" {
		if _, ok := kind.Find(strings.Trim(string(op.Value), `"`)); !ok {
			return fmt.Sprintf("there is no kind “%s”", clip(strings.Trim(string(op.Value), `"`), 40))
		}
	}
	if strings.HasSuffix(op.Path, "/credential") {
		return r.credentialFits(op.Value)
	}
	return r.secretFree(op.Value)
}

// secretFree refuses the sign for what a model did not see, and credentials
// that are not there.
func (r *reading) secretFree(value json.RawMessage) string {
	if strings.Contains(string(value), Hidden) {
		return "it sets a value that the model was not shown"
	}
	var v any
	if len(value) == 0 || json.Unmarshal(value, &v) != nil {
		return ""
	}
	return r.credentialsIn(v)
}

func (r *reading) credentialsIn(v any) string {
	switch v := v.(type) {
	case []any:
		for _, one := range v {
			if why := r.credentialsIn(one); why != "" {
				return why
			}
		}
	case map[string]any:
		for name, one := range v {
			if text, ok := one.(string); ok && name == "credential" && text != "" && !slices.Contains(r.credentials, text) {
				return fmt.Sprintf("there is no credential “%s”", clip(text, 80))
			}
			if why := r.credentialsIn(one); why != "" {
				return why
			}
		}
	}
	return ""
}

func (r *reading) credentialFits(value json.RawMessage) string {
	var name string
	if len(value) == 0 {
		return ""
	}
	if json.Unmarshal(value, &name) != nil || name != "" && !slices.Contains(r.credentials, name) {
		return fmt.Sprintf("there is no credential “%s”", clip(name, 80))
	}
	return ""
}

func quote(s string) json.RawMessage {
	raw, err := json.Marshal(s)
	if err != nil {
		return json.RawMessage(`""`)
	}
	return raw
}
