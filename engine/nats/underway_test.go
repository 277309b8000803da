package nats

import (
	"math/rand/v2"
	"testing"
)

// A list of tasks under way says what a set would say, however long it is.
func TestUnderwayIsASet(t *testing.T) {
	t.Parallel()
	draw := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // a test
	for _, size := range []int{3, shortMax + 1, 500} {
		u, want := &underway{}, map[ref]bool{}
		for range 20 * size {
			r := ref{scope: draw.IntN(3), node: "a", visit: draw.IntN(size), attempt: 1}
			if draw.IntN(2) == 0 {
				u.add(r)
				want[r] = true
			} else if none := u.drop(r); none != (len(want) == 0 || len(want) == 1 && want[r]) {
				t.Fatalf("size %d: none left: %v, but there are %d", size, none, len(want))
			} else {
				delete(want, r)
			}
			if len(u.list) != len(want) {
				t.Fatalf("size %d: %d under way, want %d", size, len(u.list), len(want))
			}
		}
		for r := range want {
			if i := u.place(r); i < 0 || u.list[i] != r {
				t.Fatalf("size %d: %v is at %d", size, r, i)
			}
		}
	}
}
