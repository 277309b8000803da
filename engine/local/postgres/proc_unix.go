//go:build unix

package postgres

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"log/slog"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// runner is as whom the server runs: PostgreSQL refuses root.
type runner struct {
	mode     string // "", "cred", "userns"
	uid, gid int
	name     string
}

// newRunner finds a user, or a user namespace, for a server whose parent is root.
func newRunner(dir, bin string) (*runner, error) {
	if os.Geteuid() != 0 {
		return unprivileged()
	}
	r := &runner{}
	// A data directory that exists keeps its owner.
	if fi, err := os.Stat(filepath.Join(dir, "data")); err == nil {
		r.mode = "userns"
		if uid, gid := owner(fi); uid != 0 {
			r.mode, r.uid, r.gid, r.name = "cred", uid, gid, strconv.Itoa(uid)
		}
	}
	for _, n := range []string{"postgres", "nobody"} {
		if r.mode != "" {
			break
		}
		if u, err := user.Lookup(n); err == nil {
			r.mode, r.name = "cred", n
			r.uid, _ = strconv.Atoi(u.Uid)
			r.gid, _ = strconv.Atoi(u.Gid)
		}
	}
	if r.mode != "cred" {
		return r, nil
	}
	bad := blocked(dir, r.uid, r.gid)
	if bad == "" {
		bad = blocked(bin, r.uid, r.gid)
	}
	if bad == "" {
		return r, nil
	}
	if !usernsWorks() {
		return nil, fmt.Errorf("running as root: PostgreSQL must run as user %q, but that user cannot enter %s; choose a data directory, or binaries, outside it", r.name, bad)
	}
	r.mode = "userns"
	return r, nil
}

// unprivileged is the runner of a parent that is not root. initdb needs an
// entry for its user in /etc/passwd, which a container's user may lack.
func unprivileged() (*runner, error) {
	if _, err := user.LookupId(strconv.Itoa(os.Geteuid())); err == nil {
		return &runner{}, nil
	}
	if usernsWorks() {
		return &runner{mode: "userns"}, nil
	}
	return nil, fmt.Errorf("PostgreSQL needs user id %d to have an entry in /etc/passwd", os.Geteuid())
}

// owner of a file.
func owner(fi os.FileInfo) (uid, gid int) {
	st := fi.Sys().(*syscall.Stat_t) //nolint:forcetypeassert // what unix systems give
	return int(st.Uid), int(st.Gid)
}

// blocked returns the first ancestor that a user cannot traverse.
func blocked(p string, uid, gid int) string {
	for d := p; ; d = filepath.Dir(d) {
		if fi, err := os.Stat(d); err == nil && !enters(fi, uid, gid) {
			return d
		}
		if d == filepath.Dir(d) {
			return ""
		}
	}
}

func enters(fi os.FileInfo, uid, gid int) bool {
	m := fi.Mode().Perm()
	switch u, g := owner(fi); {
	case u == uid:
		return m&0o100 != 0
	case g == gid:
		return m&0o010 != 0
	default:
		return m&0o001 != 0
	}
}

func (r *runner) mkdir(p string) error {
	if err := os.Mkdir(p, 0o700); err != nil {
		return fmt.Errorf("make a directory: %w", err)
	}
	return r.own(p)
}

// own gives a path to the server's user.
func (r *runner) own(p string) error {
	if r.mode != "cred" {
		return nil
	}
	if err := os.Chown(p, r.uid, r.gid); err != nil {
		return fmt.Errorf("give a directory to the database's user: %w", err)
	}
	return nil
}

// socketMax is the longest path of a socket: 104 bytes with the NUL on macOS,
// 108 on Linux.
const socketMax = 103

