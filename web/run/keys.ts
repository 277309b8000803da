// The keys of the run view. They work while no field is being edited.

import type { LogView } from "./log-view.ts";
import { togglePlay } from "./playback.ts";
import type { RunStore } from "./store.ts";
import type { TimelineView } from "./timeline-view.ts";

type Parts = {
  readonly store: RunStore;
  /** Absent on the share page. */
  readonly log?: LogView;
  readonly timeline?: TimelineView;
};

/** Listens to the page; the result stops that. */
export function listenKeys(parts: Parts): () => void {
  const ended = new AbortController();
  document.addEventListener("keydown", (e) => onKey(e, parts), { signal: ended.signal });
  return () => ended.abort();
}

function onKey(e: KeyboardEvent, parts: Parts): void {
  if (e.isComposing || e.ctrlKey || e.metaKey || e.altKey || e.defaultPrevented) return;
  const target =
    e.target instanceof HTMLElement || e.target instanceof SVGElement ? e.target : undefined;
  if (within(target, "dialog[open]")) return;
  if (e.key === "F6") {
    e.preventDefault();
    nextRegion(e.shiftKey ? -1 : 1);
  } else if (within(target, "input, select, textarea, [contenteditable]")) {
    if (e.key === "Escape") target?.blur();
  } else if (e.key === " " && within(target, "button, a, summary, [role=button]")) {
    // Space presses the button that has the focus.
  } else if (act(e.key, parts)) {
    e.preventDefault();
  }
}

function within(target: Element | undefined, selector: string): boolean {
  return target !== undefined && target.closest(selector) !== null;
}

function act(key: string, parts: Parts): boolean {
  const { store } = parts;
  switch (key) {
    case "?":
      document.querySelector<HTMLDialogElement>("dialog#keys:not([open])")?.showModal();
      return true;
    case "l":
    case "L":
      store.live();
      return true;
    case ",":
      store.step(-1);
      return true;
    case ".":
      store.step(1);
      return true;
    case "<":
      store.jump(-1);
      return true;
    case ">":
      store.jump(1);
      return true;
    case " ":
      togglePlay(store);
      return true;
    default:
      return actInParts(key.toLowerCase(), parts);
  }
}

function actInParts(key: string, { store, log, timeline }: Parts): boolean {
  switch (key) {
    case "j":
      log?.move(1);
      return log !== undefined;
    case "k":
      log?.move(-1);
      return log !== undefined;
    case "q":
      if (timeline !== undefined) timeline.queue.value = !timeline.queue.value;
      return timeline !== undefined;
    case "e":
      showErrors(log, timeline);
      return timeline !== undefined;
    case "c":
      if (timeline !== undefined) timeline.collapse.value = !timeline.collapse.value;
      return timeline !== undefined;
    case "t":
      if (timeline !== undefined) timeline.table.value = !timeline.table.value;
      return timeline !== undefined;
    case "/":
      document.getElementById("log-filter")?.focus();
      return log !== undefined;
    case "escape":
      return clearOne(store);
    default:
      return false;
  }
}

function showErrors(log: LogView | undefined, timeline: TimelineView | undefined): void {
  if (timeline === undefined) return;
  timeline.errors.value = !timeline.errors.value;
  log?.set({ errors: timeline.errors.value });
}

/** Escape clears one thing at a time: the open row, then the chosen step. */
function clearOne(store: RunStore): boolean {
  if (store.opened.value !== undefined) store.opened.value = undefined;
  else if (store.selected.value !== undefined) store.selected.value = undefined;
  else return false;
  return true;
}

function nextRegion(by: 1 | -1): void {
  const regions = [...document.querySelectorAll<HTMLElement>("[data-region]")];
  const here = regions.findIndex((r) => r.contains(document.activeElement));
  const from = here < 0 && by < 0 ? 0 : here;
  regions.at((from + by + regions.length) % regions.length)?.focus();
}
