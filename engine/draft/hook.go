package draft

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/graph"
)

const (
	hooksMax = 10_000      // webhooks kept in memory
	hooksFor = time.Second // how long another server's change may go unseen
)

// hooks keeps webhooks that were just asked for, so that a busy one costs no
// question of the store each time. Changes on this server are seen at once.
type hooks struct {
	mu     sync.Mutex
	byPath map[string]keptHook
}

type keptHook struct {
	hook Hook
	at   time.Time
}

func newHooks() *hooks { return &hooks{byPath: map[string]keptHook{}} }

func (h *hooks) get(path string, now time.Time) (Hook, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	k, ok := h.byPath[path]
	return k.hook, ok && now.Sub(k.at) < hooksFor
}

func (h *hooks) put(k Hook, now time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.byPath) >= hooksMax {
		clear(h.byPath)
	}
	h.byPath[k.Path] = keptHook{k, now}
}

// forget drops the webhooks of a workflow.
func (h *hooks) forget(workflow uuid.UUID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for path, k := range h.byPath {
		if k.hook.Workflow == workflow {
			delete(h.byPath, path)
		}
	}
}

// HookByPath finds the webhook that answers at a path.
func (s *Service) HookByPath(ctx context.Context, path string) (Hook, error) {
	now := s.now()
	if h, ok := s.hooks.get(path, now); ok {
		return h, nil
	}
	h, err := s.store.HookByPath(ctx, path)
	if err != nil {
		return h, notFound(err, "webhook")
	}
	s.hooks.put(h, now)
	return h, nil
}

// FreePaths removes from a new drawing the webhook paths that somebody else
// has: those nodes get a path that nobody can guess.
func (s *Service) FreePaths(ctx context.Context, g *graph.Graph) error {
	for i, n := range g.Nodes {
		var c map[string]json.RawMessage
		if n.Kind != kindWebhook || json.Unmarshal(n.Config, &c) != nil || c["path"] == nil {
			continue
		}
		var path string
		if json.Unmarshal(c["path"], &path) != nil || path == "" {
			continue
		}
		_, err := s.store.HookByPath(ctx, path)
		if errors.Is(err, ErrNotFound) {
			continue
		}
		if err != nil {
			return fmt.Errorf("look for a webhook: %w", err)
		}
		delete(c, "path")
		config, err := json.Marshal(c)
		if err != nil {
			return fmt.Errorf("encode the configuration of %s: %w", n.Key, err)
		}
		g.Nodes[i].Config = config
	}
	return nil
}
