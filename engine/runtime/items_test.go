package runtime_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/machine"
	"signalbox/engine/runtime"
	"signalbox/engine/worker/action"
)

// crowded is a map whose body has two steps; above three items each is a run.
const crowded = `{"signalbox":1,"nodes":[
 {"id":"s","key":"start","kind":"manual"},
 {"id":"b","key":"before","kind":"set","config":{"fields":{"plus":10},"keep":false}},
 {"id":"m","key":"each","kind":"map","config":{"items":"=trigger","concurrency":5 MORE}},
 {"id":"a","key":"a","kind":"mock","in":"m","config":{"answer":{"n":"=item * 2"}}},
 {"id":"c","key":"c","kind":"transform","in":"m","config":{"expression":"{'n': input.n + nodes.before.output.plus, 'at': index, 'of': size(trigger), 'run': run.id}"}}],
 "edges":[{"id":"e1","from":"s","port":"success","to":"b"},{"id":"e2","from":"b","port":"success","to":"m"},{"id":"e3","from":"a","port":"success","to":"c"}]}`

// few lets a world do three items of a map inside its run.
func few(c *runtime.Config) { c.Inside = 3 }

func TestManyItemsAreRunsOfTheirOwn(t *testing.T) {
	t.Parallel()
	for _, every := range []int64{0, 3, 3} {
		w := openAs(t, every, strings.Replace(crowded, "MORE", "", 1), action.Mock{}, few)
		s, err := w.start(t.Context(), `[1,2,3,4,5,6,7,8,9,10,11,12]`, "", runtime.WaitEnd)
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		for i := range 12 {
			want = append(want, fmt.Sprintf(`{"at":%d,"n":%d,"of":12,"run":"%s"}`, i, 2*(i+1)+10, s.Run))
		}
		if got := string(s.Answer.Body); s.Answer.Run != "succeeded" || got != "["+strings.Join(want, ",")+"]" {
			t.Errorf("commits cut every %d: %s %s %+v", every, s.Answer.Run, got, s.Answer.Error)
		}
		items := w.items(t, s.Run)
		if len(items) != 12 {
			t.Errorf("%d runs of 12 items", len(items))
		}
		for _, id := range items {
			w.check(t, id)
		}
		w.check(t, s.Run)
	}
}

// items lists the runs of a run's items, by item.
func (w *world) items(t *testing.T, run uuid.UUID) map[string]uuid.UUID {
	t.Helper()
	list := map[string]uuid.UUID{}
	for _, rec := range w.store.Runs() {
		var of struct{ Parent, Item string }
		if json.Unmarshal(rec.Attributes, &of) != nil || of.Parent != run.String() {
			continue
		}
		if _, twice := list[of.Item]; twice {
			t.Errorf("item %s has two runs", of.Item)
		}
		list[of.Item] = rec.Run
	}
	return list
}

// TestItemsArePlacedAgainWithoutDoubling stops the server in the midst of a map,
// several times; the next one finds what is open.
func TestItemsArePlacedAgainWithoutDoubling(t *testing.T) {
	t.Parallel()
	w := openAs(t, 0, strings.Replace(crowded, "MORE", "", 1), action.Mock{}, few)
	list := make([]string, 200)
	for i := range list {
		list[i] = strconv.Itoa(i)
	}
	s, err := w.start(t.Context(), "["+strings.Join(list, ",")+"]", "", runtime.WaitNone)
	if err != nil {
		t.Fatal(err)
	}
	for n := 30; n < 150; n += 30 {
		w.until(t, func() bool { return len(w.items(t, s.Run)) >= n })
		w.halt()
		w.serve(t, action.Mock{}, few)
	}
	status, body := w.ended(t.Context(), t, s.Run)
	var results []struct{ N, At int }
	if err := json.Unmarshal([]byte(body), &results); err != nil || status != "succeeded" || len(results) != len(list) {
		t.Fatalf("%s: %d results, %v", status, len(results), err)
	}
	for i, r := range results {
		if r.At != i || r.N != 2*i+10 {
			t.Errorf("item %d gave %+v", i, r)
		}
	}
	items := w.items(t, s.Run)
	for _, id := range items {
		w.check(t, id)
	}
	if len(items) != len(list) {
		t.Errorf("%d runs of %d items", len(items), len(list))
	}
}

