package draft

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/google/uuid"

	"signalbox/engine/compile"
	"signalbox/engine/graph"
	"signalbox/engine/machine"
)

const (
	linesMax      = 128 // drafts kept in memory
	snapshotEvery = 64  // batches between two stored graphs
)

// line is one draft in memory. Whoever holds its lock is alone with the draft
// on this server; the store keeps other servers out.
type line struct {
	mu        sync.Mutex
	workspace string
	id        uuid.UUID

	loaded   bool
	seq      int64
	graphSeq int64 // of the stored graph
	hookKey  uuid.UUID
	graph    graph.Graph

	checkedSeq int64 // what the two below belong to; -1: nothing
	machine    *machine.Machine
	issues     []graph.Issue
}

// check compiles the drawing once per position.
func (l *line) check() []graph.Issue {
	if l.checkedSeq != l.seq {
		l.machine, l.issues = compile.Compile(l.graph)
		if l.issues == nil {
			l.issues = []graph.Issue{}
		}
		l.checkedSeq = l.seq
	}
	return l.issues
}

// forget makes the next user of the line read it from the store again.
func (l *line) forget() { l.loaded, l.checkedSeq = false, -1 }

// lines are the drafts in memory.
type lines struct {
	mu   sync.Mutex
	byID map[uuid.UUID]*line
}

func newLines() *lines { return &lines{byID: map[uuid.UUID]*line{}} }

func (ls *lines) get(workspace string, id uuid.UUID) *line {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	if l := ls.byID[id]; l != nil {
		return l
	}
	if len(ls.byID) >= linesMax {
		ls.evict()
	}
	l := &line{workspace: workspace, id: id, checkedSeq: -1}
	ls.byID[id] = l
	return l
}

// evict drops a line that nobody holds. Any will do: a line is only a cache.
func (ls *lines) evict() {
	for id, l := range ls.byID {
		if l.mu.TryLock() {
			delete(ls.byID, id)
			l.mu.Unlock()
			return
		}
	}
}

func (ls *lines) drop(id uuid.UUID) {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	delete(ls.byID, id)
}

// line locks the draft, loaded; done unlocks it.
func (s *Service) line(ctx context.Context, workspace string, id uuid.UUID) (l *line, done func(), err error) {
	l = s.lines.get(workspace, id)
	l.mu.Lock()
	// The id alone finds the line, so that the workspace must be compared:
	// a draft in memory is no way round the store's check.
	if !l.loaded || l.workspace != workspace {
		if err := s.load(ctx, workspace, l); err != nil {
			l.mu.Unlock()
			return nil, nil, err
		}
	}
	return l, l.mu.Unlock, nil
}

func (s *Service) load(ctx context.Context, workspace string, l *line) error {
	d, err := s.store.Draft(ctx, workspace, l.id)
	if err != nil {
		return notFound(err, "workflow")
	}
	g, err := graph.Decode(d.Graph)
	if err != nil {
		return fmt.Errorf("read the stored draft of %s: %w", l.id, err)
	}
	l.workspace, l.graph, l.seq, l.graphSeq, l.hookKey = workspace, g, d.GraphSeq, d.GraphSeq, d.HookKey
	l.loaded, l.checkedSeq = true, -1
	return s.catchUp(ctx, l)
}

// catchUp applies batches that came through other servers.
func (s *Service) catchUp(ctx context.Context, l *line) error {
	for {
		list, err := s.store.Batches(ctx, l.workspace, l.id, l.seq, OpsPageMax)
		if err != nil {
			return fmt.Errorf("read operations of %s: %w", l.id, err)
		}
		for _, b := range list {
			next, _, err := l.graph.ApplyAll(b.Ops)
			if err != nil {
				l.forget()
				return fmt.Errorf("apply stored batch %d of %s: %w", b.Seq, l.id, err)
			}
			l.graph, l.seq = next, b.Seq
		}
		if len(list) < OpsPageMax {
			return nil
		}
	}
}

// snapshot stores the graph now and then, so that opening a draft stays quick.
func (s *Service) snapshot(ctx context.Context, l *line) error {
	if l.seq-l.graphSeq < snapshotEvery {
		return nil
	}
	raw, err := l.graph.Encode()
	if err != nil {
		return fmt.Errorf("encode the draft of %s: %w", l.id, err)
	}
	if err := s.store.Snapshot(ctx, l.workspace, l.id, l.seq, raw); err != nil {
		return fmt.Errorf("store the draft of %s: %w", l.id, err)
	}
	l.graphSeq = l.seq
	return nil
}

const kindWebhook = "webhook"

// webhookPath is the part of a webhook's configuration that names its path.
type webhookPath struct {
	Path string `json:"path"`
}

// hookPaths lists the path of every webhook node, by node id.
func (l *line) hookPaths() map[string]string {
	paths := map[string]string{}
	for _, n := range l.graph.Nodes {
		if n.Kind == kindWebhook {
			paths[n.ID] = l.hookPath(n)
		}
	}
	return paths
}

// hookPath is the path that the node asks for, else one that nobody can guess:
// 160 bits of a keyed hash, so that it is known before the first publish and
// stays the same in every version.
func (l *line) hookPath(n graph.Node) string {
	var c webhookPath
	if err := json.Unmarshal(n.Config, &c); err == nil && c.Path != "" {
		return strings.Trim(c.Path, "/")
	}
	mac := hmac.New(sha256.New, l.hookKey[:])
	mac.Write([]byte(n.ID))
	return strings.ToLower(base32.StdEncoding.EncodeToString(mac.Sum(nil)[:20]))
}
