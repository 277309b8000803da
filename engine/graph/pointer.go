package graph

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"signalbox/engine/problem"
)

// setter writes one value below a configuration and notes how to undo it.
type setter struct {
	remove bool
	value  any
	undo   Op
	noted  bool
}

// note remembers the topmost place that has to be set back, and its old value;
// an absent old value removes the place again.
func (s *setter) note(at string, old any, there bool) error {
	if s.noted {
		return nil
	}
	s.noted, s.undo.Path = true, at
	if there {
		raw, err := marshalPlain(old)
		if err != nil {
			return err
		}
		s.undo.Value = raw
	}
	return nil
}

// readPlain keeps numbers as they are written.
func readPlain(raw json.RawMessage) (any, error) {
	var v any
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		return nil, decodeProblem(err)
	}
	return v, nil
}

func marshalPlain(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("encode value: %w", err)
	}
	return bytes.TrimSpace(b.Bytes()), nil
}

// set returns the node with the value put at the path.
func (s *setter) set(in any, at string, path []string) (any, error) {
	name := strings.NewReplacer("~1", "/", "~0", "~").Replace(path[0])
	switch in := in.(type) {
	case map[string]any:
		return s.setMember(in, at+"/"+path[0], name, path[1:])
	case []any:
		if err := s.note(at, in, true); err != nil {
			return nil, err
		}
		return s.setItem(slices.Clone(in), at, name, path[1:])
	default:
		return nil, problem.New(problem.Invalid, "%s is not an object or an array, so nothing can be set inside it.", at).At("/path", at+"/"+path[0], "a place inside an object")
	}
}

func (s *setter) setMember(in map[string]any, at, name string, rest []string) (any, error) {
	old, there := in[name]
	if len(rest) == 0 {
		if err := s.note(at, old, there); err != nil {
			return nil, err
		}
		if s.remove {
			delete(in, name)
		} else {
			in[name] = s.value
		}
		return in, nil
	}
	if !there || old == nil {
		if s.remove {
			return in, s.note(at, old, there)
		}
		if err := s.note(at, old, there); err != nil {
			return nil, err
		}
		old = map[string]any{}
	}
	next, err := s.set(old, at, rest)
	if err != nil {
		return nil, err
	}
	in[name] = next
	return in, nil
}

func (s *setter) setItem(in []any, at, name string, rest []string) (any, error) {
	if name == "-" && len(rest) == 0 && !s.remove {
		return append(in, s.value), nil
	}
	i, err := strconv.Atoi(name)
	if err != nil || i < 0 || i >= len(in) {
		return nil, problem.New(problem.Invalid, "There is no item %.20q in %s.", name, at).At("/path", at+"/"+name, fmt.Sprintf("0 to %d, or - to add one", len(in)-1))
	}
	if len(rest) == 0 {
		if s.remove {
			return slices.Delete(in, i, i+1), nil
		}
		in[i] = s.value
		return in, nil
	}
	next, err := s.set(in[i], at+"/"+name, rest)
	if err != nil {
		return nil, err
	}
	in[i] = next
	return in, nil
}

// setGraph sets what belongs to the drawing as a whole.
func (g *Graph) setGraph(op Op) ([]Op, error) {
	undo := Op{Op: "graph.set", Path: op.Path}
	var err error
	switch op.Path {
	case "/name":
		undo.Value, err = swap(&g.Name, op.Value)
	case "/description":
		undo.Value, err = swap(&g.Description, op.Value)
	case "/sample":
		undo.Value, g.Layout.Sample = g.Layout.Sample, op.Value
	case "/transaction":
		undo.Value, err = swap(&g.Transaction, op.Value)
	default:
		err = badPath(op.Path, "/name, /description, /sample or /transaction")
	}
	if err != nil {
		return nil, err
	}
	return []Op{undo}, nil
}

func (g *Graph) applyNote(op Op) ([]Op, error) {
	if !idRule.MatchString(op.ID) {
		return nil, problem.New(problem.Invalid, "A note has no usable id.").At("/id", fmt.Sprintf("%.80q", op.ID), "1 to 64 letters, digits, _ or -")
	}
	n, there := g.Layout.Notes[op.ID]
	if op.Op == "note.add" {
		if there {
			return nil, problem.New(problem.Conflict, "There is already a note with the id %q.", op.ID).At("/id", "duplicate id", "an id of its own")
		}
		if err := decodeStrict(op.Value, &n); err != nil {
			return nil, err
		}
		if g.Layout.Notes == nil {
			g.Layout.Notes = map[string]Note{}
		}
		g.Layout.Notes[op.ID] = n
		return []Op{{Op: "note.del", ID: op.ID}}, nil
	}
	if !there {
		return nil, problem.New(problem.Conflict, "The note is not there any more.").At("/id", fmt.Sprintf("%.80q", op.ID), "the id of a note")
	}
	if op.Op == "note.del" {
		doc, err := json.Marshal(n)
		if err != nil {
			return nil, fmt.Errorf("encode note: %w", err)
		}
		delete(g.Layout.Notes, op.ID)
		return []Op{{Op: "note.add", ID: op.ID, Value: doc}}, nil
	}
	undo := Op{Op: "note.set", ID: op.ID, Path: op.Path}
	var err error
	switch op.Path {
	case "/text":
		undo.Value, err = swap(&n.Text, op.Value)
	case "/x":
		undo.Value, err = swap(&n.X, op.Value)
	case "/y":
		undo.Value, err = swap(&n.Y, op.Value)
	case "/w":
		undo.Value, err = swap(&n.W, op.Value)
	case "/h":
		undo.Value, err = swap(&n.H, op.Value)
	default:
		err = badPath(op.Path, "/text, /x, /y, /w or /h")
	}
	if err != nil {
		return nil, err
	}
	g.Layout.Notes[op.ID] = n
	return []Op{undo}, nil
}
