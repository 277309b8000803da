package sim_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"signalbox/engine/event"
	"signalbox/engine/machine"
	"signalbox/engine/runtime"
	"signalbox/engine/sim"
)

// A release adds a folder to the corpus; what is there never changes.
var (
	addTo = flag.String("corpus", "", "write stored runs into this new folder beside the old ones")
	adopt = flag.String("adopt", "", "add to the folder of -corpus, beside what is there, runs from this one: go test ./engine/compile -args -keep DIR")
)

const corpus = "../machine/testdata/corpus"

// stored is a run of an earlier program, with what that program made of it.
type stored struct {
	Machine json.RawMessage `json:"machine"`
	Name    string          `json:"name"` // SHA-256 of the machine
	Events  []event.Event   `json:"events"`
	Chain   string          `json:"chain"`  // hash of the last event
	States  []string        `json:"states"` // digest of what can be seen of the state after each event
}

// seen is all that others can see of a state, field by field: a later program
// may know more of a state, and must still know this.
func seen(m *machine.Machine, s *machine.Snapshot) string {
	list := []any{s.Status, s.Seq, s.Owed(), s.Waiting(), s.Paused(), s.Tokens(), s.Live(), m.WakeAt(s), s.Standing(m)}
	for _, c := range m.Pending(s) {
		if d, is := c.(machine.Dispatch); is {
			list = append(list, d.Scope, d.Node, d.Visit, d.Attempt, d.Kind, d.Queue, d.Priority, d.Config, d.Key, d.Timeout)
		}
	}
	for _, v := range s.Look(m) {
		list = append(list, v.Scope, v.Node, v.Visit, v.Attempt, v.Phase)
	}
	outputs := s.Outputs(m)
	for _, key := range slices.Sorted(maps.Keys(outputs)) {
		list = append(list, key, outputs[key].Seq, outputs[key].Value)
	}
	refs, keyed := s.Results()
	for _, r := range refs {
		list = append(list, r.Node, r.Seq)
	}
	if f := s.Failure; f != nil {
		list = append(list, f.Class, f.Message, f.Node, f.Attempts)
	}
	row := runtime.RowOf(m, s, s.Started)
	raw, err := json.Marshal(append(list, keyed, row.Status, row.Seq, row.Owed, row.WakeAt, row.Error))
	if err != nil {
		return err.Error()
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:8])
}

// fold plays a stored run again and says what this program makes of it.
func fold(raw json.RawMessage, events []event.Event) (out stored, err error) {
	return foldBy(machine.Released(), raw, events)
}

func foldBy(r machine.Reader, raw json.RawMessage, events []event.Event) (out stored, err error) {
	m, err := r.Load(raw)
	if err != nil {
		return out, err
	}
	digest, err := m.Digest()
	if err != nil {
		return out, err
	}
	out = stored{Machine: raw, Name: hex.EncodeToString(digest[:]), Events: events}
	s := m.New("018f0000-0000-7000-8000-000000000001")
	var chain [32]byte
	for i := range events {
		e, err := r.Decode(events[i])
		if err != nil {
			return out, err
		}
		if err := m.Fold(s, e); err != nil {
			return out, err
		}
		chain = event.Chain(chain, &events[i])
		out.States = append(out.States, seen(m, s))
	}
	out.Chain = hex.EncodeToString(chain[:])
	return out, nil
}

// TestOldRunsMeanTheSame folds runs that earlier programs wrote: the machine,
// the chain and every state are the same, or those runs could not go on.
func TestOldRunsMeanTheSame(t *testing.T) {
	switch {
	case *adopt != "":
		take(t, *adopt, filepath.Join(corpus, *addTo))
	case *addTo != "":
		collect(t, filepath.Join(corpus, *addTo))
	}
	files, err := filepath.Glob(corpus + "/*/*.json")
	if err != nil || len(files) < 60 {
		t.Fatalf("%d files %v", len(files), err)
	}
	for _, name := range files {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var was stored
		if err := json.Unmarshal(raw, &was); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		is, err := fold(was.Machine, was.Events)
		switch {
		case err != nil:
			t.Errorf("%s: this program cannot read it: %v", name, err)
		case is.Name != was.Name:
			t.Errorf("%s: the machine is %s, it was %s", name, is.Name, was.Name)
		case is.Chain != was.Chain:
			t.Errorf("%s: the chain of hashes is another", name)
		case !slices.Equal(is.States, was.States):
			t.Errorf("%s: the states are others, from event %d on", name, differ(is.States, was.States))
		}
	}
}

func differ(a, b []string) int {
	for i := range a {
		if i >= len(b) || a[i] != b[i] {
			return i + 1
		}
	}
	return len(a) + 1
}

// collect writes runs until every type of event that a simulation makes is
// there, and then those that add nothing new are left out.
func collect(t *testing.T, dir string) {
	t.Helper()
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatalf("an old folder stays as it is: %v", err)
	}
	have := map[string]int{}
	for seed, n := uint64(0), 0; n < 24 && seed < 600; seed++ {
		for _, r := range sim.Play(t, seed).Stored {
			adds := false
			for _, e := range r.Record.Events {
				adds = adds || have[e.Type] < 3
			}
			size := 0
			for _, e := range r.Record.Events {
				size += len(e.Data)
			}
			if !adds || size > 20_000 || n >= 24 {
				continue
			}
			for _, e := range r.Record.Events {
				have[e.Type]++
			}
			out, err := fold(r.Machine, r.Record.Events)
			if err != nil {
				t.Fatal(err)
			}
			raw, err := json.Marshal(out)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%02d.json", n)), append(raw, '\n'), 0o644); err != nil {
				t.Fatal(err)
			}
			n++
		}
	}
	t.Logf("%v", have)
}

// takenMax is how many runs are taken from elsewhere at most.
const takenMax = 60

// take adds runs that tests performed until every type of event was seen at
// every sort of node, and again.
func take(t *testing.T, from, to string) {
	t.Helper()
	names, err := filepath.Glob(from + "/*.json")
	if err != nil {
		t.Fatal(err)
	}
	there, err := filepath.Glob(to + "/*.json")
	if err != nil {
		t.Fatal(err)
	}
	have := map[string]int{}
	next, last := len(there), len(there)+takenMax
	for _, name := range names {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var run stored
		if err := json.Unmarshal(raw, &run); err != nil {
			t.Fatal(err)
		}
		out, err := fold(run.Machine, run.Events)
		if err != nil { // a test may break a run on purpose
			t.Logf("%s: %v", name, err)
			continue
		}
		spots := spotsOf(t, &run)
		adds := slices.ContainsFunc(spots, func(s string) bool { return have[s] < 2 })
		if !adds || len(raw) > 20_000 || next == last {
			continue
		}
		for _, s := range spots {
			have[s]++
		}
		if raw, err = json.Marshal(out); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(to, fmt.Sprintf("%02d.json", next)), append(raw, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
		next++
	}
	t.Logf("%d added: %v", next-len(there), have)
}

// spotsOf lists which types of events come to which sorts of nodes in a run,
// with the fields that they have.
func spotsOf(t *testing.T, run *stored) (list []string) {
	t.Helper()
	m, err := machine.Load(run.Machine)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range run.Events {
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(e.Data, &fields); err != nil {
			t.Fatal(err)
		}
		spot := e.Type
		if i := m.Index(e.Node); i >= 0 {
			spot += " " + string(m.Nodes[i].Op)
		}
		for _, f := range []string{"undoes", "handled", "late", "for", "keeps", "detached", "pinned", "error"} {
			if fields[f] != nil {
				spot += " " + f
			}
		}
		list = append(list, spot)
	}
	return list
}
