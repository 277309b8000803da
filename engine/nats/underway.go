package nats

import "slices"

// ref is an attempt of a run.
type ref struct {
	scope          int
	node           string
	visit, attempt int
}

// underway is the tasks of one run that are not settled: a list, as nearly
// every run has only a few, with an index when there are many.
type underway struct {
	list []ref
	at   map[ref]int // places in the list; nil: it is short
}

// shortMax is how long a list may be without an index.
const shortMax = 32

func (u *underway) place(r ref) int {
	if u.at == nil {
		return slices.Index(u.list, r)
	}
	if i, ok := u.at[r]; ok {
		return i
	}
	return -1
}

// add takes a task in; one that is there already changes nothing.
func (u *underway) add(r ref) {
	if u.place(r) >= 0 {
		return
	}
	u.list = append(u.list, r)
	switch {
	case u.at != nil:
		u.at[r] = len(u.list) - 1
	case len(u.list) > shortMax:
		u.at = make(map[ref]int, 2*len(u.list))
		for i, r := range u.list {
			u.at[r] = i
		}
	}
}

// drop takes a task out and reports whether none is left.
func (u *underway) drop(r ref) (none bool) {
	i := u.place(r)
	if i < 0 {
		return len(u.list) == 0
	}
	last := len(u.list) - 1
	moved := u.list[last]
	u.list[i] = moved
	u.list = u.list[:last]
	if u.at != nil {
		u.at[moved] = i
		delete(u.at, r)
	}
	return last == 0
}
