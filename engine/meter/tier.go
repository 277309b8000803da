package meter

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/insight"
)

// put adds to the rows of all tiers: of what is asked for, and of the whole
// workspace, which has rows of its own so that reading it does not mean reading
// those of all workflows.
func (r *Rollups) put(at time.Time, key insight.Key, s *insight.Sum) {
	whole := key
	whole.Workflow, whole.Version = uuid.Nil, uuid.Nil
	for _, t := range insight.Tiers() {
		began := at.Truncate(time.Duration(t.Step) * time.Second).Unix()
		r.add(rowKey{key, t.Step, began}, s)
		if whole != key {
			r.add(rowKey{whole, t.Step, began}, s)
		}
	}
}

func (r *Rollups) add(k rowKey, s *insight.Sum) {
	row := r.rows[k]
	if row == nil {
		row = &insight.Sum{}
		r.rows[k] = row
	}
	row.Add(s)
	r.dirty[k] = true
}

// save takes what the shards counted and writes the rows that changed. What
// could not be written is written the next time.
func (r *Rollups) save(ctx context.Context) {
	r.mu.Lock()
	r.turnOver()
	closed := r.closed
	r.closed = nil
	if len(r.slot) > 0 {
		closed = append(closed, slot{r.at, r.slot})
		r.slot = make(map[insight.Key]*insight.Sum, len(r.slot))
	}
	r.mu.Unlock()
	for _, c := range closed {
		for key, s := range c.sums {
			r.put(c.at, key, s)
		}
	}
	if len(r.dirty) == 0 {
		return
	}
	rows := make([]insight.Row, 0, len(r.dirty))
	for k := range r.dirty {
		rows = append(rows, insight.Row{Key: k.Key, Step: k.step, At: time.Unix(k.at, 0).UTC(), Server: r.server, Sum: *r.rows[k]})
	}
	saving, cancel := context.WithTimeout(ctx, saveMax)
	defer cancel()
	if err := r.cfg.Archive.SaveRollups(saving, rows); err != nil {
		r.cfg.Log.WarnContext(ctx, "rollups were not saved, they are tried again", "rows", len(rows), "err", err)
		r.giveUp()
		return
	}
	clear(r.dirty)
	r.forget()
}

// forget drops rows whose interval is over and that are saved: nothing is added
// to them any more.
func (r *Rollups) forget() {
	now := r.cfg.Now().Add(-2 * slotLength).Unix()
	for k := range r.rows {
		if k.at+int64(k.step) < now && !r.dirty[k] {
			delete(r.rows, k)
		}
	}
}

// giveUp drops the oldest rows of the finest tiers when the database is away
// for long.
func (r *Rollups) giveUp() {
	over := len(r.dirty) - unsavedMax
	if over <= 0 {
		return
	}
	now, keys := r.cfg.Now().Unix(), make([]rowKey, 0, len(r.dirty))
	for k := range r.dirty {
		if k.at+int64(k.step) < now { // one that goes on would begin at 0 again
			keys = append(keys, k)
		}
	}
	slices.SortFunc(keys, func(a, b rowKey) int { return cmp.Or(cmp.Compare(a.step, b.step), cmp.Compare(a.at, b.at)) })
	for _, k := range keys[:min(over, len(keys))] {
		delete(r.dirty, k)
		delete(r.rows, k)
	}
}
