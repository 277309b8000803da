package archive

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"signalbox/engine/event"
)

// Report is what a check of an archive found.
type Report struct {
	Files  int      `json:"files"`
	Runs   int      `json:"runs"`
	Events int      `json:"events"`
	Values int      `json:"values"`
	Faults []string `json:"faults,omitempty"` // sentences that begin with the file
}

// Check reads a whole archive: every run has as many events as it says, their
// chain of hashes is unbroken, and every large value that it names is there and
// is what its digest says.
func (d Dir) Check() (*Report, error) {
	r := &Report{}
	seen := map[string]bool{}
	err := filepath.WalkDir(string(d), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, suffix) {
			return err
		}
		name, _ := filepath.Rel(string(d), path)
		r.Files++
		f, err := os.Open(path) //nolint:gosec // found in the directory that the operator names
		if err != nil {
			return err //nolint:wrapcheck // below
		}
		defer func() { _ = f.Close() }()
		if err := Read(f, func(run *Run, log []event.Event) error {
			d.check(r, name, run, log, seen)
			return nil
		}); err != nil {
			r.fault(name, "%v", err)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the archive: %w", err)
	}
	return r, nil
}

func (r *Report) fault(name, format string, args ...any) {
	r.Faults = append(r.Faults, name+": "+fmt.Sprintf(format, args...))
}

// check looks at one run.
func (d Dir) check(r *Report, name string, run *Run, log []event.Event, seen map[string]bool) {
	r.Runs++
	r.Events += len(log)
	if len(log) != run.Events {
		r.fault(name, "run %s has %d events, %d are here", run.ID, run.Events, len(log))
	}
	if err := event.Verify(log); err != nil {
		r.fault(name, "run %s: %v", run.ID, err)
	}
	for _, digest := range run.Values {
		if seen[digest] {
			continue
		}
		seen[digest] = true
		r.Values++
		path, err := d.value(digest)
		if err != nil {
			r.fault(name, "run %s: %v", run.ID, err)
			continue
		}
		raw, err := os.ReadFile(path) //nolint:gosec // a digest is no path
		switch sum := sha256.Sum256(raw); {
		case err != nil:
			r.fault(name, "run %s names the value %s, which is not here", run.ID, digest)
		case hex.EncodeToString(sum[:]) != digest:
			r.fault(name, "the value %s is not what its name says", digest)
		}
	}
}
