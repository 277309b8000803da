// Package reference is a second reading of docs/semantics.md: an interpreter
// that takes the drawing as it is and works everything out anew at each step,
// by walking over nodes and edges. It is slow and has no caches, so that a
// reader can hold it against the page line by line. It shares no code with
// packages compile and machine; the tests play both against each other.
//
// Nothing outside is called: what a task gives, and when, comes from a pure
// function (Outcomes), and time is simulated.
//
// # Order
//
// Things happen one at a time, the earliest first. At one moment timers (waits,
// retries, deadlines) come before results of tasks, and all timers that are due
// are one thing: that time has passed. Results come one by one, what was handed
// out first first. After each, everything that can start does (settle.go): the
// node with the oldest token first; tokens of one step are equally old, and
// then the edge decides, by the key of its source, its port and the key of its
// target. Entry nodes of a scope go by their keys. Scopes settle one after the
// other, in the order in which they opened.
package reference
