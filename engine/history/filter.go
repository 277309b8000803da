package history

import (
	"time"

	"github.com/google/uuid"
)

// Limits of filters that are kept.
const (
	FiltersMax    = 50 // that one person sees
	FilterNameMax = 60 // characters
)

// Filter is a choice of runs with a name.
type Filter struct {
	ID        uuid.UUID
	Workspace string
	Workflow  uuid.UUID // of the runs of this workflow only; zero: of all
	Name      string
	Query     string // as it stands in the address
	Shared    bool   // everybody in the workspace sees it
	User      uuid.UUID
	CreatedAt time.Time
	Default   bool // the reader's list of runs begins with it
}
