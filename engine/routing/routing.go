// Package routing keeps the route tables and the settings of queues, and gives
// them to the engine: what the engine asks for is in memory, and follows the
// store within a second, whoever has changed it.
package routing

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/problem"
	"signalbox/engine/queue"
	"signalbox/engine/route"
)

// Table is the route table of a workspace, or of one of its workflows.
type Table struct {
	Workspace string
	Workflow  uuid.UUID // nil: of the workspace
	Revision  int       // 0: none was stored
	Rules     route.Table
	UpdatedAt time.Time
	UpdatedBy string
}

// Queue is a queue that has settings.
type Queue struct {
	Workspace string
	Name      string
	Revision  int // 0: none were stored
	Settings  queue.Settings
	UpdatedAt time.Time
	UpdatedBy string
}

// Store keeps them.
type Store interface {
	// Changes is a number that rises with every change.
	Changes(ctx context.Context) (int64, error)
	// Everything lists all tables and queues.
	Everything(ctx context.Context) ([]Table, []Queue, error)
	// PutTable stores a table whose revision is one higher than what is
	// stored; else it reports false.
	PutTable(ctx context.Context, t Table) (bool, error)
	// DropTable removes the table of a workflow that has the revision; else it
	// reports false.
	DropTable(ctx context.Context, workspace string, workflow uuid.UUID, revision int) (bool, error)
	// PutQueue is PutTable for settings.
	PutQueue(ctx context.Context, q Queue) (bool, error)
}

// lookEvery is how often the store is asked whether something changed.
const lookEvery = time.Second

// Service is what the engine and the pages use.
type Service struct {
	store Store
	log   *slog.Logger
	now   func() time.Time
	held  atomic.Pointer[held]

	learner *learner
}

// held is everything, as it was at one moment.
type held struct {
	changes int64
	tables  map[key]Table
	queues  map[name]Queue
	learned map[name]*route.Learn // rules that learn, by id
	changed chan struct{}         // closed when it is replaced
}

type key struct {
	workspace string
	workflow  string // empty: of the workspace
}

type name struct{ workspace, queue string }

// New makes the service; it knows nothing until Load.
func New(store Store, log *slog.Logger, now func() time.Time) *Service {
	s := &Service{store: store, log: log, now: now, learner: newLearner()}
	s.held.Store(&held{changes: -1, changed: make(chan struct{})})
	return s
}

// Load reads everything, if something has changed.
func (s *Service) Load(ctx context.Context) error {
	changes, err := s.store.Changes(ctx)
	if err != nil {
		return fmt.Errorf("look for changed routes: %w", err)
	}
	was := s.held.Load()
	if changes == was.changes {
		return nil
	}
	tables, queues, err := s.store.Everything(ctx)
	if err != nil {
		return fmt.Errorf("read routes and queues: %w", err)
	}
	next := &held{changes: changes, tables: map[key]Table{}, queues: map[name]Queue{}, changed: make(chan struct{})}
	for _, t := range tables {
		next.tables[keyOf(t.Workspace, t.Workflow)] = t
	}
	for _, q := range queues {
		next.queues[name{q.Workspace, q.Name}] = q
	}
	next.learned = learnedRules(next.tables)
	if s.held.CompareAndSwap(was, next) { // else somebody else has just read it
		close(was.changed)
	}
	return nil
}

// Run follows the store until the context ends.
func (s *Service) Run(ctx context.Context) error {
	tick := time.NewTicker(lookEvery) //nolint:forbidigo // a look, not a decision
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			if err := s.Load(ctx); err != nil && ctx.Err() == nil {
				s.log.WarnContext(ctx, "routes and settings of queues may be old", "err", err)
			}
		}
	}
}

func keyOf(workspace string, workflow uuid.UUID) key {
	if workflow == uuid.Nil {
		return key{workspace, ""}
	}
	return key{workspace, workflow.String()}
}

