package app

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// family lists this process and all that it started: PostgreSQL and its
// backends.
func family() []int {
	parent := map[int]int{}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return []int{os.Getpid()}
	}
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil {
			if f := stat(pid); len(f) > 1 {
				parent[pid], _ = strconv.Atoi(f[1])
			}
		}
	}
	var list []int
	for pid := range parent {
		for p := pid; p > 1; p = parent[p] {
			if p == os.Getpid() {
				list = append(list, pid)
				break
			}
		}
	}
	return list
}

// stat returns the fields of /proc/PID/stat behind the name.
func stat(pid int) []string {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return nil
	}
	_, rest, _ := strings.Cut(string(b), ") ")
	return strings.Fields(rest)
}

// cpuSeconds is what the family has used, children that ended included.
func cpuSeconds() float64 {
	const ticks = 100 // a second, on every Linux
	var own syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &own) != nil {
		return 0
	}
	sum := time.Duration(own.Utime.Nano() + own.Stime.Nano()).Seconds()
	for _, pid := range family() {
		f := stat(pid)
		if pid == os.Getpid() || len(f) < 15 {
			continue
		}
		for i := 11; i < 15; i++ { // user, system, and both of ended children
			v, _ := strconv.ParseFloat(f[i], 64)
			sum += v / ticks
		}
	}
	return sum
}

// memory is the family's proportional set size in MB.
func memory() float64 {
	var sum float64
	for _, pid := range family() {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
		if err != nil {
			continue
		}
		for line := range strings.SplitSeq(string(b), "\n") {
			if strings.HasPrefix(line, "Pss:") {
				kb, _ := strconv.ParseFloat(strings.Fields(line)[1], 64)
				sum += kb / 1024
			}
		}
	}
	return sum
}
