package app_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"
)

// diskVariable makes this test binary be a disk; its value is the directory of
// what has reached the platter.
const diskVariable = "SIGNALBOX_TEST_DISK"

// Sizes of a disk.
const (
	diskSize   = 3 << 30 // sparse
	sectorSize = 512
	blockSize  = 4096
)

// flushTime is how long a flush takes: what was written before it can be lost
// for so long.
const flushTime = 2 * time.Millisecond

// platter is one big file that behaves like a disk with a cache of its own:
// what was written since the last flush is lost when the power goes, all of it
// or a part. A loop device in front of it makes a file system of it.
type platter struct {
	fs.Inode

	mu      sync.Mutex
	durable *os.File
	cached  []cachedWrite
	newest  map[int64][]byte // what is cached, by sector
	off     bool             // the power is gone
	flushes int
	written int
}

// cachedWrite is one write that no flush has followed.
type cachedWrite struct {
	at   int64
	data []byte
}

var (
	_ fs.NodeOpener    = (*platter)(nil)
	_ fs.NodeGetattrer = (*platter)(nil)
	_ fs.NodeReader    = (*platter)(nil)
	_ fs.NodeWriter    = (*platter)(nil)
	_ fs.NodeFsyncer   = (*platter)(nil)
	_ fs.NodeAllocater = (*platter)(nil)
)

// Open keeps the kernel from holding pages of its own.
func (p *platter) Open(context.Context, uint32) (fs.FileHandle, uint32, syscall.Errno) {
	return nil, fuse.FOPEN_DIRECT_IO, 0
}

func (p *platter) Getattr(_ context.Context, _ fs.FileHandle, out *fuse.AttrOut) syscall.Errno {
	out.Mode, out.Size, out.Blksize = syscall.S_IFREG|0o600, diskSize, blockSize
	return 0
}

func (p *platter) Read(_ context.Context, _ fs.FileHandle, dest []byte, at int64) (fuse.ReadResult, syscall.Errno) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.off {
		return nil, syscall.EIO
	}
	n, err := p.durable.ReadAt(dest, at)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, syscall.EIO
	}
	dest = dest[:n]
	for i := 0; i+sectorSize <= len(dest); i += sectorSize {
		if cached := p.newest[(at+int64(i))/sectorSize]; cached != nil {
			copy(dest[i:], cached)
		}
	}
	return fuse.ReadResultData(dest), 0
}

func (p *platter) Write(_ context.Context, _ fs.FileHandle, data []byte, at int64) (uint32, syscall.Errno) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.off || at%sectorSize != 0 || len(data)%sectorSize != 0 {
		return 0, syscall.EIO
	}
	w := cachedWrite{at, append([]byte(nil), data...)} // the library uses its buffer again
	p.cached = append(p.cached, w)
	for i := 0; i < len(w.data); i += sectorSize {
		p.newest[(at+int64(i))/sectorSize] = w.data[i : i+sectorSize]
	}
	p.written++
	return uint32(len(data)), 0
}

// Fsync is the flush of the disk's cache.
func (p *platter) Fsync(context.Context, fs.FileHandle, uint32) syscall.Errno {
	time.Sleep(flushTime)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.off {
		return syscall.EIO
	}
	for _, w := range p.cached {
		if _, err := p.durable.WriteAt(w.data, w.at); err != nil {
			return syscall.EIO
		}
	}
	p.cached = nil
	clear(p.newest)
	p.flushes++
	return 0
}

// Allocate is what a discard comes as; a disk need not know it.
func (p *platter) Allocate(context.Context, fs.FileHandle, uint64, uint64, uint32) syscall.Errno {
	return syscall.EOPNOTSUPP
}

// cut ends the power. Of each write that no flush has followed, by chance, all
// survives, some of its blocks or sectors, or nothing; keep is the share of
// those that survive whole.
func (p *platter) cut(seed uint64, keep float64) (whole, torn, lost int, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.off = true
	rng := rand.New(rand.NewPCG(seed, 2))
	for _, w := range p.cached {
		switch {
		case rng.Float64() < keep:
			_, err = p.durable.WriteAt(w.data, w.at)
			whole++
		case keep > 0 && rng.IntN(3) == 0:
			err = p.tear(w, rng)
			torn++
		default:
			lost++
		}
		if err != nil {
			return whole, torn, lost, fmt.Errorf("write what survives: %w", err)
		}
	}
	return whole, torn, lost, nil
}

// tear writes some of the pieces of a write. The first block of the disk, with
// the head of the file system, is never torn: ext4 itself would not survive it.
func (p *platter) tear(w cachedWrite, rng *rand.Rand) error {
	piece := sectorSize
	if rng.IntN(2) == 0 || w.at < blockSize {
		piece = blockSize
	}
	for i := 0; i < len(w.data); i += piece {
		if rng.IntN(2) == 0 {
			continue
		}
		if _, err := p.durable.WriteAt(w.data[i:min(i+piece, len(w.data))], w.at+int64(i)); err != nil {
			return err
		}
	}
	return nil
}

