// Package shape checks values against JSON Schemas that people wrote: what a
// model answers, what a worker of one's own brings.
//
// A schema is read from its text alone: it may refer to no file and no address.
package shape

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Limits of a schema and of what is said about a value.
const (
	SchemaMax = 64 << 10 // bytes
	faultMax  = 1_000    // characters of what does not fit
)

// ErrNotJSON is the fault of a value that cannot be read.
var ErrNotJSON = errors.New("it is not JSON")

// Shape is what a value should look like. A nil Shape fits everything.
type Shape struct{ schema *jsonschema.Schema }

// nowhere keeps a schema from reading files or addresses.
type nowhere struct{}

// Load implements jsonschema.URLLoader.
func (nowhere) Load(string) (any, error) {
	return nil, errors.New("it may not refer to other places")
}

// place is where a schema stands while it is read: not in the directory that we
// happen to run in, which is nobody's business.
const place = "file:///schema.json"

// said is an error as people see it.
func said(err error) error {
	words := []rune(strings.ReplaceAll(err.Error(), "file:///", ""))
	return errors.New(string(words[:min(len(words), faultMax)]))
}

// New reads a schema; absent, null and {} are no schema: nil.
func New(raw json.RawMessage) (*Shape, error) {
	if len(raw) == 0 || string(raw) == "null" || string(raw) == "{}" {
		return nil, nil //nolint:nilnil // no schema is no fault
	}
	if len(raw) > SchemaMax {
		return nil, fmt.Errorf("it has more than %d bytes", SchemaMax)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil, err //nolint:wrapcheck // shown as it is
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(nowhere{})
	if err := c.AddResource(place, doc); err != nil {
		return nil, said(err)
	}
	s, err := c.Compile(place)
	if err != nil {
		return nil, said(err)
	}
	return &Shape{s}, nil
}

// Fault says what about a JSON text does not fit; nil: it fits.
func (s *Shape) Fault(text []byte) error {
	if s == nil {
		return nil
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return ErrNotJSON
	}
	if err := s.schema.Validate(v); err != nil {
		return said(err)
	}
	return nil
}
