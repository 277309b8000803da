// Package remote is where workers of one's own, in other processes and
// languages, take external tasks and bring their results.
//
// The Office is one worker pool beside the program's own. Its only action hands
// a task to whoever asks for its type and waits for that worker's word. So a
// task that a stranger does takes the same way as every other: the same
// limits of time, the same cutting out of secrets, the same result path, the
// same delivery at least once.
//
// A task is taken from the channel only while a worker asks for its type: what
// nobody asks for waits where it is kept. A worker holds a task by a lease, a
// random name that it was told; a lease whose worker is silent ends, and the
// task goes to another.
//
// Transports (HTTP in package server, NATS in engine/nats) carry questions in
// and answers out. They say who asks, and nothing in a question can say it.
package remote