// Choose is the decision about a task. It is what the engine asks while it
// schedules; the event keeps it.
func (s *Service) Choose(a route.Attributes) route.Decision {
	h := s.held.Load()
	var workflow *route.Table
	if t, ok := h.tables[key{a.Workspace, a.Workflow}]; ok && a.Workflow != "" {
		workflow = &t.Rules
	}
	rules := h.of(a.Workspace)
	d := route.Choose(workflow, &rules, a)
	if d.Learn != nil {
		return s.settle(h, d, &a)
	}
	return d
}

// Try is what a table would decide that is not stored.
func (s *Service) Try(t route.Table, a route.Attributes) route.Decision {
	d := t.Choose(a)
	if d.Learn != nil {
		return s.settle(s.held.Load(), d, &a)
	}
	return d
}

func (h *held) of(workspace string) route.Table {
	if t, ok := h.tables[key{workspace, ""}]; ok {
		return t.Rules
	}
	return standard
}

// standard is the table of a workspace that has none of its own. Nobody changes it.
var standard = route.Standard() //nolint:gochecknoglobals // a constant in all but name

// Settings of a queue; the zero value where none are stored.
func (s *Service) Settings(workspace, queueName string) queue.Settings {
	return s.held.Load().queues[name{workspace, queueName}].Settings
}

// Changed is closed when something has changed since.
func (s *Service) Changed() <-chan struct{} { return s.held.Load().changed }

// Table returns the table of a workspace, or of one of its workflows: empty
// with revision 0 when it has none.
func (s *Service) Table(ctx context.Context, workspace string, workflow uuid.UUID) (Table, error) {
	if err := s.Load(ctx); err != nil {
		return Table{}, err
	}
	h := s.held.Load()
	if t, ok := h.tables[keyOf(workspace, workflow)]; ok {
		return t, nil
	}
	t := Table{Workspace: workspace, Workflow: workflow, Rules: route.Table{Rules: []route.Rule{}}}
	if workflow == uuid.Nil {
		t.Rules = route.Standard()
	}
	return t, nil
}

// Tables lists the stored tables of a workspace's workflows.
func (s *Service) Tables(workspace string) []Table {
	var list []Table
	for k, t := range s.held.Load().tables {
		if k.workspace == workspace && k.workflow != "" {
			list = append(list, t)
		}
	}
	slices.SortFunc(list, func(a, b Table) int { return slices.Compare(a.Workflow[:], b.Workflow[:]) })
	return list
}

// errOld is what an edit of something that has changed meanwhile gets.
func errOld(what string, want int) error {
	return problem.New(problem.Conflict, "%s has been changed meanwhile. Read it again, then change it.", what).
		At("/revision", "it is old", fmt.Sprintf("%d", want))
}

// of says whose table it is.
func (t Table) of() string {
	if t.Workflow == uuid.Nil {
		return route.OfWorkspace
	}
	return route.OfWorkflow
}

// PutTable replaces a table that has the revision.
func (s *Service) PutTable(ctx context.Context, t Table) (Table, error) {
	if p := t.Rules.Check(t.of()); p != nil {
		return Table{}, p
	}
	if err := s.Load(ctx); err != nil {
		return Table{}, err
	}
	if t.Rules.Rules = named(t.Rules.Rules, s.held.Load().learnedElsewhere(t)); t.Rules.Rules == nil {
		t.Rules.Rules = []route.Rule{}
	}
	t.Revision++
	t.UpdatedAt = s.now()
	ok, err := s.store.PutTable(ctx, t)
	if err != nil {
		return Table{}, fmt.Errorf("store a route table: %w", err)
	}
	have, err := s.Table(ctx, t.Workspace, t.Workflow)
	if err != nil {
		return Table{}, err
	}
	if !ok {
		return Table{}, errOld("The route table", have.Revision)
	}
	return t, nil
}

