package witness_test

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"signalbox/engine/task"
	"signalbox/engine/worker/witness"
)

func open(t testing.TB, dir string) *witness.Journal {
	t.Helper()
	j, err := witness.Open(dir, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = j.Close() })
	return j
}

// die gives the directory as a process leaves it that is killed now.
func die(t *testing.T, dir string) string {
	t.Helper()
	after := t.TempDir()
	if err := os.CopyFS(after, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return after
}

func visit(n int) task.ID { return task.ID{Run: "run", Node: "step", Visit: n, Attempt: 1} }

func TestDeathsInARowAreCounted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	retried := visit(1)
	retried.Attempt = 2
	for n := range 20 {
		j := open(t, dir)
		if got := j.Deaths(retried); got != n {
			t.Fatalf("after %d deaths: %d", n, got)
		}
		if n%3 == 1 { // a life in which it does not come to work
			dir = die(t, dir)
			if got := open(t, dir).Deaths(visit(1)); got != n {
				t.Fatalf("a life without it has changed %d to %d", n, got)
			}
			dir = die(t, dir)
			j = open(t, dir)
		}
		j.End(j.Begin(visit(2))) // it ends well in each life
		j.Begin(visit(1))
		j.Begin(task.ID{Run: "another", Node: strconv.Itoa(n), Visit: 1})
		dir = die(t, dir)
	}
	j := open(t, dir)
	if got := j.Deaths(visit(2)); got != 0 {
		t.Errorf("what ended before each death has %d", got)
	}
	j.End(j.Begin(visit(1)))
	if got := open(t, die(t, dir)).Deaths(visit(1)); got != 0 {
		t.Errorf("what ended in the end has %d", got)
	}
}

func TestAnOrderlyEndIsNoDeath(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	open(t, dir).Begin(visit(1))
	dir = die(t, dir)
	j := open(t, dir)
	j.Keep(j.Begin(visit(1))) // given back
	if got := j.Deaths(visit(1)); got != 1 {
		t.Errorf("given back, it has %d", got)
	}
	j.Begin(visit(1))
	j.Begin(visit(2))
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	again := open(t, dir)
	if a, b := again.Deaths(visit(1)), again.Deaths(visit(2)); a != 1 || b != 0 {
		t.Errorf("after an orderly end: %d and %d", a, b)
	}
}

func TestEachProcessHasAFileOfItsOwn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first, second := open(t, dir), open(t, dir)
	first.Begin(visit(1))
	second.Begin(visit(1))
	second.Begin(visit(2))
	after := die(t, dir)
	a, b := open(t, after), open(t, after)
	if a.Deaths(visit(1)) != 1 || a.Deaths(visit(2)) != 0 || b.Deaths(visit(2)) != 1 {
		t.Errorf("%d %d %d", a.Deaths(visit(1)), a.Deaths(visit(2)), b.Deaths(visit(2)))
	}
}

func TestAFullJournalForgetsTheOldest(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	j := open(t, dir)
	const slots = 16_384
	for n := range slots {
		if j.Begin(visit(n)) < 0 {
			t.Fatalf("no room for %d", n)
		}
	}
	if j.Begin(visit(slots)) >= 0 {
		t.Error("there is room for more than there are slots")
	}
	j = open(t, die(t, dir))
	for n := range slots {
		if j.Begin(visit(slots+n)) < 0 {
			t.Fatalf("what survived leaves no room for %d", n)
		}
	}
}

func TestASpoiledFileIsReadAsFarAsItGoes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	j := open(t, dir)
	j.Begin(visit(1))
	j.Begin(visit(2))
	after := die(t, dir)
	name := filepath.Join(after, "0")
	raw, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	raw[5] ^= 1
	if err := os.WriteFile(name, append(raw, 1, 2, 3), 0o600); err != nil {
		t.Fatal(err)
	}
	if j := open(t, after); j.Deaths(visit(1)) != 0 || j.Deaths(visit(2)) != 1 {
		t.Errorf("%d and %d", j.Deaths(visit(1)), j.Deaths(visit(2)))
	}
}

func TestOldDeathsAreForgotten(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	open(t, dir).Begin(visit(1))
	dir = die(t, dir)
	now := time.Now()
	clock := func() time.Time { return now }
	for _, want := range []int{1, 1, 0} {
		j, err := witness.Open(dir, clock)
		if err != nil {
			t.Fatal(err)
		}
		if got := j.Deaths(visit(1)); got != want {
			t.Errorf("at %s: %d, want %d", now, got, want)
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
		now = now.Add(20 * 24 * time.Hour)
	}
}

func TestAFileThatIsCutOffStopsNobody(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	j := open(t, dir)
	if err := os.Truncate(filepath.Join(dir, "0"), 0); err != nil {
		t.Fatal(err)
	}
	j.End(j.Begin(visit(1)))
	j.Begin(visit(2))
	if got := open(t, die(t, dir)).Deaths(visit(2)); got != 0 {
		t.Errorf("%d deaths from an empty file", got)
	}
}

// BenchmarkAttempt is what an attempt pays.
func BenchmarkAttempt(b *testing.B) {
	j := open(b, b.TempDir())
	id := task.ID{Run: "0199c0de-0000-7000-8000-000000000000", Node: "charge_the_card", Visit: 1, Attempt: 1}
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		id.Visit = n
		_ = j.Deaths(id)
		j.End(j.Begin(id))
	}
}
