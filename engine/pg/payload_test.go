package pg_test

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/archive"
	"signalbox/engine/pg"
	"signalbox/engine/runtime"
	"signalbox/engine/vault"
)

func sealer(t *testing.T, fill byte) *vault.Values {
	t.Helper()
	key, err := vault.NewKey(bytes.Repeat([]byte{fill}, 32))
	if err != nil {
		t.Fatal(err)
	}
	return key.Values()
}

// A sealed value is read by whoever has the key, and by nobody else; what was
// stored before is read as well.
func TestLargeValuesAreSealed(t *testing.T) {
	t.Parallel()
	w, ctx := newWorld(t, oneTask), context.Background()
	before, beforeDigest := text("b")
	run := aged(time.Hour)
	w.play(t, run, string(before), echo)
	w.store.SealWith(sealer(t, 1), true)
	canary := []byte(`"` + strings.Repeat("canary ", 100_000) + `"`)
	other := aged(time.Hour)
	w.play(t, other, string(canary), echo)
	var digest string
	if err := w.db.Pool().QueryRow(ctx, `select digest from payload_uses where run_id = $1`, other).Scan(&digest); err != nil {
		t.Fatal(err)
	}
	var pieces, plain int
	if err := w.db.Pool().QueryRow(ctx, `select count(*), count(*) filter (where not sealed or position('canary'::bytea in bytes) > 0) from payloads where digest = $1`, digest).Scan(&pieces, &plain); err != nil || pieces != 3 || plain != 0 {
		t.Errorf("%d of %d pieces can be read in the database, %v", plain, pieces, err)
	}
	if got, err := w.store.Payload(ctx, "main", digest); err != nil || !bytes.Equal(got, canary) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	if got, err := w.store.Payload(ctx, "main", beforeDigest); err != nil || !bytes.Equal(got, before) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	if spoiled, err := w.store.Spoiled(ctx, other, "main", []string{digest}); err != nil || len(spoiled) > 0 {
		t.Errorf("the audit finds %v spoiled, %v", spoiled, err)
	}

	keyless := pg.NewStore(w.db)
	if got, err := keyless.Payload(ctx, "main", digest); err == nil || errors.Is(err, runtime.ErrNotFound) || !strings.Contains(err.Error(), "sealed") {
		t.Errorf("without the key: %d bytes, %v", len(got), err)
	}
	if _, err := keyless.Spoiled(ctx, other, "main", []string{digest}); err == nil {
		t.Error("without the key the audit says that a sealed value is whole, or spoiled")
	}
	wrong := pg.NewStore(w.db)
	wrong.SealWith(sealer(t, 2), false)
	if _, err := wrong.Payload(ctx, "main", digest); !errors.Is(err, vault.ErrSealed) {
		t.Errorf("with another key: %v", err)
	}
	dir := archive.Dir(filepath.Join(t.TempDir(), "kept"))
	if _, n, err := w.store.Forget(ctx, uuid.Nil, pg.Purge{Before: time.Now().Add(time.Hour), Limit: 10, Save: func(first uuid.UUID) (pg.Saver, error) { return dir.Begin(first) }}); err != nil || n != 2 {
		t.Fatalf("%d went, %v", n, err)
	}
	if r, err := dir.Check(); err != nil || len(r.Faults) > 0 || r.Values != 2 {
		t.Errorf("kept %+v, %v", r, err)
	}
}

func TestASpoiledSealedValueIsFound(t *testing.T) {
	t.Parallel()
	w, ctx := newWorld(t, oneTask), context.Background()
	w.store.SealWith(sealer(t, 1), true)
	large, digest := text("s")
	run := aged(time.Hour)
	w.play(t, run, string(large), echo)
	w.exec(t, `update payloads set bytes = set_byte(bytes, 100, 1 - least(get_byte(bytes, 100), 1)) where digest = $1`, digest)
	if spoiled, err := w.store.Spoiled(ctx, run, "main", []string{digest}); err != nil || len(spoiled) != 1 {
		t.Errorf("found %v, %v", spoiled, err)
	}
}
