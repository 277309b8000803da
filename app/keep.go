package app

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
)

// How what is old is deleted.
const (
	keepMin     = time.Hour
	keepFirst   = time.Minute // after the start
	keepEvery   = time.Hour
	keepBatch   = 200                    // runs, or values, in one transaction
	keepBetween = 100 * time.Millisecond // between two of them: runs come first
)

// parseKeep reads how long runs are kept: a number of days as "30d", or hours
// as "12h"; empty is 0: for ever.
func parseKeep(text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	d, err := time.ParseDuration(text)
	if days, ok := strings.CutSuffix(text, "d"); ok {
		var n int
		n, err = strconv.Atoi(days)
		d = time.Duration(n) * 24 * time.Hour
		if n > 36_500 {
			err = fmt.Errorf("%d days", n)
		}
	}
	if err != nil || d < keepMin {
		return 0, fmt.Errorf("--keep %q is not a time of an hour or more, such as 30d or 12h", text)
	}
	return d, nil
}

// keep deletes runs that are older than the setting says, and large values
// that nobody named, again and again until the context ends.
func (a *App) keep(ctx context.Context) error {
	age, err := parseKeep(a.Config.Keep)
	if err != nil {
		return err
	}
	for wait := keepFirst; ; wait = keepEvery {
		rest(ctx, wait)
		if ctx.Err() != nil {
			return nil
		}
		if err := a.forget(ctx, age); err != nil && ctx.Err() == nil {
			a.log.WarnContext(ctx, "old runs were not deleted", "err", err)
		}
	}
}

// forget goes through everything once.
func (a *App) forget(ctx context.Context, age time.Duration) error {
	runs, values, keys := 0, 0, 0
	if age > 0 {
		before := time.Now().Add(-age)
		for last, more := uuid.Nil, true; more; more = last != uuid.Nil {
			var n int
			var err error
			if last, n, err = a.store.Forget(ctx, last, before, keepBatch); err != nil {
				return err
			}
			runs += n
			rest(ctx, keepBetween)
		}
		for n := keepBatch; n == keepBatch; keys += n {
			var err error
			if n, err = a.store.ForgetKeys(ctx, before, keepBatch); err != nil {
				return err
			}
			rest(ctx, keepBetween)
		}
	}
	for last, more := "", true; more; more = last != "" {
		var n int
		var err error
		if last, n, err = a.store.ForgetValues(ctx, last, keepBatch); err != nil {
			return err
		}
		values += n
		rest(ctx, keepBetween)
	}
	if runs+values+keys > 0 {
		a.log.InfoContext(ctx, "old runs deleted", "runs", runs, "pieces_of_values", values, "keys", keys)
	}
	return nil
}

// rest waits, or less when the context ends.
func rest(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}
