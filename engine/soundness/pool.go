package soundness

import "slices"

// pool keeps lists of words, each once, in one piece of memory, and numbers
// them.
type pool struct {
	words []uint64
	ends  []int   // per list: where it ends in words
	slots []int32 // hash table of numbers + 1; 0 is free
}

// put returns the list's number and whether it is new.
func (p *pool) put(list []uint64) (id int, fresh bool) {
	if 2*len(p.ends) >= len(p.slots) {
		p.grow()
	}
	at := hash(list) & (len(p.slots) - 1)
	for p.slots[at] != 0 {
		if id := int(p.slots[at]) - 1; slices.Equal(p.get(id), list) {
			return id, false
		}
		at = (at + 1) & (len(p.slots) - 1)
	}
	p.words = append(p.words, list...)
	p.ends = append(p.ends, len(p.words))
	p.slots[at] = int32(len(p.ends)) //nolint:gosec // far fewer lists than that: StatesMax
	return len(p.ends) - 1, true
}

func (p *pool) get(id int) []uint64 {
	start := 0
	if id > 0 {
		start = p.ends[id-1]
	}
	return p.words[start:p.ends[id]]
}

func (p *pool) len() int { return len(p.ends) }

func (p *pool) grow() {
	p.slots = make([]int32, max(64, 2*len(p.slots)))
	for id := range p.ends {
		at := hash(p.get(id)) & (len(p.slots) - 1)
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
