package runtime

import (
	"errors"
	"fmt"

	"github.com/google/uuid"

	"signalbox/engine/machine"
	"signalbox/engine/problem"
)

// unreadableError: what is stored of a run does not make sense, and will not the
// next time either: its machine, an event, or a large value that is not there.
// It is the run's own fault, as it were: the others of its shard go on.
type unreadableError struct {
	run uuid.UUID // zero: any of its version
	err error
}

func (u *unreadableError) Error() string {
	if u.run == (uuid.UUID{}) {
		return u.err.Error()
	}
	return fmt.Sprintf("run %s cannot be read: %v", u.run, u.err)
}

func (u *unreadableError) Unwrap() error { return u.err }

// foreign returns what a newer program wrote, if that is why a run could not be
// loaded.
func foreign(err error) (u *machine.UnknownError) {
	errors.As(err, &u)
	return u
}

// unreadable returns why a run can never be loaded as it is stored; nil: there
// is another reason.
func unreadable(err error) (u *unreadableError) {
	errors.As(err, &u)
	return u
}

// refusal is an error as a person hears it, if what is stored is its reason;
// else as it is.
func refusal(err error) error {
	if u := foreign(err); u != nil {
		return problem.New(problem.Unavailable, "A newer Signalbox wrote this (format %d, semantics %d), and this server cannot carry it on. Run the newer program.", u.Format, max(u.Semantics, machine.Semantics))
	}
	if unreadable(err) != nil {
		return problem.New(problem.Unavailable, "What is stored of this cannot be read, so nothing can be done with it. The server's log says why, and signalbox audit lists all that is damaged.")
	}
	return err
}
