//go:build unix && !linux

package postgres

import (
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

// apply sets as whom a command runs.
func (r *runner) apply(c *exec.Cmd) {
	a := &syscall.SysProcAttr{Setpgid: true}
	if r.mode == "cred" {
		a.Credential = &syscall.Credential{Uid: uint32(r.uid), Gid: uint32(r.gid)}
	}
	c.SysProcAttr = a
}

func usernsWorks() bool { return false }

// postgresIn asks ps whether the server that owns the data lives.
func postgresIn(data string, pid int) []int {
	if pid <= 1 {
		return nil
	}
	out, err := exec.Command("ps", "-o", "stat=,command=", "-p", strconv.Itoa(pid)).Output()
	if err == nil && !strings.HasPrefix(strings.TrimSpace(string(out)), "Z") && strings.Contains(string(out), "postgres") && strings.Contains(string(out), data) {
		return []int{pid}
	}
	return nil
}
