// Package worker does the work of attempts: it takes tasks from a source, the
// most urgent first, runs the action of their kind within its limits, and
// gives the result back.
//
// Rules:
//   - A task is taken only when there is a free slot for it.
//   - An attempt that runs out of time, panics or answers what nobody can
//     store ends as a failure with a class; it never takes the worker down.
//   - Secrets are joined at the last moment and are cut out of every output
//     and error before it leaves.
//   - A worker decides nothing about retries: that is the machine's.
//
// It never touches a run's state. Effects happen at least once: actions pass
// the task's idempotency key on, which is the same for every delivery.
package worker
