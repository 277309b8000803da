package pg_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/event"
	"signalbox/engine/history"
	"signalbox/engine/pg"
	"signalbox/engine/runtime"
)

// letters writes a turn with dead letters of one run, as the turn of an owner.
func (w *world) letters(t *testing.T, epoch int64, run uuid.UUID, at time.Time, seqs ...int) error {
	t.Helper()
	turn := &runtime.Turn{Epoch: epoch, At: at}
	for _, seq := range seqs {
		turn.Notes = append(turn.Notes, runtime.Note{
			Run: run, Seq: seq, At: at.Add(time.Duration(seq) * time.Second), Workspace: "main", Workflow: w.workflow, Version: w.version, Node: "charge",
			Dead: &runtime.DeadLetter{Scope: 2, Visit: 3, Error: event.Error{Class: "timeout", Message: "It fell\x00 silent.", Attempts: 4}},
		})
	}
	return w.store.Commit(context.Background(), turn)
}

// TestDeadLettersAreWrittenOnce: a turn that comes again adds nothing and does
// not open again what was closed; a stale owner writes nothing.
func TestDeadLettersAreWrittenOnce(t *testing.T) {
	t.Parallel()
	w, ctx := newWorld(t, oneTask), context.Background()
	run, at := uuid.Must(uuid.NewV7()), time.Now().UTC().Truncate(time.Microsecond)
	l := pg.NewDeadLetters(w.history)
	if err := w.letters(t, w.epoch-1, run, at, 7); !errors.Is(err, runtime.ErrFenced) {
		t.Fatalf("a stale owner: %v", err)
	}
	if n, err := l.Count(ctx, "main", uuid.Nil); err != nil || n != 0 {
		t.Fatalf("a stale owner wrote %d letters (%v)", n, err)
	}
	id := history.LetterID{Run: run, Seq: 7}
	for range 2 {
		if err := w.letters(t, w.epoch, run, at, 7); err != nil {
			t.Fatal(err)
		}
		if err := l.Discard(ctx, "main", id, "Ada"); err != nil && w.count(t, `select count(*) from dead_letters where state = 'discarded'`) != 1 {
			t.Fatal(err)
		}
	}
	d, err := l.Letter(ctx, "main", id)
	if err != nil {
		t.Fatal(err)
	}
	if d.Message != "It fell silent." || d.Class != "timeout" || d.Attempts != 4 || d.Scope != 2 || d.Visit != 3 || d.Node != "charge" || d.WorkflowName != "Orders" ||
		d.State != history.LetterDiscarded || d.ActedBy != "Ada" || !d.At.Equal(at.Add(7*time.Second)) {
		t.Errorf("%+v", d)
	}
	if _, err := l.Letter(ctx, "other", id); err == nil {
		t.Error("another workspace sees it")
	}
}

// TestDeadLettersAreListedAndClaimed pages through them and lets one person
// retry each.
func TestDeadLettersAreListedAndClaimed(t *testing.T) {
	t.Parallel()
	w, ctx := newWorld(t, oneTask), context.Background()
	l := pg.NewDeadLetters(w.history)
	run := uuid.Must(uuid.NewV7())
	if err := w.letters(t, w.epoch, run, time.Now().UTC(), 1, 2, 3); err != nil {
		t.Fatal(err)
	}
	var seen []int
	for q := (history.LetterQuery{State: history.LetterOpen, Workflow: w.workflow, Node: "charge", Class: "timeout", Limit: 2}); ; {
		page, err := l.List(ctx, "main", q)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range page {
			seen, q.After = append(seen, d.Seq), d.LetterID
		}
		if len(page) < q.Limit {
			break
		}
	}
	if len(seen) != 3 || seen[0] != 3 || seen[2] != 1 {
		t.Errorf("listed %v, want 3, 2, 1", seen)
	}
	if page, err := l.List(ctx, "main", history.LetterQuery{Class: "internal"}); err != nil || len(page) != 0 {
		t.Errorf("%d letters of another class (%v)", len(page), err)
	}
	id, fresh := history.LetterID{Run: run, Seq: 2}, uuid.Must(uuid.NewV7())
	if err := l.Claim(ctx, "main", id, "Ada"); err != nil {
		t.Fatal(err)
	}
	if err := l.Claim(ctx, "main", id, "Bob"); err == nil {
		t.Error("two people retry one letter")
	}
	if err := l.Settle(ctx, "main", id, uuid.Nil); err != nil { // the retry was refused
		t.Fatal(err)
	}
	if err := l.Claim(ctx, "main", id, "Bob"); err != nil {
		t.Errorf("a letter whose retry was refused stays closed: %v", err)
	}
	// The server dies before it can say what came of it.
	if _, err := w.db.Pool().Exec(ctx, `update dead_letters set acted_at = now() - interval '2 minutes' where seq = 2`); err != nil {
		t.Fatal(err)
	}
	if err := l.Claim(ctx, "main", id, "Cy"); err != nil {
		t.Errorf("a claim of a server that died is for ever: %v", err)
	}
	if err := l.Settle(ctx, "main", id, fresh); err != nil {
		t.Fatal(err)
	}
	d, err := l.Letter(ctx, "main", id)
	if err != nil || d.State != history.LetterRetried || d.NewRun != fresh || d.ActedBy != "Cy" {
		t.Errorf("%+v %v", d, err)
	}
	if n, err := l.Count(ctx, "main", w.workflow); err != nil || n != 2 {
		t.Errorf("%d are open (%v), want 2", n, err)
	}
}
