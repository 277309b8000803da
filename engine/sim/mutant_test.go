//go:build mutant

package sim_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"signalbox/engine/mutant"
	"signalbox/engine/sim"
)

var bug = flag.Int("mutant", 0, "look for this planted bug only, by its number")

// mutantSeeds is within how many seeds every planted bug has to be found.
const mutantSeeds = 2_000

// TestMutant plants one bug and plays seeds until a rule is broken.
func TestMutant(t *testing.T) {
	if *bug == 0 {
		return // TestMutants runs this once for each bug, in a process of its own
	}
	mutant.Plant(mutant.Bug(*bug))
	for seed := range uint64(mutantSeeds) {
		if p := sim.Play(t, seed); len(p.Found) > 0 {
			fmt.Printf("found by seed %d: %.160s\n", seed, strings.ReplaceAll(p.Found[0].String(), "\n", " "))
			return
		}
	}
	t.Errorf("the bug %q was not found", mutant.Bug(*bug))
}

var found = regexp.MustCompile(`found by seed (\d+): (.*)`)

// TestMutants plants every bug in a process of its own, for one may break it.
func TestMutants(t *testing.T) {
	if *bug != 0 {
		return
	}
	const abreast = 2
	var wg sync.WaitGroup
	var mu sync.Mutex
	rows := map[mutant.Bug]string{}
	free := make(chan struct{}, abreast)
	for _, b := range mutant.All() {
		free <- struct{}{}
		wg.Go(func() {
			defer func() { <-free }()
			row, ok := hunt(t.Context(), b)
			mu.Lock()
			defer mu.Unlock()
			rows[b] = row
			if !ok {
				t.Errorf("the bug %q was not found", b)
			}
		})
	}
	wg.Wait()
	for _, b := range mutant.All() {
		fmt.Printf("%-22s %s\n", b, rows[b])
	}
}

// hunt looks for one bug.
func hunt(ctx context.Context, b mutant.Bug) (row string, ok bool) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute)
	defer cancel()
	began := time.Now()
	out, err := exec.CommandContext(ctx, os.Args[0], "-test.run", "TestMutant$", "-mutant", strconv.Itoa(int(b))).CombinedOutput() //nolint:gosec // this program
	if m := found.FindStringSubmatch(string(out)); m != nil {
		return fmt.Sprintf("seed %-5s %5.1f s  %s", m[1], time.Since(began).Seconds(), m[2]), true
	}
	return fmt.Sprintf("NOT FOUND (%v): %.300s", err, out), false
}
