package postgres

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// apply sets as whom and with whom a command runs.
func (r *runner) apply(c *exec.Cmd) {
	a := &syscall.SysProcAttr{Setpgid: true} // Ctrl-C must reach only us
	a.Pdeathsig = syscall.SIGINT             // a parent that is killed takes the server with it
	switch r.mode {
	case "cred":
		a.Credential = &syscall.Credential{Uid: uint32(r.uid), Gid: uint32(r.gid), NoSetGroups: false}
	case "userns":
		userNS(a)
	}
	c.SysProcAttr = a
}

// userNS runs a command in a user namespace, in which root looks like a user
// that has an entry in /etc/passwd.
func userNS(a *syscall.SysProcAttr) {
	const inside = 65534 // nobody
	a.Cloneflags |= syscall.CLONE_NEWUSER
	a.UidMappings = []syscall.SysProcIDMap{{ContainerID: inside, HostID: os.Geteuid(), Size: 1}}
	a.GidMappings = []syscall.SysProcIDMap{{ContainerID: inside, HostID: os.Getegid(), Size: 1}}
}

// usernsWorks tries whether this kernel lets us make a user namespace.
func usernsWorks() bool {
	c := exec.Command("/bin/true") //nolint:noctx // ends at once
	a := &syscall.SysProcAttr{}
	userNS(a)
	c.SysProcAttr = a
	return c.Run() == nil
}

// postgresIn lists the live processes that have data as their working directory:
// the postmaster and every backend (PostgreSQL does chdir(data)).
func postgresIn(data string, _ int) (out []int) {
	if r, err := filepath.EvalSymlinks(data); err == nil {
		data = r
	}
	es, _ := os.ReadDir("/proc")
	for _, e := range es {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if cwd, err := os.Readlink("/proc/" + e.Name() + "/cwd"); err != nil || cwd != data { // zombies have no cwd
			continue
		}
		// One that is about to end has no command line any more, and may still
		// hold the shared memory.
		if c, _ := os.ReadFile("/proc/" + e.Name() + "/cmdline"); len(c) > 0 && !strings.Contains(string(c), "postgres") {
			continue // a shell that was cd'ed there
		}
		out = append(out, pid)
	}
	return out
}
