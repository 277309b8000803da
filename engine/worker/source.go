package worker

import (
	"context"
	"sync/atomic"

	"signalbox/engine/task"
)

// Source hands out tasks and takes results back. NATS and the local channel
// implement it.
type Source interface {
	// Queues reports every queue there is, and later ones as they appear,
	// until the context ends. The same queue may be reported twice.
	Queues(ctx context.Context, found func(queue string)) error
	// Serve gives the queue's tasks to the desk while it has free slots, the
	// most urgent first, until the context ends. Then it gives back what the
	// desk has not started.
	Serve(ctx context.Context, queue string, d *Desk) error
	// Canceled reports runs whose attempts are no longer wanted, until the
	// context ends.
	Canceled(ctx context.Context, notify func(workspace, run string)) error
	// Live publishes briefs that are not in the log. They may be lost.
	Live(workspace, run string, briefs []byte)
}

// Job is one delivered task. Exactly one of Finish, Return and Drop ends it.
type Job interface {
	Task() *task.Task
	// Extend says that the attempt is still at work.
	Extend()
	// Finish sends the result to the owner of the run's shard. settled, which
	// may be nil, is called once when the owner has it on disk, or, with false,
	// when the result changed nothing; never, when this process forgets the job
	// before.
	Finish(r *task.Result, settled func(used bool))
	// Return gives the task back, for another worker or a later time.
	Return()
	// Drop gives the task up: nobody wants it any more.
	Drop()
}

// Desk is the slots of one queue in this process.
type Desk struct {
	slots   atomic.Int32
	busy    atomic.Int32
	awaited atomic.Bool
	freed   chan struct{}
	start   func(*Desk, Job)
	demand  func() int // how many more jobs are wanted; nil: as many as there are free slots
}

// NewDesk makes a desk; start runs in a goroutine of its own for each job.
func NewDesk(slots int, start func(Job)) *Desk {
	return newDesk(slots, func(_ *Desk, j Job) { start(j) })
}

func newDesk(slots int, start func(*Desk, Job)) *Desk {
	d := &Desk{freed: make(chan struct{}, 1), start: start}
	d.Resize(slots)
	return d
}

// Slots is how many attempts may run at once.
func (d *Desk) Slots() int { return int(d.slots.Load()) }

// Busy is how many attempts run.
func (d *Desk) Busy() int { return int(d.busy.Load()) }

// Resize changes how many attempts may run at once. Those that run go on, also
// when there are more of them.
func (d *Desk) Resize(slots int) {
	d.slots.Store(int32(max(1, min(slots, SlotsMax)))) //nolint:gosec // bounded
	d.Wake()
}

// Free is how many more attempts may start now.
func (d *Desk) Free() int {
	free := d.Slots() - d.Busy()
	if d.demand != nil {
		free = min(free, d.demand())
	}
	return free
}

// Take reserves a slot for Begin; false: none is free.
func (d *Desk) Take() bool {
	if d.demand != nil && d.demand() <= 0 {
		return false
	}
	for {
		busy := d.busy.Load()
		if busy >= d.slots.Load() {
			return false
		}
		if d.busy.CompareAndSwap(busy, busy+1) {
			return true
		}
	}
}

// Leave gives a slot back that was taken for nothing.
func (d *Desk) Leave() { d.busy.Add(-1) }

// Demanded reports whether Free asks how much is wanted, which may take locks.
func (d *Desk) Demanded() bool { return d.demand != nil }

// Await says whether a slot that becomes free is waited for. Without it a wake
// would be for nothing: it costs as much as a small attempt.
func (d *Desk) Await(slot bool) { d.awaited.Store(slot) }

// Wake says that Free may have grown.
func (d *Desk) Wake() {
	select {
	case d.freed <- struct{}{}:
	default:
	}
}

// Freed says that a slot that was waited for was given back since the last
// time, or that there are more.
func (d *Desk) Freed() <-chan struct{} { return d.freed }

// Start begins a job in a free slot. Only one goroutine may do so with a desk,
// and only while Free is above zero.
func (d *Desk) Start(j Job) {
	d.busy.Add(1)
	d.Begin(j)
}

// Begin begins a job in a slot that was taken.
func (d *Desk) Begin(j Job) {
	go func() {
		defer d.free()
		d.start(d, j)
	}()
}

func (d *Desk) free() {
	d.busy.Add(-1)
	if d.awaited.Load() {
		d.Wake()
	}
}
