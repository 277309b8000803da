// Data on the canvas: the first value of what each step put out, on its edges.
// Values are fetched when they are asked for, a few at a time, and kept.

import type { Signal } from "@preact/signals";
import { effect, signal } from "@preact/signals";
import { at, call } from "./net.ts";
import type { RunStore } from "./store.ts";

const AT_ONCE = 4;
/** More steps than this are not asked for; the log has their values. */
const STEPS_MAX = 80;

export class EdgeData {
  readonly on = signal(false);
  readonly labels: Signal<ReadonlyMap<string, string> | undefined> = signal(undefined);
  readonly #store: RunStore;
  /** By number of the event; undefined: on its way. */
  readonly #values = new Map<number, string | undefined>();
  #running = 0;
  readonly #queue: number[] = [];

  constructor(store: RunStore) {
    this.#store = store;
  }

  /** Follows the moment that is shown; the result stops that. */
  keep(): () => void {
    return effect(() => {
      if (this.on.value) this.#show(this.#store.shown.value.nodes);
      else this.labels.value = undefined;
    });
  }

  #show(nodes: ReadonlyMap<string, { readonly last: number; readonly status: string }>): void {
    let asked = 0;
    for (const node of nodes.values()) {
      if (
        node.last === 0 ||
        node.status !== "done" ||
        this.#values.has(node.last) ||
        asked >= STEPS_MAX
      )
        continue;
      asked += 1;
      this.#values.set(node.last, undefined);
      this.#queue.push(node.last);
    }
    this.#tell();
    this.#pump();
  }

  #pump(): void {
    while (this.#running < AT_ONCE) {
      const seq = this.#queue.shift();
      if (seq === undefined) return;
      this.#running += 1;
      void this.#fetch(seq);
    }
  }

  async #fetch(seq: number): Promise<void> {
    try {
      const data = at(await call("GET", `/api/runs/${this.#store.info.id}/events/${seq}`), "data");
      this.#values.set(seq, gist(at(data, "output") ?? at(data, "input")));
    } catch {
      this.#values.delete(seq);
    }
    this.#running -= 1;
    if (this.on.peek()) this.#tell();
    this.#pump();
  }

  #tell(): void {
    const { nodes, edges } = this.#store.shown.peek();
    const out = new Map<string, string>();
    for (const line of this.#store.picture.lines) {
      if ((edges.get(line.id) ?? 0) === 0) continue;
      const value = this.#values.get(nodes.get(line.from.key)?.last ?? 0);
      if (value !== undefined && value !== "") out.set(line.id, value);
    }
    this.labels.value = out;
  }
}

/** The first value of an output, in a few characters. */
function gist(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (Array.isArray(value)) return `[${value.length}]`;
  if (typeof value !== "object") return String(value);
  for (const [name, each] of Object.entries(value)) {
    if (each === null || typeof each === "object") continue;
    return `${name}: ${String(each)}`;
  }
  const first = Object.keys(value)[0];
  return first === undefined ? "" : `${first}: …`;
}
