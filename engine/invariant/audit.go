package invariant

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/machine"
	"signalbox/engine/runtime"
)

// Source is a database under audit.
type Source interface {
	// EachRun calls the function for runs behind an id, at most so many, each
	// with its row and all of its events as they are, seen at one moment. It
	// returns how many there were and the id of the last.
	EachRun(ctx context.Context, after uuid.UUID, limit int, do func(*runtime.Record) error) (int, uuid.UUID, error)
	// Machine returns the stored machine of a version.
	Machine(ctx context.Context, version uuid.UUID) (json.RawMessage, error)
	// Spoiled returns those of the digests that a run names whose large value
	// is missing, is not what the digest says, or is not kept for that run.
	Spoiled(ctx context.Context, run uuid.UUID, workspace string, digests []string) ([]string, error)
	// Orphans lists runs of which there are events and no row.
	Orphans(ctx context.Context, limit int) ([]uuid.UUID, error)
}

// Limits of an audit.
const (
	page          = 200 // runs that are read together
	violationsMax = 1_000
	orphansMax    = 100
)

// Report is what an audit found.
type Report struct {
	Runs       int            `json:"runs"`
	Events     int            `json:"events"`
	Violations []Violation    `json:"violations"` // the first of them
	Count      map[Rule]int   `json:"count"`      // all, by rule; a rule that holds is left out
	Status     map[string]int `json:"status"`     // runs by status

	Newer []runtime.Numbered `json:"newer"` // runs that a newer program wrote: of them only the log is checked
}

// OK reports whether everything holds.
func (r *Report) OK() bool { return len(r.Violations) == 0 }

func (r *Report) add(list ...Violation) {
	for _, v := range list {
		r.Count[v.Rule]++
		if len(r.Violations) < violationsMax {
			r.Violations = append(r.Violations, v)
		}
	}
}

// newer counts a run whose numbers this program does not know. One that is over
// harms nobody; one that goes on is carried on by nobody here.
func (r *Report) newer(rec *runtime.Record, why error) {
	at := slices.IndexFunc(r.Newer, func(n runtime.Numbered) bool { return n.Format == rec.Format && n.Semantics == rec.Semantics })
	if at < 0 {
		at = len(r.Newer)
		r.Newer = append(r.Newer, runtime.Numbered{Format: rec.Format, Semantics: rec.Semantics})
	}
	r.add(CheckLog(rec)...)
	if machine.Status(rec.Status).Over() {
		r.Newer[at].Over++
		return
	}
	r.Newer[at].Open++
	text := fmt.Sprintf("it goes on and has format %d and semantics %d; this program %s", rec.Format, rec.Semantics, machine.Released())
	if why != nil {
		text = "it goes on, but " + why.Error()
	}
	r.add(Violation{Known, rec.Run, 0, text})
}

// Audit checks every run that was made since a time; zero: all.
func Audit(ctx context.Context, src Source, since, now time.Time) (*Report, error) {
	a := &auditor{src: src, now: now, report: &Report{Violations: []Violation{}, Count: map[Rule]int{}, Status: map[string]int{}, Newer: []runtime.Numbered{}}, machines: map[uuid.UUID]*machine.Machine{}}
	orphans, err := src.Orphans(ctx, orphansMax)
	if err != nil {
		return nil, fmt.Errorf("look for events without a run: %w", err)
	}
	for _, run := range orphans {
		a.report.add(Violation{Row, run, 0, "there are events, but the run has no row"})
	}
	for after := firstSince(since); ; {
		n, last, err := src.EachRun(ctx, after, page, func(rec *runtime.Record) error { return a.run(ctx, rec) })
		if err != nil {
			return nil, fmt.Errorf("read runs: %w", err)
		}
		if n < page {
			return a.report, nil
		}
		after = last
	}
}

// firstSince is the smallest id of a run that was made at a time: ids begin
// with it.
func firstSince(t time.Time) uuid.UUID {
	var id uuid.UUID
	if t.IsZero() {
		return id
	}
	ms := uint64(t.UnixMilli()) //nolint:gosec // after 1970
	for i := range 6 {
		id[i] = byte(ms >> (8 * (5 - i)))
	}
	return id
}

// auditor is one audit under way.
type auditor struct {
	src      Source
	now      time.Time
	report   *Report
	machines map[uuid.UUID]*machine.Machine
}

func (a *auditor) run(ctx context.Context, rec *runtime.Record) error {
	a.report.Runs++
	a.report.Events += len(rec.Events)
	a.report.Status[rec.Status]++
	if !rec.Knows() {
		a.report.newer(rec, nil)
		return nil
	}
	m, err := a.machine(ctx, rec.Version)
	if newer := (*machine.UnknownError)(nil); errors.As(err, &newer) {
		a.report.newer(rec, newer)
		return nil
	}
	if errors.Is(err, runtime.ErrNotFound) {
		a.report.add(Violation{Fold, rec.Run, 0, fmt.Sprintf("its version %s is not there", rec.Version)})
		return nil
	}
	if err != nil {
		return err
	}
	a.report.add(Check(rec, m, a.now)...)
	named := digests(rec.Events)
	if len(named) == 0 {
		return nil
	}
	slices.Sort(named)
	spoiled, err := a.src.Spoiled(ctx, rec.Run, rec.Workspace, slices.Compact(named))
	if err != nil {
		return fmt.Errorf("look at the large values of run %s: %w", rec.Run, err)
	}
	for _, digest := range spoiled {
		a.report.add(Violation{Values, rec.Run, 0, "the large value " + digest + " is missing, spoiled, or not kept for this run"})
	}
	return nil
}

func (a *auditor) machine(ctx context.Context, version uuid.UUID) (*machine.Machine, error) {
	if m := a.machines[version]; m != nil {
		return m, nil
	}
	raw, err := a.src.Machine(ctx, version)
	if err != nil {
		return nil, err
	}
	m, err := machine.Load(raw)
	if err != nil {
		return nil, fmt.Errorf("version %s: %w", version, err)
	}
	if len(a.machines) >= machinesMax {
		clear(a.machines)
	}
	a.machines[version] = m
	return m, nil
}

// machinesMax is how many machines are kept; then all are forgotten.
const machinesMax = 1_000
