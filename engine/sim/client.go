package sim

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/expr"
	"signalbox/engine/graph"
	"signalbox/engine/machine"
	"signalbox/engine/reference"
	"signalbox/engine/reference/play"
	"signalbox/engine/runtime"
)

const workspace = "main"

// noon is where the runs of a simulation begin for the reference.
var workflow = uuid.MustParse("018f0000-0000-7000-8000-00000000000a")

// act is what somebody outside wants of a run, until it is done.
type act struct {
	id   int
	of   *book
	what string
	wait runtime.Wait  // of a start
	in   machine.Input // of anything else
	done bool
}

// reply is what an engine said to an act.
type reply struct {
	act *act
	s   *server
	out runtime.Started
	err error
}

// id makes a run's id of numbers.
func (w *world) id(kind, n int) uuid.UUID {
	var id uuid.UUID
	binary.BigEndian.PutUint64(id[:8], w.seed*1_000+uint64(n)) //nolint:gosec // a few
	id[6], id[8] = 0x70|id[6]&0x0f, 0x80
	id[9], id[15] = byte(kind), byte(n)
	return id
}

// idOf is the id of a called run. Its end says which shard it belongs to.
func (w *world) idOf(key string) uuid.UUID {
	sum := sha256.Sum256([]byte(fmt.Sprint(w.seed, key)))
	id := uuid.UUID(sum[:16])
	id[6], id[8] = 0x70|id[6]&0x0f, 0x80|id[8]&0x3f
	return id
}

// other is a workflow that runs call.
type other struct {
	drawing int
	g       graph.Graph
	m       *machine.Machine
	version uuid.UUID
	trigger string
}

// open publishes the drawings and plans the runs.
func (w *world) open(s sketch) {
	for i, g := range s.others {
		o := &other{drawing: len(s.drawings) + i, g: g, m: play.Lower(g), version: w.id(3, i), trigger: g.Nodes[0].Key}
		raw, err := o.m.Encode()
		if err != nil {
			panic(err)
		}
		w.store.PutMachine(o.version, raw)
		w.others[names[i]] = o
	}
	for d, g := range s.drawings {
		m := play.Lower(g)
		raw, err := m.Encode()
		if err != nil {
			panic(err)
		}
		version := w.id(1, d)
		w.store.PutMachine(version, raw)
		for range s.plan.Runs {
			n := len(w.books)
			b := &book{
				w: w, number: n, id: w.id(2, n), drawing: d, g: g, m: m, calm: s.calm[d], version: version,
				start:    reference.Start{Trigger: g.Nodes[0].Key, Input: map[string]any{"a": 1.0}},
				outcomes: s.outcomes(w.seed + uint64(n)<<40), //nolint:gosec // a few
			}
			b.reset()
			w.add(b)
		}
	}
}

// arrange puts the starts, what people do and the faults on the agenda.
func (w *world) arrange() {
	for _, b := range w.all() {
		a := &act{id: w.nextAct(), of: b, what: "start"}
		if w.rng.IntN(3) == 0 {
			a.wait = runtime.WaitEnd
		}
		w.toEngine(w.between(0, w.plan.Horizon/3), "", func() { w.perform(a) })
		if w.rng.Float64() < w.plan.Repeat { // asked twice with one key
			twice := &act{id: w.nextAct(), of: b, what: "start"}
			w.toEngine(w.between(0, w.plan.Horizon), "", func() { w.perform(twice) })
		}
		if w.rng.Float64() < w.plan.Acts {
			w.meddle(b)
		}
	}
	for range w.plan.Steps {
		w.in(w.between(0, w.plan.Horizon), "", func() {
			s := w.servers[w.rng.IntN(len(w.servers))]
			d := w.between(-20*time.Second, 20*time.Second).Truncate(time.Microsecond)
			w.say("the clock of %s steps by %s", s.name, d)
			s.skew.Add(int64(d))
		})
	}
	for range w.plan.Wipes {
		w.in(w.between(0, w.plan.Horizon), "the channel is wiped", w.wipe)
	}
	for range w.plan.Kills {
		w.in(w.between(0, w.plan.Horizon), "", func() {
			if s := w.servers[w.rng.IntN(len(w.servers))]; w.alive(s) {
				w.say("%s is killed", s.name)
				w.kill(s)
			}
		})
	}
	for range w.plan.Freezes {
		w.in(w.between(0, w.plan.Horizon), "", w.stun)
	}
	w.in(w.plan.Horizon, "no more faults", w.settleDown)
}

func (w *world) alive(s *server) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return !s.dead
}

// stun freezes the owner for longer than its lease, as a paused process is.
func (w *world) stun() {
	for _, s := range w.servers {
		w.mu.Lock()
		owns := !s.dead && !s.frozen && len(s.deliver) > 0
		w.mu.Unlock()
		if !owns {
			continue
		}
		w.say("%s freezes", s.name)
		w.freeze(s)
		thaws := w.between(time.Second, 12*time.Second)
		if w.rng.IntN(2) == 0 { // whoever has taken over is gone again when it thaws
			lease := 5 * time.Second
			if w.plan.Peers {
				lease = 1500 * time.Millisecond
			}
			killed := lease + w.between(time.Second, 5*time.Second)
			thaws = killed + lease + w.between(0, 1500*time.Millisecond)
			w.in(killed, "", func() { w.killOthers(s) })
		}
		w.in(thaws, "", func() {
			w.say("%s thaws", s.name)
			w.thaw(s)
		})
		return
	}
}

// killOthers kills every server but one.
func (w *world) killOthers(but *server) {
	for _, s := range w.servers {
		if s != but && w.alive(s) && !w.calm {
			w.say("%s is killed", s.name)
			w.kill(s)
		}
	}
}

