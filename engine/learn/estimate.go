package learn

import "math"

// Estimate is a figure with the interval that it lies in with 95 %.
type Estimate struct {
	Value, Low, High float64
	N                float64 // attempts that it rests on
}

// Known reports whether it rests on anything.
func (e Estimate) Known() bool { return e.N > 0 }

// normal95 is how many deviations 95 % of a normal distribution lie within.
const normal95 = 1.96

// Time is the mean of the seconds from scheduled to done.
func (s Sums) Time() Estimate {
	if s.N <= 0 {
		return Estimate{}
	}
	return around(s.T/s.N, s.unevenness()/s.N, s.N)
}

// around is an estimate of what cannot be below 0, by the variance of its
// logarithm.
func around(value, variance, n float64) Estimate {
	by := math.Exp(normal95 * math.Sqrt(variance))
	return Estimate{Value: value, Low: value / by, High: value * by, N: n}
}

// Success is the share that succeeded; the interval is Wilson's.
func (s Sums) Success() Estimate { return wilson(s.OK, s.N, s.N) }

func wilson(ok, of, n float64) Estimate {
	if n <= 0 || of <= 0 {
		return Estimate{}
	}
	p, q := ok/of, normal95*normal95/n
	mid := (p + q/2) / (1 + q)
	half := normal95 / (1 + q) * math.Sqrt(p*(1-p)/n+q/(4*n))
	return Estimate{Value: p, Low: min(p, max(0, mid-half)), High: max(p, min(1, mid+half)), N: n}
}

// Score is what a goal makes of what was measured: seconds or cost until an
// attempt has succeeded, or the share that succeeds.
func (s Sums) Score(goal string, cost float64) Estimate { return s.score(goal, cost, s.N) }

// score is Score of sums that rest on n attempts.
func (s Sums) score(goal string, cost, n float64) Estimate {
	if goal == MostReliable {
		return wilson(s.OK, s.N, n)
	}
	if s.OK <= 0 || s.N <= 0 || n <= 0 {
		return Estimate{}
	}
	failures := (1 - s.OK/s.N) / (s.OK / s.N) / n // variance of the logarithm of a share
	if goal == Cheapest {
		return around(cost*s.N/s.OK, failures, n)
	}
	return around(s.T/s.OK, failures+s.unevenness()/n, n)
}

// FixedLeast is how many attempts an estimate of a fixed choice has to rest on.
const FixedLeast = 20

// Fixed is what would have come of sending everything to this queue: the
// self-normalized estimate by inverse propensities (Swaminathan and Joachims
// 2015). It is not known while it rests on too few.
func (f Figures) Fixed(goal string, cost float64) Estimate {
	if f.Spread <= 0 {
		return Estimate{}
	}
	n := f.Each.N * f.Each.N / f.Spread // so many even ones say as much
	if n < FixedLeast {
		return Estimate{}
	}
	return f.Each.score(goal, cost, n)
}

// Went is what came of the work as it was spread.
func Went(goal string, options []Option) Estimate {
	var all Sums
	cost := 0.0
	for _, o := range options {
		all = all.plus(o.Long)
		cost += o.Cost * o.Long.N
	}
	if all.N <= 0 {
		return Estimate{}
	}
	return all.Score(goal, cost/all.N)
}
