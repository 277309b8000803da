package remote

import (
	"context"
	"time"
)

// noticesKept is how many leases one worker has yet to hear about.
const noticesKept = 1_000

// notice is what a worker has yet to hear. The office's lock guards it.
type notice struct {
	canceled []string
	came     chan struct{}
}

// notify keeps a notice for a worker. The lock is held.
func (o *Office) notify(w workerKey, lease string) {
	n := o.noticeOf(w)
	if len(n.canceled) < noticesKept {
		n.canceled = append(n.canceled, lease)
	}
	select {
	case n.came <- struct{}{}:
	default:
	}
}

func (o *Office) noticeOf(w workerKey) *notice {
	n := o.notices[w]
	if n == nil {
		if len(o.notices) >= workersKept { // a heartbeat says it too
			clear(o.notices)
		}
		n = &notice{came: make(chan struct{}, 1)}
		o.notices[w] = n
	}
	return n
}

// notified tells a worker which of its leases are canceled, or waits for the
// first.
func (o *Office) notified(ctx context.Context, c Caller, r Request) (Notices, error) {
	if _, err := o.presence(c, Request{Worker: r.Worker}); err != nil {
		return Notices{}, err
	}
	limit := time.NewTimer(min(duration(r.WaitSeconds), takeTick)) //nolint:forbidigo // a time limit
	defer limit.Stop()
	for {
		o.mu.Lock()
		n := o.noticeOf(workerKey{c.Workspace, r.Worker})
		list := n.canceled
		n.canceled = nil
		o.mu.Unlock()
		if len(list) > 0 {
			return Notices{Canceled: list}, nil
		}
		select {
		case <-n.came:
		case <-limit.C:
			return Notices{Canceled: []string{}}, nil
		case <-ctx.Done():
			return Notices{Canceled: []string{}}, nil
		case <-o.closed:
			return Notices{}, errStopping()
		}
	}
}
