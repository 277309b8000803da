package event

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
)

// Chain returns the hash of an event that follows the one with the hash prev
// (zero for the first): SHA-256 over prev, number, time, type, node and data.
// Changing, dropping or reordering an event breaks every later hash.
func Chain(prev [32]byte, e *Event) [32]byte {
	var small [1_024]byte // enough for most: no memory is taken
	b := append(small[:0], prev[:]...)
	b = binary.BigEndian.AppendUint64(b, uint64(e.Seq))
	b = binary.BigEndian.AppendUint64(b, uint64(e.At.UnixMicro()))
	b = append(b, e.Type...)
	b = append(b, 0)
	b = append(b, e.Node...)
	b = append(b, 0)
	b = append(b, e.Data...)
	return sha256.Sum256(b)
}

// Verify checks a whole log: dense numbers from 1 and an unbroken chain.
func Verify(log []Event) error {
	var prev [32]byte
	for i := range log {
		e := &log[i]
		if e.Seq != i+1 {
			return fmt.Errorf("event %d stands where %d should be", e.Seq, i+1)
		}
		if want := Chain(prev, e); e.Hash != want {
			return fmt.Errorf("the hash of event %d does not fit: it, or one before it, was changed", e.Seq)
		}
		prev = e.Hash
	}
	return nil
}
