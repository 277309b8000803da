// The charts of a board: which series stand in which chart, in which color, and
// what a click on them leads to.

import type { Board, BoardSeries, Business, Column, Decision, Metric, RunsLink } from "./board.ts";
import type { Unit } from "./board-format.ts";

/**
 * A value for each interval. Null: nobody measured, and the line breaks.
 * Undefined: somebody did, but there was nothing to measure, and the line goes
 * on to the next value.
 */
export type Values = readonly (number | null | undefined)[];

export type Row = {
  readonly name: string;
  /** Name of a token of the palette, without dashes. */
  readonly color: string;
  readonly dash?: readonly number[];
  readonly values: Values;
  readonly link?: RunsLink;
  /** Of runs that are over: the longest of each interval took so long. */
  readonly longest?: Column;
};

export type Chart = {
  readonly id: string;
  readonly title: string;
  /** What exactly is measured, and where. */
  readonly about: string;
  readonly unit: Unit;
  /** Bars stand on each other; lines do not. */
  readonly drawn: "bars" | "lines";
  readonly rows: readonly Row[];
};

/** What the charts need of words and names. */
export type Naming = {
  readonly t: (key: string, args?: Readonly<Record<string, string | number>>) => string;
  /** The title of a kind of node. */
  readonly kind: (name: string) => string;
  readonly workflow: string;
};

const NONE = "00000000-0000-0000-0000-000000000000";

/** Colors of what has no color of its own, far apart for color-blind eyes. */
const COLORS = ["c-queue", "c-ai", "c-human", "c-trigger", "c-http", "c-saga", "c-data", "skip"];

const OUTCOMES: readonly (readonly [string, string])[] = [
  ["succeeded", "ok"],
  ["failed", "fail"],
  ["compensated", "comp"],
  ["canceled", "skip"],
];

const PRIORITIES: readonly (readonly [string, string])[] = [
  ["critical", "fail"],
  ["high", "wait"],
  ["normal", "run"],
  ["low", "skip"],
];

const SAGAS: readonly (readonly [string, string])[] = [
  ["begun", "wait"],
  ["undone", "comp"],
  ["stuck", "fail"],
  ["resolved", "ok"],
];

const PERCENTILES = [
  ["p50", "c-queue", [] as readonly number[]],
  ["p95", "c-ai", [6, 3]],
  ["p99", "c-trigger", [2, 3]],
] as const;

/** Rows of one chart; the rest is not drawn. */
const ROWS_MAX = 8;

/** How often a second something happened, in the part of an interval that was measured. */
export function rates(n: Column, covered: Column): Values {
  return n.map((count, i) => {
    const seconds = covered[i] ?? 0;
    return count === null || seconds < 1 ? null : count / seconds;
  });
}

/** A percentile, where it can be told; the line goes on over intervals without any. */
export function percentile(values: Column | undefined, n: Column): Values {
  return n.map((count, i) => (count === null ? null : (values?.[i] ?? undefined)));
}

function find(board: Board, measure: string): readonly BoardSeries[] {
  return board.series.filter((s) => s.measure === measure && s.version === NONE);
}

function sum(values: Column): number {
  return values.reduce<number>((all, v) => all + (v ?? 0), 0);
}

/** Those that happened most, at most so many, in the order of their labels. */
function foremost(series: readonly BoardSeries[], most = ROWS_MAX): readonly BoardSeries[] {
  return [...series]
    .sort((a, b) => sum(b.n) - sum(a.n) || a.label.localeCompare(b.label))
    .slice(0, most)
    .sort((a, b) => a.label.localeCompare(b.label));
}

const color = (i: number) => COLORS[i % COLORS.length] ?? "skip";

/** One row for each label, as counts. */
function counts(series: readonly BoardSeries[], name: (label: string) => string): readonly Row[] {
  return foremost(series).map((s, i) => ({ name: name(s.label), color: color(i), values: s.n }));
}

/** Rows of labels that are known beforehand. */
function known(
  series: readonly BoardSeries[],
  labels: readonly (readonly [string, string])[],
  make: (s: BoardSeries, label: string) => Omit<Row, "color">,
): readonly Row[] {
  return labels.flatMap(([label, tone]) => {
    const s = series.find((one) => one.label === label);
    return s === undefined ? [] : [{ ...make(s, label), color: tone }];
  });
}

/** The percentiles of one measure, all labels apart from each other left out. */
function percentiles(s: BoardSeries | undefined, naming: Naming, link?: RunsLink): readonly Row[] {
  if (s === undefined) return [];
  return PERCENTILES.map(([name, tone, dash]) => ({
    name: naming.t(`boards.${name}`),
    color: tone,
    dash,
    values: percentile(s[name], s.n),
    ...(link === undefined ? {} : { link, longest: s.high ?? [] }),
  }));
}

