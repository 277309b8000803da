// Playing a run again: the cursor walks through the events as time passed,
// times a speed.

import { effect } from "@preact/signals";
import type { RunStore } from "./store.ts";

/** Longer stretches without an event are passed in this time. */
const LONGEST_PAUSE_MS = 1_500;

export const SPEEDS: readonly number[] = [0.25, 1, 4, 16];

/** Walks the cursor while the store says so; the result stops that. */
export function keepPlaying(store: RunStore): () => void {
  let timer = 0;
  const next = () => {
    const from = store.cursor.value;
    if (from === undefined || !store.playing.value) return;
    const { events } = store.trace;
    if (from >= events.length) {
      store.playing.value = false;
      if (!store.over.value) store.live();
      return;
    }
    // Events that come too close for a frame are taken together.
    const speed = store.speed.value;
    const here = events[from - 1]?.at ?? store.started;
    let to = from + 1;
    while (to < events.length && ((events[to]?.at ?? here) - here) / speed < 16) to += 1;
    const wait = Math.min(LONGEST_PAUSE_MS, ((events[to - 1]?.at ?? here) - here) / speed);
    timer = window.setTimeout(
      () => {
        if (store.cursor.value !== from || !store.playing.value) return;
        store.send(events.slice(from, to));
        store.cursor.value = to;
      },
      Math.max(16, wait),
    );
  };
  const stop = effect(() => {
    clearTimeout(timer);
    if (store.playing.value && store.cursor.value !== undefined) next();
  });
  return () => {
    clearTimeout(timer);
    stop();
  };
}

/** Starts or halts; at the end it begins again from the start. */
export function togglePlay(store: RunStore): void {
  if (store.playing.value) {
    store.playing.value = false;
    return;
  }
  const at = store.cursor.value;
  if (at === undefined || at >= store.trace.last)
    store.cursor.value = Math.min(1, store.trace.last);
  store.playing.value = store.trace.last > 0;
}