// diskChild is the process that a disk is. It obeys lines on standard input.
func diskChild(dir string) error {
	durable, err := os.OpenFile(filepath.Join(dir, "durable"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	if err := durable.Truncate(diskSize); err != nil {
		return err
	}
	p := &platter{durable: durable, newest: map[int64][]byte{}}
	root := &fs.Inode{}
	server, err := fs.Mount(filepath.Join(dir, "fuse"), root, &fs.Options{
		MountOptions: fuse.MountOptions{DirectMountStrict: true, FsName: "signalbox-disk", MaxWrite: 512 << 10, DisableXAttrs: true},
		OnAdd: func(ctx context.Context) {
			root.AddChild("disk", root.NewPersistentInode(ctx, p, fs.StableAttr{Mode: syscall.S_IFREG}), true)
		},
	})
	if err != nil {
		return fmt.Errorf("mount the disk: %w", err)
	}
	defer func() { _ = server.Unmount() }()
	fmt.Println("ready")
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		var seed uint64
		var keep float64
		if n, _ := fmt.Sscanf(in.Text(), "cut %d %g", &seed, &keep); n == 2 {
			whole, torn, lost, err := p.cut(seed, keep)
			if err != nil {
				return err
			}
			fmt.Println(whole, torn, lost)
			continue
		}
		p.mu.Lock()
		fmt.Println(p.written, p.flushes, len(p.cached))
		p.mu.Unlock()
	}
	return nil
}

// disk is a file system whose power can be cut: ext4 on a loop device on a
// platter in a process of its own.
type disk struct {
	t       *testing.T
	dir     string // of the platter
	at      string // where it is mounted
	options string // of the file system
	loop    string
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Scanner
}

// newDisk makes a disk and mounts it; where that cannot be done it skips the
// test.
func newDisk(t *testing.T, at, options string) *disk {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("a disk whose power is cut needs root: not tried")
	}
	for _, needed := range []string{"/dev/fuse", "/dev/loop-control"} {
		if _, err := os.Stat(needed); err != nil {
			t.Skipf("a disk whose power is cut needs FUSE and loop devices (%v): not tried", err)
		}
	}
	for _, needed := range []string{"losetup", "mkfs.ext4"} {
		if _, err := exec.LookPath(needed); err != nil {
			t.Skipf("a disk whose power is cut needs losetup and mkfs.ext4 (%v): not tried", err)
		}
	}
	dir, err := os.MkdirTemp("", "signalbox-disk-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Mkdir(filepath.Join(dir, "fuse"), 0o700); err != nil {
		t.Fatal(err)
	}
	d := &disk{t: t, dir: dir, at: at, options: options}
	t.Cleanup(d.detach)
	if err := d.attach(); err != nil {
		t.Skipf("a disk whose power is cut cannot be had here (%v): not tried", err)
	}
	// No file is to be written by the file system's own choice after the test.
	if out, err := exec.Command("mkfs.ext4", "-q", "-E", "nodiscard,lazy_itable_init=0,lazy_journal_init=0", "-N", "20000", d.loop).CombinedOutput(); err != nil {
		t.Fatalf("mkfs.ext4: %v\n%s", err, out)
	}
	d.mount()
	return d
}

// attach gives the disk power.
func (d *disk) attach() error {
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	d.cmd = exec.Command(exe)
	d.cmd.Env = append(os.Environ(), diskVariable+"="+d.dir)
	d.cmd.Stderr = os.Stderr
	out, err := d.cmd.StdoutPipe()
	if err == nil {
		d.in, err = d.cmd.StdinPipe()
	}
	if err == nil {
		err = d.cmd.Start()
	}
	if err != nil {
		return err
	}
	d.out = bufio.NewScanner(out)
	if !d.out.Scan() || d.out.Text() != "ready" {
		return errors.New("FUSE cannot be mounted")
	}
	// Direct: the loop device passes requests on as they are.
	loop, err := exec.Command("losetup", "--find", "--show", "--direct-io=on", filepath.Join(d.dir, "fuse", "disk")).CombinedOutput()
	if err != nil {
		return fmt.Errorf("losetup: %w: %s", err, loop)
	}
	d.loop = strings.TrimSpace(string(loop))
	return nil
}

func (d *disk) mount() {
	d.t.Helper()
	if err := unix.Mount(d.loop, d.at, "ext4", unix.MS_NOATIME, d.options); err != nil {
		d.t.Fatalf("the file system does not come back: %v", err)
	}
	if err := os.Chmod(d.at, 0o755); err != nil { //nolint:gosec // PostgreSQL's user must enter
		d.t.Fatal(err)
	}
}

