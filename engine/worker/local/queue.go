package local

import (
	"sync"

	"signalbox/engine/task"
)

// queue holds tasks by priority, first come first served within one.
type queue struct {
	mu    sync.Mutex
	lanes [task.Low + 1]lane
	wakes map[chan struct{}]bool // one for each desk

	paused bool // nothing is handed out
}

// lane is a list that gives memory back as it empties.
type lane struct {
	jobs []*job
	head int
}

// listen returns a channel that says when something was pushed.
func (q *queue) listen() chan struct{} {
	q.mu.Lock()
	defer q.mu.Unlock()
	wake := make(chan struct{}, 1)
	q.wakes[wake] = true
	return wake
}

func (q *queue) leave(wake chan struct{}) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.wakes, wake)
}

func (q *queue) push(j *job) {
	q.mu.Lock()
	defer q.mu.Unlock()
	l := &q.lanes[min(max(j.task.Priority, task.Critical), task.Low)]
	l.jobs = append(l.jobs, j)
	q.wake()
}

// wake tells all desks to look; the lock is held.
func (q *queue) wake() {
	for wake := range q.wakes {
		select {
		case wake <- struct{}{}:
		default:
		}
	}
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
