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
// goroutines still do; a freeze parks the calls until it thaws.
//
// # What is played
//
// Messages: tasks and results are lost, repeated and late. Store: commits and
// reads fail, or lie; clocks step; the channel is wiped. Crashes: before and
// after each commit, dispatch, acknowledgment and errand. Owners: one shard, two
// servers, one of which freezes for longer than its lease. Peers: two or three
// servers share up to four shards and ask each other (runtime.Peers); what they
// ask and answer is lost and late, though in order between two, and a run that another one started mostly
// lives on another shard than who started it. Families: runs start runs, and
// nothing breaks but people meddle.
//
// In all but the first, also in drawings that are made to start runs which live
// for a while, tasks of a drawing are other workflows, which call
// others in turn, and maps of more items than Config.Inside, one or two here and
// 10,000 in the program, do their items as runs. What the runtime asks of runs
// from beside its turns, for a call, an item or the end of one, passes
// Config.Errand, where it is late, parked or the last that its process does.
// People pause, resume, cancel and roll back runs that start others, and those
// that are started.
//
// Of such families it is checked from what is on disk alone, turn by turn: a run
// is started once for each call and item, and only when that is on disk; who
// waits goes on when what it waits for is over, once, with its result or its
// error; no more items go on at once than the map says; when nobody waits any
// more, what was started begins nothing new, and ends though nobody comes whom
// it waits for. Where order is no matter, the reference tells the same.
//
// Not played: sockets and pages, limits and pauses of queues, statecharts,
// callbacks, runs that begin as another one did, test runs with a rig, workers
// of one's own, several workspaces, lines between servers that fail for long,
// and maps that really have 10,000 items.
//
// # Why a seed repeats itself
//
// The scheduler does one thing, waits until nothing in the bubble can go on,
// looks at what came of it in a fixed order, and does the next. Its instants
// are odd nanoseconds and the engine's timers are whole microseconds, so that
// no two of them ever meet. What a call of a server is to suffer, and how long
// it takes, follows from its name and its instant: two goroutines that call at
// once have the same luck, whichever comes first, and come back at instants of
// their own. While a commit is held, either inputs come and no time passes, or
// time passes and no input comes: so a select of the engine never has two ways
// to go.
// What a process that died still calls comes to nothing, and nobody waits for it.
//
// Worlds share nothing, so several are played beside each other.
package sim
