package vault_test

import (
	"bytes"
	"errors"
	"testing"

	"signalbox/engine/vault"
)

func values(t *testing.T, fill byte) *vault.Values {
	t.Helper()
	key, err := vault.NewKey(bytes.Repeat([]byte{fill}, 32))
	if err != nil {
		t.Fatal(err)
	}
	return key.Values()
}

func TestAPieceOpensOnlyAtItsPlace(t *testing.T) {
	t.Parallel()
	v := values(t, 1)
	plain := []byte("a canary in a large value")
	sealed, err := v.Seal("main", "d1", 3, plain)
	if err != nil || bytes.Contains(sealed, plain) {
		t.Fatalf("%q %v", sealed, err)
	}
	if got, err := v.Open("main", "d1", 3, sealed); err != nil || !bytes.Equal(got, plain) {
		t.Errorf("%q %v", got, err)
	}
	again, err := v.Seal("main", "d1", 3, plain)
	if err != nil || bytes.Equal(sealed, again) {
		t.Error("the same bytes twice are sealed the same")
	}
	spoiled := bytes.Clone(sealed)
	spoiled[len(spoiled)-1]++
	for name, open := range map[string]func() ([]byte, error){
		"another workspace": func() ([]byte, error) { return v.Open("other", "d1", 3, sealed) },
		"another value":     func() ([]byte, error) { return v.Open("main", "d2", 3, sealed) },
		"another piece":     func() ([]byte, error) { return v.Open("main", "d1", 2, sealed) },
		"another key":       func() ([]byte, error) { return values(t, 2).Open("main", "d1", 3, sealed) },
		"spoiled":           func() ([]byte, error) { return v.Open("main", "d1", 3, spoiled) },
		"cut":               func() ([]byte, error) { return v.Open("main", "d1", 3, sealed[:5]) },
	} {
		if got, err := open(); !errors.Is(err, vault.ErrSealed) {
			t.Errorf("%s: %q %v", name, got, err)
		}
	}
}
