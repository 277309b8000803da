package vault

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"

	"github.com/google/uuid"
)

// Wait names one wait for a callback.
type Wait struct {
	Workspace string
	Run       uuid.UUID
	Scope     int
	Node      string // key
	Visit     int
}

// proofSize is 128 bits: nobody guesses one.
const proofSize = 16

// Token is the secret part of a wait's one-time address: its name and a proof
// that only this key can make. So nothing is stored that could be stolen, and
// nothing that stands in an event leads to the address.
func (v *Vault) Token(w Wait) string {
	name := w.bytes()
	return base64.RawURLEncoding.EncodeToString(append(v.key.proof(name), name...))
}

// OpenToken reads a token; false: this key never made it.
func (v *Vault) OpenToken(token string) (Wait, bool) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(token)
	if err != nil || len(raw) < proofSize || !hmac.Equal(raw[:proofSize], v.key.proof(raw[proofSize:])) {
		return Wait{}, false
	}
	return readWait(raw[proofSize:])
}

func (k *Key) proof(name []byte) []byte {
	mac := hmac.New(sha256.New, k.addresses)
	mac.Write(name)
	return mac.Sum(nil)[:proofSize]
}

func (w Wait) bytes() []byte {
	out := append([]byte{}, w.Run[:]...)
	out = binary.AppendUvarint(out, uint64(max(0, w.Scope)))
	out = binary.AppendUvarint(out, uint64(max(0, w.Visit)))
	out = binary.AppendUvarint(out, uint64(len(w.Node)))
	out = append(out, w.Node...)
	return append(out, w.Workspace...)
}

func readWait(raw []byte) (Wait, bool) {
	var w Wait
	if len(raw) < len(w.Run) {
		return w, false
	}
	copy(w.Run[:], raw)
	raw = raw[len(w.Run):]
	var numbers [3]uint64
	for i := range numbers {
		n, size := binary.Uvarint(raw)
		if size <= 0 || n > 1<<31 {
			return w, false
		}
		numbers[i], raw = n, raw[size:]
	}
	if numbers[2] > uint64(len(raw)) {
		return w, false
	}
	w.Scope, w.Visit = int(numbers[0]), int(numbers[1]) //nolint:gosec // at most 2^31
	w.Node, w.Workspace = string(raw[:numbers[2]]), string(raw[numbers[2]:])
	return w, true
}
