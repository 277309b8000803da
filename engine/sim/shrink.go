package sim

import (
	"math/rand/v2"
	"testing"
)

// Shrink leaves out of the drawings of a seed what is not needed to break a
// rule, node by node, and plays what is left.
func Shrink(t *testing.T, seed uint64, rule string) (Played, []string) {
	t.Helper()
	var options []Option
	var left []string
	s := sketchOf(seed, rand.New(rand.NewPCG(seed, 21)))
	p := Play(t, seed)
	for d := range s.drawings {
		for _, key := range s.keys(d) {
			try := append(options[:len(options):len(options)], Without(d, key))
			q, ok := attempt(t, seed, try)
			if ok && len(q.Found) > 0 && q.Found[0].Rule == rule {
				p, options, left = q, try, append(left, key)
			}
		}
	}
	return p, left
}

// attempt plays a drawing from which something was cut; some cannot be read.
func attempt(t *testing.T, seed uint64, options []Option) (p Played, ok bool) {
	t.Helper()
	if !readable(seed, options) {
		return p, false
	}
	return Play(t, seed, options...), true
}
