package pg

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"signalbox/engine/history"
)

// Runs lists runs, the newest first, by keyset.
func (h *History) Runs(ctx context.Context, workspace string, q history.Query) ([]history.Run, error) {
	if q.Limit <= 0 || q.Limit > pageMax {
		q.Limit = pageMax
	}
	if q.Attribute.Name == "" {
		return h.list(ctx, workspace, q, nil)
	}
	// What many runs have is soon found among the newest; what few have is
	// found by the index.
	recent, err := h.recent(ctx, workspace, q)
	if err != nil || len(recent) == q.Limit {
		return recent, err
	}
	among, err := h.bearers(ctx, workspace, q.Attribute)
	if err != nil {
		return nil, err
	}
	return h.list(ctx, workspace, q, among)
}

// recentMax is how many runs are looked at one by one for an attribute.
const recentMax = 5_000

// recent lists what fits among the newest runs.
func (h *History) recent(ctx context.Context, workspace string, q history.Query) ([]history.Run, error) {
	top := uuid.Max
	if !q.To.IsZero() {
		top = firstID(q.To)
	}
	if q.After != uuid.Nil && bytes.Compare(q.After[:], top[:]) < 0 {
		top = q.After
	}
	var least uuid.UUID
	err := h.store.pool.QueryRow(ctx, `select id from runs where workspace_id = $1 and id < $2 order by id desc offset $3 limit 1`, workspace, top, recentMax).Scan(&least)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return nil, fmt.Errorf("list runs: %w", err)
	}
	if at := time.UnixMilli(int64(binary.BigEndian.Uint64(least[:8]) >> 16)); at.After(q.From) { //nolint:gosec // 48 bits
		q.From = at
	}
	return h.list(ctx, workspace, q, nil)
}

func (h *History) list(ctx context.Context, workspace string, q history.Query, among []uuid.UUID) ([]history.Run, error) {
	if q.Status == history.StatusStuck {
		stuck, err := h.stuckIDs(ctx, workspace)
		if err != nil {
			return nil, err
		}
		if among != nil {
			stuck = slices.DeleteFunc(stuck, func(id uuid.UUID) bool { return !slices.Contains(among, id) })
		}
		q.Status, among = "", stuck
	}
	sql, args := listQuery(workspace, q, among)
	rows, err := h.store.pool.Query(ctx, sql, append([]any{planned}, args...)...)
	if err != nil {
		return nil, fmt.Errorf("list runs: %w", err)
	}
	list, err := pgx.CollectRows(rows, scanRun)
	if err != nil {
		return nil, fmt.Errorf("list runs: %w", err)
	}
	return list, h.withStuck(ctx, list)
}

// planned has each query planned for its own values: what is rare and what is
// common want different ways.
const planned = pgx.QueryExecModeCacheDescribe

// bearersMax is up to how many runs an attribute counts as rare.
const bearersMax = 5_000

// bearers lists the runs that have an attribute, when they are few; nil: they
// are many, so the newest of them are soon found by looking at all.
func (h *History) bearers(ctx context.Context, workspace string, a history.Attribute) ([]uuid.UUID, error) {
	rows, err := h.store.pool.Query(ctx, `select id from runs where attributes::text <> '{}' and attribute_words(attributes) @> array[$1::text] and workspace_id = $2 limit $3`,
		planned, a.Name+"="+a.Value, workspace, bearersMax+1)
	if err != nil {
		return nil, fmt.Errorf("find runs by attribute: %w", err)
	}
	ids, err := pgx.AppendRows([]uuid.UUID{}, rows, pgx.RowTo[uuid.UUID])
	if err != nil {
		return nil, fmt.Errorf("find runs by attribute: %w", err)
	}
	if len(ids) > bearersMax {
		return nil, nil
	}
	return ids, nil
}

// listQuery has only constants of this function in its text.
func listQuery(workspace string, q history.Query, among []uuid.UUID) (string, []any) {
	sql, args := runQuery, []any{workspace}
	where := func(cond string, arg any) {
		args = append(args, arg)
		sql += " and " + fmt.Sprintf(cond, len(args))
	}
	if q.Workflow != uuid.Nil {
		where("r.workflow_id = $%d", q.Workflow)
	}
	if q.Version != uuid.Nil {
		where("r.version_id = $%d", q.Version)
	}
	if q.Status != "" {
		where("r.status = $%d", q.Status)
	}
	if q.Source != "" {
		where("r.source = $%d", q.Source)
	}
	if q.Trigger != "" {
		where("r.trigger = $%d", q.Trigger)
	}
	if among != nil {
		where("r.id = any($%d)", among)
	}
	if q.Attribute.Name != "" { // an escape might not be a text in this database
		args = append(args, q.Attribute.Name)
		where(fmt.Sprintf("case when position('\\u' in r.attributes::text) > 0 then false else r.attributes ->> $%d = $%%d end", len(args)), q.Attribute.Value)
	}
	if q.Label != "" {
		where("r.labels <> '{}' and r.labels @> array[$%d::text]", q.Label)
	}
	if words := searched(q.Text); words != "" {
		where("r.error <> '' and to_tsvector('simple', r.error) @@ to_tsquery('simple', $%d)", words)
	}
	if !q.From.IsZero() {
		where("r.id >= $%d", firstID(q.From))
	}
	if !q.To.IsZero() {
		where("r.id < $%d", firstID(q.To))
	}
	if q.After != uuid.Nil {
		where("r.id < $%d", q.After)
	}
	args = append(args, q.Limit)
	return sql + fmt.Sprintf(" order by r.id desc limit $%d", len(args)), args
}

// searched turns what a person typed into a query for runs whose error has
// words that begin with all of these.
func searched(text string) string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' })
	for i, w := range words {
		words[i] = "'" + w + "':*"
	}
	return strings.Join(words, " & ")
}

// firstID is the lowest id that a run which started at a time can have.
func firstID(at time.Time) uuid.UUID {
	var id uuid.UUID
	binary.BigEndian.PutUint64(id[:8], uint64(max(0, at.UnixMilli()))<<16) //nolint:gosec // not negative
	return id
}
