package sim

import (
	"container/heap"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/mem"
	"signalbox/engine/runtime"
	"signalbox/engine/task"
)

// patience is how long after the last fault every run has to end, or to wait
// for something that has a name.
const patience = 15 * time.Minute

// world is everything that one seed moves.
type world struct {
	seed  uint64
	plan  plan
	rng   *rand.Rand // only the scheduler draws from it
	store *mem.Store
	began time.Time

	agenda  moments
	taken   map[time.Time]bool
	order   int
	calm    bool // no more faults
	servers []*server
	graves  []*server // processes that died
	lives   int
	wires   map[wire][]*question
	others  map[string]*other // workflows that are called, by name
	quiet   time.Time         // since when all runs are over
	asking  sync.WaitGroup    // whoever asks a server something
	kick    chan struct{}     // something came of an engine

	mu        sync.Mutex // of what the engines' goroutines touch as well
	books     []*book
	byName    map[string]*book     // the same, by id
	claims    map[uuid.UUID]string // keys of called runs
	born      []*book              // runs that others started, not seen by the scheduler
	epochs    map[int]int64        // by shard: the highest that was given out
	questions []*question          // of servers, the same
	parcels   []parcel
	nudges    []*server
	byRun     map[uuid.UUID]*book
	messages  map[place]*message
	fresh     []task.Task // dispatched, not seen by the scheduler
	canceled  []uuid.UUID // runs whose tasks are no longer wanted, the same
	settled   []place
	replies   []reply
	payloads  map[string][]byte
	found     []Violation
	lines     []string
}

// Violation is a thing that must not be.
type Violation struct {
	Rule string
	Run  int // number of the run in its seed; -1: none
	Text string
}

func (v Violation) String() string { return fmt.Sprintf("%s (run %d): %s", v.Rule, v.Run, v.Text) }

// accuse notes a violation; the lock is held.
func (w *world) accuse(rule string, run int, format string, args ...any) {
	if len(w.found) < 20 {
		w.found = append(w.found, Violation{rule, run, fmt.Sprintf(format, args...)})
	}
}

func (w *world) now() time.Time { return time.Now() }

// say keeps a line of the history, from the scheduler only.
func (w *world) say(format string, args ...any) {
	w.lines = append(w.lines, w.now().Sub(w.began).String()+" "+fmt.Sprintf(format, args...))
}

// wake tells the scheduler that something came of an engine.
func (w *world) wake() {
	select {
	case w.kick <- struct{}{}:
	default:
	}
}

// play moves the world until nothing is left to happen.
func (w *world) play() {
	for range w.plan.Servers {
		w.servers = append(w.servers, nil)
	}
	for slot := range w.servers {
		w.boot(slot)
		time.Sleep(w.between(10*time.Millisecond, 900*time.Millisecond)) // the first one owns
		synctest.Wait()
	}
	w.arrange()
	for {
		w.look()
		if w.done() {
			break
		}
		w.step()
	}
	w.mu.Lock()
	w.calm = true
	w.mu.Unlock()
	for _, s := range w.servers {
		w.stop(s)
	}
	for _, s := range append(w.graves, w.servers...) {
		<-s.over
	}
	w.asking.Wait()
	synctest.Wait()
}

// look takes in what came of the engines, in an order that does not depend on
// their goroutines.
func (w *world) look() {
	for {
		synctest.Wait()
		w.mu.Lock()
		fresh, canceled, settled, replies, born := w.fresh, w.canceled, w.settled, w.replies, w.born
		w.fresh, w.canceled, w.settled, w.replies, w.born = nil, nil, nil, nil, nil
		w.mu.Unlock()
		slices.SortFunc(fresh, func(a, b task.Task) int { return placeOf(a).compare(placeOf(b)) })
		slices.SortFunc(settled, place.compare)
		slices.SortFunc(canceled, func(a, b uuid.UUID) int { return strings.Compare(a.String(), b.String()) })
		slices.SortFunc(replies, func(a, b reply) int { return a.act.id - b.act.id })
		for _, p := range settled {
			w.acknowledged(p)
		}
		for _, t := range fresh {
			w.queue(t)
		}
		for _, run := range canceled {
			w.withdraw(run)
		}
		for _, r := range replies {
			if w.alive(r.s) { // else nobody hears it
				delete(r.s.asked, r.act.id)
				w.answered(r)
			}
		}
		for _, b := range born {
			w.greet(b)
		}
		posted := w.post()
		down := w.bury()
		if !posted && len(born) == 0 && len(fresh)+len(canceled)+len(settled)+len(replies) == 0 && !down && !w.release() {
			return
		}
	}
}

