package nats_test

import (
	"syscall"
	"testing"
	"time"

	"signalbox/engine/runtime"
	"signalbox/engine/task"
	"signalbox/engine/worker"
)

// BenchmarkRoundTrip is one task at a time: out, done, back, settled.
func BenchmarkRoundTrip(b *testing.B) {
	s := newBundle(b)
	s.own(b)
	s.work(worker.Config{Actions: actions(echo)})
	s.dispatch(one(-1, task.Normal))
	s.result().Settle()
	for i := 0; b.Loop(); i++ {
		s.dispatch(one(i, task.Normal))
		s.result().Settle()
	}
}

// BenchmarkThroughput keeps 512 tasks under way and hands new ones out in
// batches, as turns do.
func BenchmarkThroughput(b *testing.B) {
	const underWay = 512
	s := newBundle(b)
	s.own(b)
	s.work(worker.Config{Actions: actions(echo), Default: 256})
	s.dispatch(one(-1, task.Normal))
	s.result().Settle()
	b.ResetTimer()
	busy := cpu(b)
	sent, done := 0, 0
	send := func(n int) {
		var list []task.Task
		for ; n > 0 && sent < b.N; n-- {
			list = append(list, one(sent, task.Normal))
			sent++
		}
		if len(list) > 0 {
			s.dispatch(list...)
		}
	}
	send(underWay)
	for done < b.N {
		batch := []runtime.Delivered{s.result()}
		for more := true; more && len(batch) < 256; {
			select {
			case d := <-s.results:
				batch = append(batch, d)
			default:
				more = false
			}
		}
		for _, d := range batch {
			d.Settle()
		}
		done += len(batch)
		send(len(batch))
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "tasks/s")
	b.ReportMetric(float64((cpu(b)-busy).Microseconds())/float64(b.N), "cpu-µs/task")
}

// cpu is what this process has used: server, engine's end and workers together.
func cpu(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
