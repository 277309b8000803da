package nats

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Names of the streams.
const (
	streamTasks  = "TASKS"
	streamEvents = "EVENTS"
)

// How the streams are kept.
const (
	ackWait       = 10 * time.Second // a task whose worker is silent so long goes to another
	ackPendingMax = 65_536           // of one consumer
	pullsMax      = 2_048            // waiting pull requests of one consumer
	eventsAge     = 7 * 24 * time.Hour
	eventsBytes   = 1 << 30
	apiWait       = 10 * time.Second
	// A server says that a stream is deleted before its files are gone, and would
	// take those of a new stream of that name with them.
	deletedWait = time.Second
)

// probeSubject belongs to TASKS and to no queue.
const probeSubject = "task.probe"

// streams lists what has to be there. Fresh: TASKS need not outlive the server,
// whose start throws away what it holds anyway, so it is in memory: no file
// grows, none is made and deleted, and a full disk does not stop it.
func streams(replicas int, fresh bool) []jetstream.StreamConfig {
	storage := jetstream.FileStorage
	if fresh {
		storage = jetstream.MemoryStorage
	}
	return []jetstream.StreamConfig{
		{
			Name: streamTasks, Subjects: []string{"task.>"}, Description: "tasks on their way to workers",
			Retention: jetstream.WorkQueuePolicy, Storage: storage, Replicas: replicas,
			// One message for each attempt: the server itself refuses a second dispatch.
			MaxMsgsPerSubject: 1, Discard: jetstream.DiscardNew, DiscardNewPerSubject: true,
			Duplicates: 100 * time.Millisecond, // never used; the smallest window costs least
		},
		{
			Name: streamEvents, Subjects: []string{"event.>"}, Description: "published facts for other systems",
			Retention: jetstream.LimitsPolicy, Storage: jetstream.FileStorage, Replicas: replicas,
			MaxAge: eventsAge, MaxBytes: eventsBytes, Discard: jetstream.DiscardOld,
		},
	}
}

// ensureStreams makes what is missing and returns when TASKS was made: another
// time than before means that it is another stream. Again: the streams have
// been there, so one that is missing was deleted.
func (c *Conn) ensureStreams(ctx context.Context, want []jetstream.StreamConfig, again bool) (made time.Time, err error) {
	for _, cfg := range want {
		s, err := c.js.Stream(ctx, cfg.Name)
		if err == nil && s.CachedInfo().Config.Storage != cfg.Storage { // cannot be changed
			if err = c.js.DeleteStream(ctx, cfg.Name); err == nil {
				again, err = true, jetstream.ErrStreamNotFound
			}
		}
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			if again {
				pause(ctx, deletedWait)
			}
			s, err = c.js.CreateOrUpdateStream(ctx, cfg)
		}
		if err != nil {
			return made, fmt.Errorf("make stream %s: %w", cfg.Name, err)
		}
		info := s.CachedInfo()
		if differs(info.Config, cfg) {
			if s, err = c.js.UpdateStream(ctx, cfg); err != nil {
				return made, fmt.Errorf("update stream %s: %w", cfg.Name, err)
			}
			info = s.CachedInfo()
		}
		if cfg.Name == streamTasks {
			made = info.Created
		}
	}
	return made, nil
}

// works reports whether TASKS takes a message. After a fault of its disk a
// server keeps a stream that is silent for ever.
func (c *Conn) works(ctx context.Context, limit time.Duration) (bool, error) {
	wait, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	_, err := c.nc.RequestWithContext(wait, probeSubject, nil) // that it is there already is an answer too
	if wait.Err() != nil && ctx.Err() == nil && c.nc.IsConnected() {
		return false, nil
	}
	if err != nil {
		return true, fmt.Errorf("ask stream %s for a word: %w", streamTasks, err)
	}
	s, err := c.js.Stream(ctx, streamTasks)
	if err == nil {
		err = s.Purge(ctx, jetstream.WithPurgeSubject(probeSubject))
	}
	if err != nil {
		return true, fmt.Errorf("take the probe out of stream %s: %w", streamTasks, err)
	}
	return true, nil
}

// pause waits, or less when the context ends.
func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d) //nolint:forbidigo // a time limit
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}

// differs reports whether a stream is not as we want it.
func differs(have, want jetstream.StreamConfig) bool {
	return have.MaxMsgsPerSubject != max(want.MaxMsgsPerSubject, -1) && want.MaxMsgsPerSubject != 0 ||
		have.Discard != want.Discard || have.DiscardNewPerSubject != want.DiscardNewPerSubject ||
		have.MaxAge != want.MaxAge || want.MaxBytes != 0 && have.MaxBytes != want.MaxBytes ||
		want.Replicas != 0 && have.Replicas != want.Replicas || have.Description != want.Description
}

// consumers counts the consumers of each queue.
func (c *Conn) consumers(ctx context.Context) (map[string]int, error) {
	s, err := c.js.Stream(ctx, streamTasks)
	if err != nil {
		return nil, fmt.Errorf("look at stream %s: %w", streamTasks, err)
	}
	count := map[string]int{}
	list := s.ConsumerNames(ctx)
	for n := range list.Name() {
		if q, ok := queueOf(n); ok {
			count[q]++
		}
	}
	if err := list.Err(); err != nil {
		return nil, fmt.Errorf("list the queues: %w", err)
	}
	return count, nil
}

// ensureQueue makes the consumers of a queue, one for each priority.
func (c *Conn) ensureQueue(ctx context.Context, queue string, silence time.Duration) error {
	for prio := range lanes {
		_, err := c.js.CreateOrUpdateConsumer(ctx, streamTasks, jetstream.ConsumerConfig{
			Durable: durable(queue, prio), FilterSubject: filter(queue, prio),
			AckPolicy: jetstream.AckExplicitPolicy, AckWait: silence, MaxDeliver: -1,
			MaxAckPending: ackPendingMax, MaxWaiting: pullsMax,
		})
		if err != nil {
			return fmt.Errorf("make consumer %s: %w", durable(queue, prio), err)
		}
	}
	return nil
}

// purgeRun takes the waiting tasks of a run out of the stream.
func (c *Conn) purgeRun(ctx context.Context, workspace, run string) error {
	body := `{"filter":"task.` + token(workspace) + `.*.*.` + token(run) + `.>"}`
	m, err := c.nc.RequestWithContext(ctx, "$JS.API.STREAM.PURGE."+streamTasks, []byte(body))
	if err == nil && bytes.Contains(m.Data, []byte(`"error"`)) {
		err = fmt.Errorf("NATS says: %s", m.Data)
	}
	if err != nil {
		return fmt.Errorf("take the tasks of run %s out: %w", run, err)
	}
	return nil
}
