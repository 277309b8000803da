package app_test

import (
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"signalbox/app"
)

var update = flag.Bool("update", false, "rewrite generated parts of the documents")

func none(string) string { return "" }

// TestOperationsListsTheSettings keeps the table in the document equal to the
// one in the program.
func TestOperationsListsTheSettings(t *testing.T) {
	t.Parallel()
	const path, begin, end = "../docs/operations.md", "<!-- settings -->\n", "<!-- /settings -->"
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(raw), begin)
	_, tail, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no place for the settings", path)
	}
	want := head + begin + app.SettingsTable() + end + tail
	if want == string(raw) {
		return
	}
	if !*update {
		t.Fatalf("%s does not list the settings as they are: go test ./app -run Operations -update", path)
	}
	if err := os.WriteFile(path, []byte(want), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestFlagWinsOverVariableOverFileOverDefault(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "settings.yaml")
	if err := os.WriteFile(path, []byte("listen: 127.0.0.1:1\nslots: 3\ndata: from-file\nlocal: true\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"SIGNALBOX_CONFIG": path, "SIGNALBOX_SLOTS": "4", "SIGNALBOX_LISTEN": "127.0.0.1:2"}
	c, err := app.Parse([]string{"--listen", "127.0.0.1:3"}, func(k string) string { return env[k] }, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if c.Listen != "127.0.0.1:3" || c.Slots != 4 || c.Data != "from-file" || !c.Local || c.LogLevel != "info" {
		t.Errorf("%+v", c)
	}
}

func TestBadSettingsAreNamed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, c := range []struct{ file, want string }{
		{write("typo.yaml", "lisen: x\n"), `there is no setting "lisen"`},
		{write("deep.yaml", "listen: [1, 2]\n"), "not a list of names and values"},
		{write("number.yaml", "slots: many\n"), `"many" is no value for slots`},
		{filepath.Join(dir, "none.yaml"), "read the settings"},
	} {
		_, err := app.Parse([]string{"--config", c.file}, none, io.Discard)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", filepath.Base(c.file), err, c.want)
		}
	}
	_, err := app.Parse(nil, func(k string) string { return map[string]string{"SIGNALBOX_LOCAL": "perhaps"}[k] }, io.Discard)
	if err == nil || !strings.Contains(err.Error(), "SIGNALBOX_LOCAL") {
		t.Errorf("a variable that is no bool: %v", err)
	}
}
