// Package bulk acts on many runs at once: what a person has chosen is kept as a
// job, a server works it off one run after the other, and says of each what was
// done or why not. A job outlives the server that began it.
package bulk

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"signalbox/engine/account"
	"signalbox/engine/problem"
)

// Acts on runs.
const (
	ActCancel  = "cancel"
	ActPause   = "pause"
	ActResume  = "resume"
	ActRetry   = "retry" // from the failed step
	ActLabel   = "label"
	ActUnlabel = "unlabel"
	ActDiscard = "discard" // put its open dead letters aside
	ActCase    = "case"    // keep it as a case
)

// States of jobs and of what they do to one run.
const (
	Working = "working" // of a job
	Stopped = "stopped" // of a job: a person ended it
	Done    = "done"    // of both
	Skipped = "skipped" // of a run: the reason says why
)

// Limits of bulk acts.
const (
	RunsMax   = 10_000 // of one job
	JobsMax   = 20     // of a workspace that are worked off at a time
	LabelMax  = 40     // characters
	LabelsMax = 20     // of one run
	together  = 4      // runs of a job at once: others want the engine too
	lease     = 20 * time.Second
	every     = 2 * time.Second
	oneWithin = 15 * time.Second
)

// ErrNotFound: there is no such job, or none to be worked off.
var ErrNotFound = errors.New("not found")

// Job is an act on many runs.
type Job struct {
	ID        uuid.UUID
	Workspace string
	Act       string
	Word      string // the label, or how cases are called
	Filter    string // how the runs were chosen, for people
	By        uuid.UUID
	ByName    string
	At        time.Time
	State     string
	Total     int
	Done      int
	Skipped   int
	EndedAt   time.Time // zero: it is worked off
}

// Result is what became of one run.
type Result struct {
	Run    uuid.UUID
	State  string
	Reason string    // why it was skipped
	NewRun uuid.UUID // that a retry started
}

// Store keeps jobs.
type Store interface {
	PutJob(ctx context.Context, j Job, runs []uuid.UUID) error
	// Job returns one. ErrNotFound.
	Job(ctx context.Context, workspace string, id uuid.UUID) (Job, error)
	// Jobs lists the newest, or those that are worked off.
	Jobs(ctx context.Context, workspace string, working bool, limit int) ([]Job, error)
	// Results lists what became of runs, those that were skipped first.
	Results(ctx context.Context, job uuid.UUID, limit int) ([]Result, error)
	StopJob(ctx context.Context, workspace string, id uuid.UUID, now time.Time) error
	// Claim takes a job that nobody works at. ErrNotFound.
	Claim(ctx context.Context, now time.Time, lease time.Duration) (Job, error)
	// Left lists runs of a job that are not settled; none when it was stopped.
	Left(ctx context.Context, job uuid.UUID, limit int) ([]uuid.UUID, error)
	// Settle notes what became of runs and keeps the job for another lease.
	Settle(ctx context.Context, job uuid.UUID, list []Result, until time.Time) error
	Finish(ctx context.Context, job uuid.UUID, now time.Time) error
	// Label sets a label on a run, or takes it away; false: that changed nothing.
	Label(ctx context.Context, workspace string, run uuid.UUID, label string, on bool) (bool, error)
}

// Config is what a Service needs; all of it.
type Config struct {
	Store Store
	Acts  Acts
	// Role is what a person may do now. account.ErrNotFound: they are gone.
	Role func(ctx context.Context, workspace string, user uuid.UUID) (account.Role, error)
	Log  *slog.Logger
	Now  func() time.Time
}

// Service is the one way to act on many runs.
type Service struct {
	Config
	wake chan struct{}
}

// New makes a service. Run works the jobs off.
func New(cfg Config) *Service { return &Service{Config: cfg, wake: make(chan struct{}, 1)} }

// ActNames lists all acts, in the order in which they are offered.
func ActNames() []string {
	return []string{ActCancel, ActPause, ActResume, ActRetry, ActLabel, ActUnlabel, ActDiscard, ActCase}
}

