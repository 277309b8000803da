// Package witness remembers which visits a process was at work on when it died,
// and how often in a row: a step that takes its process with it would
// otherwise be handed out again for ever.
//
// A journal is a small file of fixed slots, one for each attempt under way. It
// need only outlive the process, not the machine: it is mapped into memory,
// never flushed, and an attempt costs two stores into the page cache. A file
// belongs to one process at a time, by a lock that the system gives up when the
// process ends.
package witness

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"signalbox/engine/task"
)

// Limits of a journal.
const (
	slotSize   = 32
	slotsMax   = 16_384              // attempts under way at once, and visits that are remembered; more are not seen
	filesMax   = 256                 // processes that share a directory
	deathsKept = 255                 // more are counted as so many
	keptMax    = 30 * 24 * time.Hour // a visit that does not come again is forgotten
)

// States of a slot.
const (
	free    = 0
	atWork  = 1
	survive = 2 // not at work now, but it was when the process died
)

// Journal is what one process is at work on. All methods may be called at the
// same time; a nil Journal remembers nothing.
type Journal struct {
	file *os.File
	mem  []byte // the file
	now  func() time.Time

	mu     sync.Mutex
	kept   map[mark]entry // visits that were at work at a death
	held   map[int]entry  // slots at work
	marks  []mark         // by slot: what is at work there
	unused []int          // free slots, the next one last
	closed bool
}

// mark names a visit.
type mark [16]byte

// entry is what is known of a visit that was at work at a death.
type entry struct {
	slot   int
	deaths int
	at     time.Time // of the last one
}

// Open takes the first journal of the directory that no living process has,
// and counts a death for each visit that stands in it as at work.
func Open(dir string, now func() time.Time) (*Journal, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the directory of the witness: %w", err)
	}
	for n := range filesMax {
		f, err := os.OpenFile(filepath.Join(dir, strconv.Itoa(n)), os.O_RDWR|os.O_CREATE, 0o600) //nolint:gosec // the operator chooses the directory
		if err != nil {
			return nil, fmt.Errorf("open the witness: %w", err)
		}
		err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			j := &Journal{file: f, now: now, kept: map[mark]entry{}, held: map[int]entry{}, marks: make([]mark, slotsMax)}
			if err = j.read(); err == nil {
				return j, nil
			}
		}
		_ = f.Close()
		if !errors.Is(err, unix.EWOULDBLOCK) {
			return nil, fmt.Errorf("take the witness: %w", err)
		}
	}
	return nil, fmt.Errorf("%d processes share %s, which is the limit", filesMax, dir)
}

// read counts the deaths. A slot that cannot be read is a free one.
func (j *Journal) read() error {
	raw := make([]byte, slotsMax*slotSize)
	n, err := j.file.ReadAt(raw, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("read the witness: %w", err)
	}
	// Written as a whole, so that the disk has room for what is stored later: a
	// store into a map has no other way to say that it has not than a signal.
	if _, err := j.file.WriteAt(raw, 0); err != nil {
		return fmt.Errorf("write the witness: %w", err)
	}
	if j.mem, err = unix.Mmap(int(j.file.Fd()), 0, len(raw), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED); err != nil {
		return fmt.Errorf("map the witness: %w", err)
	}
	now := j.now()
	for slot := 0; (slot+1)*slotSize <= n; slot++ {
		state, m, e := decode(raw[slot*slotSize : (slot+1)*slotSize])
		e.slot = slot
		if state == atWork {
			e.deaths, e.at = min(e.deaths+1, deathsKept), now
		}
		other, twice := j.kept[m]
		if state == free || now.Sub(e.at) > keptMax || twice && other.deaths >= e.deaths {
			j.write(slot, free, mark{}, entry{})
			continue
		}
		if twice {
			j.write(other.slot, free, mark{}, entry{})
		}
		j.kept[m] = e
		j.write(slot, survive, m, e)
	}
	taken := map[int]bool{}
	for _, e := range j.kept {
		taken[e.slot] = true
	}
	for slot := slotsMax - 1; slot >= 0; slot-- { // the first ones are used first
		if !taken[slot] {
			j.unused = append(j.unused, slot)
		}
	}
	return nil
}

// Deaths is how often in a row the process died while it was at work on the
// visit of an attempt.
func (j *Journal) Deaths(id task.ID) int {
	if j == nil {
		return 0
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.kept) == 0 {
		return 0
	}
	return j.kept[markOf(id)].deaths
}

