package worker

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
)

// Limits of a spool.
const (
	SpoolBytes   = 256 << 20      // of all results together; above it no more tasks are taken
	SpoolResults = 10_000         // the same, by number
	SpoolKeep    = 24 * time.Hour // a result whose lease is over waits so long for its task to come again
)

const (
	spoolSuffix  = ".json"
	spoolPartial = ".part"
	spoolLock    = "lock"
	spoolAside   = ".damaged"
	entryMax     = 64 << 20 // bytes of a file that is read
)

// Spool keeps the tasks that a worker has and their results on disk, so that a
// line that fails, or the end of the process, loses none. A directory is for
// one process at a time. Only its owner may read it: the files are results as
// they are, with the names of their leases; no token is among them.
type Spool struct {
	dir   string
	lock  *os.File
	aside []string // files that could not be read, under their new names

	mu      sync.Mutex
	entries map[string]*entry // by file
	bytes   int
}

// entry is one task, and its result as soon as there is one.
type entry struct {
	Lease    string          `json:"lease"`
	Key      string          `json:"key"`
	Run      string          `json:"run"`
	Node     string          `json:"node"`
	Visit    int             `json:"visit"`
	Attempt  int             `json:"attempt"`
	Op       string          `json:"op,omitempty"` // complete or fail; empty: it is at work, or was
	Body     json.RawMessage `json:"body,omitempty"`
	LapsedAt time.Time       `json:"lapsed_at,omitzero"` // when the lease was found to be over while the attempt was not

	mu   sync.Mutex // held by who brings the result; what changes is changed under the spool's lock, too
	file string
	size int
}

// OpenSpool opens a directory, and makes it if it is not there.
func OpenSpool(dir string) (*Spool, error) {
	info, err := os.Lstat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		if err = errors.Join(os.MkdirAll(dir, 0o700), syncDir(filepath.Dir(dir))); err != nil {
			return nil, fmt.Errorf("make the spool: %w", err)
		}
		info, err = os.Lstat(dir)
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("look at the spool: %w", err)
	case !info.IsDir():
		return nil, fmt.Errorf("the spool %s is not a directory", dir)
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0:
		return nil, fmt.Errorf("others can get into the spool %s (its mode is %04o), and results lie there as they are; expected: 0700, so run chmod 700 %s", dir, info.Mode().Perm(), dir)
	}
	lock, err := os.OpenFile(filepath.Join(dir, spoolLock), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the spool: %w", err)
	}
	s := &Spool{dir: dir, lock: lock, entries: map[string]*entry{}}
	if !tryLock(lock) {
		err = fmt.Errorf("another process uses the spool %s; expected: a directory for each", dir)
	} else {
		err = s.read()
	}
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return s, nil
}

// Close lets another process use the directory.
func (s *Spool) Close() error {
	unlock(s.lock)
	if err := s.lock.Close(); err != nil {
		return fmt.Errorf("close the spool: %w", err)
	}
	return nil
}

// read finds what an earlier process left. What is damaged is put aside: where
// nobody is near, a worker that starts is worth more than one result.
func (s *Spool) read() error {
	files, err := os.ReadDir(s.dir)
	if err != nil {
		return fmt.Errorf("read the spool: %w", err)
	}
	for _, f := range files {
		path := filepath.Join(s.dir, f.Name())
		switch {
		case strings.HasSuffix(f.Name(), spoolPartial): // the process ended while it wrote
			if err := os.Remove(path); err != nil {
				return fmt.Errorf("clean the spool: %w", err)
			}
		case strings.HasSuffix(f.Name(), spoolSuffix):
			e, err := readEntry(path)
			if errors.Is(err, errDamaged) {
				s.aside = append(s.aside, path+spoolAside)
				err = os.Rename(path, path+spoolAside)
			}
			if err != nil {
				return fmt.Errorf("read the spool: %w", err)
			}
			if e != nil {
				s.entries[e.file] = e
				s.bytes += e.size
			}
		}
	}
	return nil
}

var errDamaged = errors.New("it is no task of a spool")

