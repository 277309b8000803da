// Package runtimetest is the conformance suite of the runtime's store: every
// adapter passes it.
package runtimetest

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/event"
	"signalbox/engine/runtime"
)

// Store is what the suite needs.
type Store interface {
	runtime.Store
	runtime.Ledger
}

// Run tests one adapter; open returns an empty store.
func Run(t *testing.T, open func(t *testing.T) Store) {
	t.Helper()
	for name, test := range map[string]func(*testing.T, Store){
		"a turn comes back byte for byte":                      testRoundTrip,
		"strange but valid data comes back byte for byte":      testStrangeData,
		"what is not JSON is refused with its turn":            testNotJSON,
		"a turn may be as large as a fan-out of a thousand":    testLargeTurn,
		"a stale owner writes nothing":                         testFence,
		"after a takeover nothing of the former owner comes":   testTakeover,
		"a run can be born and over in one turn":               testBornEnded,
		"an event number is used once, or nothing of the turn": testTakenNumber,
		"a log with a hole is never handed out":                testHole,
		"a row changes alone and its run's log stays":          testChangeOnly,
		"a snapshot comes with the events behind it":           testSnapshot,
		"a sentence that no database can hold stops no turn":   testSentence,
		"owed runs are listed in pages, by shard":              testOwed,
		"due runs come earliest first, by shard":               testDue,
		"a lease can be renewed and given up":                  testLease,
		"a lease ends by time, and then the epoch rises":       testExpiry,
		"of many that want a free shard one gets it":           testContest,
		"a beat renews the lease of all shards and shows all":  testBeat,
		"who calls is known by the run that was called":        testCalled,
		"large values of any size come back":                   testPayloads,
		"many may store the same large value at once":          testPayloadRace,
		"of twenty claims of one key one wins":                 testClaim,
		"a key belongs to its workspace and trigger":           testClaimScope,
		"what is not there is not found":                       testMissing,
		"a fork repeats a beginning and goes on by itself":     testFork,
		"a fork is written whole or not at all":                testForkRefused,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t))
		})
	}
}

const lease = time.Minute

// expired is a lease that is over as soon as it is given.
const expired = -time.Second

func own(t *testing.T, s Store) int64 {
	t.Helper()
	return acquire(t, s, 0, "me", lease)
}

func acquire(t *testing.T, s Store, shard int, owner string, lease time.Duration) int64 {
	t.Helper()
	epoch, err := s.Acquire(context.Background(), shard, owner, lease)
	if err != nil {
		t.Fatal(err)
	}
	return epoch
}

func newID(t *testing.T) uuid.UUID {
	t.Helper()
	id, err := uuid.NewV7()
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func newRun(id uuid.UUID, st runtime.RunState) runtime.NewRun {
	return runtime.NewRun{
		Run: id, Workspace: "main", Workflow: uuid.MustParse("018f0000-0000-7000-8000-00000000000a"), Version: uuid.MustParse("018f0000-0000-7000-8000-00000000000b"),
		Trigger: "start", Source: "test", Test: true, Attributes: json.RawMessage(`{"a": 1}`), Semantics: 7, RunState: st,
	}
}

var noon = time.Date(2026, 11, 30, 12, 0, 0, 123_000, time.UTC) //nolint:gochecknoglobals // a constant

func chained(prev [32]byte, seq int, data string) event.Event {
	e := event.Event{Seq: seq, At: noon.Add(time.Duration(seq) * time.Microsecond), Type: "NodeCompleted", Node: "a", Data: json.RawMessage(data)}
	e.Hash = event.Chain(prev, &e)
	return e
}

// log makes the rows of a run's first events.
func log(run uuid.UUID, data ...string) []runtime.EventRow {
	var prev [32]byte
	rows := make([]runtime.EventRow, len(data))
	for i, d := range data {
		rows[i] = runtime.EventRow{Run: run, Event: chained(prev, i+1, d)}
		prev = rows[i].Event.Hash
	}
	return rows
}

// events are those of rows.
func events(rows []runtime.EventRow) []event.Event {
	list := make([]event.Event, len(rows))
	for i := range rows {
		list[i] = rows[i].Event
	}
	return list
}

func commit(t *testing.T, s Store, turn runtime.Turn) {
	t.Helper()
	turn.At = noon
	if err := s.Commit(context.Background(), &turn); err != nil {
		t.Fatal(err)
	}
}

func load(t *testing.T, s Store, run uuid.UUID) *runtime.Record {
	t.Helper()
	rec, err := s.Load(context.Background(), run)
	if err != nil {
		t.Fatal(err)
	}
	return rec
}