// Begin says that an attempt is at work. The number is for End or Keep.
func (j *Journal) Begin(id task.ID) (slot int) {
	if j == nil {
		return -1
	}
	m := markOf(id)
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return -1
	}
	e, known := j.kept[m]
	if known {
		delete(j.kept, m)
	} else {
		if len(j.unused) == 0 {
			j.forget()
		}
		n := len(j.unused)
		if n == 0 {
			return -1
		}
		e.slot, j.unused = j.unused[n-1], j.unused[:n-1]
	}
	j.marks[e.slot] = m
	j.held[e.slot] = e
	j.write(e.slot, atWork, m, e)
	return e.slot
}

// forget makes room: half of the visits that are not at work go, those whose
// last death is the longest ago. The lock is held.
func (j *Journal) forget() {
	list := slices.SortedFunc(maps.Keys(j.kept), func(a, b mark) int { return j.kept[a].at.Compare(j.kept[b].at) })
	for _, m := range list[:(len(list)+1)/2] {
		slot := j.kept[m].slot
		delete(j.kept, m)
		j.unused = append(j.unused, slot)
		j.write(slot, free, mark{}, entry{})
	}
}

// End says that an attempt has ended, well or not, and its process lives: the
// deaths before are forgotten.
func (j *Journal) End(slot int) {
	if j == nil || slot < 0 {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if _, there := j.held[slot]; !there {
		return
	}
	delete(j.held, slot)
	j.unused = append(j.unused, slot)
	j.write(slot, free, mark{}, entry{})
}

// Keep says that an attempt was given back: that was no death, and says nothing
// about those before.
func (j *Journal) Keep(slot int) {
	if j == nil || slot < 0 {
		return
	}
	j.mu.Lock()
	e, there := j.held[slot]
	if there && e.deaths > 0 {
		j.keep(slot, e)
	}
	j.mu.Unlock()
	j.End(slot)
}

// keep turns a slot at work into one that survives. The lock is held.
func (j *Journal) keep(slot int, e entry) {
	delete(j.held, slot)
	j.kept[j.marks[slot]] = e
	j.write(slot, survive, j.marks[slot], e)
}

// Close ends the journal in order: what is still at work was left behind by a
// process that stops, which is no death.
func (j *Journal) Close() error {
	if j == nil {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return nil
	}
	j.closed = true
	for slot, e := range j.held {
		if e.deaths > 0 {
			j.keep(slot, e)
		} else {
			j.write(slot, free, mark{}, entry{})
		}
	}
	clear(j.held)
	if err := errors.Join(unix.Munmap(j.mem), j.file.Close()); err != nil {
		return fmt.Errorf("close the witness: %w", err)
	}
	return nil
}

// write puts a slot into the file. That it fails, because somebody has cut the
// file off, means that the visit is not seen, which is no reason to stop.
func (j *Journal) write(slot, state int, m mark, e entry) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() { _ = recover() }()
	encode(j.mem[slot*slotSize:(slot+1)*slotSize], state, m, e)
}

// markOf names the visit of an attempt: a retry is the same work.
func markOf(id task.ID) (m mark) {
	b := make([]byte, 0, 128)
	b = append(append(b, id.Run...), 0)
	b = append(append(b, id.Node...), 0)
	b = binary.AppendVarint(b, int64(id.Scope))
	b = binary.AppendVarint(b, int64(id.Visit))
	sum := sha256.Sum256(b)
	copy(m[:], sum[:])
	return m
}

// encode writes a slot: state, deaths, the mark, the time of the last death,
// and a check over all that.
func encode(b []byte, state int, m mark, e entry) {
	if state == free {
		clear(b)
		return
	}
	b[0], b[1] = byte(state), byte(e.deaths)
	copy(b[2:], m[:])
	var at int64
	if !e.at.IsZero() {
		at = e.at.Unix()
	}
	binary.LittleEndian.PutUint64(b[18:], uint64(at)) //nolint:gosec // read back the same way
	binary.LittleEndian.PutUint32(b[28:], crc32.ChecksumIEEE(b[:28]))
}

// decode reads a slot; what is not whole is free.
func decode(b []byte) (state int, m mark, e entry) {
	if crc32.ChecksumIEEE(b[:28]) != binary.LittleEndian.Uint32(b[28:]) || b[0] != atWork && b[0] != survive {
		return free, m, e
	}
	copy(m[:], b[2:])
	e.deaths = int(b[1])
	e.at = time.Unix(int64(binary.LittleEndian.Uint64(b[18:])), 0) //nolint:gosec // written the same way
	return int(b[0]), m, e
}
