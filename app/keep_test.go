package app_test

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"signalbox/app"
	"signalbox/engine/archive"
	"signalbox/engine/event"
)

func TestHowLongRunsAreKept(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{"": 0, "30d": 720 * time.Hour, "12h": 12 * time.Hour, "1h30m": 90 * time.Minute} {
		if got, err := app.ParseKeep(text); err != nil || got != want {
			t.Errorf("%q is %s, %v; want %s", text, got, err, want)
		}
	}
	for _, text := range []string{"30", "d", "-1d", "0d", "59m", "1w", "99999999d", "forever"} {
		if _, err := app.Parse([]string{"--keep", text}, none, io.Discard); err == nil {
			t.Errorf("--keep %s was taken", text)
		}
		if _, err := app.Parse([]string{"--keep-counts", text}, none, io.Discard); err == nil {
			t.Errorf("--keep-counts %s was taken", text)
		}
	}
}

func TestArchivedRunsAreAudited(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	run := archive.Run{ID: uuid.Must(uuid.NewV7()), Events: 1}
	e := event.Event{Seq: 1, At: time.UnixMicro(1_764_000_000_000_000).UTC(), Type: "RunStarted", Data: []byte(`{}`)}
	e.Hash = event.Chain([32]byte{}, &e)
	for name, c := range map[string]struct {
		events, code int
		says         string
	}{
		"whole": {1, 0, "1 files, 1 runs, 1 events, 0 large values: 0 faults\n"},
		"cut":   {0, 1, "has 1 events, 0 are here"},
	} {
		b, err := archive.Dir(dir).Begin(run.ID)
		if err != nil {
			t.Fatal(err)
		}
		if err := b.Run(&run); err != nil {
			t.Fatal(err)
		}
		for range c.events {
			if err := b.Event(&e); err != nil {
				t.Fatal(err)
			}
		}
		if err := b.Close(); err != nil { // replaces the one before
			t.Fatal(err)
		}
		var out strings.Builder
		if code := app.Audit(t.Context(), []string{"--files", "--archive", dir}, none, &out, &out); code != c.code || !strings.Contains(out.String(), c.says) {
			t.Errorf("%s: exit %d: %s", name, code, out.String())
		}
	}
	var out strings.Builder
	if code := app.Audit(t.Context(), []string{"--files"}, none, &out, &out); code != 2 || !strings.Contains(out.String(), "--archive DIR") {
		t.Errorf("without a directory: exit %d: %s", code, out.String())
	}
}
