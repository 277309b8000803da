//go:build !linux

package app

import (
	"syscall"
	"time"
)

// cpuSeconds is what this process has used; PostgreSQL is left out where there
// is no /proc.
func cpuSeconds() float64 {
	var own syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &own) != nil {
		return 0
	}
	return time.Duration(own.Utime.Nano() + own.Stime.Nano()).Seconds()
}

// memory is not measured where there is no /proc.
func memory() float64 { return 0 }