// step lets time pass until the next moment, or until an engine has done
// something.
func (w *world) step() {
	if len(w.agenda) == 0 { // only the engines' own timers are left
		w.in(time.Second, "", func() {})
	}
	next := w.agenda[0]
	if d := next.at.Sub(w.now()); d > 0 {
		t := time.NewTimer(d)
		select {
		case <-t.C:
		case <-w.kick:
			t.Stop()
			return
		}
		synctest.Wait()
	}
	heap.Pop(&w.agenda)
	w.happen(next)
}

func (w *world) happen(m moment) {
	delete(w.taken, m.at.Add(-137))
	if m.what != "" {
		w.say("%s", m.what)
	}
	m.do()
}

// done reports whether the faults are over and so are all runs, or they wait
// for what only a person can give.
func (w *world) done() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.found) > 0 {
		return true
	}
	if !w.calm {
		return false
	}
	for _, b := range w.books {
		if !b.over() {
			if w.now().Sub(w.began) > w.plan.Horizon+patience {
				w.accuse("stuck", b.number, "%s", b.stuck())
				return true
			}
			w.quiet = time.Time{}
			return false
		}
	}
	if w.quiet.IsZero() {
		w.quiet = w.now()
	}
	return !w.plan.families() || w.now().Sub(w.quiet) > aftermath
}

// aftermath is how long it is looked whether something begins when all runs are
// over.
const aftermath = 20 * time.Second

// all lists the books.
func (w *world) all() []*book {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.books)
}

// add takes in a run; the lock is held.
func (w *world) add(b *book) {
	w.books = append(w.books, b)
	w.byRun[b.id], w.byName[b.id.String()] = b, b
}

// Played is what became of a seed.
type Played struct {
	Seed     uint64
	Plan     string
	Found    []Violation
	Digest   string // of everything that happened
	Drawings []string
	History  []string
	Status   map[string]int
	Events   int
	Compared int // runs that the reference told too
	Called   int // runs that were called
	Items    int // runs that were items of a map
	Apart    int // of both: runs of another server's shard
	Left     int // of both: runs that nobody waited for any more when they ended
	Stored   []Stored
}

// Stored is a run as it is on disk when its seed is over.
type Stored struct {
	Machine json.RawMessage
	Record  *runtime.Record
	Inside  int // items of a map that are done inside it; 0: all
}

// Option changes what a seed draws.
type Option func(*sketch)

// Play moves the world of a seed to its end.
func Play(t *testing.T, seed uint64, options ...Option) (p Played) {
	t.Helper()
	synctest.Test(t, func(*testing.T) {
		r := rand.New(rand.NewPCG(seed, 21))
		s := sketchOf(seed, r)
		for _, o := range options {
			o(&s)
		}
		w := &world{
			seed: seed, plan: s.plan, rng: r, store: mem.NewStore(time.Now), began: time.Now(), taken: map[time.Time]bool{}, kick: make(chan struct{}, 1),
			byRun: map[uuid.UUID]*book{}, byName: map[string]*book{}, claims: map[uuid.UUID]string{}, epochs: map[int]int64{}, others: map[string]*other{}, wires: map[wire][]*question{},
			messages: map[place]*message{}, payloads: map[string][]byte{},
		}
		w.open(s)
		w.play()
		p = w.judge(s)
	})
	return p
}
