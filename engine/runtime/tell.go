package runtime

import (
	"context"

	"github.com/google/uuid"

	"signalbox/engine/machine"
	"signalbox/engine/problem"
)

// Tell hands an input from outside to a run: a signal, a decision, a pause. It
// returns after the commit, and whether the input changed anything; what comes
// twice, or too late, does not.
func (e *Engine) Tell(ctx context.Context, workspace string, run uuid.UUID, in machine.Input) (bool, error) {
	j := &job{run: run, workspace: workspace, input: in, reply: make(chan reply, 1)}
	r, err := e.submit(ctx, j)
	if err == nil && !r.changed && r.doubt {
		err = problem.New(problem.Unavailable, "The server that did the work ended meanwhile; perhaps this was done before. Look at the run, then ask again.")
	}
	return r.changed, err
}
