package learn

import "math"

// Goals: what makes one queue better than another.
const (
	Fastest      = "fastest"       // the least time until an attempt has succeeded
	MostReliable = "most_reliable" // the largest share of attempts that succeed
	Cheapest     = "cheapest"      // the least cost until an attempt has succeeded
)

// Goals lists them.
func Goals() []string { return []string{Fastest, MostReliable, Cheapest} }

// Limits of the share of the work that is spread evenly, whatever was learned.
// It is never nothing: a queue that became better has to be found again.
const (
	ExploreLeast = 0.01
	ExploreUsual = 0.02
	ExploreMost  = 0.5
)

// Option is one queue to choose.
type Option struct {
	Figures
	Cost float64 // of one attempt; for Cheapest
}

// belief is what is believed of the logarithm of a score, of which less is
// better: a normal distribution.
type belief struct{ mean, deviation float64 }

// Shares says how much of the work each option should get: as much as it is
// likely to be the best one (probability matching, Thompson 1933), but for the
// part to explore, of which each gets the same. They add up to 1.
func Shares(goal string, explore float64, options []Option) []float64 {
	if explore == 0 {
		explore = ExploreUsual
	}
	explore = min(max(explore, ExploreLeast), ExploreMost)
	likely := best(beliefs(goal, options))
	for i := range likely {
		likely[i] = (1-explore)*likely[i] + explore/float64(len(options))
	}
	return likely
}

// Weights of what is believed before anything is measured, in attempts: the
// queue is like all of them together.
const (
	timePrior    = 1
	successPrior = 2
)

func beliefs(goal string, options []Option) []belief {
	var all Sums
	for _, o := range options {
		all = all.plus(o.Lately)
	}
	usual, success := 1.0, (all.OK+1)/(all.N+2)
	if all.N > 0 && all.T > 0 {
		usual = all.T / all.N
	}
	list := make([]belief, len(options))
	for i, o := range options {
		s := o.Lately
		ok, failed := s.OK+successPrior*success, max(0, s.N-s.OK)+successPrior*(1-success)
		mean, variance := logShare(ok, failed)
		b := belief{mean: -mean}
		switch goal {
		case Fastest:
			b.mean += math.Log((s.T + timePrior*usual) / (s.N + timePrior))
			variance += s.unevenness() / (s.N + timePrior)
		case Cheapest:
			b.mean += math.Log(max(o.Cost, math.SmallestNonzeroFloat64))
		}
		b.deviation = math.Sqrt(variance)
		list[i] = b
	}
	return list
}

// points are how finely a normal distribution is looked at: as many points of
// the same weight.
const points = 64

// best is how likely each is the smallest.
func best(list []belief) []float64 {
	shares := make([]float64, len(list))
	all := 0.0
	for i, b := range list {
		for k := range points {
			z := math.Sqrt2 * math.Erfinv(2*(float64(k)+0.5)/points-1)
			x, p := b.mean+b.deviation*z, 1.0
			for j, o := range list {
				if j != i {
					p *= o.above(x)
				}
			}
			shares[i] += p
		}
		all += shares[i]
	}
	for i := range shares {
		if all == 0 { // of none that could be told apart
			shares[i] = 1 / float64(len(list))
			continue
		}
		shares[i] /= all
	}
	return shares
}

// above is how likely it is larger than x; of two that are the same, half.
func (b belief) above(x float64) float64 {
	if b.deviation == 0 {
		switch {
		case b.mean > x:
			return 1
		case b.mean < x:
			return 0
		}
		return 0.5
	}
	return math.Erfc((x-b.mean)/(b.deviation*math.Sqrt2)) / 2
}

// logShare is mean and variance of the logarithm of a share that is
// distributed as Beta(ok, failed).
func logShare(ok, failed float64) (mean, variance float64) {
	return digamma(ok) - digamma(ok+failed), max(0, trigamma(ok)-trigamma(ok+failed))
}

// far is from where on the two series are exact enough.
const far = 8

// digamma is the derivative of the logarithm of the gamma function, for x > 0.
func digamma(x float64) float64 {
	sum := 0.0
	for ; x < far; x++ {
		sum -= 1 / x
	}
	q := 1 / (x * x)
	return sum + math.Log(x) - 1/(2*x) - q*(1.0/12-q*(1.0/120-q/252))
}

// trigamma is its derivative.
func trigamma(x float64) float64 {
	sum := 0.0
	for ; x < far; x++ {
		sum += 1 / (x * x)
	}
	q := 1 / (x * x)
	return sum + 1/x + q/2 + q/x*(1.0/6-q*(1.0/30-q/42))
}
