//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package worker

import (
	"os"
	"syscall"
)

// tryLock takes a lock that ends with the process.
func tryLock(f *os.File) bool {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}

// unlock frees it also where a child that is just being started has the file
// open.
func unlock(f *os.File) { _ = syscall.Flock(int(f.Fd()), syscall.LOCK_UN) } // closing it does, too
