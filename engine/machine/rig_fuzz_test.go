package machine_test

import (
	"encoding/json"
	"math/rand/v2"
	"testing"
	"time"

	"signalbox/engine/machine"
)

// randomRig draws what a test run is set up with.
func randomRig(r *rand.Rand, m *machine.Machine) *machine.Rig {
	key := func() string { return m.Nodes[1+r.IntN(len(m.Nodes)-1)].Key }
	rig := &machine.Rig{Virtual: r.IntN(2) == 0, Step: r.IntN(4) == 0, Pins: map[string]json.RawMessage{}}
	rig.Skip = rig.Virtual && r.IntN(2) == 0
	for range r.IntN(3) {
		rig.Breaks = append(rig.Breaks, key())
	}
	for range r.IntN(3) {
		rig.Pins[key()] = json.RawMessage(`{"pinned":true}`)
	}
	switch r.IntN(4) {
	case 0:
		rig.Stop = key()
	case 1:
		rig.Only, rig.Given = key(), json.RawMessage(`{"given":1}`)
	}
	return rig
}

// nextOfTest releases what is held, moves the clock, or does what any run may see.
func nextOfTest(r *rand.Rand, m *machine.Machine, s *machine.Snapshot, at time.Time) (machine.Input, time.Time) {
	if v, held := s.Held(); held && r.IntN(3) > 0 {
		in := machine.Release{Scope: v.Scope, Node: v.Node, Visit: v.Visit, Step: r.IntN(2) == 0, By: "Ada"}
		if r.IntN(3) == 0 {
			in.Input = json.RawMessage(`{"edited":true}`)
		}
		return in, at
	}
	switch r.IntN(10) {
	case 0:
		return machine.Advance{Next: true, ID: time.Duration(r.Uint32()).String()}, at
	case 1:
		return machine.Advance{For: time.Duration(1+r.IntN(5)) * time.Second, ID: time.Duration(r.Uint32()).String()}, at
	}
	return next(r, m, s, at)
}

// FuzzRigs plays random machines as test runs: the same input gives the same
// events, the log alone gives the same state, time never goes back, and
// somebody can always move the run.
func FuzzRigs(f *testing.F) {
	for seed := range uint64(400) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		r := rand.New(rand.NewPCG(seed, 2))
		m := random(r)
		s, twin, folded := m.New("run"), m.New("run"), m.New("run")
		at := noon
		step := func(in machine.Input) {
			events, err := m.Step(s, in, at)
			if err != nil {
				t.Fatalf("step: %v", err)
			}
			again, err := m.Step(twin, in, at)
			if err != nil || encoded(t, events) != encoded(t, again) {
				t.Fatalf("the same input gave other events: %v", err)
			}
			for _, e := range events {
				if e.At.Before(at) {
					t.Fatalf("event %d is older than the input", e.Seq)
				}
				at = e.At
				stored, err := machine.Encode(e)
				if err != nil {
					t.Fatal(err)
				}
				back, err := machine.Decode(stored)
				if err == nil {
					err = m.Fold(folded, back)
				}
				if err != nil {
					t.Fatalf("event %d does not fold: %v", e.Seq, err)
				}
			}
		}
		step(machine.Start{Trigger: "n00", Value: json.RawMessage(`{"a":1}`), Source: "test", Rig: randomRig(r, m)})
		for i := 0; !s.Status.Over(); i++ {
			_, held := s.Held()
			if i > 10_000 {
				t.Fatal("the run does not end")
			}
			if !held && len(m.Pending(s)) == 0 && m.WakeAt(s).IsZero() {
				t.Fatalf("stuck: %d live visits, %d tokens, nothing owed, awaited or held", s.Live(), s.Tokens())
			}
			var in machine.Input
			in, at = nextOfTest(r, m, s, at)
			step(in)
		}
		a, errA := s.Result(m)
		b, errB := folded.Result(m)
		if s.Status != folded.Status || string(a) != string(b) || (errA == nil) != (errB == nil) || s.Seq != folded.Seq {
			t.Errorf("the log gives %s %s, the run ended %s %s", folded.Status, b, s.Status, a)
		}
		if s.Status == machine.StatusSucceeded && (s.Tokens() != 0 || folded.Tokens() != 0) {
			t.Errorf("success with %d tokens left", s.Tokens())
		}
	})
}
