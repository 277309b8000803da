package app_test

import (
	"io"
	"testing"
	"time"

	"signalbox/app"
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
