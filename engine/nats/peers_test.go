package nats_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"signalbox/engine/nats"
	"signalbox/engine/runtime"
)

func TestPeersAskTheOwner(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	join := func() *nats.Peers {
		conn := b.connect()
		p, err := nats.NewPeers(conn, nats.NewBus(conn))
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	owner, other := join(), join()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if _, err := other.Ask(ctx, 3, []byte("who?")); !errors.Is(err, runtime.ErrNoOwner) {
		t.Errorf("a shard that nobody owns: %v", err)
	}
	own, stop := context.WithCancel(ctx)
	gone := make(chan error, 1)
	go func() {
		gone <- owner.Answer(own, 3, func(q []byte, answer func([]byte)) {
			if string(q) != "silent" {
				answer(append(q, '!'))
			}
		})
	}()
	for { // until the server knows of the owner
		a, err := other.Ask(ctx, 3, []byte("who?"))
		if err == nil && string(a) == "who?!" {
			break
		}
		if !errors.Is(err, runtime.ErrNoOwner) {
			t.Fatalf("%q, %v", a, err)
		}
	}
	soon, end := context.WithTimeout(ctx, 50*time.Millisecond)
	defer end()
	if _, err := other.Ask(soon, 3, []byte("silent")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("an owner that does not answer: %v", err)
	}
	stop()
	if err := <-gone; err != nil {
		t.Error(err)
	}
	for { // until the server knows that it has gone
		if _, err := other.Ask(ctx, 3, []byte("who?")); errors.Is(err, runtime.ErrNoOwner) {
			break
		} else if err != nil {
			t.Fatalf("a question to an owner that leaves: %v", err)
		}
	}
	owner.Nudge()
	select {
	case <-other.Nudged():
	case <-ctx.Done():
		t.Error("the others are not told that something changed")
	}
	select {
	case <-owner.Nudged():
		t.Error("a server nudges itself")
	default:
	}
	if !owner.Connected() {
		t.Error("it is not connected")
	}
	b.server.Shutdown()
	b.server.WaitForShutdown()
	for owner.Connected() {
		if ctx.Err() != nil {
			t.Fatal("it takes itself for connected")
		}
		time.Sleep(time.Millisecond)
	}
	if _, err := owner.Ask(ctx, 3, []byte("who?")); !errors.Is(err, runtime.ErrNoOwner) {
		t.Errorf("without a connection: %v", err)
	}
}
