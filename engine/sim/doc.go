// Package sim is a world under one seed: one scheduler owns the clock, the
// store, the channel and the workers, and lets the real engine run in it.
// Only tests use it.
//
// # What is real
//
// Package runtime as it is, with its loop, its turns, its pipelined commits,
// its dispatcher, its leases and its recovery; package machine; the store of
// package mem, which passes the conformance suite of PostgreSQL's; the rules of
// package invariant. They run in a bubble of testing/synctest: time passes only
// when everything waits, and nothing waits for a real clock.
//
// # What is modeled
//
// The channel and the workers are a table of messages that keeps the promises
// of runtime.Channel and no others: it may lose, repeat, delay and reorder.
// What a task gives is a pure function of its place (package play). A crash
// makes every call of a server fail from one instant on, whatever its
// goroutines still do; a freeze parks the calls until it thaws. There are no
// sockets, no peers and no calls of other workflows here.
//
// # Why a seed repeats itself
//
// The scheduler does one thing, waits until nothing in the bubble can go on,
// looks at what came of it in a fixed order, and does the next. Its instants
// are odd nanoseconds and the engine's timers are whole microseconds, so that
// no two of them ever meet. What a call of a server is to suffer is drawn from
// a stream of that kind of call. While a commit is held, either inputs come and
// no time passes, or time passes and no input comes: so a select of the engine
// never has two ways to go.
// What a process that died still calls comes to nothing, and nobody waits for it.
//
// Worlds share nothing, so several are played beside each other.
package sim
