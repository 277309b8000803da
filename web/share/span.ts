// Where the moments of a shared run are on its scrubber.

import { computed, signal } from "@preact/signals";
import type { Scale } from "../core/run-scale.ts";
import { scaleOf } from "../core/run-scale.ts";
import type { RunStore } from "../run/store.ts";

export class Span {
  readonly width = signal(600);
  readonly #store: RunStore;

  constructor(store: RunStore) {
    this.#store = store;
  }

  readonly scale = computed<Scale>(() => {
    const store = this.#store;
    store.version.value;
    if (!store.over.value) store.now.value;
    const length = Math.max(10, store.end - store.started);
    return scaleOf(store.started, store.started + length * 1.02, this.width.value);
  });
}
