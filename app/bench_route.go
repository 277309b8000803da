package app

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"signalbox/engine/graph"
	"signalbox/engine/queue"
	"signalbox/engine/route"
	"signalbox/engine/routing"
	sbruntime "signalbox/engine/runtime"
)

// W5 is a mixed load: one run in ten is urgent with a task of 20 ms, the rest
// is not, with one of 400 ms. Sixteen attempts may be at work; at load 1 they
// are so all the time. Runs come by chance, whether those before are done or
// not.
const (
	mixSlots  = 16
	mixUrgent = 20 * time.Millisecond
	mixBulk   = 400 * time.Millisecond
	mixShare  = 0.1
	mixStuck  = 60 * time.Second // a run that takes longer counts as this long
)

// way is how the tasks of W5 reach their workers.
type way struct {
	name   string
	table  route.Table
	queues map[string]int // slots
}

// The same sixteen slots: one queue for all, first come, first served; or the
// standard routes, with two slots for what is urgent.
func ways() []way {
	flat := route.Rule{Queue: "default", Priority: "normal", When: []route.Condition{{Attribute: "kind", Op: "is", Value: "mock"}}}
	return []way{
		{"shared", route.Table{Rules: []route.Rule{flat}, Default: "default"}, map[string]int{"default": mixSlots}},
		{"routed", route.Standard(), map[string]int{"express": 2, "default": mixSlots - 2}},
	}
}

func mixedGraph() graph.Graph {
	return graph.Graph{
		Format: graph.Format, Name: "Bench: mixed",
		Nodes: []graph.Node{
			{ID: "start", Key: "start", Kind: "manual"},
			{ID: "work", Key: "work", Kind: "mock", Config: json.RawMessage(`{"latency_ms":"=input.ms"}`), Task: &graph.Task{Priority: json.RawMessage(`"=input.priority"`)}},
		},
		Edges: []graph.Edge{{ID: "e", From: "start", Port: "success", To: "work"}},
	}
}

// route is W5: the time of urgent runs with and without routing, at 80 % of
// what the slots can do and at three times of it.
func (b *bench) route(ctx context.Context) error {
	p, err := b.publish(ctx, mixedGraph())
	if err != nil {
		return err
	}
	for _, load := range []float64{0.8, 3} {
		for _, w := range ways() {
			if err := b.set(ctx, w.table, w.queues); err != nil {
				return err
			}
			b.mixed(ctx, p, w, load)
			if err := b.drain(ctx); err != nil {
				return err
			}
		}
	}
	return b.set(ctx, route.Standard(), map[string]int{"express": 0, "default": 0})
}

// set changes the routes and limits of the workspace.
func (b *bench) set(ctx context.Context, table route.Table, slots map[string]int) error {
	t, err := b.app.routing.Table(ctx, mainWorkspace, [16]byte{})
	if err != nil {
		return err
	}
	t.Rules, t.UpdatedBy = table, "bench"
	if _, err := b.app.routing.PutTable(ctx, t); err != nil {
		return err
	}
	for name, n := range slots {
		if err := b.limit(ctx, name, n); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) limit(ctx context.Context, name string, slots int) error {
	q, err := b.app.routing.Queue(ctx, mainWorkspace, name)
	if err != nil {
		return err
	}
	_, err = b.app.routing.PutQueue(ctx, routing.Queue{Workspace: mainWorkspace, Name: name, Revision: q.Revision, Settings: queue.Settings{Concurrency: slots}, UpdatedBy: "bench"})
	return err
}

// mixed plays the load for the time of a workload and emits what urgent runs
// took.
func (b *bench) mixed(ctx context.Context, p published, w way, load float64) {
	mean := mixShare*mixUrgent.Seconds() + (1-mixShare)*mixBulk.Seconds()
	every := mean / (load * mixSlots)
	took := max(b.took, 10*time.Second) // fewer urgent runs say nothing
	random := rand.New(rand.NewPCG(17, 4))
	lat := &latencies{}
	waits, stop := context.WithTimeout(ctx, took+mixStuck)
	defer stop()
	var urgent sync.WaitGroup
	end := time.Now().Add(took)
	for next := time.Now(); next.Before(end) && ctx.Err() == nil; next = next.Add(time.Duration(random.ExpFloat64() * every * float64(time.Second))) {
		time.Sleep(time.Until(next))
		r := sbruntime.StartRequest{Workspace: mainWorkspace, Workflow: p.workflow, Version: p.version, Trigger: "start", Source: "bench"}
		if random.Float64() >= mixShare {
			r.Input = mixInput(random, mixBulk, "low")
			go func() { _, _ = b.app.engine.Start(ctx, r) }()
			continue
		}
		r.Input, r.Wait = mixInput(random, mixUrgent, "high"), sbruntime.WaitEnd
		urgent.Go(func() {
			began := time.Now()
			_, _ = b.app.engine.Start(waits, r)
			lat.add(min(time.Since(began), mixStuck))
		})
	}
	urgent.Wait()
	b.emit(figure{Workload: "W5", Path: b.path, Way: w.name, Load: load, P50: lat.at(.5), P95: lat.at(.95), P99: lat.at(.99)})
}

func mixInput(random *rand.Rand, mean time.Duration, priority string) json.RawMessage {
	return fmt.Appendf(nil, `{"ms":%d,"priority":%q}`, min(60_000, 1+int(random.ExpFloat64()*ms(mean))), priority)
}

// drain waits until nothing is left to do.
func (b *bench) drain(ctx context.Context) error {
	for name := range map[string]bool{"express": true, "default": true} {
		if err := b.limit(ctx, name, 0); err != nil {
			return err
		}
	}
	for ctx.Err() == nil {
		left := 0
		for _, l := range b.app.engine.QueueLooks() {
			left += l.Backlog()
		}
		if left == 0 {
			return nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	return ctx.Err()
}
