//go:build mutant

package mutant

var planted Bug

// Plant plants a bug and digs out the one before.
func Plant(b Bug) { planted = b }

// On reports whether a bug is planted.
func On(b Bug) bool { return planted == b }
