package shape_test

import (
	"errors"
	"strings"
	"testing"

	"signalbox/engine/worker/shape"
)

func TestValuesFitOrNot(t *testing.T) {
	t.Parallel()
	const order = `{"type":"object","required":["id"],"properties":{"id":{"type":"integer"}}}`
	for name, c := range map[string]struct{ schema, value, fault string }{
		"no schema fits everything": {"", `7`, ""},
		"null is no schema":         {"null", `7`, ""},
		"a value that fits":         {order, `{"id":7}`, ""},
		"a field is missing":        {order, `{}`, "missing property 'id'"},
		"a field of another type":   {order, `{"id":"7"}`, "got string, want integer"},
		"no JSON":                   {order, `{"id":`, shape.ErrNotJSON.Error()},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := shape.New([]byte(c.schema))
			if err != nil {
				t.Fatal(err)
			}
			switch err := s.Fault([]byte(c.value)); {
			case c.fault == "" && err != nil:
				t.Errorf("got %v", err)
			case c.fault != "" && (err == nil || !strings.Contains(err.Error(), c.fault)):
				t.Errorf("got %v, want %s", err, c.fault)
			}
		})
	}
	s, err := shape.New([]byte(order))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Fault([]byte(`{`)); !errors.Is(err, shape.ErrNotJSON) {
		t.Errorf("got %v", err)
	}
}

func TestSchemasThatAreRefused(t *testing.T) {
	t.Parallel()
	for name, schema := range map[string]string{
		"no JSON":             `{"type":`,
		"an unknown type":     `{"type":"picture"}`,
		"a file":              `{"$ref":"file:///etc/passwd"}`,
		"an address":          `{"$ref":"http://169.254.169.254/latest"}`,
		"more than the limit": `{"title":"` + strings.Repeat("x", shape.SchemaMax) + `"}`,
	} {
		if s, err := shape.New([]byte(schema)); err == nil {
			t.Errorf("%s: %+v", name, s)
		}
	}
}
