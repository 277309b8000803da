// Package worker lets a program of yours do external tasks of Signalbox
// workflows.
//
// Make a Worker, say which task types it does and with which function, and run
// it: it announces the types, takes tasks while it has free slots, says that
// they are at work, hands results in, and hears when a task is canceled. A task
// can be delivered twice; its Key is the same then, so that an effect can be
// made once.
//
// The package needs nothing but the standard library. The protocol behind it is
// in docs/workers.md.
package worker
