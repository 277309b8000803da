package expr

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// decoder reads JSON strictly: no name twice, nothing behind the value, no
// deeper than JSONDepthMax.
type decoder struct {
	json *json.Decoder
	left int // values
}

// decode reads one JSON value into Go JSON values. Numbers stay json.Number:
// what only passes through is not changed.
func decode(r io.Reader, most int) (any, error) {
	d := decoder{json.NewDecoder(r), most + 1}
	d.json.UseNumber()
	v, err := d.value(0)
	if err != nil {
		return nil, err
	}
	if _, err := d.json.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("There is something behind the JSON value.")
	}
	return v, nil
}

func (d *decoder) token() (json.Token, error) {
	t, err := d.json.Token()
	if err == nil {
		return t, nil
	}
	var s *json.SyntaxError
	if errors.As(err, &s) {
		return nil, fmt.Errorf("This is not valid JSON, at byte %d.", s.Offset)
	}
	return nil, errors.New("This is not valid JSON: it ends too early.")
}

func (d *decoder) value(depth int) (any, error) {
	if d.left--; d.left < 0 {
		return nil, errors.New("The JSON text holds more than 100,000 values.")
	}
	t, err := d.token()
	if err != nil {
		return nil, err
	}
	switch t := t.(type) {
	case json.Delim:
		if depth >= JSONDepthMax {
			return nil, fmt.Errorf("This is nested deeper than %d levels.", JSONDepthMax)
		}
		if t == '[' {
			return d.list(depth)
		}
		return d.object(depth)
	case json.Number:
		return canonical(t)
	default:
		return t, nil
	}
}

func (d *decoder) list(depth int) (any, error) {
	list := []any{}
	for d.json.More() {
		v, err := d.value(depth + 1)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	_, err := d.token()
	return list, err
}

func (d *decoder) object(depth int) (any, error) {
	object := map[string]any{}
	for d.json.More() {
		t, err := d.token()
		if err != nil {
			return nil, err
		}
		name, ok := t.(string)
		if !ok {
			return nil, errors.New("This is not valid JSON.")
		}
		if _, twice := object[name]; twice {
			return nil, fmt.Errorf("The name %s is there twice.", quote(name))
		}
		if object[name], err = d.value(depth + 1); err != nil {
			return nil, err
		}
	}
	_, err := d.token()
	return object, err
}

// canonical writes a number one way: 1.0 and 1e0 as 1, -0 as 0. Digits that a
// float64 cannot hold stay as they are.
func canonical(n json.Number) (any, error) {
	f, err := strconv.ParseFloat(n.String(), 64)
	switch {
	case err != nil || math.IsInf(f, 0):
		return nil, fmt.Errorf("The number %s is out of range.", clip(n.String()))
	case f == 0 && strings.Trim(n.String(), "-0.eE+") == "":
		return json.Number("0"), nil
	case !strings.ContainsAny(n.String(), ".eE"), math.Abs(f) >= exact, len(n.String()) > 17:
		return n, nil
	}
	raw, err := Marshal(f)
	return json.Number(raw), err
}
