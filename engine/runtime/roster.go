package runtime

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Peers carries inputs to the server that owns their shard. It may lose
// everything: whoever asks asks again.
type Peers interface {
	// Ask hands a question to the owner of a shard and returns its answer.
	// ErrNoOwner: nobody listens for the shard at the moment.
	Ask(ctx context.Context, shard int, question []byte) ([]byte, error)
	// Answer calls the function for each question to a shard until the context
	// ends; it must not block. The function answers once, or never.
	Answer(ctx context.Context, shard int, fn func(question []byte, answer func([]byte))) error
	// Nudge tells the other servers that a server or a shard came or went.
	Nudge()
	// Nudged returns a channel that says when another server did so.
	Nudged() <-chan struct{}
	// Connected reports whether the others can be reached.
	Connected() bool
}

// tenure says until when this server surely owns what it owns: the time its
// lease was asked for, and its length. It is the process's own clock, which
// does not stand still while the process does.
type tenure struct {
	born  time.Time
	until atomic.Int64
}

func (t *tenure) extend(asked time.Time, lease time.Duration) {
	t.until.Store(int64(asked.Sub(t.born) + lease))
}

func (t *tenure) sure(now time.Time) bool { return int64(now.Sub(t.born)) < t.until.Load() }

// roster keeps this server's lease and shares the shards out: every server
// looks at the same rows and follows the same rule, nobody decides for others.
type roster struct {
	cfg    *Config
	shards []*shard
	tenure tenure
	kick   chan struct{} // look again: a shard was taken or given up here
	ready  chan struct{} // closed when every shard has an owner
	once   sync.Once
	faulty bool // the last beat failed
	looks  atomic.Int64
	apart  time.Time // since when the others cannot be reached; zero: they can
}

// run beats until the context ends, then says that this server takes no more.
// An error: the number of shards has changed, and this process cannot go on.
func (r *roster) run(ctx context.Context) error {
	var nudged <-chan struct{}
	if r.cfg.Peers != nil {
		nudged = r.cfg.Peers.Nudged()
	}
	first := true
	for ctx.Err() == nil {
		wait, err := r.beat(ctx)
		if err != nil {
			return err
		}
		if first && r.cfg.Peers != nil {
			r.cfg.Peers.Nudge() // the others make room
			first = false
		}
		t := time.NewTimer(wait) //nolint:forbidigo // paces, decides nothing
		select {
		case <-t.C:
		case <-nudged:
		case <-r.kick:
		case <-ctx.Done():
		}
		t.Stop()
	}
	if r.cfg.Peers == nil {
		return nil
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), r.cfg.Lease)
	defer cancel()
	if _, err := r.cfg.Store.Beat(last, r.cfg.Owner, false, r.cfg.Lease); err == nil {
		r.cfg.Peers.Nudge()
	}
	return nil
}

// beat renews the lease, looks around, and says when to do it again.
func (r *roster) beat(ctx context.Context) (time.Duration, error) {
	asked, look := r.cfg.Now(), r.looks.Add(1)
	within, cancel := context.WithTimeout(ctx, r.cfg.Lease)
	defer cancel()
	seen, err := r.cfg.Store.Beat(within, r.cfg.Owner, r.able(asked), r.cfg.Lease)
	if err != nil {
		if !r.faulty && ctx.Err() == nil {
			r.cfg.Log.WarnContext(ctx, "the lease was not renewed", "err", err)
		}
		r.faulty = true
		return r.cfg.Beat / 2, nil
	}
	r.faulty = false
	if seen.Count != 0 && seen.Count != len(r.shards) {
		return 0, errRecount
	}
	for _, s := range r.shards {
		s.see(seen.Owners[s.n], look)
	}
	r.tenure.extend(asked, r.cfg.Lease) // what is not owned any more has ended before
	r.share(seen)
	r.settled(seen)
	wait := r.cfg.Beat
	for _, m := range seen.Servers {
		if m.Server != r.cfg.Owner { // if it is dead, what it owns is free right then
			wait = min(wait, m.Left+expiryMargin)
		}
	}
	return max(wait, expiryMargin), nil
}

// able reports whether this server should have shards: not when it has been cut
// off from the others, and from workers, for longer than a lease.
func (r *roster) able(now time.Time) bool {
	switch {
	case r.cfg.Peers == nil || r.cfg.Peers.Connected():
		r.apart = time.Time{}
	case r.apart.IsZero():
		r.apart = now
	}
	return r.apart.IsZero() || now.Sub(r.apart) < r.cfg.Lease
}

// expiryMargin is how long after the end of another server's lease it is looked
// whether it was renewed.
const expiryMargin = 5 * time.Millisecond

// settled closes ready when every shard has an owner that has recovered it, or
// is somebody else's.
func (r *roster) settled(seen Roster) {
	for _, s := range r.shards {
		h := seen.Owners[s.n]
		other := r.cfg.Peers != nil && h.Server != "" && h.Server != r.cfg.Owner
		if !s.owned.Load() && !other {
			return
		}
	}
	r.once.Do(func() { close(r.ready) })
}

// share takes what this server lacks and gives up what it has too much of.
func (r *roster) share(seen Roster) {
	var free, mine []*shard
	for _, s := range r.shards {
		switch {
		case s.busy.Load():
			mine = append(mine, s)
		case seen.Owners[s.n].Server == "" || seen.Owners[s.n].Server == r.cfg.Owner:
			free = append(free, s)
		}
	}
	if r.cfg.Peers == nil { // nobody could pass inputs on: the first one has all
		for _, s := range free {
			s.invite()
		}
		return
	}
	want := quota(seen, r.cfg.Owner, len(r.shards), len(mine), len(free))
	for n := len(mine); n > want; n-- {
		mine[n-1].yield()
	}
	if len(free) == 0 {
		return
	}
	// Servers begin at different shards, so that they seldom want the same one.
	at := slices.IndexFunc(seen.Servers, func(m Member) bool { return m.Server == r.cfg.Owner })
	for i := range min(len(free), want-len(mine)) {
		free[(max(at, 0)*len(free)/max(1, len(seen.Servers))+i)%len(free)].invite()
	}
}

// quota is how many shards a server should have: the same for all, and one
// more for some when they do not divide. A server that has one more gives it
// up only when another one has too few and nothing is free.
func quota(seen Roster, self string, shards, mine, free int) int {
	able := make([]string, 0, len(seen.Servers))
	for _, m := range seen.Servers {
		if m.Able {
			able = append(able, m.Server)
		}
	}
	if len(able) == 0 { // nobody can do all that is needed, but some of it
		for _, m := range seen.Servers {
			able = append(able, m.Server)
		}
	}
	if !slices.Contains(able, self) {
		return 0
	}
	has := map[string]int{}
	for _, h := range seen.Owners {
		has[h.Server]++
	}
	has[self] = mine
	least, rest := shards/len(able), shards%len(able)
	most := least
	if rest > 0 {
		most++
	}
	poor, rich := "", "" // the first that has too few, the first that could give
	for _, name := range able {
		if poor == "" && has[name] < least {
			poor = name
		}
		if rich == "" && has[name] > least {
			rich = name
		}
	}
	switch {
	case mine < least:
		return least
	case mine > most:
		return most
	case poor == "" && mine < most && free > 0:
		return most
	case poor != "" && free == 0 && mine > least && rich == self:
		return mine - 1
	default:
		return mine
	}
}
