package remote

import (
	"context"
	"slices"
	"time"

	"signalbox/engine/route"
)

// AliveFor is how long a worker counts as alive after it asked for the last
// time.
const AliveFor = time.Minute

// Presence is a worker as it was last heard of.
type Presence struct {
	Workspace string
	Worker    string
	Location  string // where it is; empty: nowhere in particular
	Types     []string
	Steps     bool   // it also does the program's own steps at its location
	Token     string // id
	SeenAt    time.Time
	Left      bool // it said goodbye
}

// KnownType is an announced type as it is kept.
type KnownType struct {
	Type
	AnnouncedAt time.Time
	By          string // worker
}

// Kept is where announcements are stored.
type Kept interface {
	// Announce stores types, each in the place of the one of that name, and
	// the worker. TypesMax at most are kept for a workspace: more is false.
	Announce(ctx context.Context, p Presence, types []Type) (fits bool, err error)
	// Seen stores when a worker was heard of, or that it left.
	Seen(ctx context.Context, p Presence) error
	// Known lists the types of a workspace by name, and its workers that were
	// heard of since.
	Known(ctx context.Context, workspace string, since time.Time) ([]KnownType, []Presence, error)
	// ForgetType takes a type out; there is none: false.
	ForgetType(ctx context.Context, workspace, name string) (bool, error)
}

// TypeState is a type with who does it now.
type TypeState struct {
	KnownType
	Alive  int       // workers
	SeenAt time.Time // when one was last heard of; zero: not in the last days
}

// states joins types and workers.
func states(types []KnownType, workers []Presence, now time.Time) []TypeState {
	out := make([]TypeState, len(types))
	for i, t := range types {
		out[i].KnownType = t
		for _, w := range workers {
			for _, name := range w.Types {
				if name != t.Name {
					continue
				}
				if w.Alive(now) {
					out[i].Alive++
				}
				if w.SeenAt.After(out[i].SeenAt) {
					out[i].SeenAt = w.SeenAt
				}
			}
		}
	}
	return out
}

// Serves reports whether a worker takes tasks from a queue, as people name it.
func (p Presence) Serves(queue string) bool {
	taskType, location := route.Served(queue)
	if location != "" && location != p.Location {
		return false
	}
	return taskType == "" && p.Steps || slices.Contains(p.Types, taskType)
}

// Alive reports whether a worker counts as there.
func (p Presence) Alive(now time.Time) bool { return !p.Left && now.Sub(p.SeenAt) < AliveFor }
