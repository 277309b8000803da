package graph

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"signalbox/engine/problem"
)

// setter writes one value below a configuration and notes how to undo it. It
// works on the text, so that all else stays as its author wrote it: the order
// of members, which forms show, and the digits of numbers.
type setter struct {
	value json.RawMessage // empty: the place is removed
	undo  Op
	noted bool
}

// note remembers the topmost place that has to be set back, and its old value;
// an absent old value removes the place again.
func (s *setter) note(at string, old json.RawMessage) {
	if s.noted {
		return
	}
	s.noted, s.undo.Path, s.undo.Value = true, at, old
}

// set returns the node with the value put at the path.
func (s *setter) set(in json.RawMessage, at string, path []string) (json.RawMessage, error) {
	name := strings.NewReplacer("~1", "/", "~0", "~").Replace(path[0])
	switch jsontext.Value(in).Kind() {
	case '{':
		return s.setMember(in, at+"/"+path[0], name, path[1:])
	case '[':
		s.note(at, in)
		return s.setItem(in, at, name, path[1:])
	default:
		return nil, problem.New(problem.Invalid, "%s is not an object or an array, so nothing can be set inside it.", at).At("/path", at+"/"+path[0], "a place inside an object")
	}
}

func (s *setter) setMember(in json.RawMessage, at, name string, rest []string) (json.RawMessage, error) {
	all, err := readMembers(in)
	if err != nil {
		return nil, err
	}
	var old json.RawMessage
	i := slices.IndexFunc(all, func(m member) bool { return m.name == name })
	if i >= 0 {
		old = all[i].value
	}
	next := s.value
	if len(rest) > 0 {
		if len(old) == 0 || string(old) == "null" {
			s.note(at, old)
			if len(s.value) == 0 {
				return in, nil
			}
			old = json.RawMessage("{}")
		}
		if next, err = s.set(old, at, rest); err != nil {
			return nil, err
		}
	}
	s.note(at, old)
	switch {
	case len(next) == 0 && i >= 0:
		all = slices.Delete(all, i, i+1)
	case len(next) == 0: // nothing is there to remove
	case i >= 0:
		all[i].value = next
	default:
		all = append(all, member{name, next})
	}
	return writeMembers(all)
}

func (s *setter) setItem(in json.RawMessage, at, name string, rest []string) (json.RawMessage, error) {
	var all []json.RawMessage
	if err := json.Unmarshal(in, &all); err != nil {
		return nil, fmt.Errorf("read the items of %s: %w", at, err)
	}
	if name == "-" && len(rest) == 0 && len(s.value) > 0 {
		return writeItems(append(all, s.value)), nil
	}
	i, err := strconv.Atoi(name)
	if err != nil || i < 0 || i >= len(all) {
		return nil, problem.New(problem.Invalid, "There is no item %.20q in %s.", name, at).At("/path", at+"/"+name, fmt.Sprintf("0 to %d, or - to add one", len(all)-1))
	}
	next := s.value
	if len(rest) > 0 {
		if next, err = s.set(all[i], at+"/"+name, rest); err != nil {
			return nil, err
		}
	}
	if len(next) == 0 {
		return writeItems(slices.Delete(all, i, i+1)), nil
	}
	all[i] = next
	return writeItems(all), nil
}

// member is one name of a JSON object with its value.
type member struct {
	name  string
	value json.RawMessage
}

// Names are the names of an object's members in the order in which they are
// written; none for what is no object.
func Names(raw json.RawMessage) []string {
	all, err := readMembers(raw)
	if err != nil {
		return nil
	}
	names := make([]string, 0, len(all))
	for _, m := range all {
		names = append(names, m.name)
	}
	return names
}

func readMembers(raw json.RawMessage) ([]member, error) {
	dec := jsontext.NewDecoder(bytes.NewReader(raw))
	open, err := dec.ReadToken()
	if err != nil {
		return nil, decodeProblem(err)
	}
	if open.Kind() != '{' {
		return nil, errors.New("read the members of what is no object")
	}
	var all []member
	for dec.PeekKind() == '"' {
		name, err := dec.ReadToken()
		if err != nil {
			return nil, decodeProblem(err)
		}
		key := name.String()
		value, err := dec.ReadValue()
		if err != nil {
			return nil, decodeProblem(err)
		}
		all = append(all, member{key, json.RawMessage(value.Clone())})
	}
	if _, err := dec.ReadToken(); err != nil {
		return nil, decodeProblem(err)
	}
	return all, nil
}

func writeMembers(all []member) (json.RawMessage, error) {
	out := []byte{'{'}
	for i, m := range all {
		if i > 0 {
			out = append(out, ',')
		}
		var err error
		if out, err = jsontext.AppendQuote(out, m.name); err != nil {
			return nil, fmt.Errorf("write the name %q: %w", m.name, err)
		}
		out = append(append(out, ':'), m.value...)
	}
	return append(out, '}'), nil
}

func writeItems(all []json.RawMessage) json.RawMessage {
	out := []byte{'['}
	for i, v := range all {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, v...)
	}
	return append(out, ']')
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
