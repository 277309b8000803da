package runtime

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/compile"
	"signalbox/engine/graph"
	"signalbox/engine/machine"
)

// asleep is a run that waits for something for so long; 0: for ever.
func asleep(tb testing.TB, file string) *live {
	tb.Helper()
	g, err := graph.Decode([]byte(file))
	if err != nil {
		tb.Fatal(err)
	}
	m, issues := compile.Compile(g)
	if m == nil {
		tb.Fatalf("%+v", issues)
	}
	l := &live{m: m, s: m.New(uuid.NewString())}
	if _, err := m.Step(l.s, machine.Start{Trigger: "start", Value: []byte(`{}`), Source: "test"}, time.Now()); err != nil {
		tb.Fatal(err)
	}
	if !l.s.Waiting() {
		tb.Fatal("the run does not sleep")
	}
	return l
}

const (
	sleepsAnHour = `{"signalbox":1,"nodes":[{"id":"s","key":"start","kind":"manual"},{"id":"w","key":"w","kind":"wait","config":{"duration":"1h"}}],
		"edges":[{"id":"1","from":"s","port":"success","to":"w"}],"layout":{}}`
	sleepsASecond = `{"signalbox":1,"nodes":[{"id":"s","key":"start","kind":"manual"},{"id":"w","key":"w","kind":"wait","config":{"duration":"1s"}}],
		"edges":[{"id":"1","from":"s","port":"success","to":"w"}],"layout":{}}`
)

// crowded is a shard with so many runs in memory, made by copies.
func crowded(n int, of *live) *shard {
	s := newShard(0, &Engine{cfg: Config{Now: time.Now}})
	for range n {
		l := *of
		s.runs[uuid.New()] = &l
	}
	return s
}

func TestSleepingRunsLeaveMemory(t *testing.T) {
	t.Parallel()
	s := crowded(cacheMax, asleep(t, sleepsAnHour))
	s.forget()
	if len(s.runs) != cacheMax {
		t.Fatalf("%d runs are left, but there was room", len(s.runs))
	}
	soon, flying, touched := asleep(t, sleepsASecond), asleep(t, sleepsAnHour), asleep(t, sleepsAnHour)
	flying.flying, touched.touched = 1, true
	for _, l := range []*live{soon, flying, touched} {
		s.runs[uuid.New()] = l
	}
	s.forget()
	if len(s.runs) != 3 {
		t.Errorf("%d runs are left, want the three that are needed", len(s.runs))
	}
}

// Many runs that cannot leave memory are not looked at in every turn.
func TestBusyCrowdIsLookedAtSeldom(t *testing.T) {
	t.Parallel()
	busy := asleep(t, sleepsAnHour)
	busy.flying = 1
	s := crowded(cacheMax+4, busy)
	s.forget()
	if len(s.runs) != cacheMax+4 || s.crowd <= len(s.runs) {
		t.Fatalf("%d runs, looked at again above %d", len(s.runs), s.crowd)
	}
	for _, l := range s.runs {
		l.flying = 0
	}
	s.forget()
	if len(s.runs) != cacheMax+4 {
		t.Error("it looked again though there were no more")
	}
}

// BenchmarkForget is what a turn pays for 100,000 runs in memory.
func BenchmarkForget(b *testing.B) {
	busy := asleep(b, sleepsAnHour)
	busy.flying = 1
	s := crowded(100_000, busy)
	for b.Loop() {
		s.forget()
	}
}
