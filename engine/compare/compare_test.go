package compare_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"signalbox/engine/compare"
	"signalbox/engine/event"
	"signalbox/engine/machine"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// log numbers facts, a second apart.
func log(facts ...machine.Fact) []machine.Event {
	list := make([]machine.Event, len(facts))
	for i, f := range facts {
		list[i] = machine.Event{Seq: i + 1, At: noon.Add(time.Duration(i) * time.Second), Fact: f}
	}
	return list
}

func value(raw string) event.Value { return event.Value{Inline: json.RawMessage(raw)} }

// show writes one row in a line.
func show(r compare.Row) string {
	side := func(v *compare.Visit) string {
		if v == nil {
			return "-"
		}
		if v.Ended.IsZero() {
			return "open"
		}
		return fmt.Sprintf("%s %s x%d %s", v.Outcome, strings.Join(v.Ports, "+"), v.Attempts, v.Ended.Sub(v.Began))
	}
	return fmt.Sprintf("%s %s.%d | %s | %s | way %t data %t", r.Place, r.Node, r.Visit, side(r.A), side(r.B), r.SameWay(), r.SameData())
}

func check(t *testing.T, rows []compare.Row, want ...string) {
	t.Helper()
	var got []string
	for _, r := range rows {
		got = append(got, show(r))
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestWaysThatPart(t *testing.T) {
	t.Parallel()
	start := &machine.RunStarted{Trigger: "start", Input: value(`{"n":1}`)}
	a := log(start,
		&machine.NodeCompleted{Node: "pick", Visit: 1, Ports: []string{"fast"}, Output: value(`{"a":1,"b":2.0}`)},
		&machine.TaskScheduled{Node: "work", Visit: 1, Attempt: 1},
		&machine.TaskFailed{Node: "work", Visit: 1, Attempt: 1, RetryAt: noon},
		&machine.TaskScheduled{Node: "work", Visit: 1, Attempt: 2},
		&machine.TaskCompleted{Node: "work", Visit: 1, Attempt: 2, Port: "success", Output: value(`"x"`)},
		&machine.RunSucceeded{})
	b := log(start,
		&machine.NodeCompleted{Node: "pick", Visit: 1, Ports: []string{"slow"}, Output: value(`{"b":2,"a":1}`)},
		&machine.NodeFailed{Node: "other", Visit: 1, Error: event.Error{Class: "timeout"}, Handled: true},
		&machine.TaskScheduled{Node: "last", Visit: 1, Attempt: 1},
		&machine.VisitCanceled{Node: "last", Visit: 1})
	check(t, compare.Logs(a, b),
		" start.1 | done success x1 0s | done success x1 0s | way true data true",
		" pick.1 | done fast x1 0s | done slow x1 0s | way false data true",
		" work.1 | done success x2 3s | - | way false data false",
		" other.1 | - | failed failure x1 0s | way false data false",
		" last.1 | - | canceled  x1 1s | way false data false")
	if rows := compare.Logs(a, a); slices.ContainsFunc(rows, func(r compare.Row) bool { return !r.SameWay() || !r.SameData() }) {
		t.Error("a run differs from itself")
	}
}

// Scopes are numbered in the order in which they open, which differs from run
// to run; bodies are the same by their index.
func TestBodiesAlignByIndex(t *testing.T) {
	t.Parallel()
	body := func(index, opens int) machine.Fact {
		return &machine.BodyStarted{Node: "each", Visit: 1, Index: index, Opens: opens}
	}
	done := func(scope int, out string) machine.Fact {
		return &machine.NodeCompleted{Node: "in", Scope: scope, Visit: 1, Ports: []string{"success"}, Output: value(out)}
	}
	box := &machine.ContainerStarted{Node: "each", Visit: 1, Count: 2}
	a := log(box, body(0, 1), body(1, 2), done(1, "10"), done(2, "20"))
	b := log(box, body(0, 1), done(1, "10"), body(1, 7), done(7, "21"))
	check(t, compare.Logs(a, b),
		" each.1 | open | open | way true data true",
		"each#1[0] in.1 | done success x1 0s | done success x1 0s | way true data true",
		"each#1[1] in.1 | done success x1 0s | done success x1 0s | way true data false")
	deep := log(box, body(4, 1), &machine.BodyStarted{Node: "inner", Scope: 1, Visit: 2, Opens: 2}, done(2, "1"))
	if rows := compare.Logs(deep, nil); rows[1].Place != "each#1[4]/inner#2[0]" || rows[1].B != nil {
		t.Errorf("%+v", rows[1])
	}
}

func TestLargeValuesCompareByDigest(t *testing.T) {
	t.Parallel()
	large := func(digest string) []machine.Event {
		return log(&machine.RunStarted{Trigger: "s", Input: event.Value{Payload: &event.Payload{Digest: digest, Size: 9_000}}})
	}
	if !compare.Logs(large("aa"), large("aa"))[0].SameData() || compare.Logs(large("aa"), large("bb"))[0].SameData() {
		t.Error("digests do not decide")
	}
	if compare.Logs(large("aa"), log(&machine.RunStarted{Trigger: "s", Input: value("1")}))[0].SameData() {
		t.Error("a large value equals a small one")
	}
}
