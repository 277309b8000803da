package remote

import (
	"context"
	"encoding/json"

	"signalbox/engine/worker"
)

// StepKinds are the program's own steps that workers at a location can do. A
// credential's secret does not go with them, only its name.
func StepKinds() []string { return []string{"http", "llm", "mock"} }

// step hands a step of the program's own to a worker at the location whose
// queue it came from, as one of a kind that workers know.
type step struct {
	office *Office
	kind   string
}

// actions are what the office has done by others, by kind. The request of a
// callback is one like others, in which we write the address: what it is made
// from stays here.
func actions(o *Office) map[string]worker.Action {
	list := map[string]worker.Action{kind: o}
	for _, name := range StepKinds() {
		list[name] = step{o, name}
	}
	if o.cfg.Callback != nil {
		list["callback"] = o.cfg.Callback(step{o, "http"})
	}
	return list
}

// Do implements worker.Action.
func (s step) Do(ctx context.Context, call worker.Call) (json.RawMessage, error) {
	return s.office.lend(ctx, &call, config{Type: s.kind, Input: call.Config, kind: s.kind}, nil)
}
