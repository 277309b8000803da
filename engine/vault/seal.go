package vault

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/uuid"
)

// keySize is AES-256.
const keySize = 32

// ErrSealed: the stored bytes are not what this key once sealed for this
// credential.
var ErrSealed = errors.New("the credential cannot be opened with this key")

// Key is the key-encryption key. It never leaves this process and never
// reaches the database.
type Key struct {
	id        string
	aead      cipher.AEAD
	addresses []byte // proves one-time addresses; derived, so that no use tells of another
	values    []byte // seals large values; the same
}

// NewKey makes a key from 32 bytes.
func NewKey(raw []byte) (*Key, error) {
	if len(raw) != keySize {
		return nil, fmt.Errorf("the vault key has %d bytes instead of %d", len(raw), keySize)
	}
	aead, err := newAEAD(raw)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(append([]byte("signalbox vault key "), raw...))
	return &Key{
		id: hex.EncodeToString(sum[:8]), aead: aead,
		addresses: derive(raw, "signalbox one-time addresses"), values: derive(raw, "signalbox large values"),
	}, nil
}

// derive makes a key for one use.
func derive(raw []byte, use string) []byte {
	mac := hmac.New(sha256.New, raw)
	mac.Write([]byte(use))
	return mac.Sum(nil)
}

// OpenKeyFile reads the key, or makes one on the first start. A file that
// others may read is refused. Its group may read it: that is how a mounted
// secret of root reaches a process that is not.
func OpenKeyFile(path string) (*Key, error) {
	raw, err := os.ReadFile(path) //nolint:gosec // the operator chooses the path
	if errors.Is(err, fs.ErrNotExist) {
		return makeKeyFile(path)
	}
	if err != nil {
		return nil, fmt.Errorf("read the vault key: %w", err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("look at the vault key: %w", err)
	}
	if info.Mode().Perm()&0o037 != 0 {
		return nil, fmt.Errorf("the vault key %s can be read by others: chmod 600 it", path)
	}
	return NewKey(raw)
}

func makeKeyFile(path string) (*Key, error) {
	raw := make([]byte, keySize)
	_, _ = rand.Read(raw) // never fails: it would end the program
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("make the folder of the vault key: %w", err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) //nolint:gosec // the operator chooses the path
	if errors.Is(err, fs.ErrExist) {
		return OpenKeyFile(path) // another process was faster
	}
	if err != nil {
		return nil, fmt.Errorf("make the vault key: %w", err)
	}
	_, werr := f.Write(raw)
	if err := errors.Join(werr, f.Sync(), f.Close()); err != nil {
		return nil, fmt.Errorf("write the vault key: %w", err)
	}
	return NewKey(raw)
}

// Sealed is a credential as it is stored.
type Sealed struct {
	KeyID   string // which key wrapped the data key
	Wrapped []byte // data key, sealed by that key
	Data    []byte // value, sealed by the data key
}

// seal encrypts a value under a data key of its own.
func (k *Key) seal(at place, value []byte) (Sealed, error) {
	dataKey := make([]byte, keySize)
	defer clear(dataKey)
	_, _ = rand.Read(dataKey) // never fails
	aead, err := newAEAD(dataKey)
	if err != nil {
		return Sealed{}, err
	}
	return Sealed{KeyID: k.id, Wrapped: box(k.aead, at, dataKey), Data: box(aead, at, value)}, nil
}

// open decrypts a value. The caller clears it after use.
func (k *Key) open(at place, s Sealed) ([]byte, error) {
	if s.KeyID != k.id {
		return nil, fmt.Errorf("%w: it needs the key %s", ErrSealed, s.KeyID)
	}
	dataKey, err := unbox(k.aead, at, s.Wrapped)
	if err != nil {
		return nil, err
	}
	defer clear(dataKey)
	aead, err := newAEAD(dataKey)
	if err != nil {
		return nil, err
	}
	return unbox(aead, at, s.Data)
}

// place binds a sealed value to where it belongs: a row that is copied to
// another workspace, credential or version does not open there.
type place struct {
	workspace  string
	credential uuid.UUID
	version    int
}

func (p place) bytes() []byte {
	b := append([]byte(p.workspace), '|')
	b = append(b, p.credential[:]...)
	b = append(b, '|')
	return binary.BigEndian.AppendUint64(b, uint64(p.version)) //nolint:gosec // counts from 1
}

func newAEAD(key []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("make a cipher: %w", err)
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return nil, fmt.Errorf("make a cipher: %w", err)
	}
	return aead, nil
}

// box seals with a random nonce in front.
func box(aead cipher.AEAD, at place, plain []byte) []byte {
	nonce := make([]byte, aead.NonceSize())
	_, _ = rand.Read(nonce) // never fails
	return aead.Seal(nonce, nonce, plain, at.bytes())
}

func unbox(aead cipher.AEAD, at place, sealed []byte) ([]byte, error) {
	n := aead.NonceSize()
	if len(sealed) < n {
		return nil, ErrSealed
	}
	plain, err := aead.Open(nil, sealed[:n], sealed[n:], at.bytes())
	if err != nil {
		return nil, ErrSealed // the reason of a failed authentication says nothing more
	}
	return plain, nil
}
