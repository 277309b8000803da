package account

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"strings"

	"golang.org/x/crypto/argon2"
)

// Cost of a password: 19 MiB and two passes (OWASP), about 40 ms. At most
// hashesMax run at once, so that a crowd at the login takes 38 MiB, not all.
const (
	argonMemory  = 19 * 1024 // KiB
	argonPasses  = 2
	argonThreads = 1
	argonKey     = 32 // bytes
	argonSalt    = 16 // bytes
	hashesMax    = 2
)

// hasher hashes passwords, a few at a time.
type hasher struct {
	slots chan struct{}
	decoy string // hash that no password has
}

func newHasher() *hasher {
	h := &hasher{slots: make(chan struct{}, hashesMax)}
	salt := make([]byte, argonSalt)
	h.decoy = encodeHash(salt, make([]byte, argonKey))
	return h
}

// hash makes a new hash of a password.
func (h *hasher) hash(ctx context.Context, password string) (string, error) {
	salt := make([]byte, argonSalt)
	_, _ = rand.Read(salt) // never fails: it would end the program
	key, err := h.derive(ctx, password, salt)
	if err != nil {
		return "", err
	}
	return encodeHash(salt, key), nil
}

// verify compares a password with a hash in constant time. An empty hash is
// compared with a decoy, so that an unknown account takes as long.
func (h *hasher) verify(ctx context.Context, password, hash string) (bool, error) {
	known := hash != ""
	if !known {
		hash = h.decoy
	}
	salt, want, ok := decodeHash(hash)
	if !ok {
		return false, fmt.Errorf("a stored password hash has an unknown form")
	}
	got, err := h.derive(ctx, password, salt)
	if err != nil {
		return false, err
	}
	return subtle.ConstantTimeCompare(got, want) == 1 && known, nil
}

func (h *hasher) derive(ctx context.Context, password string, salt []byte) ([]byte, error) {
	select {
	case h.slots <- struct{}{}:
		defer func() { <-h.slots }()
		return argon2.IDKey([]byte(password), salt, argonPasses, argonMemory, argonThreads, argonKey), nil
	case <-ctx.Done():
		return nil, fmt.Errorf("wait to hash a password: %w", ctx.Err())
	}
}

func encodeHash(salt, key []byte) string {
	b := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s",
		argon2.Version, argonMemory, argonPasses, argonThreads, b.EncodeToString(salt), b.EncodeToString(key))
}

// decodeHash reads only hashes of today's cost: others would need a rehash,
// and none were ever written.
func decodeHash(s string) (salt, key []byte, ok bool) {
	prefix := strings.TrimSuffix(encodeHash(nil, nil), "$")
	rest, found := strings.CutPrefix(s, prefix)
	if !found {
		return nil, nil, false
	}
	saltText, keyText, found := strings.Cut(rest, "$")
	if !found {
		return nil, nil, false
	}
	salt, err := base64.RawStdEncoding.DecodeString(saltText)
	if err != nil {
		return nil, nil, false
	}
	key, err = base64.RawStdEncoding.DecodeString(keyText)
	return salt, key, err == nil && len(key) == argonKey
}
