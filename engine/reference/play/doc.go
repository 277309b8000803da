// Package play draws random workflows, makes machines of them and reads the
// logs of runs as reports of package reference. Only tests use it: those of the
// reference, and the simulation.
package play

// Judge hears what a log contradicts. A testing.TB is one; Fatalf must not
// return.
type Judge interface {
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}
