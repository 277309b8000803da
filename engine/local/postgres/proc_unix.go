//go:build unix

package postgres

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"log/slog"
	"os"
	"os/user"
	"path/filepath"
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
		// initdb needs a passwd entry for its uid (docker run --user 12345 has none)
		if _, err := user.LookupId(strconv.Itoa(os.Geteuid())); err != nil {
			if usernsWorks() {
				return &runner{mode: "userns"}, nil
			}
			return nil, fmt.Errorf("PostgreSQL needs user id %d to have an entry in /etc/passwd", os.Geteuid())
		}
		return &runner{}, nil
	}
	r := &runner{}
	// a data directory that exists keeps its owner
	if fi, err := os.Stat(filepath.Join(dir, "data")); err == nil {
		if st := fi.Sys().(*syscall.Stat_t); st.Uid != 0 {
			r.mode, r.uid, r.gid = "cred", int(st.Uid), int(st.Gid)
			r.name = strconv.Itoa(r.uid)
		} else {
			r.mode = "userns"
		}
	}
	if r.mode == "" || (r.mode == "cred" && r.uid == 0) {
		for _, n := range []string{"postgres", "nobody"} {
			if u, err := user.Lookup(n); err == nil {
				r.mode, r.name = "cred", n
				r.uid, _ = strconv.Atoi(u.Uid)
				r.gid, _ = strconv.Atoi(u.Gid)
				break
			}
		}
	}
	if r.mode == "cred" {
		if bad := blocked(dir, r.uid, r.gid); bad != "" {
			if usernsWorks() {
				r.mode = "userns"
			} else {
				return nil, fmt.Errorf("running as root: PostgreSQL must run as user %q, but that user cannot enter %s; choose a data directory outside it", r.name, bad)
			}
		} else if bad := blocked(bin, r.uid, r.gid); bad != "" {
			if usernsWorks() {
				r.mode = "userns"
			} else {
				return nil, fmt.Errorf("running as root: PostgreSQL must run as user %q, but that user cannot enter %s (binaries)", r.name, bad)
			}
		}
	}
	return r, nil
}

// blocked returns the first ancestor that uid cannot traverse.
func blocked(p string, uid, gid int) string {
	for d := p; ; d = filepath.Dir(d) {
		fi, err := os.Stat(d)
		if err == nil {
			st := fi.Sys().(*syscall.Stat_t)
			m := fi.Mode().Perm()
			ok := m&0o001 != 0
			if int(st.Uid) == uid {
				ok = m&0o100 != 0
			} else if int(st.Gid) == gid {
				ok = m&0o010 != 0
			}
			if !ok {
				return d
			}
		}
		if d == filepath.Dir(d) {
			return ""
		}
	}
}

func (r *runner) mkdir(p string) error {
	if err := os.Mkdir(p, 0o700); err != nil {
		return err
	}
	if r.mode == "cred" {
		return os.Chown(p, r.uid, r.gid)
	}
	return nil
}

func (r *runner) socketDir(root string) (string, error) {
	d := filepath.Join(root, "sock")
	max := 103 // macOS sun_path is 104 with the NUL, Linux 108
	if len(d)+len("/.s.PGSQL.5432.lock") > max {
		h := fnv.New64a()
		io.WriteString(h, root)
		d = filepath.Join("/tmp", fmt.Sprintf("signalbox-%d-%x", os.Geteuid(), h.Sum64()))
	}
	if err := os.Mkdir(d, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return "", err
	}
	fi, err := os.Lstat(d)
	if err != nil {
		return "", err
	}
	st := fi.Sys().(*syscall.Stat_t)
	if !fi.IsDir() || (int(st.Uid) != os.Geteuid() && !(r.mode == "cred" && int(st.Uid) == r.uid)) {
		return "", fmt.Errorf("socket directory %s is not ours", d)
	}
	if r.mode == "cred" {
		if err := os.Chown(d, r.uid, r.gid); err != nil {
			return "", err
		}
	}
	return d, os.Chmod(d, 0o700)
}

type flock struct{ f *os.File }

func (l flock) Close() error { return l.f.Close() }
func lockFile(p string) (io.Closer, error) {
	f, err := os.OpenFile(p, os.O_RDWR|os.O_CREATE, 0o600) // Go opens O_CLOEXEC: children do not keep the lock
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		b := make([]byte, 32)
		n, _ := f.Read(b)
		f.Close()
		if errors.Is(err, unix.EWOULDBLOCK) {
			return nil, fmt.Errorf("%w (pid %s)", ErrInUse, strings.TrimSpace(string(b[:n])))
		}
		return nil, err
	}
	f.Truncate(0)
	f.WriteAt([]byte(strconv.Itoa(os.Getpid())), 0)
	return flock{f}, nil
}

func fastShutdown(p *os.Process) error { return p.Signal(syscall.SIGINT) }

// stopOrphan stops whatever a dead parent left running in data. The caller holds
// the lock, so nothing that still runs there has a living owner.
func stopOrphan(data string, log *slog.Logger) (bool, error) {
	pidFile := filepath.Join(data, "postmaster.pid")
	b, err := os.ReadFile(pidFile)
	if err != nil {
		return false, nil
	}
	first, _, _ := strings.Cut(string(b), "\n")
	pid, _ := strconv.Atoi(strings.TrimSpace(first))
	stopped := false
	for i, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGQUIT, syscall.SIGKILL} {
		pids := postgresIn(data, pid)
		if len(pids) == 0 {
			break
		}
		if !stopped {
			log.Warn("stopping a PostgreSQL left over from a crashed run", "pids", pids)
		}
		stopped = true
		for _, p := range pids {
			if p == pid || i > 0 {
				_ = syscall.Kill(p, sig)
			}
		}
		for deadline := time.Now().Add([]time.Duration{10, 5, 5}[i] * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
			if len(postgresIn(data, pid)) == 0 {
				break
			}
		}
	}
	if p := postgresIn(data, pid); len(p) > 0 {
		return stopped, fmt.Errorf("PostgreSQL processes %v still use %s and do not stop", p, data)
	}
	// Nothing runs there, so the pid file is stale even if its number is alive
	// (a zombie, or reused by another program): PostgreSQL itself would refuse.
	if err := os.Remove(pidFile); err != nil && !errors.Is(err, os.ErrNotExist) {
		return stopped, err
	}
	return stopped, nil
}