type Draft = Omit<Chart, "title" | "about">;

function named(naming: Naming, charts: readonly Draft[]): readonly Chart[] {
  return charts.map((c) => ({
    ...c,
    title: naming.t(`boards.chart.${c.id}`),
    about: naming.t(`boards.chart.${c.id}.about`),
  }));
}

/** The charts of what runs did. */
export function eventCharts(board: Board, naming: Naming): readonly Chart[] {
  const { t, kind, workflow } = naming;
  const runs = find(board, "run.time");
  const link = (status: string) => ({ status, workflow });
  const ended = known(runs, OUTCOMES, (s, label) => ({
    name: t(`status.${label}`),
    values: s.n,
    link: link(label),
    longest: s.high ?? [],
  }));
  const started = foremost(find(board, "run.started")).map((s, i) => ({
    name: t(`boards.source.${s.label}`),
    color: color(i),
    values: s.n,
    link: { workflow },
  }));
  const waited = known(find(board, "queue.time"), PRIORITIES, (s, label) => ({
    name: t(`boards.priority.${label}`),
    values: percentile(s.p95, s.n),
  }));
  const worked = foremost(find(board, "work.time")).map((s, i) => ({
    name: kind(s.label),
    color: color(i),
    values: percentile(s.p95, s.n),
  }));
  const events = find(board, "events")[0];
  return named(naming, [
    { id: "ended", unit: "count", drawn: "bars", rows: ended },
    {
      id: "time",
      unit: "seconds",
      drawn: "lines",
      rows: percentiles(
        runs.find((s) => s.label === "succeeded"),
        naming,
        link("succeeded"),
      ),
    },
    ...versions(board, naming),
    { id: "started", unit: "count", drawn: "bars", rows: started },
    {
      id: "rate",
      unit: "rate",
      drawn: "lines",
      rows:
        events === undefined
          ? []
          : [{ name: t("boards.events"), color: "run", values: rates(events.n, board.covered) }],
    },
    { id: "queue", unit: "seconds", drawn: "lines", rows: waited },
    { id: "work", unit: "seconds", drawn: "lines", rows: worked },
    { id: "retry", unit: "count", drawn: "bars", rows: counts(find(board, "retry"), kind) },
    { id: "failure", unit: "count", drawn: "bars", rows: counts(find(board, "failure"), kind) },
    {
      id: "dead",
      unit: "count",
      drawn: "bars",
      rows: counts(find(board, "dead"), kind).map((r) => ({ ...r, link: link("failed") })),
    },
    {
      id: "saga",
      unit: "count",
      drawn: "bars",
      rows: known(find(board, "saga"), SAGAS, (s, label) => ({
        name: t(`boards.saga.${label}`),
        values: s.n,
        ...(label === "stuck" ? { link: link("needs_attention") } : {}),
        ...(label === "undone" ? { link: link("compensated") } : {}),
      })),
    },
  ]);
}

/** The time of runs by version, when one workflow is looked at. */
function versions(board: Board, naming: Naming): readonly Draft[] {
  if (naming.workflow === "") return [];
  const rows = board.series
    .filter((s) => s.measure === "run.time" && s.version !== NONE && s.label === "succeeded")
    .filter((s) => board.numbers[s.version] !== undefined)
    .sort((a, b) => (board.numbers[b.version] ?? 0) - (board.numbers[a.version] ?? 0))
    .slice(0, ROWS_MAX)
    .map((s, i) => {
      const version = board.numbers[s.version] ?? 0;
      return {
        name: naming.t("boards.version", { n: version }),
        color: color(i),
        values: percentile(s.p95, s.n),
        link: { status: "succeeded", workflow: naming.workflow, version },
        longest: s.high ?? [],
      };
    });
  return [{ id: "version", unit: "seconds", drawn: "lines", rows }];
}

