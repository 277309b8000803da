package queue_test

import (
	"container/heap"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"signalbox/engine/queue"
	"signalbox/engine/route"
	"signalbox/engine/task"
)

// A simulation in virtual time: tasks come by chance, wait in the gate that
// the program uses, and are worked on by so many workers. Nothing in it
// depends on the machine that it runs on.
type simulation struct {
	yard    *yard
	routes  func(route.Attributes) route.Decision
	random  *rand.Rand
	events  moments
	took    map[string][]float64 // ms from arrival to end, by class
	arrived map[task.ID]time.Time
	class   map[task.ID]string
	length  map[task.ID]time.Duration
}

// stream is a sort of task.
type stream struct {
	class    string
	workflow string
	priority int
	every    time.Duration // mean time between two
	takes    time.Duration // mean time of work
}

type moment struct {
	at time.Time
	do func()
	n  int
}

type moments struct {
	list []moment
	n    int
}

func (m *moments) Len() int { return len(m.list) }
func (m *moments) Less(i, j int) bool {
	if !m.list[i].at.Equal(m.list[j].at) {
		return m.list[i].at.Before(m.list[j].at)
	}
	return m.list[i].n < m.list[j].n
}
func (m *moments) Swap(i, j int) { m.list[i], m.list[j] = m.list[j], m.list[i] }
func (m *moments) Push(x any)    { m.list = append(m.list, x.(moment)) } //nolint:forcetypeassert // only moments are pushed
func (m *moments) Pop() any {
	last := m.list[len(m.list)-1]
	m.list = m.list[:len(m.list)-1]
	return last
}

func (s *simulation) at(t time.Time, do func()) {
	s.events.n++
	heap.Push(&s.events, moment{t, do, s.events.n})
}

// chance is an exponential time with the mean.
func (s *simulation) chance(mean time.Duration) time.Duration {
	return time.Duration(-float64(mean) * math.Log(1-s.random.Float64()))
}

// simulate plays so much time and returns the times that tasks took, in
// milliseconds, by class.
func simulate(settings map[string]queue.Settings, routes func(route.Attributes) route.Decision, streams []stream, length time.Duration) map[string][]float64 {
	s := &simulation{
		yard: newYard(settings), routes: routes, random: rand.New(rand.NewPCG(17, 4)),
		took: map[string][]float64{}, arrived: map[task.ID]time.Time{}, class: map[task.ID]string{}, length: map[task.ID]time.Duration{},
	}
	end := s.yard.now.Add(length)
	for _, st := range streams {
		var next func()
		next = func() {
			s.arrive(st)
			if t := s.yard.now.Add(s.chance(st.every)); t.Before(end) {
				s.at(t, next)
			}
		}
		s.at(s.yard.now.Add(s.chance(st.every)), next)
	}
	for s.events.Len() > 0 {
		m := heap.Pop(&s.events).(moment) //nolint:forcetypeassert // only moments are pushed
		s.yard.now = m.at
		m.do()
		for _, t := range s.yard.let() {
			id := t.ID()
			s.at(s.yard.now.Add(s.length[id]), func() { s.over(id) })
		}
	}
	return s.took
}

func (s *simulation) arrive(st stream) {
	d := s.routes(route.Attributes{Kind: "http", Workflow: st.workflow, Priority: st.priority})
	id := s.yard.add(queue.Entry{Queue: d.Queue, Task: task.Task{Priority: d.Priority, Workflow: st.workflow}})
	s.arrived[id], s.class[id], s.length[id] = s.yard.now, st.class, s.chance(st.takes)
}

func (s *simulation) over(id task.ID) {
	class := s.class[id]
	s.took[class] = append(s.took[class], float64(s.yard.now.Sub(s.arrived[id]))/float64(time.Millisecond))
	s.yard.end(id, "")
}

func quantile(list []float64, q float64) float64 {
	slices.Sort(list)
	return list[int(float64(len(list)-1)*q)]
}

