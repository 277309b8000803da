package local

import (
	"sync"

	"signalbox/engine/task"
	"signalbox/engine/worker"
)

// queue holds tasks by priority, first come first served within one.
type queue struct {
	mu    sync.Mutex
	lanes [task.Low + 1]lane
	desks map[*worker.Desk]chan struct{} // and what wakes whoever serves them

	paused bool // nothing is handed out
}

// lane is a list that gives memory back as it empties.
type lane struct {
	jobs []*job
	head int
}

// listen returns a channel that says when something was pushed that has to wait.
func (q *queue) listen(d *worker.Desk) chan struct{} {
	q.mu.Lock()
	defer q.mu.Unlock()
	wake := make(chan struct{}, 1)
	q.desks[d] = wake
	return wake
}

func (q *queue) leave(d *worker.Desk) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.desks, d)
}

func (q *queue) push(j *job) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.paused && q.empty() {
		for d := range q.desks {
			if !d.Demanded() && d.Take() {
				d.Begin(j)
				return
			}
		}
	}
	l := &q.lanes[min(max(j.task.Priority, task.Critical), task.Low)]
	l.jobs = append(l.jobs, j)
	q.wake()
}

func (q *queue) empty() bool {
	for i := range q.lanes {
		if l := &q.lanes[i]; l.head < len(l.jobs) {
			return false
		}
	}
	return true
}

// wake tells all desks to look; the lock is held.
func (q *queue) wake() {
	for _, wake := range q.desks {
		select {
		case wake <- struct{}{}:
		default:
		}
	}
}

// serve begins one job; false: there is no slot, or nothing that waits.
func (q *queue) serve(d *worker.Desk) bool {
	if !d.Take() {
		d.Await(true)
		if !d.Take() { // nothing became free in between
			return false
		}
	}
	j := q.pop()
	if j == nil {
		d.Leave()
		return false
	}
	d.Begin(j)
	return true
}

// pop takes the most urgent task that is still wanted; nil: none waits.
func (q *queue) pop() *job {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.paused {
		return nil
	}
	for i := range q.lanes {
		for l := &q.lanes[i]; l.head < len(l.jobs); {
			j := l.jobs[l.head]
			l.jobs[l.head] = nil
			l.head++
			if l.head == len(l.jobs) {
				l.jobs, l.head = l.jobs[:0], 0
			}
			if !j.gone.Load() {
				return j
			}
		}
	}
	return nil
}
