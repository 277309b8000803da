package vault

import (
	"crypto/cipher"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
)

// Values seals large values, piece by piece. Every value has a key of its own,
// derived from the vault's: so many pieces with random nonces under one key
// would wear it out.
type Values struct {
	root []byte
}

// Values is what seals large values with this key.
func (k *Key) Values() *Values { return &Values{k.values} }

// Seal encrypts a piece of a value. It opens only at the same place.
func (v *Values) Seal(workspace, digest string, piece int, plain []byte) ([]byte, error) {
	aead, at, err := v.at(workspace, digest, piece)
	if err != nil {
		return nil, err
	}
	nonce := make([]byte, aead.NonceSize(), aead.NonceSize()+len(plain)+aead.Overhead())
	_, _ = rand.Read(nonce) // never fails
	return aead.Seal(nonce, nonce, plain, at), nil
}

// Open decrypts a piece. ErrSealed: another key sealed it, or it is not this
// piece.
func (v *Values) Open(workspace, digest string, piece int, sealed []byte) ([]byte, error) {
	aead, at, err := v.at(workspace, digest, piece)
	if err != nil {
		return nil, err
	}
	n := aead.NonceSize()
	if len(sealed) < n {
		return nil, ErrSealed
	}
	plain, err := aead.Open(nil, sealed[:n], sealed[n:], at)
	if err != nil {
		return nil, ErrSealed // the reason of a failed authentication says nothing more
	}
	return plain, nil
}

// at is the cipher of a value, and what binds a piece to its place.
func (v *Values) at(workspace, digest string, piece int) (cipher.AEAD, []byte, error) {
	mac := hmac.New(sha256.New, v.root)
	mac.Write([]byte(workspace + "|" + digest))
	aead, err := newAEAD(mac.Sum(nil))
	return aead, binary.BigEndian.AppendUint64([]byte(workspace+"|"+digest+"|"), uint64(piece)), err //nolint:gosec // counts from 0
}
