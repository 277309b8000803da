package shape_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"signalbox/engine/shape"
)

func written(t *testing.T, s shape.Shape) string {
	t.Helper()
	raw, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func TestShapesOfSchemas(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ schema, want string }{
		"nothing":                  {``, `{}`},
		"no object":                {`true`, `{}`},
		"what cannot be read":      {`{"type":`, `{}`},
		"fields":                   {`{"type":"object","properties":{"a":{"type":"integer"}},"required":["a","b"]}`, `{"properties":{"a":{"type":["number"]},"b":{}},"required":["a","b"],"type":["object"]}`},
		"no other fields":          {`{"type":"object","properties":{"a":{}},"additionalProperties":false}`, `{"additionalProperties":false,"properties":{"a":{}},"type":["object"]}`},
		"names by a pattern":       {`{"type":"object","patternProperties":{"^x":{}},"additionalProperties":false}`, `{"type":["object"]}`},
		"several sorts":            {`{"type":["string","null"]}`, `{"type":["string","null"]}`},
		"one of some values":       {`{"enum":["a",1]}`, `{"type":["string","number"]}`},
		"one value":                {`{"const":null}`, `{"type":["null"]}`},
		"items":                    {`{"type":"array","items":{"type":"string"}}`, `{"items":{"type":["string"]},"type":["array"]}`},
		"items by place":           {`{"type":"array","prefixItems":[{"type":"string"}],"items":false}`, `{"type":["array"]}`},
		"one of some forms":        {`{"anyOf":[{"type":"string"},{"type":"array"}]}`, `{"type":["array","string"]}`},
		"what we do not read":      {`{"$ref":"#/$defs/x"}`, `{}`},
		"all of some forms":        {`{"type":"string","allOf":[{"minLength":3}]}`, `{"type":["string"]}`},
		"a contradiction":          {`{"type":"string","enum":[1]}`, `{}`},
		"a type that there is not": {`{"type":"picture"}`, `{}`},
	} {
		if got := written(t, shape.Schema([]byte(c.schema))); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// A shape is written as a schema that has the same shape.
func TestAShapeIsWrittenAsItsSchema(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // to be repeated
	for range 500 {
		s := shape.Join(shape.Value(value(r, 0)), shape.Value(value(r, 0)))
		again := written(t, shape.Schema([]byte(written(t, s))))
		if got := written(t, s); got != again && !emptyList(got) { // a schema cannot say that nothing is in a list
			t.Fatalf("%s\n%s", got, again)
		}
	}
}

func emptyList(s string) bool { return strings.Contains(s, `"type":[]`) }

// value draws a JSON value.
func value(r *rand.Rand, depth int) any {
	switch k := r.IntN(8); {
	case k < 3 && depth < 4:
		m := map[string]any{}
		for i := range r.IntN(4) {
			m[fmt.Sprint("f", i*r.IntN(2))] = value(r, depth+1)
		}
		return m
	case k == 3 && depth < 4:
		var l []any
		for range r.IntN(4) {
			l = append(l, value(r, depth+1))
		}
		return l
	case k == 4:
		return "text"
	case k == 5:
		return true
	case k == 6:
		return nil
	}
	return float64(r.IntN(9))
}

// Whatever has one of two shapes has the shape of both together, and joining
// knows no order.
func TestJoinHoldsBoth(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4)) //nolint:gosec // to be repeated
	for range 3_000 {
		a, b, c := value(r, 0), value(r, 0), value(r, 0)
		x, y, z := shape.Value(a), shape.Value(b), shape.Value(c)
		all := shape.Join(shape.Join(x, y), z)
		for _, v := range []any{a, b, c} {
			if f := all.Fits(v); f != nil {
				t.Fatalf("%v does not fit %s: %+v", v, written(t, all), f)
			}
		}
		if other := shape.Join(z, shape.Join(y, x)); !shape.Equal(all, other) {
			t.Fatalf("%s\n%s", written(t, all), written(t, other))
		}
		if f := shape.Misfit(x, all); f != nil {
			t.Fatalf("%s cannot fit %s: %+v", written(t, x), written(t, all), f)
		}
		if shape.Misfit(x, y) != nil && y.Fits(a) == nil {
			t.Fatalf("%v fits %s, but no such value should", a, written(t, y))
		}
	}
}

func TestMisfit(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ have, need, at string }{
		"the same":                        {`{"type":"string"}`, `{"type":"string"}`, "-"},
		"another sort":                    {`{"type":"string"}`, `{"type":"number"}`, ""},
		"one of two sorts":                {`{"type":["string","number"]}`, `{"type":"number"}`, "-"},
		"a field that is not there":       {`{"type":"object","additionalProperties":false}`, `{"type":"object","required":["a"]}`, "/a"},
		"a field that may be there":       {`{"type":"object"}`, `{"type":"object","required":["a"]}`, "-"},
		"an optional one of another sort": {`{"type":"object","properties":{"a":{"type":"string"}}}`, `{"type":"object","properties":{"a":{"type":"number"}}}`, "-"},
		"one that is needed":              {`{"type":"object","properties":{"a":{"type":"string"}}}`, `{"type":"object","required":["a"],"properties":{"a":{"type":"number"}}}`, "/a"},
		"one that is there":               {`{"type":"object","required":["a"],"properties":{"a":{"type":"string"}}}`, `{"type":"object","properties":{"a":{"type":"number"}}}`, "/a"},
		"one that is not taken":           {`{"type":"object","required":["a/b"]}`, `{"type":"object","additionalProperties":false}`, "/a~1b"},
		"a list of others":                {`{"type":"array","items":{"type":"string"}}`, `{"type":"array","items":{"type":"number"}}`, "-"},
	} {
		f, got := shape.Misfit(shape.Schema([]byte(c.have)), shape.Schema([]byte(c.need))), "-"
		if f != nil {
			got = f.Pointer
		}
		if got != c.at {
			t.Errorf("%s: %q, want %q", name, got, c.at)
		}
	}
}

// What grows without end becomes anything in the end.
func TestShapesAreBounded(t *testing.T) {
	t.Parallel()
	s := shape.Of(shape.Number)
	for range 50 {
		s = shape.Join(s, shape.ListOf(s))
	}
	if len(written(t, s)) > 2_000 {
		t.Errorf("%s", written(t, s))
	}
	wide := shape.ObjectOf()
	for i := range 500 {
		wide = wide.Put(shape.Must(fmt.Sprint("f", i), s))
	}
	if len(wide.Fields) > shape.FieldsMax || !wide.Open {
		t.Errorf("%d fields", len(wide.Fields))
	}
	var deep any = "x"
	for range 40 {
		deep = []any{deep}
	}
	if f := shape.Value(deep).Fits(deep); f != nil {
		t.Errorf("%+v", f)
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	for want, s := range map[string]shape.Shape{
		"anything": shape.Any(), "nothing comes": {}, "text": shape.Of(shape.Text), "either text or null": shape.Of(shape.Text | shape.Null),
		"text, a list or an object": shape.Of(shape.Text | shape.List | shape.Object), "different sorts of value": shape.Of(shape.Every &^ shape.Null),
	} {
		if got := s.Words(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
