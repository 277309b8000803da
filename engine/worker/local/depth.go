package local

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