// readEntry reads one file.
func readEntry(path string) (*entry, error) {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return nil, err //nolint:wrapcheck // by the caller
	case !info.Mode().IsRegular() || info.Size() > entryMax:
		return nil, errDamaged
	}
	raw, err := os.ReadFile(path) //nolint:gosec // in the directory that was asked for
	if err != nil {
		return nil, err //nolint:wrapcheck // by the caller
	}
	e := &entry{}
	if json.Unmarshal(raw, e) != nil || e.Lease == "" {
		return nil, errDamaged
	}
	switch e.Op {
	case "":
	case "complete", "fail":
		if len(e.Body) == 0 {
			return nil, errDamaged
		}
	default:
		return nil, errDamaged
	}
	e.file, e.size = filepath.Base(path), len(raw)
	if now := time.Now(); e.LapsedAt.After(now) { // the clock was wrong then, or is now
		e.LapsedAt = now
	}
	return e, nil
}

// full reports whether there is no room for the results of more tasks.
func (s *Spool) full() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bytes >= SpoolBytes || len(s.entries) >= SpoolResults
}

// begin notes that a task is at work here.
func (s *Spool) begin(t *Task) (*entry, error) {
	sum := sha256.Sum256([]byte(t.Lease))
	e := &entry{
		Lease: t.Lease, Key: t.Key, Run: t.Run, Node: t.Node, Visit: t.Visit, Attempt: t.Attempt,
		file: hex.EncodeToString(sum[:16]) + spoolSuffix,
	}
	return e, s.keep(e, func() {})
}

// keep changes a task and writes it. After it has returned, the file survives
// the end of the process and of the machine; after an error the change is only
// in memory. Who calls it holds the entry's lock.
func (s *Spool) keep(e *entry, change func()) error {
	s.mu.Lock()
	change()
	raw, err := plain(e)
	s.entries[e.file] = e
	s.bytes += len(raw) - e.size
	e.size = len(raw)
	s.mu.Unlock()
	if err != nil {
		return fmt.Errorf("write to the spool: %w", err)
	}
	path := filepath.Join(s.dir, e.file)
	err = writeWhole(path+spoolPartial, raw)
	if err == nil {
		err = os.Rename(path+spoolPartial, path)
	}
	if err != nil {
		return fmt.Errorf("write to the spool: %w", errors.Join(err, remove(path+spoolPartial)))
	}
	if err := syncDir(s.dir); err != nil {
		return fmt.Errorf("write to the spool: %w", err)
	}
	return nil
}

// forget takes a task out.
func (s *Spool) forget(e *entry) error {
	s.mu.Lock()
	if s.entries[e.file] == e {
		delete(s.entries, e.file)
		s.bytes -= e.size
	}
	s.mu.Unlock()
	return remove(filepath.Join(s.dir, e.file))
}

// left is what an earlier process left, in the order of its files.
type left struct{ undone, results []*entry }

// left tells it. What is asked later than before the first task also has
// tasks that are at work here.
func (s *Spool) left() (l left) {
	if s == nil {
		return l
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, file := range slices.Sorted(maps.Keys(s.entries)) {
		if e := s.entries[file]; e.Op == "" {
			l.undone = append(l.undone, e)
		} else {
			l.results = append(l.results, e)
		}
	}
	return l
}

// find returns the result of the same visit that is still here: an output does
// for every attempt, a failure only for its own.
func (s *Spool) find(t *Task) *entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.entries {
		if e.Key == t.Key && e.Lease != t.Lease && e.Run == t.Run && (e.Op == "complete" || e.Op == "fail" && e.Attempt == t.Attempt) {
			return e
		}
	}
	return nil
}

// has reports whether a task is still in the spool.
func (s *Spool) has(e *entry) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.entries[e.file] == e
}

// useless is the result that has waited longest for its task to come again, if
// that is too long, or there is no room for others.
func (s *Spool) useless(now time.Time) (oldest *entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.entries {
		if !e.LapsedAt.IsZero() && (oldest == nil || e.LapsedAt.Before(oldest.LapsedAt)) {
			oldest = e
		}
	}
	if oldest == nil || s.bytes < SpoolBytes && len(s.entries) < SpoolResults && now.Sub(oldest.LapsedAt) <= SpoolKeep {
		return nil
	}
	return oldest
}

func writeWhole(path string, raw []byte) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600) //nolint:gosec // in the directory that was asked for
	if err != nil {
		return err //nolint:wrapcheck // by the caller
	}
	_, err = f.Write(raw)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// syncDir makes a change of names in a directory last.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil // directories cannot be synced there
	}
	d, err := os.Open(dir) //nolint:gosec // the directory that was asked for
	if err != nil {
		return err //nolint:wrapcheck // by the caller
	}
	return errors.Join(d.Sync(), d.Close())
}

func remove(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("take out of the spool: %w", err)
	}
	return nil
}
