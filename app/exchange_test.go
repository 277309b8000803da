package app_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"signalbox/app"
)

const machine = `{"id":"door","initial":"shut","version":"1","states":{"shut":{"on":{"open":"ajar"}},"ajar":{"after":{"5000":"shut"},"on":{"slam":{"target":"shut","actions":"bang"}}}}}`

// ran calls a command with a file.
func ran(t *testing.T, command func([]string, *bytes.Buffer, *bytes.Buffer) int, content string, flags ...string) (code int, out, errOut string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file.json")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	var o, e bytes.Buffer
	code = command(append([]string{path}, flags...), &o, &e)
	return code, o.String(), e.String()
}

func exportFile(args []string, out, errOut *bytes.Buffer) int { return app.Export(args, out, errOut) }

func importFile(args []string, out, errOut *bytes.Buffer) int { return app.Import(args, out, errOut) }

func TestAMachineGoesInAndOut(t *testing.T) {
	t.Parallel()
	for _, as := range []string{"chart", "workflow"} {
		code, ours, said := ran(t, importFile, machine, "--from", "xstate", "--as", as)
		if code != 0 || !strings.Contains(said, "version") {
			t.Fatalf("import as %s: %d %s", as, code, said)
		}
		for form, want := range map[string]string{
			"xstate": `slam: { target: "#door.shut", actions: "bang" } }`,
			"scxml":  `<transition event="open" target="door_ajar"></transition>`,
		} {
			code, text, said := ran(t, exportFile, ours, "--as", form)
			if code != 0 || said != "" || !strings.Contains(text, want) {
				t.Errorf("%s as %s: %d %s\n%s", as, form, code, said, text)
			}
		}
		key := []string{"--as", "mermaid"}
		if as == "workflow" {
			key = append(key, "--chart", "door")
		}
		if code, text, said := ran(t, exportFile, ours, key...); code != 0 || !strings.Contains(text, "door_shut --> door_ajar : open") {
			t.Errorf("%s as mermaid: %d %s\n%s", as, code, said, text)
		}
	}
}

func TestWhatCannotBeExportedSaysWhy(t *testing.T) {
	t.Parallel()
	const workflow = `{"signalbox":1,"nodes":[{"id":"a","key":"start","kind":"manual"}],"edges":[],"layout":{}}`
	for name, c := range map[string]struct {
		content, want string
		flags         []string
	}{
		"no chart":     {workflow, "holds no statechart", []string{"--as", "xstate"}},
		"no such form": {workflow, `There is no form "visio"`, []string{"--as", "visio"}},
		"no such key":  {workflow, `no statechart "x"`, []string{"--as", "dot", "--chart", "x"}},
		"a machine":    {machine, "for signalbox import", []string{"--as", "dot"}},
		"faults":       {`{"id":"m","states":[{"key":"a"}]}`, "It begins in", []string{"--as", "dot"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if code, out, said := ran(t, exportFile, c.content, c.flags...); code != 2 || out != "" || !strings.Contains(said, c.want) {
				t.Errorf("%d %q %q", code, out, said)
			}
		})
	}
	if code, out, _ := ran(t, exportFile, workflow, "--as", "mermaid"); code != 0 || !strings.HasPrefix(out, "flowchart LR") {
		t.Errorf("%d %s", code, out)
	}
}

func TestAWorkflowOfN8nIsImported(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../engine/exchange/testdata/n8n/weather-merge.json")
	if err != nil {
		t.Fatal(err)
	}
	code, ours, said := ran(t, importFile, string(raw), "--join", "all")
	if code != 0 || !strings.Contains(ours, `"mode": "all"`) || !strings.Contains(said, "unsupported  Every morning") || !strings.Contains(said, "dangling") || !strings.Contains(said, "Office mail") {
		t.Errorf("%d %s\n%s", code, said, ours)
	}
	if code, _, said := ran(t, importFile, string(raw), "--from", "xstate"); code != 2 || !strings.Contains(said, "This file is n8n") {
		t.Errorf("%d %s", code, said)
	}
	if code, _, said := ran(t, importFile, string(raw), "--as", "chart"); code != 2 || !strings.Contains(said, "no statechart") {
		t.Errorf("%d %s", code, said)
	}
}
