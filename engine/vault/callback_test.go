package vault_test

import (
	"bytes"
	"encoding/base64"
	"testing"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/vault"
)

// TestOnlyTheKeyMakesAddresses: a token opens to the wait that it was made for,
// and no other text does: not with a bit changed, not cut, not of another key.
func TestOnlyTheKeyMakesAddresses(t *testing.T) {
	t.Parallel()
	vaultOf := func(b byte) *vault.Vault {
		key, err := vault.NewKey(bytes.Repeat([]byte{b}, 32))
		if err != nil {
			t.Fatal(err)
		}
		return vault.New(nil, key, time.Now)
	}
	v, other := vaultOf(1), vaultOf(2)
	want := vault.Wait{Workspace: "main", Run: uuid.New(), Scope: 300, Node: "reply", Visit: 2}
	token := v.Token(want)
	if got, ok := v.OpenToken(token); !ok || got != want {
		t.Fatalf("%+v %v", got, ok)
	}
	raw, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil {
		t.Fatal(err)
	}
	for i := range len(raw) * 8 {
		forged := bytes.Clone(raw)
		forged[i/8] ^= 1 << (i % 8)
		if _, ok := v.OpenToken(base64.RawURLEncoding.EncodeToString(forged)); ok {
			t.Errorf("bit %d may be changed", i)
		}
	}
	for i := range token {
		if _, ok := v.OpenToken(token[:i]); ok {
			t.Errorf("the first %d letters are enough", i)
		}
	}
	if _, ok := other.OpenToken(token); ok {
		t.Error("another key takes it")
	}
	near := want
	near.Visit++
	if v.Token(near) == token {
		t.Error("two waits have one address")
	}
}
