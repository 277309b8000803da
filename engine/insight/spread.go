package insight

import (
	"encoding/binary"
	"maps"
	"math"
	"slices"
)

// The buckets of every spread: the first ends at a tenth of a millisecond, each
// one ends 19 % above the one before it, and the last but one after four days.
// They never change, so spreads of any time and process can be added up, and a
// percentile read from one is off by 19 % at most.
const (
	bucketFirst = 0.0001
	bucketCount = 128
	bucketsPer2 = 4 // buckets for each doubling
)

// Spread is how often values fell into each bucket; empty buckets are absent.
type Spread map[uint8]int64

// Bucket is the bucket of a value.
func Bucket(v float64) uint8 {
	if !(v > bucketFirst) { // also what is not a number
		return 0
	}
	return uint8(min(bucketCount-1, math.Ceil(math.Log2(v/bucketFirst)*bucketsPer2-1e-9)))
}

// bound is the upper end of a bucket.
func bound(b int) float64 { return bucketFirst * math.Exp2(float64(b)/bucketsPer2) }

// Put counts a value.
func (s Spread) Put(v float64) Spread {
	if s == nil {
		s = Spread{}
	}
	s[Bucket(v)]++
	return s
}

// Add is both together. It may change the first.
func (s Spread) Add(o Spread) Spread {
	if len(o) == 0 {
		return s
	}
	if s == nil {
		return maps.Clone(o)
	}
	for b, n := range o {
		s[b] += n
	}
	return s
}

// At is a percentile (0 to 1): within its bucket, values are taken to be spread
// evenly. No value is above the highest that was seen.
func (s Spread) At(q, high float64) float64 {
	var all int64
	for _, n := range s {
		all += n
	}
	if all == 0 {
		return math.NaN()
	}
	rank, seen := q*float64(all), int64(0)
	for _, b := range slices.Sorted(maps.Keys(s)) {
		n := s[b]
		if float64(seen+n) >= rank {
			low := 0.0
			if b > 0 {
				low = bound(int(b) - 1)
			}
			return min(low+(bound(int(b))-low)*(rank-float64(seen))/float64(n), high)
		}
		seen += n
	}
	return high
}

// Pack writes a spread: each bucket as one byte and a varint.
func (s Spread) Pack() []byte {
	raw := []byte{}
	for _, b := range slices.Sorted(maps.Keys(s)) {
		raw = binary.AppendUvarint(append(raw, b), uint64(max(0, s[b]))) //nolint:gosec // not negative
	}
	return raw
}

// Unpack reads what Pack wrote; what is cut off is left out.
func Unpack(raw []byte) Spread {
	var s Spread
	for len(raw) > 1 {
		n, size := binary.Uvarint(raw[1:])
		if size <= 0 || n > math.MaxInt64 {
			break
		}
		if s == nil {
			s = Spread{}
		}
		s[raw[0]] += int64(n)
		raw = raw[1+size:]
	}
	return s
}