// socketDir makes the directory of the socket, which only the server's user
// may enter: in the root, or in /tmp when that path is too long.
func (r *runner) socketDir(root string) (string, error) {
	d := filepath.Join(root, "sock")
	if len(d)+len("/.s.PGSQL.5432.lock") > socketMax {
		h := fnv.New64a()
		_, _ = h.Write([]byte(root))
		d = filepath.Join("/tmp", fmt.Sprintf("signalbox-%d-%x", os.Geteuid(), h.Sum64()))
	}
	if err := os.Mkdir(d, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return "", fmt.Errorf("make the socket's directory: %w", err)
	}
	fi, err := os.Lstat(d)
	if err != nil {
		return "", fmt.Errorf("look at the socket's directory: %w", err)
	}
	uid, _ := owner(fi)
	if !fi.IsDir() || uid != os.Geteuid() && (r.mode != "cred" || uid != r.uid) {
		return "", fmt.Errorf("socket directory %s is not ours", d)
	}
	if err := r.own(d); err != nil {
		return "", err
	}
	if err := os.Chmod(d, 0o700); err != nil { //nolint:gosec // a directory needs the x
		return "", fmt.Errorf("close the socket's directory: %w", err)
	}
	return d, nil
}

// lockFile takes the lock of a directory. The system gives it up when the
// process ends, however it ends; children do not inherit it.
func lockFile(p string) (io.Closer, error) {
	f, err := os.OpenFile(p, os.O_RDWR|os.O_CREATE, 0o600) //nolint:gosec // the operator chooses the path
	if err != nil {
		return nil, fmt.Errorf("open the lock: %w", err)
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		b := make([]byte, 32)
		n, _ := f.Read(b)
		_ = f.Close()
		if errors.Is(err, unix.EWOULDBLOCK) {
			return nil, fmt.Errorf("%w (pid %s)", ErrInUse, strings.TrimSpace(string(b[:n])))
		}
		return nil, fmt.Errorf("take the lock: %w", err)
	}
	// The number is for people: losing it costs nothing.
	_ = f.Truncate(0)
	_, _ = f.WriteAt([]byte(strconv.Itoa(os.Getpid())), 0)
	return dirLock{f}, nil
}

// dirLock is a held lock. A child that is just being started has the file open
// until it has become another program, so closing alone would not free it.
type dirLock struct{ *os.File }

// Close implements io.Closer.
func (l dirLock) Close() error {
	return errors.Join(unix.Flock(int(l.Fd()), unix.LOCK_UN), l.File.Close())
}

func fastShutdown(p *os.Process) error {
	return p.Signal(syscall.SIGINT) //nolint:wrapcheck // the caller waits for the end, whatever this says
}

// stopOrphan stops whatever a dead parent left running in data. The caller holds
// the lock, so nothing that still runs there has a living owner.
func stopOrphan(ctx context.Context, data string, log *slog.Logger) error {
	pidFile := filepath.Join(data, "postmaster.pid")
	// Without a file there may still be backends of a server that was killed.
	b, _ := os.ReadFile(pidFile)
	first, _, _ := strings.Cut(string(b), "\n")
	pid, _ := strconv.Atoi(strings.TrimSpace(first))
	told := false
	for _, step := range []struct {
		sig    syscall.Signal
		within time.Duration
	}{{syscall.SIGINT, 10 * time.Second}, {syscall.SIGQUIT, 5 * time.Second}, {syscall.SIGKILL, 5 * time.Second}} {
		pids := postgresIn(data, pid)
		if len(pids) == 0 {
			break
		}
		polite := step.sig == syscall.SIGINT
		if polite && !slices.Contains(pids, pid) {
			continue // backends whose server was killed have nobody who ends them
		}
		if !told {
			told = true
			log.WarnContext(ctx, "stopping a PostgreSQL left over from a crashed run", "pids", pids)
		}
		for _, p := range pids {
			if p == pid || !polite {
				_ = syscall.Kill(p, step.sig)
			}
		}
		for deadline := time.Now().Add(step.within); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
			if len(postgresIn(data, pid)) == 0 {
				break
			}
		}
	}
	if p := postgresIn(data, pid); len(p) > 0 {
		return fmt.Errorf("PostgreSQL processes %v still use %s and do not stop", p, data)
	}
	// Nothing runs there, so the pid file is stale even if its number is alive
	// (a zombie, or reused by another program): PostgreSQL itself would refuse.
	if err := os.Remove(pidFile); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("remove the stale pid file: %w", err)
	}
	return nil
}