// Sixteen workers; one task in ten is urgent and short, the rest is long. At
// load 1 they are busy all the time.
func mixed(load float64) []stream {
	const workers = 16
	urgent, bulk := 20*time.Millisecond, 400*time.Millisecond
	perSecond := load * workers / (0.1*urgent.Seconds() + 0.9*bulk.Seconds())
	every := func(share float64) time.Duration { return time.Duration(float64(time.Second) / (perSecond * share)) }
	return []stream{{"urgent", "a", task.High, every(0.1), urgent}, {"bulk", "b", task.Low, every(0.9), bulk}}
}

// One queue for all, first come, first served: what there is without routing.
func shared() (map[string]queue.Settings, func(route.Attributes) route.Decision) {
	return map[string]queue.Settings{"default": {Concurrency: 16}}, func(route.Attributes) route.Decision {
		return route.Decision{Queue: "default", Priority: task.Normal}
	}
}

// The same sixteen workers behind the standard routes: two of them for the
// express queue.
func routed() (map[string]queue.Settings, func(route.Attributes) route.Decision) {
	return map[string]queue.Settings{"express": {Concurrency: 2}, "default": {Concurrency: 14}}, func(a route.Attributes) route.Decision {
		return route.Standard().Choose(a)
	}
}

func TestRoutingKeepsUrgentTasksFast(t *testing.T) {
	t.Parallel()
	p95 := map[string]float64{}
	for _, load := range []float64{0.8, 3} {
		length := 400 * time.Second
		if load > 1 {
			length = 60 * time.Second // what is too much piles up
		}
		for name, how := range map[string]func() (map[string]queue.Settings, func(route.Attributes) route.Decision){"shared": shared, "routed": routed} {
			settings, routes := how()
			p95[fmt.Sprint(name, load)] = quantile(simulate(settings, routes, mixed(load), length)["urgent"], 0.95)
		}
	}
	t.Logf("p95 of urgent tasks in ms: %v", p95)
	if drop := 1 - p95["routed0.8"]/p95["shared0.8"]; drop < 0.6 {
		t.Errorf("at 80 %% load routing takes %.0f %% off the p95 of urgent tasks (%.1f ms instead of %.1f), want 60 %%", 100*drop, p95["routed0.8"], p95["shared0.8"])
	}
	if p95["routed3"] > 1.5*p95["routed0.8"] || p95["shared3"] < 50*p95["routed3"] {
		t.Errorf("at three times the load urgent tasks take %.1f ms with routing and %.1f ms without; with routing it was %.1f ms before", p95["routed3"], p95["shared3"], p95["routed0.8"])
	}
}

// One workflow at a hundred times the load of the others: in a fair queue it
// waits for itself.
func TestOneWorkflowThatSendsALotDoesNotHoldUpOthers(t *testing.T) {
	t.Parallel()
	others := []stream{{"light", "light", task.Normal, 100 * time.Millisecond, 200 * time.Millisecond}}
	flood := append(slices.Clone(others), stream{"heavy", "heavy", task.Normal, time.Millisecond, 20 * time.Millisecond})
	p99 := func(fair string, streams []stream) float64 {
		settings := map[string]queue.Settings{"default": {Concurrency: 16, Fair: fair}}
		took := simulate(settings, func(route.Attributes) route.Decision { return route.Decision{Queue: "default", Priority: task.Normal} }, streams, 100*time.Second)
		return quantile(took["light"], 0.99)
	}
	quiet, fair, unfair := p99("workflow", others), p99("workflow", flood), p99("", flood)
	t.Logf("p99 of the other workflow in ms: alone %.0f, beside the flood %.0f, without turns %.0f", quiet, fair, unfair)
	if fair > 1.2*quiet {
		t.Errorf("the p99 of the other workflow moved from %.0f to %.0f ms, more than 20 %%", quiet, fair)
	}
	if unfair < 2*quiet {
		t.Errorf("without turns it would be %.0f ms: the test shows nothing", unfair)
	}
}
