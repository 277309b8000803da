package chart

import "slices"

// set holds numbers of states in the order in which they came. That order is
// seen outside: it decides which of two parallel states is asked first.
type set struct {
	list []int
	in   map[int]bool
}

func newSet(list ...int) *set {
	s := &set{in: make(map[int]bool, len(list))}
	for _, i := range list {
		s.add(i)
	}
	return s
}

func (s *set) has(i int) bool { return s.in[i] }

func (s *set) add(i int) {
	if !s.in[i] {
		s.in[i] = true
		s.list = append(s.list, i)
	}
}

func (s *set) remove(i int) {
	if s.in[i] {
		delete(s.in, i)
		s.list = slices.DeleteFunc(s.list, func(j int) bool { return j == i })
	}
}

// same reports whether both hold the same states, in whatever order.
func (s *set) same(t *set) bool {
	if len(s.list) != len(t.list) {
		return false
	}
	return !slices.ContainsFunc(s.list, func(i int) bool { return !t.in[i] })
}

// overlaps reports whether a state is in both.
func (s *set) overlaps(t *set) bool {
	if len(s.list) > len(t.list) {
		s, t = t, s
	}
	return slices.ContainsFunc(s.list, func(i int) bool { return t.in[i] })
}

func (s *set) clone() *set { return newSet(s.list...) }
