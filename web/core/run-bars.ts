// The bars of the timeline: for each step what its visits did and when.

import type { Brief } from "./run-event.ts";
import { endsRun, nodeOf } from "./run-event.ts";

/** What a stretch of time was spent with; inside: a container's bodies, or another run. */
export type BarKind = "queued" | "work" | "backoff" | "waiting" | "inside";

export type Bar = {
  readonly kind: BarKind;
  /** 0: the run's own scope. */
  readonly scope: number;
  readonly visit: number;
  readonly attempt: number;
  readonly from: number;
  /** Undefined: it goes on. */
  to: number | undefined;
  outcome: "open" | "ok" | "fail" | "canceled";
  /** The event that ended it, or began it while it goes on. */
  seq: number;
  /** What stands beside it: ports or the class of an error. */
  note: string;
  /** Its work undid what another step had done. */
  readonly undo: boolean;
};

export type BarRow = {
  readonly key: string;
  readonly bars: Bar[];
  failed: boolean;
};

/** Grows with the log. Rows stand in the order in which steps began. */
export class Bars {
  readonly rows: BarRow[] = [];
  readonly #byKey = new Map<string, BarRow>();
  readonly #open = new Map<string, Bar>();
  /** Visits that undo others, by name. */
  readonly #undo = new Set<string>();

  add(events: readonly Brief[]): void {
    for (const e of events) this.#one(e);
  }

  #one(e: Brief): void {
    if (endsRun(e)) {
      for (const bar of this.#open.values()) end(bar, e.at, "canceled", e.seq);
      this.#open.clear();
      return;
    }
    const key = nodeOf(e);
    if (key === undefined) return;
    switch (e.type) {
      case "TaskScheduled":
        if (e.undoes !== undefined) this.#undo.add(name(key, e));
        this.#begin(key, e, "queued", e.at, e.attempt ?? 1);
        break;
      case "WaitStarted":
        this.#begin(key, e, "waiting", e.at, 1);
        break;
      case "ContainerStarted":
      case "CallStarted":
        this.#begin(key, e, "inside", e.at, 1);
        break;
      case "TaskStarted":
      case "TaskRunning":
      case "TaskProgress":
        this.#running(key, e);
        break;
      case "TaskCompleted":
        this.#worked(key, e, "ok");
        break;
      case "TaskFailed":
        this.#worked(key, e, "fail");
        if (e.retry_at !== undefined) this.#begin(key, e, "backoff", e.at, e.attempt ?? 1);
        break;
      case "VisitCanceled":
        this.#canceled(key, e);
        break;
      case "NodeCompleted":
      case "NodeFailed":
      case "WaitCompleted":
      case "ContainerCompleted":
      case "Responded":
      case "RunStarted":
        this.#instant(key, e);
        break;
      default:
        this.#body(key, e);
    }
  }

  /** A container begins anew after a while, or does. */
  #body(key: string, e: Brief): void {
    const open = this.#open.get(name(key, e));
    if ((e.type === "BodyFailed" || e.type === "ItemFailed") && e.retry_at !== undefined)
      this.#begin(key, e, "backoff", e.at, open?.attempt ?? 1);
    if ((e.type === "BodyStarted" || e.type === "ItemsStarted") && open?.kind === "backoff")
      this.#begin(key, e, "inside", e.at, open.attempt + 1);
  }

  #canceled(key: string, e: Brief): void {
    const open = this.#open.get(name(key, e));
    if (open === undefined) return;
    this.#open.delete(name(key, e));
    end(open, e.at, "canceled", e.seq);
  }

  #row(key: string): BarRow {
    let row = this.#byKey.get(key);
    if (row === undefined) {
      row = { key, bars: [], failed: false };
      this.#byKey.set(key, row);
      this.rows.push(row);
    }
    return row;
  }

  #begin(key: string, e: Brief, kind: BarKind, from: number, attempt: number): void {
    const visit = e.visit ?? 1;
    const before = this.#open.get(name(key, e));
    if (before !== undefined) end(before, from, "ok", e.seq);
    const bar: Bar = {
      kind,
      scope: e.scope ?? 0,
      visit,
      attempt,
      from,
      to: undefined,
      outcome: "open",
      seq: e.seq,
      note: "",
      undo: this.#undo.has(name(key, e)),
    };
    this.#row(key).bars.push(bar);
    this.#open.set(name(key, e), bar);
  }

  /** A worker took the attempt: its time in the queue is over. */
  #running(key: string, e: Brief): void {
    const open = this.#open.get(name(key, e));
    if (open === undefined || open.kind !== "queued" || open.attempt !== (e.attempt ?? 1)) return;
    this.#begin(
      key,
      { ...e, seq: open.seq },
      "work",
      Math.max(open.from, e.began ?? e.at),
      open.attempt,
    );
  }

  #worked(key: string, e: Brief, outcome: "ok" | "fail"): void {
    const id = name(key, e);
    const open = this.#open.get(id);
    if (open?.kind !== "work") {
      const from = Math.min(e.at, Math.max(open?.from ?? e.at, e.began ?? open?.from ?? e.at));
      this.#begin(key, e, "work", from, e.attempt ?? 1);
    }
    const bar = this.#open.get(id);
    this.#open.delete(id);
    if (bar === undefined) return;
    end(bar, e.at, outcome, e.seq);
    bar.note = noteOf(e);
    if (outcome === "fail") this.#row(key).failed = true;
  }

  /** A visit inside the machine takes no time; the end of a wait ends its bar. */
  #instant(key: string, e: Brief): void {
    const id = name(key, e);
    const row = this.#row(key);
    const failed = e.type === "NodeFailed";
    if (failed) row.failed = true;
    const open = this.#open.get(id);
    if (open !== undefined) {
      this.#open.delete(id);
      end(open, e.at, failed ? "fail" : "ok", e.seq);
      return;
    }
    const last = row.bars.at(-1);
    if (
      failed &&
      last?.outcome === "fail" &&
      last.visit === (e.visit ?? 1) &&
      last.scope === (e.scope ?? 0)
    )
      return;
    row.bars.push({
      kind: "work",
      scope: e.scope ?? 0,
      visit: e.visit ?? 1,
      attempt: 1,
      from: e.at,
      to: e.at,
      outcome: failed ? "fail" : "ok",
      seq: e.seq,
      note: noteOf(e),
      undo: false,
    });
  }
}

function name(key: string, e: Brief): string {
  return `${key} ${e.scope ?? 0} ${e.visit ?? 1}`;
}

function end(bar: Bar, at: number, outcome: Bar["outcome"], seq: number): void {
  bar.to = Math.max(bar.from, at);
  bar.outcome = outcome;
  bar.seq = seq;
}

function noteOf(e: Brief): string {
  if (e.error !== undefined) return e.error.class;
  const ports = e.ports ?? (e.port === undefined ? [] : [e.port]);
  return ports.filter((p) => p !== "success").join(", ");
}
