package queue

import "time"

// Need is one limit that a task falls under.
type Need struct {
	Name  string
	Slots int           // at once; 0: any number
	Rate  int           // within Per; 0: any number
	Per   time.Duration // of Rate
}

// Tally is what is known of one limit: how many slots are taken, and when the
// last attempts went out, the oldest first, in microseconds.
type Tally struct {
	Used  int
	Takes []int64
}

// Book is the tallies of limits, by name.
type Book map[string]*Tally

// Grant takes a slot and a place of each limit, or nothing of any. It says
// which limit refuses, and when a refused rate has room again; a zero time:
// when a slot is given back.
func (b Book) Grant(needs []Need, now time.Time) (refused string, until time.Time) {
	for _, n := range needs {
		t := b.of(n.Name)
		if n.Slots > 0 && t.Used >= n.Slots {
			return n.Name, time.Time{}
		}
		if at := t.room(n, now); at.After(now) {
			return n.Name, at
		}
	}
	for _, n := range needs {
		t := b.of(n.Name)
		t.Used++
		if n.Rate > 0 {
			t.Takes = append(t.trim(n, now), now.UnixMicro())
		}
	}
	return "", time.Time{}
}

// Free gives the slots back.
func (b Book) Free(names []string) {
	for _, name := range names {
		if t := b[name]; t != nil && t.Used > 0 {
			t.Used--
		}
	}
}

func (b Book) of(name string) *Tally {
	t := b[name]
	if t == nil {
		t = &Tally{}
		b[name] = t
	}
	return t
}

// trim forgets takes that no window reaches any more, and more than can count.
func (t *Tally) trim(n Need, now time.Time) []int64 {
	from := now.Add(-n.Per).UnixMicro()
	i := 0
	for i < len(t.Takes) && t.Takes[i] <= from {
		i++
	}
	return t.Takes[max(i, len(t.Takes)-n.Rate):]
}

// room is when the rate lets another one go: within any time of length Per
// there are never more than Rate.
func (t *Tally) room(n Need, now time.Time) time.Time {
	if n.Rate == 0 || len(t.Takes) < n.Rate {
		return time.Time{}
	}
	return time.UnixMicro(t.Takes[len(t.Takes)-n.Rate]).Add(n.Per)
}