// Needs is the role that an act needs.
func Needs(act string) account.Role {
	if act == ActCase {
		return account.Editor
	}
	return account.Operator
}

// Start keeps a job and lets it be worked off.
func (s *Service) Start(ctx context.Context, who account.Identity, j Job, runs []uuid.UUID) (Job, error) {
	if !slices.Contains(ActNames(), j.Act) {
		return j, problem.New(problem.Invalid, "There is no such act.").At("/act", "unknown", strings.Join(ActNames(), ", "))
	}
	if !who.Role.AtLeast(Needs(j.Act)) {
		return j, problem.New(problem.Forbidden, "This needs the role %s; yours is %s.", Needs(j.Act), who.Role)
	}
	if err := j.checkWord(); err != nil {
		return j, err
	}
	if len(runs) == 0 {
		return j, problem.New(problem.Invalid, "No run was chosen.").At("/ids", "missing", "ids of runs, or a filter that some match")
	}
	if len(runs) > RunsMax {
		return j, problem.New(problem.TooLarge, "At most %d runs are acted on at once; these are more. Narrow the filter.", RunsMax)
	}
	working, err := s.Store.Jobs(ctx, who.Workspace, true, JobsMax)
	if err != nil {
		return j, fmt.Errorf("count jobs: %w", err)
	}
	if len(working) >= JobsMax {
		return j, problem.New(problem.TooMany, "%d jobs are worked off already, which is the limit. Wait for one to end, or stop one.", JobsMax)
	}
	j.ID, j.Workspace, j.By, j.ByName = uuid.Must(uuid.NewV7()), who.Workspace, who.User, who.Name
	j.At, j.State, j.Total = s.Now().UTC().Truncate(time.Microsecond), Working, len(runs)
	if err := s.Store.PutJob(ctx, j, runs); err != nil {
		return j, fmt.Errorf("keep a job: %w", err)
	}
	select {
	case s.wake <- struct{}{}:
	default:
	}
	return j, nil
}

// checkWord looks at the label, or at the name of cases.
func (j *Job) checkWord() error {
	j.Word = strings.Join(strings.Fields(j.Word), " ")
	n := utf8.RuneCountInString(j.Word)
	bad := strings.ContainsFunc(j.Word, unicode.IsControl)
	switch j.Act {
	case ActLabel, ActUnlabel:
		if n == 0 || n > LabelMax || bad {
			return problem.New(problem.Invalid, "A label is missing or too long.").At("/word", "length", fmt.Sprintf("1 to %d characters", LabelMax))
		}
	case ActCase:
		if n == 0 || n > 80 || bad {
			return problem.New(problem.Invalid, "The cases need a name.").At("/word", "length", "1 to 80 characters")
		}
	default:
		j.Word = ""
	}
	return nil
}

// Job returns a job with what became of its runs, those that were skipped first.
func (s *Service) Job(ctx context.Context, workspace string, id uuid.UUID, limit int) (Job, []Result, error) {
	j, err := s.Store.Job(ctx, workspace, id)
	if errors.Is(err, ErrNotFound) {
		return j, nil, noJob()
	}
	if err != nil {
		return j, nil, fmt.Errorf("read a job: %w", err)
	}
	list, err := s.Store.Results(ctx, id, limit)
	if err != nil {
		return j, nil, fmt.Errorf("read a job: %w", err)
	}
	return j, list, nil
}

func noJob() error { return problem.New(problem.NotFound, "There is no such job.") }

// Stop ends a job: what is done stays done.
func (s *Service) Stop(ctx context.Context, workspace string, id uuid.UUID) error {
	err := s.Store.StopJob(ctx, workspace, id, s.Now())
	if errors.Is(err, ErrNotFound) {
		return problem.New(problem.Conflict, "The job is over already, or there is none.")
	}
	if err != nil {
		return fmt.Errorf("stop a job: %w", err)
	}
	return nil
}
