// The timeline's own state: what it shows of the bars, and where.

import { computed, signal } from "@preact/signals";
import type { BarRow } from "../core/run-bars.ts";
import type { Scale } from "../core/run-scale.ts";
import { idleOf, scaleOf } from "../core/run-scale.ts";
import type { Range, RunStore } from "./store.ts";

export class TimelineView {
  readonly queue = signal(true);
  readonly errors = signal(false);
  readonly collapse = signal(false);
  /** Numbers instead of bars. */
  readonly table = signal(false);
  /** A part of the span, in milliseconds since 1970; undefined: all. */
  readonly zoom = signal<Range | undefined>(undefined);
  readonly width = signal(800);
  readonly #store: RunStore;

  constructor(store: RunStore) {
    this.#store = store;
  }

  /** The span of the run, with a little room at the end. */
  readonly span = computed<Range>(() => {
    const { version, now, over } = this.#store;
    version.value;
    if (!over.value) now.value;
    const from = this.#store.started;
    const length = Math.max(10, this.#store.end - from);
    return { from, to: from + length * 1.02 };
  });

  /** Where a moment of the whole span is, on the scrubber. */
  readonly whole = computed<Scale>(() =>
    scaleOf(this.span.value.from, this.span.value.to, this.width.value),
  );

  /** Where a moment is among the bars. */
  readonly scale = computed<Scale>(() => {
    const { from, to } = this.zoom.value ?? this.span.value;
    const idle = this.collapse.value ? idleOf(this.#busy(), from, to) : [];
    return scaleOf(from, to, this.width.value, idle);
  });

  rows(): readonly BarRow[] {
    this.#store.version.value;
    const { rows } = this.#store.bars;
    return this.errors.value ? rows.filter((r) => r.failed) : rows;
  }

  /** Stretches in which something was at work; waiting and back-off are idle. */
  #busy(): readonly Range[] {
    const { end } = this.#store;
    const out: Range[] = [];
    for (const row of this.#store.bars.rows) {
      for (const bar of row.bars) {
        if (bar.kind === "work" || bar.kind === "queued")
          out.push({ from: bar.from, to: bar.to ?? end });
      }
    }
    return out;
  }
}
