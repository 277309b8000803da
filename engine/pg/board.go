package pg

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"signalbox/engine/insight"
	"signalbox/engine/problem"
)

// Boards reads what boards show.
type Boards struct{ pool *pgxpool.Pool }

// NewBoards makes it.
func NewBoards(pool *pgxpool.Pool) *Boards { return &Boards{pool} }

const (
	boardMax        = 10 * time.Second // for one question: boards must not hold the database up
	verdictsMax     = 20_000           // combinations of version, interval, prediction and truth
	combinationsMax = 20_000           // of labels
	marksMax        = 200
)

// within asks one question in bounded time.
func within(ctx context.Context, ask func(context.Context) error) error {
	bounded, cancel := context.WithTimeout(ctx, boardMax)
	defer cancel()
	err := ask(bounded)
	if err != nil && ctx.Err() == nil && errors.Is(bounded.Err(), context.DeadlineExceeded) {
		return problem.New(problem.Unavailable, "There is too much in this range of time to be added up within %s. Choose a shorter one.", boardMax)
	}
	return err
}

// total is one combination of labels in the whole of a span.
type total struct {
	name, typ, labels string
	n                 int64
	sum               float64
}

// Metrics reads what metric nodes wrote down in a span, in all workflows or in
// one.
func (b *Boards) Metrics(ctx context.Context, workspace string, workflow uuid.UUID, span insight.Span) (list []insight.Metric, err error) {
	err = within(ctx, func(ctx context.Context) error {
		totals, err := b.totals(ctx, workspace, workflow, span)
		if err != nil || len(totals) == 0 {
			return err
		}
		list, err = b.metrics(ctx, workspace, workflow, span, totals)
		return err
	})
	return list, err
}

const pointsIn = ` from metric_points where workspace_id = $1 and at >= $2 and at < $3 and ($4 = '00000000-0000-0000-0000-000000000000'::uuid or workflow_id = $4)`

func (b *Boards) totals(ctx context.Context, workspace string, workflow uuid.UUID, span insight.Span) ([]total, error) {
	rows, err := b.pool.Query(ctx, `select name, type, labels, count(*), sum(value)`+pointsIn+` group by 1, 2, 3 order by 1, 2, 4 desc, 3 limit $5`, workspace, span.From, span.To, workflow, combinationsMax+1)
	if err != nil {
		return nil, fmt.Errorf("add points up: %w", err)
	}
	list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (t total, err error) {
		err = row.Scan(&t.name, &t.typ, &t.labels, &t.n, &t.sum)
		return t, err //nolint:wrapcheck // by the caller
	})
	if err != nil {
		return nil, fmt.Errorf("add points up: %w", err)
	}
	if len(list) > combinationsMax {
		return nil, problem.New(problem.TooLarge, "The metrics in this range of time have more than %d different labels. Choose a shorter one, or one workflow.", combinationsMax)
	}
	return list, nil
}

// place is where a row of points belongs.
type place struct{ name, typ, labels string }

