package drawing_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"signalbox/engine/machine"
)

var update = flag.Bool("update", false, "rewrite the expected results, the pictures and the page")

// script is a text file beside a drawing: fields at the top ("support: yes"),
// then commands, each followed by ---- and what must come of it. A line that
// starts with # says what is shown.
type script struct {
	fields map[string]string
	head   string // as it stands in the file
	parts  []part
}

type part struct {
	said    string // lines before the command, as they stand in the file
	command command
	want    string
}

const rule = "----\n"

func readScript(t testing.TB, path string) script {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, body, _ := strings.Cut(string(raw), "\n\n")
	s := script{fields: map[string]string{}, head: head}
	for line := range strings.SplitSeq(head, "\n") {
		name, value, ok := strings.Cut(line, ": ")
		if !ok {
			t.Fatalf("%s: %q is no field", path, line)
		}
		s.fields[name] = value
	}
	for block := range strings.SplitSeq(strings.TrimSpace(body), "\n\n") {
		ask, want, ok := strings.Cut(block+"\n", rule)
		if !ok {
			t.Fatalf("%s: no ---- in\n%s", path, block)
		}
		lines := strings.Split(strings.TrimSpace(ask), "\n")
		p := part{want: want, command: command{lines[len(lines)-1]}}
		for _, l := range lines[:len(lines)-1] {
			if !strings.HasPrefix(l, "#") {
				t.Fatalf("%s: two commands before one ----: %s", path, l)
			}
			p.said += l + "\n"
		}
		s.parts = append(s.parts, p)
	}
	return s
}

func (s script) String() string {
	var b strings.Builder
	b.WriteString(s.head + "\n")
	for _, p := range s.parts {
		b.WriteString("\n" + p.said + p.command.text + "\n" + rule + p.want)
	}
	return b.String()
}

// play runs every command of a script on the real compiler and machine.
func play(t *testing.T, d drawn, path string) {
	t.Helper()
	s := readScript(t, path)
	was := s.String()
	var st *stage
	for i := range s.parts {
		p := &s.parts[i]
		got, next, err := p.command.run(d, st)
		if err != nil {
			t.Fatalf("%s: %s: %v", path, p.command.text, err)
		}
		if next != nil && next.s.Status.Over() {
			if err := next.replayed(); err != nil {
				t.Errorf("%s: %s: %v", path, p.command.text, err)
			}
		}
		if diff := cmp.Diff(p.want, got); diff != "" && !*update {
			t.Errorf("%s: %s (-want +got):\n%s", path, p.command.text, diff)
		}
		st, p.want = next, got
	}
	if *update && s.String() != was {
		if err := os.WriteFile(path, []byte(s.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// command is one line of a script.
type command struct{ text string }

// run does what the line says and tells what came of it.
func (c command) run(d drawn, st *stage) (string, *stage, error) {
	verb, rest, _ := strings.Cut(c.text, " ")
	switch verb {
	case "check":
		return d.findings(), st, nil
	case "start":
		st, events, err := begin(d, orNull(rest))
		if err != nil {
			return "", nil, err
		}
		return st.trace(events), st, nil
	case "orders":
		input, more, _ := strings.Cut(rest, " with ")
		o := &orders{d: d, input: orNull(input)}
		for text := range strings.SplitSeq(more, " and ") {
			if text != "" {
				o.more = append(o.more, command{text})
			}
		}
		out, err := o.play()
		return out, nil, err
	}
	if st == nil {
		return "", nil, fmt.Errorf("%q comes before a start", c.text)
	}
	events, err := c.do(st)
	if err != nil {
		return "", nil, err
	}
	return st.trace(events), st, nil
}

func orNull(s string) json.RawMessage {
	if s == "" {
		s = "null"
	}
	return json.RawMessage(s)
}

// do hands one input to a run.
func (c command) do(st *stage) ([]machine.Event, error) {
	verb, rest, _ := strings.Cut(c.text, " ")
	name, more, _ := strings.Cut(rest, " ")
	switch verb {
	case "done", "fail", "decide":
		p, err := placeOf(name)
		if err != nil {
			return nil, err
		}
		switch verb {
		case "done":
			return st.done(p, more)
		case "fail":
			return st.failed(p, more)
		default:
			port, value, _ := strings.Cut(more, " ")
			return st.decided(p, port, value)
		}
	case "signal":
		return st.step(machine.Signal{Name: name, Value: orNull(more), By: "test"})
	case "wait":
		passed, err := time.ParseDuration(name)
		if err != nil {
			return nil, err
		}
		st.at = st.at.Add(passed)
		return st.step(machine.Wake{})
	case "serve":
		return st.serve(0)
	case "cancel":
		return st.step(machine.Cancel{By: "ada"})
	case "pause":
		return st.step(machine.Pause{By: "ada"})
	case "resume":
		return st.step(machine.Resume{By: "ada"})
	case "rollback":
		return st.step(machine.RollBack{By: "ada"})
	default:
		return nil, fmt.Errorf("a script does not know %q", verb)
	}
}
