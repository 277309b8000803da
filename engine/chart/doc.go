// Package chart interprets statecharts: nested and parallel states, history,
// guards, delays, with the meaning of SCXML as XState 5 gives it.
//
// It is pure. A definition (Def) is compiled once; then Start and Send are
// functions from a state and an event to a state and effects. The state is a
// small JSON value. Nothing is done here: a delay, a task to start or a named
// action comes out as an Effect, and what becomes of it comes back in as an
// Event.
//
// # Order
//
// An event is handled in one macrostep. It selects at most one transition for
// each active leaf, the innermost state first; of two that would leave the
// same state, the inner one wins, else the first in document order. States are
// left innermost and last first, then the transitions' actions run, then
// states are entered outermost and first first. After that transitions without
// an event (always) are taken while there are any, then raised events, first
// in first out. Assigns take effect at their place in this order.
//
// # Standing inside a run
//
// A container visit of a workflow can hold a chart (op "chart"):
//
//   - The visit starts: Compile the definition (once per machine), call Start
//     with the visit's input, keep the State as the visit's data.
//   - An input of the run, ChartEvent{name, data}, is Send(state, NewEvent(name,
//     data)). Handles says beforehand whether any transition could take it.
//   - Effect OpTimer asks for a timer: its ID is unique in the life of the
//     chart, so the run's timer is (visit, ID). When it fires, Send Event{From:
//     ID}. OpCancel withdraws it; one that fires nevertheless changes nothing.
//   - Effect OpStart asks for a task: Source is what to run, Input its input,
//     ID unique as above. Its result is Send(Event{Type: Done, From: ID, Data:
//     {"output": …}}), its last failure Send(Event{Type: Failed, From: ID, Data:
//     {"error": …}}). OpStop cancels it; a result that comes nevertheless
//     changes nothing.
//   - Effect OpAct is a named action without an answer: a task whose result
//     nobody waits for. OpSend is an event for another run. OpLog is a line in
//     the trace.
//   - After each step: State.Status StatusDone ends the visit on port success
//     with State.Output; StatusFailed on port failure with State.Error. Both
//     come with the cancels and stops of all that was still open.
//
// Effects of one step stand in the order in which they are to be done. A
// timer or task that opens and closes within one step does not show.
package chart
