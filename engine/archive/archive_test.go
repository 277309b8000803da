package archive_test

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"signalbox/engine/archive"
	"signalbox/engine/event"
)

// history is a run with so many events.
func history(t *testing.T, n int) (archive.Run, []event.Event) {
	t.Helper()
	id, err := uuid.NewV7()
	if err != nil {
		t.Fatal(err)
	}
	var log []event.Event
	var prev [32]byte
	for i := range n {
		e := event.Event{Seq: i + 1, At: time.UnixMicro(1_764_000_000_000_000 + int64(i)).UTC(), Type: "Happened", Node: "a", Data: []byte(`{"text":"<b>é & \u2028 1.50"}`)}
		e.Hash = event.Chain(prev, &e)
		prev = e.Hash
		log = append(log, e)
	}
	return archive.Run{ID: id, Workspace: "main", Attributes: []byte(`{}`), Status: "succeeded", Events: n}, log
}

// keep writes runs as one batch and returns its file.
func keep(t *testing.T, dir string, runs map[*archive.Run][]event.Event, first uuid.UUID) string {
	t.Helper()
	b, err := archive.Dir(dir).Begin(first)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Abort()
	for run, log := range runs {
		if err := b.Run(run); err != nil {
			t.Fatal(err)
		}
		for i := range log {
			if err := b.Event(&log[i]); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	found, err := filepath.Glob(filepath.Join(dir, "*", "*.jsonl.gz"))
	if err != nil || len(found) != 1 {
		t.Fatalf("files: %v %v", found, err)
	}
	return found[0]
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	run, log := history(t, 3)
	empty, _ := history(t, 0)
	path := keep(t, t.TempDir(), map[*archive.Run][]event.Event{&run: log, &empty: nil}, run.ID)
	if want := run.ID.String() + ".jsonl.gz"; filepath.Base(path) != want || filepath.Base(filepath.Dir(path)) != time.Now().UTC().Format(time.DateOnly) {
		t.Errorf("it lies in %s", path)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	got := map[uuid.UUID][]event.Event{}
	if err := archive.Read(f, func(r *archive.Run, log []event.Event) error { got[r.ID] = log; return nil }); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[uuid.UUID][]event.Event{run.ID: log, empty.ID: nil}, got); diff != "" {
		t.Error(diff)
	}
	if err := event.Verify(got[run.ID]); err != nil {
		t.Error(err) // the bytes of the data come back as they were
	}
}

func TestCheckFindsWhatIsWrong(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*archive.Run, []event.Event) []event.Event
		says   string
	}{
		"nothing": {func(_ *archive.Run, l []event.Event) []event.Event { return l }, ""},
		"changed": {func(_ *archive.Run, l []event.Event) []event.Event { l[1].Type = "Other"; return l }, "the hash of event 2 does not fit"},
		"cut":     {func(_ *archive.Run, l []event.Event) []event.Event { return l[:2] }, "has 3 events, 2 are here"},
		"value": {func(r *archive.Run, l []event.Event) []event.Event {
			r.Values = []string{strings.Repeat("ab", 32)}
			return l
		}, "which is not here"},
		"path": {func(r *archive.Run, l []event.Event) []event.Event { r.Values = []string{"../../etc/passwd"}; return l }, "is no digest"},
	} {
		dir := t.TempDir()
		run, log := history(t, 3)
		log = c.change(&run, log)
		keep(t, dir, map[*archive.Run][]event.Event{&run: log}, run.ID)
		r, err := archive.Dir(dir).Check()
		if err != nil || r.Runs != 1 || r.Files != 1 {
			t.Fatalf("%s: %+v %v", name, r, err)
		}
		if ok := len(r.Faults) == 0; ok != (c.says == "") || !ok && !strings.Contains(r.Faults[0], c.says) {
			t.Errorf("%s: %v", name, r.Faults)
		}
	}
}

func TestSpoiledFilesAreNamed(t *testing.T) {
	t.Parallel()
	for name, lines := range map[string]string{
		"not JSON": "{", "an event of nobody": `{"event":{"seq":1,"at":"2026-01-01T00:00:00Z","type":"T","data":{}},"hash":""}`,
		"no hash": `{"run":{"id":"019dd100-0000-7000-8000-000000000000"}}` + "\n" + `{"event":{"seq":1,"at":"2026-01-01T00:00:00Z","type":"T","data":{}},"hash":"ab"}`,
	} {
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		_, _ = z.Write([]byte(lines))
		_ = z.Close()
		if err := archive.Read(&packed, func(*archive.Run, []event.Event) error { return nil }); err == nil {
			t.Errorf("%s was read", name)
		}
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "x.jsonl.gz"), []byte("no gzip"), 0o600); err != nil {
		t.Fatal(err)
	}
	if r, err := archive.Dir(dir).Check(); err != nil || len(r.Faults) != 1 || !strings.HasPrefix(r.Faults[0], "x.jsonl.gz: ") {
		t.Errorf("%+v %v", r, err)
	}
}
