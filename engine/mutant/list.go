// Package mutant plants bugs in the engine, to see whether the tests find them.
// A program that is built without the tag mutant has none of them, and nothing
// left of the places where they would be.
package mutant

// Bug is one planted bug. Zero is none.
type Bug int

// The closed list of Bug.
const (
	None Bug = iota

	// Of the machine.
	JoinTakesTwo       // a join takes two tokens from an edge that has them
	JoinImpatient      // an inclusive join does not wait for what can still come
	RoundNotOpened     // a join that absorbs the others forgets to
	CancelLeavesVisits // a join that cancels the others leaves their visits alive
	LateResultTaken    // the result of an earlier attempt ends the next one
	OneTryMore         // an attempt more than the policy allows
	RetryAtOnce        // the next attempt does not wait
	WaitTooShort       // a wait ends a millisecond early
	OneVisitMore       // a node starts once more than it may
	MapTooWide         // a map opens one body more at a time
	SplitLosesToken    // of several edges on one port only the first gets a token
	ErrorForgiven      // an error that nothing catches does not go up
	UndoForward        // what completed first is undone first
	UndoTwice          // what is undone is undone again
	FlightNotAwaited   // a task in flight is not waited for before its scope is undone
	SignalTwice        // a signal that comes twice counts twice
	PauseIgnored       // a paused run starts nodes
	StartTwice         // a run that has begun begins again
	KeyPerAttempt      // an attempt has an idempotency key of its own

	// Of the runtime.
	DispatchFirst      // a task goes out before its turn is on disk
	AckFirst           // a result is acknowledged before its turn is on disk
	ReplyFirst         // a request is answered before its turn is on disk
	TraceFirst         // an event is shown before its turn is on disk
	StateKept          // a state whose turn failed is kept
	NothingOwed        // the row of a run never says that something is owed
	OwedNotRecovered   // a new owner does not hand out again what is owed
	TimersNotRecovered // a new owner does not arm the timers of sleeping runs
	CancelUntold       // workers are not told that a run is over
	TimeGoesBack       // an event may be older than the one before it
	ChainRestarts      // the chain of hashes of a run that is loaded begins anew
	ValueNotStored     // a large value is named and never stored
	RowStale           // a row changes only when its run is over

	// Of the store.
	EpochUnchecked // an owner of before may commit

	end
)

var names = [...]string{
	"", "join takes two", "join impatient", "round not opened", "cancel leaves visits", "late result taken", "one try more", "retry at once", "wait too short",
	"one visit more", "map too wide", "split loses token", "error forgiven", "undo forward", "undo twice", "flight not awaited", "signal twice", "pause ignored",
	"start twice", "key per attempt", "dispatch first", "ack first", "reply first", "trace first", "state kept", "nothing owed", "owed not recovered",
	"timers not recovered", "cancel untold", "time goes back", "chain restarts", "value not stored", "row stale", "epoch unchecked",
}

func (b Bug) String() string { return names[b] }

// All lists every bug.
func All() []Bug {
	var list []Bug
	for b := None + 1; b < end; b++ {
		list = append(list, b)
	}
	return list
}
