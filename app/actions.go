package app

import (
	"fmt"

	"signalbox/engine/gallery"
	"signalbox/engine/guard"
	"signalbox/engine/worker"
	"signalbox/engine/worker/action"
)

// actions are what workers can do, by kind. origin, when set, is where our own
// server listens on this machine: its demo endpoint is what templates call by
// the name gallery.Here. With traced, requests say in which trace they are made.
func actions(origin string, traced bool) (map[string]worker.Action, error) {
	var own []guard.Exception
	if origin != "" {
		own = []guard.Exception{{Origin: origin, Path: "/demo/", Name: gallery.Here}}
	}
	client, err := guard.New(guard.Config{Exceptions: own})
	if err != nil {
		return nil, fmt.Errorf("set up the guard: %w", err)
	}
	web := action.NewHTTP(client)
	if traced {
		web = web.Traced()
	}
	return map[string]worker.Action{"mock": action.Mock{}, "http": web, "llm": action.NewLLM(client)}, nil
}
