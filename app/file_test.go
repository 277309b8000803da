package app_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"signalbox/app"
)

func TestAFindingOfAFileNamesItsStepAndField(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "flow.json")
	flow := `{"signalbox":1,"nodes":[{"id":"1","key":"start","kind":"manual"},{"id":"2","key":"pause","kind":"wait","config":{"for":"3h"}}],
		"edges":[{"id":"e","from":"1","port":"success","to":"2"}]}`
	if err := os.WriteFile(file, []byte(flow), 0o600); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if code := app.Check([]string{file}, &out, &out); code != 1 {
		t.Errorf("exit code %d, want 1", code)
	}
	if want := `pause/for: There is no field "for" here.`; !strings.Contains(out.String(), want) {
		t.Errorf("it says\n%s\nand not %q", &out, want)
	}
}
