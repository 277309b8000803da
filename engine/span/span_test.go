package span_test

import (
	"regexp"
	"testing"

	"github.com/google/uuid"

	"signalbox/engine/span"
	"signalbox/engine/task"
)

func TestNamesAreDerivedAndDiffer(t *testing.T) {
	t.Parallel()
	run := uuid.MustParse("0197f0e2-0000-7000-8000-000000000001")
	seen := map[span.ID]bool{}
	for _, id := range []span.ID{
		span.Run(run), span.Run(uuid.New()), span.Visit(run, 0, "a", 1), span.Visit(run, 0, "a", 2), span.Visit(run, 1, "a", 1), span.Visit(run, 0, "b", 1),
		span.Attempt(run, 0, "a", 1, 1), span.Attempt(run, 0, "a", 1, 2), span.Attempt(run, 0, "a", 11, 1), span.Attempt(run, 0, "a", 1, 11),
	} {
		if seen[id] {
			t.Errorf("%s names two spans", id)
		}
		seen[id] = true
	}
	parent := span.Parent(&task.Task{Run: run.String(), Node: "a", Visit: 1, Attempt: 2})
	if want := "00-0197f0e2000070008000000000000001-" + span.Attempt(run, 0, "a", 1, 2).String() + "-01"; parent != want {
		t.Errorf("the header is %s, want %s", parent, want)
	}
	if !regexp.MustCompile(`^00-[0-9a-f]{32}-[0-9a-f]{16}-01$`).MatchString(parent) {
		t.Errorf("%s is no traceparent", parent)
	}
	if got := span.Parent(&task.Task{Run: "?"}); got != "" {
		t.Errorf("a task without a run has the header %q", got)
	}
}
