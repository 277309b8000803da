package app

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"path/filepath"
	"strings"
	"time"

	"signalbox/engine/gallery"
	"signalbox/engine/guard"
	"signalbox/engine/vault"
	"signalbox/engine/worker"
	"signalbox/engine/worker/action"
	"signalbox/engine/worker/witness"
)

// actions are what workers can do, by kind. origin, when set, is where our own
// server listens on this machine: its demo endpoint is what templates call by
// the name gallery.Here. With traced, requests say in which trace they are made.
// address makes the one-time address of a wait; nil: nobody is reached here.
func actions(origin string, traced bool, address func(vault.Wait) string) (map[string]worker.Action, error) {
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
	return map[string]worker.Action{
		"mock": action.Mock{}, "http": web, "llm": action.NewLLM(client), "callback": action.Callback{HTTP: web, Address: address},
	}, nil
}

// actions are what the workers of a process with these settings can do.
func (c *Config) actions(origin string, address func(vault.Wait) string) (map[string]worker.Action, error) {
	list, err := actions(origin, c.OTLPEndpoint != "", address)
	maps.Copy(list, c.instead)
	return list, err
}

// openWitness opens the memory of what this process was at work on when it died.
// A directory that cannot be written, as of a worker that keeps nothing, is no
// reason not to work.
func openWitness(ctx context.Context, cfg Config, log *slog.Logger) *witness.Journal {
	j, err := witness.Open(filepath.Join(cfg.Data, "witness"), time.Now)
	if err != nil {
		log.WarnContext(ctx, "what this process dies of is not remembered: a step that kills it would be run again and again", "err", err)
		return nil
	}
	return j
}

// addresses makes the one-time addresses of waits for callbacks.
func addresses(origin string, v *vault.Vault) func(vault.Wait) string {
	if origin == "" {
		return nil
	}
	return func(w vault.Wait) string { return strings.TrimRight(origin, "/") + "/callback/" + v.Token(w) }
}
