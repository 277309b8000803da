package soundness

import "slices"

// pool keeps lists of words, each once, and numbers them.
type pool struct {
	lists [][]uint64
	sums  []int    // per list: its hash, so that few are compared and none is hashed again
	slots []int32  // hash table of numbers + 1; 0 is free
	room  []uint64 // where the next lists go
}

// roomMax is how many words are taken at once at most.
const roomMax = 1 << 15

// put returns the list's number and whether it is new.
func (p *pool) put(list []uint64) (id int, fresh bool) {
	if 2*len(p.lists) >= len(p.slots) {
		p.grow()
	}
	sum := hash(list)
	at := sum & (len(p.slots) - 1)
	for p.slots[at] != 0 {
		if id := int(p.slots[at]) - 1; p.sums[id] == sum && slices.Equal(p.lists[id], list) {
			return id, false
		}
		at = (at + 1) & (len(p.slots) - 1)
	}
	if cap(p.room)-len(p.room) < len(list) { // what is there stays where it is
		p.room = make([]uint64, 0, max(len(list), min(roomMax, 64+8*len(p.lists))))
	}
	from := len(p.room)
	p.room = append(p.room, list...)
	p.lists, p.sums = append(p.lists, p.room[from:len(p.room):len(p.room)]), append(p.sums, sum)
	p.slots[at] = int32(len(p.lists)) //nolint:gosec // far fewer lists than that: LookMax
	return len(p.lists) - 1, true
}

func (p *pool) get(id int) []uint64 { return p.lists[id] }

func (p *pool) len() int { return len(p.lists) }

func (p *pool) grow() {
	p.slots = make([]int32, max(64, 2*len(p.slots)))
	for id, sum := range p.sums {
		at := sum & (len(p.slots) - 1)
		for p.slots[at] != 0 {
			at = (at + 1) & (len(p.slots) - 1)
		}
		p.slots[at] = int32(id + 1) //nolint:gosec // as above
	}
}

func hash(list []uint64) int {
	h := uint64(len(list)) + 0x9E3779B97F4A7C15
	for _, w := range list {
		h = (h ^ w) * 0xFF51AFD7ED558CCD
		h ^= h >> 32
	}
	return int(h >> 2) //nolint:gosec // two bits less: never negative
}
