// Where the time of each visit went, for people who want numbers: the
// timeline as a table.

import type { Bar, BarRow } from "./run-bars.ts";

export type Times = {
  readonly key: string;
  readonly scope: number;
  readonly visit: number;
  readonly from: number;
  readonly to: number;
  readonly attempts: number;
  readonly queued: number;
  readonly work: number;
  readonly backoff: number;
  readonly waiting: number;
  readonly inside: number;
  readonly outcome: Bar["outcome"];
  /** Its last event. */
  readonly seq: number;
};

/** One row for each visit, by start; now: until when what is open has lasted. */
export function timesOf(rows: readonly BarRow[], now: number, most: number): readonly Times[] {
  const out: Times[] = [];
  for (const row of rows) {
    for (const bars of visits(row.bars)) out.push(sum(row.key, bars, now));
  }
  return out.sort((a, b) => a.from - b.from || a.seq - b.seq).slice(0, most);
}

function visits(bars: readonly Bar[]): Iterable<readonly Bar[]> {
  const by = new Map<string, Bar[]>();
  for (const bar of bars) {
    const name = `${bar.scope} ${bar.visit}`;
    const list = by.get(name);
    if (list === undefined) by.set(name, [bar]);
    else list.push(bar);
  }
  return by.values();
}

function sum(key: string, bars: readonly Bar[], now: number): Times {
  const spent = { queued: 0, work: 0, backoff: 0, waiting: 0, inside: 0 };
  let from = Number.POSITIVE_INFINITY;
  let to = Number.NEGATIVE_INFINITY;
  let attempts = 0;
  for (const bar of bars) {
    const end = bar.to ?? now;
    spent[bar.kind] += Math.max(0, end - bar.from);
    from = Math.min(from, bar.from);
    to = Math.max(to, end);
    attempts = Math.max(attempts, bar.attempt);
  }
  const last = bars.at(-1);
  return {
    key,
    scope: last?.scope ?? 0,
    visit: last?.visit ?? 1,
    from,
    to,
    attempts,
    ...spent,
    outcome: last?.outcome ?? "open",
    seq: last?.seq ?? 0,
  };
}
