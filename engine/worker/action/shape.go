package action

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

const (
	schemaMax = 64 << 10 // bytes
	faultMax  = 1_000    // characters of what does not fit
)

// shape checks an answer against a JSON Schema. A nil shape fits everything.
type shape struct{ schema *jsonschema.Schema }

// nowhere keeps a schema from reading files or addresses.
type nowhere struct{}

// Load implements jsonschema.URLLoader.
func (nowhere) Load(string) (any, error) {
	return nil, errors.New("it may not refer to other places")
}

func newShape(raw json.RawMessage) (*shape, error) {
	if len(raw) == 0 || string(raw) == "null" || string(raw) == "{}" {
		return nil, nil //nolint:nilnil // no schema is no fault
	}
	if len(raw) > schemaMax {
		return nil, fmt.Errorf("it has more than %d bytes", schemaMax)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil, err //nolint:wrapcheck // shown as it is
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(nowhere{})
	if err := c.AddResource("schema.json", doc); err != nil {
		return nil, err //nolint:wrapcheck // shown as it is
	}
	s, err := c.Compile("schema.json")
	if err != nil {
		return nil, err //nolint:wrapcheck // shown as it is
	}
	return &shape{s}, nil
}

// fit reads the answer's text as JSON and checks it.
func (s *shape) fit(out *llmOutput) error {
	if s == nil {
		return nil
	}
	text := unfenced(out.Text)
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		if out.FinishReason == "length" {
			return errors.New("it was cut off at the longest length")
		}
		return errors.New("it is not JSON")
	}
	if err := s.schema.Validate(v); err != nil {
		words := []rune(strings.ReplaceAll(err.Error(), "file:///", ""))
		return errors.New(string(words[:min(len(words), faultMax)]))
	}
	out.JSON = value("json", []byte(text))
	return nil
}
