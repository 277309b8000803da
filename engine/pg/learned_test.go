package pg_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"signalbox/engine/learn"
	"signalbox/engine/pg"
	"signalbox/engine/pg/pgtest"
	"signalbox/engine/routing"
)

func TestFiguresAreMergedReadAndDropped(t *testing.T) {
	t.Parallel()
	db := pgtest.Open(t)
	one, two := pg.NewRouting(db.Pool()), pg.NewRouting(db.Pool())
	measured := func(subject routing.Subject, n int) routing.Known {
		k := routing.Known{Subject: subject, Table: learn.Table{}}
		for range n {
			k.Table.Add("fast", true, 2*time.Second, 0.5)
		}
		return k
	}
	a := routing.Subject{Workspace: "main", Rule: "a", For: "kind=llm"}
	b := routing.Subject{Workspace: "main", Rule: "b"}
	if _, err := one.AddKnown(t.Context(), []routing.Known{measured(a, 3), measured(b, 1)}); err != nil {
		t.Fatal(err)
	}
	stored, err := two.AddKnown(t.Context(), []routing.Known{measured(a, 4)})
	if err != nil || len(stored) != 1 || math.Abs(stored[0].Table["fast"].Long.N-7) > 0.001 || math.Abs(stored[0].Table["fast"].Each.T-28) > 0.01 {
		t.Fatalf("both came to %+v, %v", stored, err)
	}
	list, asked, err := one.KnownSince(t.Context(), time.Time{})
	if err != nil || len(list) != 2 {
		t.Fatalf("stored is %+v, %v", list, err)
	}
	if i := slices.IndexFunc(list, func(k routing.Known) bool { return k.Subject == a }); i < 0 || math.Abs(list[i].Table["fast"].Long.N-7) > 0.001 {
		t.Errorf("read was %+v", list)
	}
	if list, _, err := one.KnownSince(t.Context(), asked.Add(time.Hour)); err != nil || len(list) != 0 {
		t.Errorf("nothing has changed, and read was %+v, %v", list, err)
	}
	if err := one.DropKnown(t.Context(), "main", "a"); err != nil {
		t.Fatal(err)
	}
	if err := one.SweepKnown(t.Context(), time.Hour); err != nil {
		t.Fatal(err)
	}
	if list, _, err := two.KnownSince(t.Context(), time.Time{}); err != nil || len(list) != 1 || list[0].Subject != b {
		t.Errorf("left is %+v, %v", list, err)
	}
	if err := two.SweepKnown(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	if list, _, err := two.KnownSince(t.Context(), time.Time{}); err != nil || len(list) != 0 {
		t.Errorf("left is %+v, %v", list, err)
	}
}
