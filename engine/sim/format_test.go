package sim_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"signalbox/engine/event"
	"signalbox/engine/machine"
)

// rename calls every field of a name otherwise, at any depth.
func rename(from, to string) func(json.RawMessage) (json.RawMessage, error) {
	return func(raw json.RawMessage) (json.RawMessage, error) {
		return bytes.ReplaceAll(raw, []byte(`"`+from+`":`), []byte(`"`+to+`":`)), nil
	}
}

func must(t *testing.T, raw json.RawMessage, err error) json.RawMessage {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// later is a program two formats from here: the second named the limit of
// visits of a machine as it is named now, the third the tokens that a visit took.
func later() machine.Reader {
	took := rename("edges", "took")
	return machine.Reader{Semantics: []int{1, 2}, Upcasts: []machine.Upcast{
		{Machine: rename("visits_limit", "max_visits")},
		{Events: map[string]func(json.RawMessage) (json.RawMessage, error){
			"NodeCompleted": took, "NodeFailed": took, "TaskScheduled": took, "WaitStarted": took, "CallStarted": took, "ContainerStarted": took, "Responded": took,
			"ChartMoved": took, "TokensAbsorbed": took, "VisitHeld": took,
		}},
	}}
}

// TestOldFormatsAreUpcast ages the corpus by two formats: a later program makes
// the same of every run, also of one that it has itself carried on from its
// middle, and the chain of hashes holds over what is stored.
func TestOldFormatsAreUpcast(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(corpus + "/*/*.json")
	if err != nil {
		t.Fatal(err)
	}
	reader := later()
	aged := 0
	for _, name := range files {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var was stored
		if err := json.Unmarshal(raw, &was); err != nil {
			t.Fatal(err)
		}
		age, old := rename("max_visits", "visits_limit"), rename("took", "edges")
		m, err := age(was.Machine)
		m = must(t, m, err)
		events := slices.Clone(was.Events)
		for i := range events {
			data, err := old(events[i].Data)
			events[i].Data = must(t, data, err)
			aged += bytes.Count(events[i].Data, []byte(`"edges":`))
		}
		compare := func(what string, raw json.RawMessage, events []event.Event) {
			t.Helper()
			is, err := foldBy(reader, raw, events)
			if err != nil || !slices.Equal(is.States, was.States) {
				t.Errorf("%s, %s: %v, the states are others from event %d on", name, what, err, differ(is.States, was.States))
			}
		}
		compare("of format 1", m, events)
		for i := len(events) / 2; i < len(events); i++ { // the program of format 3 went on
			e, err := machine.Decode(was.Events[i])
			if err != nil {
				t.Fatal(err)
			}
			if events[i], err = reader.Encode(e); err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(string(events[i].Data), `{"v":3`) {
				t.Fatalf("the event has no number: %s", events[i].Data)
			}
		}
		compare("carried on by format 3", m, events)
		compare("of a machine of format 2", bytes.Replace(was.Machine, []byte(`{"format":1`), []byte(`{"format":2`), 1), events)
		last := events[len(events)-1]
		if _, err := machine.Decode(last); !unknown(err) {
			t.Errorf("%s: a program of today reads an event of format 3: %v", name, err)
		}
		if _, err := machine.Load(bytes.Replace(was.Machine, []byte(`"format":1,"semantics":1,"nodes":[`), []byte(`"format":4,"semantics":1,"nodes":{"`), 1)); err == nil {
			t.Errorf("%s: nonsense is a machine", name)
		}
	}
	if aged < 200 {
		t.Errorf("only %d fields were aged: the test tells too little", aged)
	}
}

func unknown(err error) bool {
	var u *machine.UnknownError
	return errors.As(err, &u)
}

// TestNumbersThatNobodyKnowsAreSaid in a sentence that names them.
func TestNumbersThatNobodyKnowsAreSaid(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ raw, want string }{
		{`{"format":1,"semantics":2,"nodes":[],"edges":[]}`, "the machine has format 1 and semantics 2, and this program reads formats up to 1 and executes semantics 1: a newer Signalbox wrote it"},
		{`{"format":9,"semantics":1,"nodes":{"a":"another shape"}}`, "the machine has format 9 and semantics 1"},
		{`{"format":0,"semantics":1,"nodes":[],"edges":[]}`, "the machine has format 0"},
	} {
		if _, err := machine.Load(json.RawMessage(c.raw)); !unknown(err) || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v", c.raw, err)
		}
	}
	if _, err := machine.Load(json.RawMessage(`{"format":1,"semantics":1,"nodes":{}}`)); err == nil || unknown(err) {
		t.Errorf("a spoiled machine: %v", err)
	}
	if _, err := machine.Decode(event.Event{Seq: 4, Type: "RunPaused", Data: json.RawMessage(`{"v":2,"by":"Ada"}`)}); !unknown(err) || !strings.HasPrefix(err.Error(), "event 4 (RunPaused) has format 2,") {
		t.Errorf("an event of format 2: %v", err)
	}
	if got := later().String(); got != "reads formats up to 3 and executes semantics 1 and 2" {
		t.Error(got)
	}
}