// ask sends a line to the disk's process and reads three numbers.
func (d *disk) ask(format string, args ...any) (a, b, c int) {
	d.t.Helper()
	_, err := fmt.Fprintf(d.in, format+"\n", args...)
	if err == nil && d.out.Scan() {
		_, err = fmt.Sscan(d.out.Text(), &a, &b, &c)
	}
	if err != nil {
		d.t.Fatal(err)
	}
	return a, b, c
}

// cut ends the power. What still runs on the disk gets errors until it ends.
func (d *disk) cut(seed uint64, keep float64) (whole, torn, lost int) {
	d.t.Helper()
	return d.ask("cut %d %g", seed, keep)
}

// counts says how many writes and flushes came, and how many of the writes no
// flush has followed.
func (d *disk) counts() (writes, flushes, cached int) {
	d.t.Helper()
	return d.ask("counts")
}

// detach ends everything that runs on the disk, and the disk.
func (d *disk) detach() {
	d.endProcesses()
	for range 200 {
		if err := unix.Unmount(d.at, 0); !errors.Is(err, unix.EBUSY) {
			break
		}
		time.Sleep(10 * time.Millisecond) // a process that is being ended
	}
	_ = unix.Unmount(d.at, unix.MNT_DETACH) // usually there is nothing left to do
	if d.loop != "" {
		if out, err := exec.Command("losetup", "--detach", d.loop).CombinedOutput(); err != nil {
			d.t.Errorf("losetup: %v\n%s", err, out)
		}
		d.loop = ""
	}
	if d.cmd != nil && d.cmd.Process != nil {
		_ = d.cmd.Process.Kill()
		_ = d.cmd.Wait()
		d.cmd = nil
	}
	_ = unix.Unmount(filepath.Join(d.dir, "fuse"), unix.MNT_DETACH)
}

// endProcesses kills what works in a directory of the disk: PostgreSQL has
// several processes.
func (d *disk) endProcesses() {
	list, _ := filepath.Glob("/proc/[0-9]*/cwd")
	for _, link := range list {
		cwd, err := os.Readlink(link)
		var pid int
		if _, scan := fmt.Sscanf(link, "/proc/%d/cwd", &pid); err == nil && scan == nil && strings.HasPrefix(cwd+"/", d.at+"/") {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

// restore gives the disk power again after a cut.
func (d *disk) restore() {
	d.t.Helper()
	d.detach()
	if err := d.attach(); err != nil {
		d.t.Fatal(err)
	}
	d.mount()
}

// TestACutLosesWhatWasNotFlushed shows that the disk of the fault runs is one: a
// flush of a file comes through ext4 and the loop device to the platter; what
// was flushed survives a cut, and what was not does not.
func TestACutLosesWhatWasNotFlushed(t *testing.T) {
	t.Parallel()
	at := t.TempDir()
	d := newDisk(t, at, "commit=600") // the file system flushes nothing by itself meanwhile
	save := func(name, text string, flush bool) {
		f, err := os.Create(filepath.Join(at, name))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = f.Close() }()
		if _, err := f.WriteString(text); err != nil {
			t.Fatal(err)
		}
		if flush {
			if err := f.Sync(); err != nil {
				t.Fatal(err)
			}
		}
	}
	_, before, _ := d.counts()
	save("flushed", "stays", true)
	if _, after, _ := d.counts(); after == before {
		t.Fatal("no flush came to the platter")
	}
	save("cached", "goes", false)
	d.cut(1, 0)
	d.restore()
	if raw, err := os.ReadFile(filepath.Join(at, "flushed")); err != nil || string(raw) != "stays" {
		t.Errorf("what was flushed: %q %v", raw, err)
	}
	if raw, err := os.ReadFile(filepath.Join(at, "cached")); err == nil && string(raw) == "goes" {
		t.Error("what was not flushed has survived")
	}
	// A write of the file system itself that no flush has followed is lost, too.
	direct, err := os.OpenFile(filepath.Join(at, "flushed"), os.O_WRONLY|unix.O_DIRECT, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := direct.Write(aligned("new")); err != nil {
		t.Fatal(err)
	}
	_ = direct.Close()
	if _, _, cached := d.counts(); cached == 0 {
		t.Error("a write without a flush is not in the disk's cache")
	}
	d.cut(1, 0)
	d.restore()
	if raw, err := os.ReadFile(filepath.Join(at, "flushed")); err != nil || !strings.HasPrefix(string(raw), "stays") {
		t.Errorf("what was flushed before: %q %v", raw, err)
	}
}

// aligned is a block that may be written directly.
func aligned(text string) []byte {
	mem, err := unix.Mmap(-1, 0, blockSize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		panic(err)
	}
	copy(mem, text)
	return mem
}
