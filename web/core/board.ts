// What the boards' API answers.

/** One value for each interval; null where nobody measured. */
export type Column = readonly (number | null)[];

export type BoardSeries = {
  readonly measure: string;
  readonly label: string;
  /** The id of a version; all zeros: of all. */
  readonly version: string;
  readonly n: Column;
  readonly mean?: Column;
  readonly high?: Column;
  readonly p50?: Column;
  readonly p95?: Column;
  readonly p99?: Column;
};

export type Mark = {
  readonly at: string;
  readonly what: string;
  readonly workflow: string;
  readonly name: string;
  readonly version: number;
  readonly note?: string;
};

type Answer = {
  readonly from: string;
  readonly to: string;
  readonly now: string;
  /** Seconds of an interval. */
  readonly step: number;
  /** The beginnings of the intervals, in seconds. */
  readonly times: readonly number[];
  readonly numbers: Readonly<Record<string, number>>;
  readonly marks: readonly Mark[];
};

/** The answer of the boards that count. */
export type Board = Answer & {
  /** Seconds of each interval in which somebody counted. */
  readonly covered: Column;
  readonly series: readonly BoardSeries[];
};

export type MetricSeries = {
  readonly labels: Readonly<Record<string, string>>;
  readonly rest?: boolean;
  readonly n: Column;
  readonly total: Column;
  readonly last?: Column;
  readonly p50?: Column;
  readonly p95?: Column;
  readonly points: number;
  readonly sum: number;
};

export type Metric = {
  readonly name: string;
  readonly type: string;
  readonly series: readonly MetricSeries[];
  readonly more?: number;
};

export type ClassScore = {
  readonly value: string;
  readonly predicted: number;
  readonly true: number;
  readonly hit: number;
  readonly precision: number | null;
  readonly recall: number | null;
};

export type Score = {
  readonly workflow: string;
  readonly version: string;
  readonly predicted: number;
  readonly known: number;
  readonly right: number;
  readonly accuracy: number | null;
  readonly classes: readonly ClassScore[];
  readonly n: Column;
  readonly shares: Column;
};

export type Decision = {
  readonly name: string;
  readonly scores: readonly Score[];
  readonly more?: number;
};

/** The answer of the business board. */
export type Business = Answer & {
  readonly metrics: readonly Metric[];
  readonly decisions: readonly Decision[];
};

/** The runs of an interval, as a list. */
export type RunsLink = {
  readonly status?: string;
  readonly workflow: string;
  readonly version?: number;
};
