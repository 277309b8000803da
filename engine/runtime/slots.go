package runtime

import (
	"context"
	"time"

	"signalbox/engine/queue"
	"signalbox/engine/route"
	"signalbox/engine/task"
)

// Slots are what attempts of limited queues and nodes have while they are with
// workers, over all processes. A turn that ends such an attempt gives them
// back (Turn.Freed).
type Slots interface {
	// Take grants each want, in order, or refuses it. A want that has its
	// slots already is granted again; one whose shard has another owner by now
	// is refused.
	Take(ctx context.Context, wants []Want) ([]Grant, error)
	// Free gives slots back outside of a turn. What has none is no error; what
	// belongs to a shard that has another owner by now is left to that one.
	Free(ctx context.Context, has []Want) error
	// Taken lists the slots of a shard's attempts.
	Taken(ctx context.Context, shard int) (map[task.ID][]string, error)
}

// Want asks for slots.
type Want struct {
	Shard int
	Epoch int64
	ID    task.ID
	Needs []queue.Need
}

// Grant is the answer.
type Grant struct {
	OK    bool
	Limit string    // that refuses; empty: the shard has another owner
	Until time.Time // when a refused rate has room again
}

// Queues says where tasks go and what holds them back. It is asked for every
// task: it must be quick.
type Queues interface {
	// Choose is the decision of the route tables.
	Choose(a route.Attributes) route.Decision
	// Settings of a queue; the zero value limits nothing.
	Settings(workspace, queue string) queue.Settings
	// Changed is closed when something has changed since.
	Changed() <-chan struct{}
}

// standard is the Queues of an engine that got none.
type standard struct{}

// Choose implements Queues.
func (standard) Choose(a route.Attributes) route.Decision { return route.Standard().Choose(a) }

// Settings implements Queues.
func (standard) Settings(string, string) queue.Settings { return queue.Settings{} }

// Changed implements Queues.
func (standard) Changed() <-chan struct{} { return nil }
