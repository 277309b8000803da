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

	// Of calls, and of items that are runs.
	CallFirst         // a call is placed before its turn is on disk
	CallAgain         // every owner starts a run of its own for a call
	CallNotRecovered  // a new owner does not place the open calls again
	CallEndUntold     // whoever called is not told of an error
	CallErrorForgiven // a called run that failed counts as one that succeeded
	CancelStays       // a call that is canceled leaves its run alone
	BirthForgotten    // a run whose call was canceled while it was started is left alone
	NotDisowned       // a new owner does not look for runs that nobody waits for
	ItemsTooWide      // a map opens one run more at a time
	ItemAgain         // every owner starts a run of its own for an item
	ItemsNotRecovered // a new owner does not wait for the open items
	ItemsStay         // items that are canceled go on
	ItemsNotHeld      // items are not paused with their map, and do not go on with it
	EndsLost          // what ends while others are told of is forgotten
	GatherLost        // a new owner does not put the results together
	GatherMixed       // results come in the order of their end

	// Of the store.
	EpochUnchecked // an owner of before may commit

	end
)

var names = [...]string{
	"", "join takes two", "join impatient", "round not opened", "cancel leaves visits", "late result taken", "one try more", "retry at once", "wait too short",
	"one visit more", "map too wide", "split loses token", "error forgiven", "undo forward", "undo twice", "flight not awaited", "signal twice", "pause ignored",
	"start twice", "key per attempt", "dispatch first", "ack first", "reply first", "trace first", "state kept", "nothing owed", "owed not recovered",
	"timers not recovered", "cancel untold", "time goes back", "chain restarts", "value not stored", "row stale",
	"call first", "call again", "call not recovered", "call end untold", "call error forgiven", "cancel stays", "birth forgotten", "not disowned",
	"items too wide", "item again", "items not recovered", "items stay", "items not held", "ends lost", "gather lost", "gather mixed",
	"epoch unchecked",
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