// metrics chooses the series that are told by themselves and reads them.
func (b *Boards) metrics(ctx context.Context, workspace string, workflow uuid.UUID, span insight.Span, totals []total) ([]insight.Metric, error) {
	var list []insight.Metric
	at := map[place][2]int{}
	for _, t := range totals {
		if n := len(list); n == 0 || list[n-1].Name != t.name || list[n-1].Type != t.typ {
			if n == insight.MetricsMax {
				break
			}
			list = append(list, insight.Metric{Name: t.name, Type: t.typ})
		}
		m := &list[len(list)-1]
		switch {
		case len(m.Series) < insight.DrawnMax:
			s := insight.NewMetricSeries(span, t.typ)
			s.Labels, s.Points, s.Sum = labelsOf(t.labels), t.n, t.sum
			m.Series = append(m.Series, s)
		default:
			m.More++
			if m.More == 1 {
				s := insight.NewMetricSeries(span, t.typ)
				s.Rest, s.Labels = true, map[string]string{}
				m.Series = append(m.Series, s)
			}
			rest := &m.Series[insight.DrawnMax]
			rest.Points, rest.Sum = rest.Points+t.n, rest.Sum+t.sum
		}
		at[place{t.name, t.typ, t.labels}] = [2]int{len(list) - 1, len(m.Series) - 1}
	}
	var names, types, labels []string
	var series []int32
	for p, where := range at {
		names, types, labels, series = append(names, p.name), append(types, p.typ), append(labels, p.labels), append(series, int32(where[0]*(insight.DrawnMax+1)+where[1])) //nolint:gosec // small
	}
	rows, err := b.pool.Query(ctx, `with c as (select * from unnest($5::text[], $6::text[], $7::text[], $8::int[]) c(name, type, labels, series)),
		p as materialized (select name, type, labels, at, value`+pointsIn+`)
		select c.series, floor(extract(epoch from p.at - $2) / $9)::int, count(*), sum(p.value),
			(array_agg(p.value order by p.at desc) filter (where p.type = 'gauge'))[1],
			percentile_cont(0.5) within group (order by p.value) filter (where p.type = 'histogram'),
			percentile_cont(0.95) within group (order by p.value) filter (where p.type = 'histogram')
		from p join c using (name, type, labels) group by 1, 2`,
		workspace, span.From, span.To, workflow, names, types, labels, series, span.Step)
	if err != nil {
		return nil, fmt.Errorf("read points: %w", err)
	}
	var which, bin int
	var n, sum float64
	var last, p50, p95 *float64 // only of gauges and of histograms: sorting costs
	_, err = pgx.ForEachRow(rows, []any{&which, &bin, &n, &sum, &last, &p50, &p95}, func() error {
		s := &list[which/(insight.DrawnMax+1)].Series[which%(insight.DrawnMax+1)]
		if bin < 0 || bin >= len(s.N) {
			return nil
		}
		s.N[bin], s.Total[bin] = n, sum
		for column, v := range map[*insight.Column]*float64{&s.Last: last, &s.P50: p50, &s.P95: p95} {
			if *column != nil && v != nil {
				(*column)[bin] = *v
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read points: %w", err)
	}
	return gaugesAlone(list), nil
}

// gaugesAlone leaves out the rest of gauges: the latest of several things is no
// number.
func gaugesAlone(list []insight.Metric) []insight.Metric {
	for i := range list {
		m := &list[i]
		if m.Type == "gauge" {
			m.Series = slices.DeleteFunc(m.Series, func(s insight.MetricSeries) bool { return s.Rest })
		}
	}
	return list
}

func labelsOf(text string) map[string]string {
	labels := map[string]string{}
	_ = json.Unmarshal([]byte(text), &labels) // empty: none; else it was written by labelText
	return labels
}

// Verdicts counts the predictions of a span by what they said and what turned
// out to be true.
func (b *Boards) Verdicts(ctx context.Context, workspace string, workflow uuid.UUID, span insight.Span) (list []insight.Verdict, err error) {
	err = within(ctx, func(ctx context.Context) error {
		rows, err := b.pool.Query(ctx, `select p.name, p.workflow_id, p.version_id, floor(extract(epoch from p.at - $2) / $5)::int, p.value, coalesce(t.value, ''), count(*)
			from predictions p left join truths t on t.workspace_id = p.workspace_id and t.name = p.name and t.decision = p.decision
			where p.workspace_id = $1 and p.at >= $2 and p.at < $3 and ($4 = '00000000-0000-0000-0000-000000000000'::uuid or p.workflow_id = $4)
			group by 1, 2, 3, 4, 5, 6 limit $6`, workspace, span.From, span.To, workflow, span.Step, verdictsMax+1)
		if err != nil {
			return fmt.Errorf("read predictions: %w", err)
		}
		list, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (v insight.Verdict, err error) {
			var bin int
			err = row.Scan(&v.Name, &v.Workflow, &v.Version, &bin, &v.Predicted, &v.Truth, &v.N)
			v.At = span.From.Add(time.Duration(bin*span.Step) * time.Second)
			return v, err //nolint:wrapcheck // by the caller
		})
		if err != nil {
			return fmt.Errorf("read predictions: %w", err)
		}
		if len(list) > verdictsMax {
			return problem.New(problem.TooLarge, "The predictions in this range of time say more than %d different things. Choose a shorter one, or one workflow.", verdictsMax)
		}
		return nil
	})
	return list, err
}

// TellTruths keeps what turned out to be true, the latest word for each
// decision, and returns how many of the decisions were predicted by then.
func (b *Boards) TellTruths(ctx context.Context, workspace string, list []insight.Truth) (predicted int, err error) {
	var names, decisions, values []string
	var at []time.Time
	for _, t := range list {
		names, decisions, values, at = append(names, t.Name), append(decisions, t.Decision), append(values, t.Value), append(at, t.At)
	}
	_, err = b.pool.Exec(ctx, `insert into truths (workspace_id, name, decision, value, at)
		select distinct on (u.na, u.de) $1, u.na, u.de, u.va, u.a from unnest($2::text[], $3::text[], $4::text[], $5::timestamptz[]) with ordinality u(na, de, va, a, i) order by u.na, u.de, u.i desc
		on conflict (workspace_id, name, decision) do update set value = excluded.value, at = excluded.at`, workspace, names, decisions, values, at)
	if err != nil {
		return 0, fmt.Errorf("keep outcomes: %w", err)
	}
	err = b.pool.QueryRow(ctx, `select count(*) from (select distinct u.na, u.de from unnest($2::text[], $3::text[]) u(na, de)) u
		where exists (select from predictions p where p.workspace_id = $1 and p.name = u.na and p.decision = u.de)`, workspace, names, decisions).Scan(&predicted)
	if err != nil {
		return 0, fmt.Errorf("look for predictions: %w", err)
	}
	return predicted, nil
}

// Marks lists what was published in a span, the latest first.
func (b *Boards) Marks(ctx context.Context, workspace string, workflow uuid.UUID, span insight.Span) ([]insight.Mark, error) {
	rows, err := b.pool.Query(ctx, `select v.created_at, 'publish', v.workflow_id, w.name, v.number, v.note from versions v join workflows w on w.workspace_id = v.workspace_id and w.id = v.workflow_id
		where v.workspace_id = $1 and v.number is not null and v.created_at >= $2 and v.created_at < $3 and ($4 = '00000000-0000-0000-0000-000000000000'::uuid or v.workflow_id = $4)
		order by v.created_at desc limit $5`, workspace, span.From, span.To, workflow, marksMax)
	if err != nil {
		return nil, fmt.Errorf("list what was published: %w", err)
	}
	list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (m insight.Mark, err error) {
		err = row.Scan(&m.At, &m.What, &m.Workflow, &m.Name, &m.Version, &m.Note)
		return m, err //nolint:wrapcheck // by the caller
	})
	if err != nil {
		return nil, fmt.Errorf("list what was published: %w", err)
	}
	return list, nil
}

// VersionNumbers gives the numbers of versions, by id.
func (b *Boards) VersionNumbers(ctx context.Context, workspace string, ids []uuid.UUID) (map[uuid.UUID]int, error) {
	rows, err := b.pool.Query(ctx, `select id, number from versions where workspace_id = $1 and id = any($2) and number is not null`, workspace, ids)
	if err != nil {
		return nil, fmt.Errorf("look numbers of versions up: %w", err)
	}
	numbers := map[uuid.UUID]int{}
	var id uuid.UUID
	var n int
	if _, err := pgx.ForEachRow(rows, []any{&id, &n}, func() error {
		numbers[id] = n
		return nil
	}); err != nil {
		return nil, fmt.Errorf("look numbers of versions up: %w", err)
	}
	return numbers, nil
}
