package app

import (
	"signalbox/engine/worker"
	"signalbox/engine/worker/action"
)

// actions are what workers can do, by kind. origin, when set, is our own
// server, whose demo endpoint HTTP calls may reach although it is on this
// machine.
func actions(origin string) (map[string]worker.Action, error) {
	return map[string]worker.Action{"mock": action.Mock{}}, nil
}
