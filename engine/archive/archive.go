// Package archive keeps the histories of runs as files, before they are
// deleted from the database, and reads them back.
//
//	DIR/2026-11-30/019dd1….jsonl.gz   one batch of runs, named by the first
//	DIR/values/ab/abcd…               large values, named by their SHA-256
//
// A batch holds a line {"run": …} for each run and a line {"event": …, "hash":
// "…"} for each of its events, in order. It appears under its name when it is
// whole and on disk.
package archive

import (
	"bufio"
	"compress/gzip"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/event"
)

const (
	values  = "values"
	suffix  = ".jsonl.gz"
	lineMax = 1 << 20 // bytes; an event has at most 10 KB
)

// Run is what the database's row says of a run.
type Run struct {
	ID         uuid.UUID       `json:"id"`
	Workspace  string          `json:"workspace"`
	Workflow   uuid.UUID       `json:"workflow"`
	Version    uuid.UUID       `json:"version"`
	Trigger    string          `json:"trigger"`
	Source     string          `json:"source"`
	Test       bool            `json:"test,omitempty"`
	Attributes json.RawMessage `json:"attributes"`
	Status     string          `json:"status"`
	Error      string          `json:"error,omitempty"`
	CreatedAt  time.Time       `json:"created_at"`
	EndedAt    time.Time       `json:"ended_at"`
	Events     int             `json:"events"`
	Values     []string        `json:"values,omitempty"` // digests of the large ones it names
}

// line is one line of a batch.
type line struct {
	Run   *Run         `json:"run,omitempty"`
	Event *event.Event `json:"event,omitempty"`
	Hash  string       `json:"hash,omitempty"`
}

// Dir is a directory of archived runs.
type Dir string

// Batch is one file that is being written.
type Batch struct {
	dir  Dir
	name string // of the finished file
	file *os.File
	buf  *bufio.Writer
	zip  *gzip.Writer
	enc  *json.Encoder
}

// Begin starts a batch whose first run is the given one. A batch of the same
// name from an attempt that failed is replaced.
func (d Dir) Begin(first uuid.UUID) (*Batch, error) {
	day := filepath.Join(string(d), born(first).Format(time.DateOnly))
	if err := os.MkdirAll(day, 0o700); err != nil {
		return nil, fmt.Errorf("make the archive's directory: %w", err)
	}
	f, err := os.CreateTemp(day, ".unfinished-*")
	if err != nil {
		return nil, fmt.Errorf("begin a file of the archive: %w", err)
	}
	b := &Batch{dir: d, name: filepath.Join(day, first.String()+suffix), file: f, buf: bufio.NewWriterSize(f, 64<<10)}
	b.zip = gzip.NewWriter(b.buf)
	b.enc = json.NewEncoder(b.zip)
	b.enc.SetEscapeHTML(false)
	return b, nil
}

// born is when an id of version 7 was made.
func born(id uuid.UUID) time.Time {
	sec, nsec := id.Time().UnixTime()
	return time.Unix(sec, nsec).UTC()
}

// Run writes a run's row; its events follow.
func (b *Batch) Run(r *Run) error { return b.write(line{Run: r}) }

// Event writes the next event.
func (b *Batch) Event(e *event.Event) error {
	return b.write(line{Event: e, Hash: hex.EncodeToString(e.Hash[:])})
}

func (b *Batch) write(l line) error {
	if err := b.enc.Encode(l); err != nil {
		return fmt.Errorf("write to the archive: %w", err)
	}
	return nil
}

// Value keeps a large value, unless it is there.
func (b *Batch) Value(digest string, bytes []byte) error {
	path, err := b.dir.value(digest)
	if err != nil {
		return err
	}
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("make the archive's directory: %w", err)
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".unfinished-*")
	if err != nil {
		return fmt.Errorf("keep a large value: %w", err)
	}
	_, err = f.Write(bytes)
	return finish(f, err, path)
}

// value is where a large value lies. A digest is no path, whoever wrote it.
func (d Dir) value(digest string) (string, error) {
	if raw, err := hex.DecodeString(digest); err != nil || len(raw) != 32 {
		return "", fmt.Errorf("%q is no digest of a value", digest)
	}
	return filepath.Join(string(d), values, digest[:2], digest), nil
}

// Close puts the batch on disk under its name.
func (b *Batch) Close() error {
	return finish(b.file, errors.Join(b.zip.Close(), b.buf.Flush()), b.name)
}

// Abort throws the batch away; after Close it does nothing.
func (b *Batch) Abort() {
	_ = b.file.Close()
	_ = os.Remove(b.file.Name())
}

// finish syncs a file and gives it its name, for good.
func finish(f *os.File, err error, path string) error {
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return fmt.Errorf("finish a file of the archive: %w", err)
	}
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return fmt.Errorf("sync the archive's directory: %w", err)
	}
	if err := errors.Join(dir.Sync(), dir.Close()); err != nil {
		return fmt.Errorf("sync the archive's directory: %w", err)
	}
	return nil
}

// Read calls the function for every run of a file, with its events.
func Read(r io.Reader, do func(*Run, []event.Event) error) error {
	unzip, err := gzip.NewReader(r)
	if err != nil {
		return fmt.Errorf("read a file of the archive: %w", err)
	}
	var run *Run
	var log []event.Event
	flush := func() error {
		if run == nil {
			return nil
		}
		return do(run, log)
	}
	lines := bufio.NewScanner(unzip)
	lines.Buffer(make([]byte, 0, 64<<10), lineMax)
	for n := 1; lines.Scan(); n++ {
		var l line
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			return fmt.Errorf("read line %d: %w", n, err)
		}
		switch {
		case l.Run != nil:
			if err := flush(); err != nil {
				return err
			}
			run, log = l.Run, nil
		case l.Event != nil && run != nil:
			hash, err := hex.DecodeString(l.Hash)
			if err != nil || copy(l.Event.Hash[:], hash) != len(l.Event.Hash) {
				return fmt.Errorf("read line %d: the hash is no SHA-256", n)
			}
			log = append(log, *l.Event)
		default:
			return fmt.Errorf("line %d is neither a run nor an event of one", n)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("read a file of the archive: %w", err)
	}
	return flush()
}
