package nats

import (
	"strings"
	"sync"
	"time"
)

// How settled tasks are told.
const (
	settleWait = 20 * time.Millisecond
	settleMax  = 128 // tasks named in one message
)

// bills says which tasks are settled: to the stream, which forgets them, and in
// one message for many to the worker, which then need not send its results to
// a new owner of the shard.
//
// The last task stays in the stream a little longer: a server gives up the
// file of a stream that has become empty and makes another one for the next
// message, which would cost a run that is alone more than the message itself.
type bills struct {
	conn *Conn

	mu    sync.Mutex
	last  string            // acknowledgement subject of the task that stays
	told  map[string][]byte // numbers of tasks, by the worker's inbox
	n     int
	armed bool
	clock *time.Timer
}

func newBills(conn *Conn) *bills {
	b := &bills{conn: conn, told: map[string][]byte{}}
	b.clock = time.AfterFunc(time.Hour, b.flush) //nolint:forbidigo // a delay, not a decision
	return b
}

// settle takes a task's acknowledgement subject and the subject on which its
// worker wants to hear of it. A result that changed nothing is named with a
// mark first.
func (b *bills) settle(ack, told string, used bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.conn.send(b.last, ackDone)
	b.last = ack
	if i := strings.LastIndexByte(told, '.'); i > 0 {
		if !used {
			b.told[told[:i+1]] = append(append(b.told[told[:i+1]], told[i+1:]...), unusedMark...)
		}
		b.told[told[:i+1]] = append(append(b.told[told[:i+1]], told[i+1:]...), ' ')
		b.n++
	}
	if b.n >= settleMax {
		b.tell()
	}
	if !b.armed {
		b.armed = true
		b.clock.Reset(settleWait)
	}
}

// tell names the settled tasks to their workers.
func (b *bills) tell() {
	for inbox, numbers := range b.told {
		b.conn.send(inbox+settledToken, numbers)
		delete(b.told, inbox)
	}
	b.n = 0
}

// flush says everything.
func (b *bills) flush() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.conn.send(b.last, ackDone)
	b.last, b.armed = "", false
	b.tell()
}

// unusedMark is behind the number of a task whose result changed nothing.
const unusedMark = "- "

// settledToken ends the subject on which a worker hears of settled tasks.
const settledToken = "settled"
