package runtime

import (
	"context"

	"signalbox/engine/route"
)

// Pauser is a Channel that can hold back what it has already. A queue there is
// that of all workspaces that use its name.
type Pauser interface {
	// PauseQueue holds a queue back, or lets it go on. Asking twice changes
	// nothing.
	PauseQueue(ctx context.Context, queue string, paused bool) error
}

// holds keeps the channel's queues as the settings want them. A queue that
// workspaces share is held back when all of them want it; else only what has
// not gone out yet waits, in the gate.
func (g *gate) holds(ctx context.Context) {
	p, ok := g.cfg.Channel.(Pauser)
	if !ok {
		return
	}
	g.mu.Lock()
	if g.anew {
		g.anew = false
		clear(g.held)
	}
	want := map[string]bool{}
	for _, l := range g.g.Look() {
		name := route.In(l.Workspace, l.Queue)
		paused := g.cfg.Queues.Settings(l.Workspace, l.Queue).Paused
		was, seen := want[name]
		want[name] = paused && (was || !seen)
	}
	g.mu.Unlock()
	for name, paused := range want {
		if is, known := g.held[name]; known && is == paused || !known && !paused && !g.stale {
			continue
		}
		if err := p.PauseQueue(ctx, name, paused); err != nil {
			g.cfg.Log.WarnContext(ctx, "a queue is not paused or resumed yet", "queue", name, "paused", paused, "err", err)
			continue
		}
		g.held[name] = paused
	}
}