// DropTable removes the table of a workflow: that of the workspace holds then.
func (s *Service) DropTable(ctx context.Context, workspace string, workflow uuid.UUID, revision int) error {
	ok, err := s.store.DropTable(ctx, workspace, workflow, revision)
	if err != nil {
		return fmt.Errorf("remove a route table: %w", err)
	}
	have, err := s.Table(ctx, workspace, workflow)
	if err != nil {
		return err
	}
	if !ok {
		return errOld("The route table", have.Revision)
	}
	return nil
}

// Queue returns a queue's settings, with revision 0 when it has none.
func (s *Service) Queue(ctx context.Context, workspace, queueName string) (Queue, error) {
	if !queue.Good(queueName) {
		return Queue{}, problem.New(problem.Invalid, "This cannot be a queue's name.").At("name", fmt.Sprintf("%.60q", queueName), route.QueueExpected)
	}
	if err := s.Load(ctx); err != nil {
		return Queue{}, err
	}
	if q, ok := s.held.Load().queues[name{workspace, queueName}]; ok {
		return q, nil
	}
	return Queue{Workspace: workspace, Name: queueName}, nil
}

// Queues lists the queues of a workspace that have settings or that a table
// leads to, by name.
func (s *Service) Queues(workspace string) []Queue {
	h := s.held.Load()
	all := map[string]Queue{}
	add := func(q string) {
		if _, there := all[q]; !there && q != "" {
			all[q] = Queue{Workspace: workspace, Name: q}
		}
	}
	for n, q := range h.queues {
		if n.workspace == workspace {
			all[n.queue] = q
		}
	}
	tables := []route.Table{h.of(workspace)}
	for k, t := range h.tables {
		if k.workspace == workspace && k.workflow != "" {
			tables = append(tables, t.Rules)
		}
	}
	for _, t := range tables {
		add(t.Default)
		for _, r := range t.Rules {
			add(r.Queue)
			if r.Learn != nil {
				for _, q := range r.Learn.Among {
					add(q.Queue)
				}
			}
		}
	}
	list := make([]Queue, 0, len(all))
	for _, q := range all {
		list = append(list, q)
	}
	slices.SortFunc(list, func(a, b Queue) int { return compareNames(a.Name, b.Name) })
	return list
}

// PutQueue replaces the settings of a queue that has the revision.
func (s *Service) PutQueue(ctx context.Context, q Queue) (Queue, error) {
	if _, err := s.Queue(ctx, q.Workspace, q.Name); err != nil {
		return Queue{}, err
	}
	if p := q.Settings.Check(); p != nil {
		return Queue{}, p
	}
	q.Revision++
	q.UpdatedAt = s.now()
	ok, err := s.store.PutQueue(ctx, q)
	if err != nil {
		return Queue{}, fmt.Errorf("store the settings of a queue: %w", err)
	}
	have, err := s.Queue(ctx, q.Workspace, q.Name)
	if err != nil {
		return Queue{}, err
	}
	if !ok {
		return Queue{}, errOld("The queue", have.Revision)
	}
	return q, nil
}

// Pause holds a queue back, or lets it go on.
func (s *Service) Pause(ctx context.Context, workspace, queueName, by string, paused bool) (Queue, error) {
	for range 3 { // somebody may change it meanwhile
		q, err := s.Queue(ctx, workspace, queueName)
		if err != nil || q.Settings.Paused == paused {
			return q, err
		}
		q.Settings.Paused, q.UpdatedBy = paused, by
		q, err = s.PutQueue(ctx, q)
		if p := problem.Of(err); p == nil || p.Code != problem.Conflict {
			return q, err
		}
	}
	return Queue{}, errOld("The queue", 0)
}

func compareNames(a, b string) int {
	switch {
	case a == b:
		return 0
	case a == route.DefaultQueue:
		return 1 // what is left over stands last
	case b == route.DefaultQueue:
		return -1
	case a < b:
		return -1
	}
	return 1
}
