package audit_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"signalbox/engine/audit"
)

// memory is a store that counts how often it was written to.
type memory struct {
	mu     sync.Mutex
	list   []audit.Entry
	writes int
	fault  error
	hold   chan struct{} // closed: writes go on
}

func (m *memory) Append(_ context.Context, workspace string, entries []audit.Entry) error {
	<-m.hold
	m.mu.Lock()
	defer m.mu.Unlock()
	m.writes++
	if m.fault != nil {
		return m.fault
	}
	for _, e := range entries {
		var head []byte
		if n := len(m.list); n > 0 {
			head = m.list[n-1].Hash
		}
		e.Seq = int64(len(m.list) + 1)
		e.Hash = e.Sum(workspace, head)
		m.list = append(m.list, e)
	}
	return nil
}

func (m *memory) List(context.Context, string, audit.Query) ([]audit.Entry, error) { return nil, nil }

func (m *memory) After(_ context.Context, _ string, seq int64, limit int) ([]audit.Entry, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	rest := m.list[min(int(seq), len(m.list)):]
	return slices.Clone(rest[:min(limit, len(rest))]), nil
}

func clock() time.Time { return time.Date(2026, 5, 4, 12, 0, 0, 123_456_789, time.UTC) }

func open() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}

// sample is an entry with every field set.
func sample() audit.Entry {
	return audit.Entry{
		Seq: 7, At: clock(), Actor: uuid.UUID{1}, Name: "Ada", Token: uuid.UUID{2}, Action: "token.create",
		Target: "t", Detail: "deploy", Address: "192.0.2.1",
	}
}

func TestSumSeesEveryField(t *testing.T) {
	t.Parallel()
	sums := map[string]string{}
	see := func(name string, sum []byte) {
		if other, twice := sums[string(sum)]; twice {
			t.Errorf("%s and %s have the same hash", name, other)
		}
		sums[string(sum)] = name
	}
	see("as it is", sample().Sum("main", []byte("before")))
	see("another workspace", sample().Sum("other", []byte("before")))
	see("behind another", sample().Sum("main", []byte("after")))
	for name, change := range map[string]func(*audit.Entry){
		"seq":     func(e *audit.Entry) { e.Seq++ },
		"at":      func(e *audit.Entry) { e.At = e.At.Add(time.Microsecond) },
		"actor":   func(e *audit.Entry) { e.Actor[15] = 1 },
		"name":    func(e *audit.Entry) { e.Name += "x" },
		"token":   func(e *audit.Entry) { e.Token[15] = 1 },
		"action":  func(e *audit.Entry) { e.Action += "x" },
		"target":  func(e *audit.Entry) { e.Target += "x" },
		"detail":  func(e *audit.Entry) { e.Detail += "x" },
		"address": func(e *audit.Entry) { e.Address += "x" },
		"moved":   func(e *audit.Entry) { e.Target, e.Detail = "td", "eploy" },
	} {
		e := sample()
		change(&e)
		see(name, e.Sum("main", []byte("before")))
	}
}

func TestVerifyNamesTheFirstBrokenEntry(t *testing.T) {
	t.Parallel()
	m := &memory{hold: open()}
	log := audit.New(m, clock)
	for i := range 5 {
		if err := log.Append(t.Context(), "main", audit.Entry{Action: "login", Detail: fmt.Sprint(i)}); err != nil {
			t.Fatal(err)
		}
	}
	whole := slices.Clone(m.list)
	for name, c := range map[string]struct {
		list   []audit.Entry
		broken int64
	}{
		"whole":   {whole, 0},
		"changed": {changed(whole, 2, func(e *audit.Entry) { e.Detail = "x" }), 3},
		"taken":   {slices.Delete(slices.Clone(whole), 2, 3), 3},
		"swapped": {append(append(slices.Clone(whole[:1]), whole[2], whole[1]), whole[3:]...), 2},
		"signed":  {changed(whole, 2, func(e *audit.Entry) { e.Detail = "x"; e.Hash = e.Sum("main", whole[1].Hash) }), 4},
	} {
		m.list = c.list
		r, err := log.Verify(t.Context(), "main")
		if err != nil || r.Broken != c.broken {
			t.Errorf("%s: broken at %d, want %d: %v", name, r.Broken, c.broken, err)
		}
	}
}

func changed(list []audit.Entry, at int, change func(*audit.Entry)) []audit.Entry {
	out := slices.Clone(list)
	change(&out[at])
	return out
}

// TestManyCallersShareAWrite: while one write is under way, all others wait
// and go together.
func TestManyCallersShareAWrite(t *testing.T) {
	t.Parallel()
	const callers = 200
	m := &memory{hold: make(chan struct{})}
	log := audit.New(m, clock)
	var begun, all sync.WaitGroup
	faults := make([]error, callers)
	for i := range callers {
		begun.Add(1)
		all.Go(func() {
			begun.Done()
			faults[i] = log.Append(t.Context(), "main", audit.Entry{Action: "run.start"})
		})
	}
	begun.Wait()
	close(m.hold)
	all.Wait()
	if err := errors.Join(faults...); err != nil {
		t.Fatal(err)
	}
	r, err := log.Verify(t.Context(), "main")
	if err != nil || r.Entries != callers || r.Broken != 0 {
		t.Errorf("the log has %+v: %v", r, err)
	}
	if m.writes > callers/2 {
		t.Errorf("%d callers made %d writes", callers, m.writes)
	}
}

func TestAppendTellsTheFaultAndGoesOn(t *testing.T) {
	t.Parallel()
	m := &memory{hold: open(), fault: errors.New("no room")}
	log := audit.New(m, clock)
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // the caller has gone: what was done is kept all the same
	if err := log.Append(ctx, "main", audit.Entry{Action: "login"}); !errors.Is(err, m.fault) {
		t.Errorf("the fault is %v", err)
	}
	m.fault = nil
	long := audit.Entry{Action: "login", Name: "a\x00b", Detail: strings.Repeat("é", audit.TextMax)}
	if err := log.Append(ctx, "main", long); err != nil {
		t.Fatal(err)
	}
	if got := m.list[0]; len(got.Detail) > audit.TextMax || !utf8.ValidString(got.Detail) || strings.Contains(got.Name, "\x00") || got.At.Nanosecond()%1000 != 0 {
		t.Errorf("the entry is kept as %+v", got)
	}
}