// settleDown ends the faults. From now on whoever a run waits for comes.
func (w *world) settleDown() {
	w.mu.Lock()
	w.calm = true
	w.mu.Unlock()
	w.attend()
}

// attend gives runs what they wait for by name.
func (w *world) attend() {
	for _, b := range w.all() {
		for _, in := range b.wanted() {
			w.ask(b, in, 0, time.Second)
		}
	}
	w.in(4*time.Second, "", w.attend)
}

// meddle plans what a person does to a run.
func (w *world) meddle(b *book) {
	list := []machine.Input{
		machine.Pause{By: "Ada"}, machine.Resume{By: "Ada"}, machine.Cancel{By: "Ada"}, machine.RollBack{By: "Ada"},
		machine.Signal{Name: "go", ID: "one", Value: json.RawMessage(`{"r":1}`)},
	}
	if b.isItem() {
		list = list[2:] // an item is paused with its map, and goes on with it
	}
	for range 1 + w.rng.IntN(3) {
		in := list[w.rng.IntN(len(list))]
		b.meddled, b.root().meddled = true, true
		if b.parent != nil {
			w.ask(b, in, 0, 8*time.Second)
			continue
		}
		w.ask(b, in, w.plan.Horizon/4, w.plan.Horizon)
	}
}

// greet looks at a run that another one has started: a person may do something
// to it, or to whoever has started it.
func (w *world) greet(b *book) {
	w.say("run %d is started by run %d", b.number, b.parent.number)
	if w.luck(w.plan.Acts / 3) {
		w.meddle(b)
	}
	if w.luck(w.plan.Acts / 3) {
		list := []machine.Input{machine.Pause{By: "Ada"}, machine.Pause{By: "Ada"}, machine.Cancel{By: "Ada"}, machine.RollBack{By: "Ada"}}
		if b.parent.isItem() {
			list = list[2:] // as above
		}
		b.root().meddled = true
		w.ask(b.parent, list[w.rng.IntN(len(list))], 0, 3*time.Second)
	}
}

// ask plans that somebody says something to a run. Whoever sends signals is a
// machine: it does not always know that it was heard, and sends again.
func (w *world) ask(b *book, in machine.Input, from, until time.Duration) {
	times := 1
	if _, is := in.(machine.Signal); is && w.rng.Float64() < w.plan.Repeat {
		times++
	}
	for range times {
		a := &act{id: w.nextAct(), of: b, what: fmt.Sprintf("%T", in), in: in}
		w.toEngine(w.between(from, until), "", func() { w.perform(a) })
	}
}

func (w *world) nextAct() int {
	w.order++
	return w.order
}

// door is the server that somebody outside turns to: any that lives, when it can
// pass on what it is asked, else the one that owns the shard.
func (w *world) door(run uuid.UUID) *server {
	if !w.plan.Peers {
		s, _ := w.owner(w.shardOf(run))
		return s
	}
	s := w.servers[w.rng.IntN(len(w.servers))]
	w.mu.Lock()
	defer w.mu.Unlock()
	if s.dead || s.frozen {
		return nil
	}
	return s
}

// perform asks a server.
func (w *world) perform(a *act) {
	s := w.door(a.of.id)
	if s == nil {
		w.toEngine(w.between(200*time.Millisecond, time.Second), "", func() { w.perform(a) })
		return
	}
	w.say("%s of run %d", a.what, a.of.number)
	s.asked[a.id] = a
	w.asking.Go(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second+time.Duration(a.id)*time.Microsecond+11)
		defer cancel()
		ctx = context.WithValue(ctx, actKey{}, a.id)
		r := reply{act: a, s: s}
		if a.in != nil {
			_, r.err = s.engine.Tell(ctx, workspace, a.of.id, a.in)
		} else {
			r.out, r.err = s.engine.Start(ctx, a.of.request(a.wait))
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		w.replies = append(w.replies, r)
		w.wake()
	})
}

func (b *book) request(wait runtime.Wait) runtime.StartRequest {
	input, err := expr.Marshal(b.start.Input)
	if err != nil {
		panic(err)
	}
	return runtime.StartRequest{
		Workspace: workspace, Workflow: workflow, Version: b.version, Trigger: b.start.Trigger, Input: input, Source: "test",
		Key: b.id.String(), Wait: wait,
	}
}

// answered takes a reply; an act that failed is tried again as long as it could
// still do something.
func (w *world) answered(r reply) {
	a := r.act
	if a.done {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if r.err != nil {
		if a.in != nil && a.of.over() {
			a.done = true
			return
		}
		if a.in == nil || !a.of.began() {
			w.toEngine(w.between(100*time.Millisecond, 2*time.Second), "", func() { w.perform(a) })
		}
		return
	}
	a.done = true
	if !a.of.began() {
		w.accuse("answers", a.of.number, "%s was answered, and the run is not on disk", a.what)
	}
	if r.out.Answer != nil {
		a.of.answers = append(a.of.answers, *r.out.Answer)
	}
}

// release lets commits go on that are held: behind some, inputs have piled up.
func (w *world) release() (any bool) {
	for _, s := range w.servers {
		for shard := range w.plan.Shards {
			any = w.releaseOne(s, shard) || any
		}
	}
	return any
}

func (w *world) releaseOne(s *server, shard int) bool {
	w.mu.Lock()
	h, stands := s.held[shard], s.dead || s.frozen
	w.mu.Unlock()
	if h == nil || stands {
		return false
	}
	free := func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if s.held[shard] == h {
			close(h.free)
			delete(s.held, shard)
		}
	}
	if h.slow {
		if !h.waits {
			h.waits = true
			w.in(w.between(time.Millisecond, 4*time.Second), "", free)
		}
		return false
	}
	w.burst(w.rng.IntN(10))
	free()
	return true
}
