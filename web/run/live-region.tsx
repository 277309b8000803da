// What a screen reader hears of a run: one polite sentence, at most one in two
// seconds.

import { useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { RunStore } from "./store.ts";
import { progress } from "./words.ts";

const EVERY_MS = 2_000;

export function LiveRegion({ store }: { readonly store: RunStore }) {
  const words = useSignal("");
  const said = useRef({ at: 0, timer: 0 });
  useSignalEffect(() => {
    const state = store.shown.value;
    if (state.seq === 0 || said.current.timer !== 0) return;
    const wait = Math.max(200, said.current.at + EVERY_MS - performance.now());
    said.current.timer = window.setTimeout(() => {
      said.current = { at: performance.now(), timer: 0 };
      words.value = progress(store, store.shown.peek());
    }, wait);
  });
  useEffect(() => () => clearTimeout(said.current.timer), []);
  return (
    <p class="sr" role="status" aria-live="polite">
      {words.value}
    </p>
  );
}