/** The charts of what the infrastructure did. */
export function infrastructureCharts(board: Board, naming: Naming): readonly Chart[] {
  const { t } = naming;
  const turn = find(board, "turn")[0];
  const inputs = find(board, "inputs")[0];
  const levels = (measure: string, name: (label: string) => string): readonly Row[] =>
    foremost(find(board, measure)).map((s, i) => ({
      name: name(s.label),
      color: color(i),
      values: s.mean ?? [],
    }));
  const own = (label: string) => label;
  const per = (s: BoardSeries | undefined, name: string, tone: string): readonly Row[] =>
    s === undefined ? [] : [{ name: t(name), color: tone, values: rates(s.n, board.covered) }];
  return named(naming, [
    {
      id: "turns",
      unit: "rate",
      drawn: "lines",
      rows: [...per(turn, "boards.turns", "c-queue"), ...per(inputs, "boards.inputs", "c-ai")],
    },
    { id: "commit", unit: "seconds", drawn: "lines", rows: percentiles(turn, naming) },
    { id: "waiting", unit: "count", drawn: "lines", rows: levels("shared.waiting", own) },
    { id: "working", unit: "count", drawn: "lines", rows: levels("shared.working", own) },
    {
      id: "open",
      unit: "count",
      drawn: "lines",
      rows: levels("shared.open", (s) => t(`status.${s}`)),
    },
    { id: "streams", unit: "count", drawn: "lines", rows: levels("shared.stream", own) },
    {
      id: "connections",
      unit: "count",
      drawn: "lines",
      rows: levels("own.connections", (s) => t(`boards.connections.${s}`)),
    },
    {
      id: "database",
      unit: "bytes",
      drawn: "lines",
      rows: levels("shared.database", () => t("boards.size")),
    },
    {
      id: "goroutines",
      unit: "count",
      drawn: "lines",
      rows: levels("own.goroutines", () => t("boards.goroutines")),
    },
    {
      id: "memory",
      unit: "bytes",
      drawn: "lines",
      rows: levels("own.memory", () => t("boards.memory")),
    },
  ]);
}

/** Labels as a person reads them. */
export function labelText(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}: ${value}`)
    .join(", ");
}

/** The chart of one metric. */
export function metricChart(metric: Metric, naming: Naming): Chart {
  const { t } = naming;
  const name = (s: Metric["series"][number]) =>
    s.rest === true
      ? t("boards.rest", { n: metric.more ?? 0 })
      : labelText(s.labels) || metric.name;
  const base = {
    id: `metric-${metric.type}-${metric.name}`,
    title: metric.name,
    unit: "value" as const,
  };
  const about = t(`boards.metric.${metric.type}.about`);
  if (metric.type === "histogram") {
    const rows = metric.series.slice(0, 4).flatMap((s, i) => [
      { name: `${name(s)} · ${t("boards.p50")}`, color: color(i), values: gapless(s.p50 ?? []) },
      {
        name: `${name(s)} · ${t("boards.p95")}`,
        color: color(i),
        dash: [6, 3],
        values: gapless(s.p95 ?? []),
      },
    ]);
    return { ...base, about, drawn: "lines", rows };
  }
  const rows = metric.series.map((s, i) => ({
    name: name(s),
    color: s.rest === true ? "skip" : color(i),
    values: metric.type === "gauge" ? gapless(s.last ?? []) : s.total,
  }));
  return { ...base, about, drawn: metric.type === "gauge" ? "lines" : "bars", rows };
}

/** Where nothing was written down the line goes on. */
function gapless(values: Column): Values {
  return values.map((v) => v ?? undefined);
}

/** The accuracy of each version over time. */
export function decisionChart(decision: Decision, business: Business, naming: Naming): Chart {
  return {
    id: `decision-${decision.name}`,
    title: decision.name,
    about: naming.t("boards.decision.about"),
    unit: "share",
    drawn: "lines",
    rows: decision.scores.slice(0, ROWS_MAX).map((s, i) => ({
      name: versionName(s.version, business, naming),
      color: color(i),
      values: gapless(s.shares),
    })),
  };
}

export function versionName(id: string, business: Business, naming: Naming): string {
  const n = business.numbers[id];
  return n === undefined ? naming.t("boards.version.none") : naming.t("boards.version", { n });
}

/** The heights of bars that stand on each other: each with those below it. */
export function stacked(rows: readonly Row[]): readonly Values[] {
  const below: number[] = [];
  return rows.map((row) =>
    row.values.map((v, i) => {
      if (v === null || v === undefined) return below[i] === undefined ? v : below[i];
      const height = (below[i] ?? 0) + v;
      below[i] = height;
      return height;
    }),
  );
}

/** The numbers above the charts of events. */
export type Summary = {
  readonly started: number;
  readonly ended: number;
  /** Share of the runs that are over; none: nothing is over. */
  readonly succeeded: number | undefined;
  readonly failed: number;
  readonly retries: number;
  readonly dead: number;
};

export function summary(board: Board): Summary {
  const all = (measure: string, label?: string) =>
    find(board, measure)
      .filter((s) => label === undefined || s.label === label)
      .reduce((n, s) => n + sum(s.n), 0);
  const ended = all("run.time");
  return {
    started: all("run.started"),
    ended,
    succeeded: ended === 0 ? undefined : all("run.time", "succeeded") / ended,
    failed: all("run.time", "failed"),
    retries: all("retry"),
    dead: all("dead"),
  };
}
