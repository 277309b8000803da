package runtimetest

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"sync"
	"testing"

	"github.com/google/uuid"

	"signalbox/engine/runtime"
)

func random(t *testing.T, size int) (digest string, data []byte) {
	t.Helper()
	data = make([]byte, size)
	if _, err := rand.Read(data); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), data
}

func testPayloads(t *testing.T, s Store) {
	ctx := context.Background()
	const chunk = 256 << 10
	for _, size := range []int{0, 1, chunk - 1, chunk, chunk + 1, 3 * chunk, 10_000_000} {
		digest, data := random(t, size)
		for range 2 { // twice is no error
			if err := s.PutPayload(ctx, "main", digest, data); err != nil {
				t.Fatal(err)
			}
		}
		got, err := s.Payload(ctx, "main", digest)
		if err != nil || !bytes.Equal(got, data) {
			t.Errorf("%d bytes: %d came back, %v", size, len(got), err)
		}
		if _, err := s.Payload(ctx, "other", digest); !errors.Is(err, runtime.ErrNotFound) {
			t.Errorf("another workspace reads it: %v", err)
		}
	}
}

func testPayloadRace(t *testing.T, s Store) {
	ctx := context.Background()
	digest, data := random(t, 700_000)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if err := s.PutPayload(ctx, "main", digest, data); err != nil {
				t.Error(err)
			}
			if got, err := s.Payload(ctx, "main", digest); err != nil || !bytes.Equal(got, data) {
				t.Errorf("%d bytes came back, %v", len(got), err)
			}
		})
	}
	wg.Wait()
}

func testClaim(t *testing.T, s Store) {
	var wg sync.WaitGroup
	ids, winners := make([]uuid.UUID, 20), make([]uuid.UUID, 20)
	for i := range winners {
		ids[i] = newID(t)
		wg.Go(func() {
			w, err := s.ClaimStart(context.Background(), "main", "wf/start", "key", ids[i])
			if err != nil {
				t.Error(err)
			}
			winners[i] = w
		})
	}
	wg.Wait()
	own := 0
	for i, w := range winners {
		if w != winners[0] {
			t.Fatalf("two winners: %v", winners)
		}
		if w == ids[i] {
			own++
		}
	}
	if own != 1 {
		t.Errorf("%d of those who asked were told that they won", own)
	}
}

func testClaimScope(t *testing.T, s Store) {
	for _, key := range [][3]string{
		{"main", "wf/start", "key"},
		{"main", "wf/start", "another"},
		{"main", "wf/other", "key"},
		{"other", "wf/start", "key"},
		{"main", "wf/start", ""},
		{"main", "wf/startk", "ey"},
	} {
		id := newID(t)
		for range 2 {
			w, err := s.ClaimStart(context.Background(), key[0], key[1], key[2], id)
			if err != nil || w != id {
				t.Errorf("%q: %s %v, want %s", key, w, err, id)
			}
		}
	}
}

func testMissing(t *testing.T, s Store) {
	ctx, id := context.Background(), newID(t)
	_, err1 := s.Load(ctx, id)
	_, err2 := s.Machine(ctx, id)
	_, err3 := s.Payload(ctx, "main", "nope")
	for _, err := range []error{err1, err2, err3} {
		if !errors.Is(err, runtime.ErrNotFound) {
			t.Errorf("%v, want not found", err)
		}
	}
	if runs, err := s.Owed(ctx, 3, uuid.Nil, 10); err != nil || len(runs) > 0 {
		t.Errorf("owed: %v %v", runs, err)
	}
	if runs, next, err := s.Due(ctx, 3, noon, 10); err != nil || len(runs) > 0 || !next.IsZero() {
		t.Errorf("due: %v %s %v", runs, next, err)
	}
}
