package insight_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"signalbox/engine/insight"
)

// TestPercentilesAreNear compares with exact percentiles: 19 % off at most.
func TestPercentilesAreNear(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	var values []float64
	var s insight.Spread
	for range 20_000 {
		v := 0.0002 * math.Exp(rng.Float64()*15) // 0.2 ms to ten minutes
		values = append(values, v)
		s = s.Put(v)
	}
	slices.Sort(values)
	high := values[len(values)-1]
	for _, q := range []float64{.01, .25, .5, .9, .95, .99, 1} {
		exact := values[min(len(values)-1, int(q*float64(len(values))))]
		if got := s.At(q, high); got < exact/1.2 || got > exact*1.2 {
			t.Errorf("%g: %g, exactly %g", q, got, exact)
		}
	}
	if got := s.At(1, high); got > high {
		t.Errorf("the highest is %g, above %g", got, high)
	}
}

// TestSpreadsAddUp: parts added in any order are the whole, also packed.
func TestSpreadsAddUp(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 4))
	var whole insight.Spread
	parts := make([]insight.Spread, 5)
	for range 3_000 {
		v := rng.ExpFloat64()
		whole = whole.Put(v)
		i := rng.IntN(len(parts))
		parts[i] = parts[i].Put(v)
	}
	var sum insight.Spread
	for _, i := range rng.Perm(len(parts)) {
		sum = sum.Add(insight.Unpack(parts[i].Pack()))
	}
	if diff := cmp.Diff(whole, sum); diff != "" {
		t.Error(diff)
	}
	if got := insight.Spread(nil).At(.5, 0); !math.IsNaN(got) {
		t.Errorf("the middle of nothing is %g", got)
	}
	if got := insight.Unpack([]byte{1, 5, 2}); got[1] != 5 || len(got) != 1 {
		t.Errorf("cut off: %v", got)
	}
}

func TestBuckets(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		v    float64
		want uint8
	}{
		{-1, 0}, {0, 0}, {math.NaN(), 0}, {0.0001, 0}, {0.00010001, 1}, {0.0002, 4}, {0.0004, 8}, {0.1024, 40}, {1e9, 127}, {math.Inf(1), 127},
	} {
		if got := insight.Bucket(c.v); got != c.want {
			t.Errorf("%g is in bucket %d, want %d", c.v, got, c.want)
		}
	}
}

func FuzzUnpack(f *testing.F) {
	f.Add([]byte{1, 5, 2, 0xff, 0xff, 3})
	f.Fuzz(func(t *testing.T, raw []byte) {
		s := insight.Unpack(raw)
		if again := insight.Unpack(s.Pack()); len(s) > 0 && !cmp.Equal(s, again) {
			t.Errorf("%v, then %v", s, again)
		}
		s.At(.5, 1)
	})
}
