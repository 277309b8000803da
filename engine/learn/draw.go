package learn

// Constants of FNV-1a and of the last steps of SplitMix64, which spread what
// differs in a few bits over all of them.
const (
	fnvBasis = 14695981039346656037
	fnvPrime = 1099511628211
	mix1     = 0xbf58476d1ce4e5b9
	mix2     = 0x94d049bb133111eb
)

// Point is where an attempt falls between 0 and 1. It takes the place of a
// random number: it is the same whenever it is asked for.
func Point(rule, run, node string, scope, visit int) float64 {
	h := uint64(fnvBasis)
	for _, text := range []string{rule, run, node} {
		for i := range len(text) {
			h = (h ^ uint64(text[i])) * fnvPrime
		}
		h = (h ^ 0xff) * fnvPrime
	}
	h = (h ^ uint64(scope)) * fnvPrime //nolint:gosec // bits
	h = (h ^ uint64(visit)) * fnvPrime //nolint:gosec // bits
	h = (h ^ h>>30) * mix1
	h = (h ^ h>>27) * mix2
	h ^= h >> 31
	return float64(h>>11) / (1 << 53)
}

// Left are the shares without those queues that take nothing now; the others
// get theirs in proportion. nil: no queue is left.
func Left(shares []float64, off func(i int) bool) []float64 {
	list, all := make([]float64, len(shares)), 0.0
	for i, s := range shares {
		if !off(i) {
			list[i] = s
			all += s
		}
	}
	if all <= 0 {
		return nil
	}
	for i := range list {
		list[i] /= all
	}
	return list
}

// Pick is the option whose part of the line from 0 to 1 a point falls into.
func Pick(shares []float64, point float64) int {
	last := 0
	for i, s := range shares {
		if s <= 0 {
			continue
		}
		if point < s {
			return i
		}
		point -= s
		last = i
	}
	return last // what rounding left over
}
