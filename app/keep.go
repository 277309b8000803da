package app

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/archive"
	"signalbox/engine/insight"
	"signalbox/engine/pg"
)

// How what is old is deleted.
const (
	keepMin     = time.Hour
	keepFirst   = time.Minute // after the start
	keepEvery   = time.Hour
	keepBatch   = 200                    // runs, or values, in one transaction
	countsBatch = 5_000                  // rows of counts in one statement
	keepBetween = 100 * time.Millisecond // between two of them: runs come first
)

// parseKeep reads how long runs are kept: a number of days as "30d", or hours
// as "12h"; empty is 0: for ever.
func parseKeep(flag, text string) (time.Duration, error) {
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
		return 0, fmt.Errorf("%s %q is not a time of an hour or more, such as 30d or 12h", flag, text)
	}
	return d, nil
}

// keep deletes runs that are older than the setting says, and large values
// that nobody named, again and again until the context ends.
func (a *App) keep(ctx context.Context) error {
	age, err := parseKeep("--keep", a.Config.Keep)
	if err != nil {
		return err
	}
	counts, err := parseKeep("--keep-counts", a.Config.KeepCounts)
	if err != nil {
		return err
	}
	for wait := keepFirst; ; wait = keepEvery {
		if err := a.store.MakeWeeks(ctx, time.Now()); err != nil && ctx.Err() == nil {
			a.log.WarnContext(ctx, "the weeks of the log to come were not made; they are tried again", "err", err)
		}
		rest(ctx, wait)
		if ctx.Err() != nil {
			return nil //nolint:nilerr // the end was asked for
		}
		if err := a.forget(ctx, age); err != nil && ctx.Err() == nil {
			a.log.WarnContext(ctx, "old runs were not deleted", "err", err)
		}
		if err := a.forgetCounts(ctx, counts); err != nil && ctx.Err() == nil {
			a.log.WarnContext(ctx, "old counts were not deleted", "err", err)
		}
	}
}

// forget goes through everything once.
func (a *App) forget(ctx context.Context, age time.Duration) error {
	runs, values, keys := 0, 0, 0
	if age > 0 {
		before := time.Now().Add(-age)
		purge := pg.Purge{Before: before, Limit: keepBatch}
		if a.Config.Archive != "" {
			purge.Save = func(first uuid.UUID) (pg.Saver, error) { return archive.Dir(a.Config.Archive).Begin(first) }
		}
		whole, err := a.store.DropWeeks(ctx, purge, func(ctx context.Context) { rest(ctx, keepBetween) })
		if runs += whole; err != nil { // the rows can still go one by one
			a.log.WarnContext(ctx, "a week of the log was not dropped", "err", err)
		}
		for last, more := uuid.Nil, true; more; more = last != uuid.Nil {
			var n int
			var err error
			if last, n, err = a.store.Forget(ctx, last, purge); err != nil {
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

// forgetCounts deletes what the boards show when it is too old: each length of
// interval has its own time, the longest, points, predictions and truths that
// of the setting; 0: for ever.
func (a *App) forgetCounts(ctx context.Context, age time.Duration) error {
	for _, t := range insight.Tiers() {
		keep := t.Keep
		if keep == 0 {
			keep = age
		}
		if keep == 0 {
			continue
		}
		for n := countsBatch; n == countsBatch; rest(ctx, keepBetween) {
			var err error
			if n, err = a.store.ForgetRollups(ctx, t.Step, time.Now().Add(-keep), countsBatch); err != nil {
				return err
			}
		}
	}
	if age == 0 {
		return nil
	}
	for n := countsBatch; n == countsBatch; rest(ctx, keepBetween) {
		var err error
		if n, err = a.store.ForgetNotes(ctx, time.Now().Add(-age), countsBatch); err != nil {
			return err
		}
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
