package compile_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"signalbox/engine/event"
	"signalbox/engine/machine"
)

var keepIn = flag.String("keep", "", "write the runs that tests perform into this folder: the corpus of old runs takes its own from there (engine/sim)")

// keep writes the log of a run when its test is over.
func keep(t testing.TB, m *machine.Machine, log *[]machine.Event) {
	t.Helper()
	if *keepIn == "" {
		return
	}
	t.Cleanup(func() {
		if t.Failed() {
			return
		}
		var run struct {
			Machine *machine.Machine `json:"machine"`
			Events  []event.Event    `json:"events"`
		}
		run.Machine = m
		for _, e := range *log {
			stored, err := machine.Encode(e)
			if err != nil {
				t.Fatal(err)
			}
			run.Events = append(run.Events, stored)
		}
		raw, err := json.Marshal(run)
		if err != nil {
			t.Fatal(err)
		}
		for n := 0; ; n++ {
			name := filepath.Join(*keepIn, fmt.Sprintf("%s-%02d.json", strings.ReplaceAll(t.Name(), "/", "-"), n))
			f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
			if os.IsExist(err) {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			if _, err := f.Write(raw); err != nil {
				t.Fatal(err)
			}
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
			return
		}
	})
}
