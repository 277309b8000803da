package local

import "time"

// Oldest is how long the task of each queue has waited that waits longest.
func (c *Channel) Oldest(now time.Time) map[string]time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := map[string]time.Duration{}
	for name, q := range c.queues {
		if came := q.oldest(); !came.IsZero() {
			out[name] = max(0, now.Sub(came))
		}
	}
	return out
}

func (q *queue) oldest() (came time.Time) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i := range q.lanes {
		for _, j := range q.lanes[i].jobs[q.lanes[i].head:] {
			if !j.gone.Load() && (came.IsZero() || j.came.Before(came)) {
				came = j.came
			}
		}
	}
	return came
}

// Depth is what a queue holds: tasks that wait, and tasks at work.
func (c *Channel) Depth() (waiting, running map[string]int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	waiting, running = map[string]int{}, map[string]int{}
	for name, q := range c.queues {
		waiting[name] = q.waiting()
		running[name] = 0
	}
	for _, j := range c.held {
		running[j.task.Queue]++
	}
	for name, n := range waiting {
		running[name] = max(0, running[name]-n)
	}
	return waiting, running
}

func (q *queue) waiting() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := 0
	for i := range q.lanes {
		for _, j := range q.lanes[i].jobs[q.lanes[i].head:] {
			if !j.gone.Load() {
				n++
			}
		}
	}
	return n
}
