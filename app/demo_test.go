package app_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"signalbox/app"
)

// TestTemplatesRunWithoutAServer runs templates that call the demo endpoint.
func TestTemplatesRunWithoutAServer(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"two-system-sync": `"receipt":"T-`,
		"sensor-alarm":    `{"alarms":2,"window":[86,85,79]}`,
	} {
		var out strings.Builder
		if code := app.RunFile(context.Background(), []string{filepath.Join("..", "engine", "gallery", "templates", name+".json")}, &out, &out); code != 0 || !strings.Contains(out.String(), want) {
			t.Errorf("%s: exit %d, want 0 and %s:\n%s", name, code, want, out.String())
		}
	}
	// Nothing but the demo endpoint is reached by that name.
	raw, err := os.ReadFile(filepath.Join("..", "engine", "gallery", "templates", "two-system-sync.json"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "other.json")
	if err := os.WriteFile(path, []byte(strings.Replace(string(raw), "/demo/", "/other/", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if code := app.RunFile(context.Background(), []string{path}, &out, &out); code != 1 {
		t.Errorf("a path outside the demo endpoint: exit %d, want 1:\n%s", code, out.String())
	}
}