func TestItemsThatFailAsRuns(t *testing.T) {
	t.Parallel()
	failing := strings.Replace(crowded, `{"n":"=item * 2"}`, `{"n":"=item > 4 && item < 8 ? item.none : item"}`, 1)
	for more, want := range map[string]string{
		`,"on_item_error":"skip"`:                  `succeeded 9`,
		`,"on_item_error":"collect"`:               `succeeded 12`,
		`,"on_item_error":"stop"`:                  `failed`,
		`,"on_item_error":"skip","max_failures":2`: `failed`,
		`,"on_item_error":"skip","max_failures":3`: `succeeded 9`,
	} {
		w := openAs(t, 0, strings.Replace(failing, "MORE", more, 1), action.Mock{}, few)
		s, err := w.start(t.Context(), `[1,2,3,4,5,6,7,8,9,10,11,12]`, "", runtime.WaitEnd)
		if err != nil {
			t.Fatal(err)
		}
		got := s.Answer.Run
		var list []any
		if json.Unmarshal(s.Answer.Body, &list) == nil && got == "succeeded" {
			got += fmt.Sprint(" ", len(list))
		}
		if got != want {
			t.Errorf("%s: %s, want %s: %+v", more, got, want, s.Answer.Error)
		}
		w.until(t, func() bool { // none is left
			for _, id := range w.items(t, s.Run) {
				if rec, err := w.store.Load(t.Context(), id); err != nil || rec.EndedAt.IsZero() {
					return false
				}
			}
			return true
		})
	}
}

func TestCancelAndPauseReachItems(t *testing.T) {
	t.Parallel()
	waits := strings.Replace(crowded, `"kind":"mock","in":"m","config":{"answer":{"n":"=item * 2"}}`, `"kind":"human","in":"m","config":{"title":"?","decisions":[{"port":"success"}]}`, 1)
	w := openAs(t, 0, strings.Replace(waits, "MORE", "", 1), action.Mock{}, few)
	s, err := w.start(t.Context(), `[1,2,3,4,5,6,7,8]`, "", runtime.WaitNone)
	if err != nil {
		t.Fatal(err)
	}
	all := func(event string) bool {
		items := w.items(t, s.Run)
		for _, id := range items {
			if !w.events(t, id, event) {
				return false
			}
		}
		return len(items) == 5
	}
	w.until(t, func() bool { return all("WaitStarted") })
	for _, c := range []struct {
		in   machine.Input
		then string
	}{{machine.Pause{By: "ada"}, "RunPaused"}, {machine.Resume{By: "ada"}, "RunResumed"}, {machine.Cancel{By: "ada"}, "RunCanceled"}} {
		if _, err := w.engine.Tell(t.Context(), "main", s.Run, c.in); err != nil {
			t.Fatal(err)
		}
		w.until(t, func() bool { return all(c.then) })
	}
}

// TestMoreItemsThanTheLimit plays a map of 12,000 items with the limit that the
// program has; SIGNALBOX_ITEMS is another number.
func TestMoreItemsThanTheLimit(t *testing.T) { //nolint:paralleltest // it takes the machine for itself
	n, err := strconv.Atoi(os.Getenv("SIGNALBOX_ITEMS"))
	if err != nil {
		n = 12_000
	}
	file := `{"signalbox":1,"nodes":[
 {"id":"s","key":"start","kind":"manual"},
 {"id":"m","key":"each","kind":"map","config":{"items":"=trigger","concurrency":200}},
 {"id":"c","key":"c","kind":"transform","in":"m","config":{"expression":"item + 1"}}],
 "edges":[{"id":"e1","from":"s","port":"success","to":"m"}]}`
	w := openAs(t, 0, file, action.Mock{}, func(*runtime.Config) {})
	items := make([]int, n)
	for i := range items {
		items[i] = i
	}
	input, err := json.Marshal(items)
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	s, err := w.start(t.Context(), string(input), "", runtime.WaitEnd)
	if err != nil {
		t.Fatal(err)
	}
	var list []int
	if err := json.Unmarshal(s.Answer.Body, &list); err != nil || len(list) != n || list[0] != 1 || list[n-1] != n {
		t.Fatal(s.Answer.Run, s.Answer.Error, len(list), err)
	}
	rec, err := w.store.Load(t.Context(), s.Run)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s, %d events", time.Since(began).Round(time.Millisecond), len(rec.Events))
}
