// What the run view knows: the trace, where the person looks, and the clock.

import { computed, signal } from "@preact/signals";
import type { Graph, Spec } from "../core/graph.ts";
import { Bars } from "../core/run-bars.ts";
import type { Picture } from "../core/run-card.ts";
import { pictureOf } from "../core/run-card.ts";
import type { Ears, Link } from "../core/run-client.ts";
import type { Brief } from "../core/run-event.ts";
import type { RunState } from "../core/run-state.ts";
import { fold, isOver, shapeOf, taken } from "../core/run-state.ts";
import type { Added } from "../core/run-trace.ts";
import { Trace } from "../core/run-trace.ts";

/** What the page says of a run. */
export type RunInfo = {
  readonly id: string;
  readonly status: string;
  readonly version: number;
  readonly created: number;
  readonly ended: number | undefined;
  /** Whether the person may start runs. */
  readonly operates: boolean;
};

/** A jump looks at this many events, then it stops where it is. */
const JUMP_MAX = 2_000;

export type Range = { readonly from: number; readonly to: number };

export class RunStore implements Ears {
  readonly info: RunInfo;
  readonly graph: Graph;
  readonly specs: readonly Spec[];
  readonly picture: Picture;
  readonly trace: Trace;
  readonly bars = new Bars();
  /** Types of events that have occurred. */
  readonly types = new Set<string>();

  /** Goes up whenever events came. */
  readonly version = signal(0);
  readonly at = signal<Link>("loading");
  readonly hole = signal<Range | undefined>(undefined);
  /** The event whose moment is shown; undefined: live. */
  readonly cursor = signal<number | undefined>(undefined);
  /** A moment under the pointer, for the canvas only. */
  readonly peek = signal<number | undefined>(undefined);
  /** Key of the chosen step. */
  readonly selected = signal<string | undefined>(undefined);
  /** Index of the open row of the log. */
  readonly opened = signal<number | undefined>(undefined);
  /** The event from which the person wants to go on as a new run. */
  readonly forking = signal<number | undefined>(undefined);
  /** Whether the panel that explains a failure is open. */
  readonly why = signal(true);
  readonly playing = signal(false);
  readonly speed = signal(1);
  /** The clock, as the server's clock would show it. */
  readonly now = signal(Date.now());
  /** Events of the last second. */
  readonly rate = signal(0);

  /** The state that is shown: live, or that of the chosen moment. */
  readonly shown = computed<RunState>(() => {
    this.version.value;
    const cursor = this.cursor.value;
    return cursor === undefined ? this.trace.live : this.trace.at(cursor);
  });
  /** As shown, or that of the moment under the pointer. */
  readonly drawn = computed<RunState>(() => {
    const peek = this.peek.value;
    return peek === undefined ? this.shown.value : this.trace.at(peek);
  });
  /** The run's own status, whatever moment is shown. */
  readonly status = computed<string>(() => {
    this.version.value;
    const { live } = this.trace;
    return live.seq === 0 || (isOver(this.info.status) && live.ended === undefined)
      ? this.info.status
      : live.status;
  });
  readonly over = computed(() => isOver(this.status.value));

  readonly #drops: ((edge: string) => void)[] = [];
  #skew: number | undefined;
  #arrivals: { readonly at: number; readonly n: number }[] = [];

  constructor(info: RunInfo, graph: Graph, specs: readonly Spec[]) {
    this.info = info;
    this.graph = graph;
    this.specs = specs;
    this.picture = pictureOf(graph, specs);
    this.trace = new Trace(shapeOf(graph));
  }

  // -- what the client tells

  events(list: readonly Brief[]): Added {
    const added = this.trace.add(list);
    if (added.fresh.length === 0) return added;
    this.bars.add(added.fresh);
    for (const e of added.fresh) if (e.seq > 0) this.types.add(e.type);
    if (this.at.value === "live") this.#heard(added.fresh);
    this.version.value += 1;
    return added;
  }

  link(state: Link): void {
    this.at.value = state;
  }

  gap(range: Range | undefined): void {
    const was = this.hole.value;
    if (was?.from !== range?.from || was?.to !== range?.to) this.hole.value = range;
  }

  /** Live events tell how the clocks differ, and send drops along edges. */
  #heard(fresh: readonly Brief[]): void {
    const here = Date.now();
    const last = fresh.at(-1);
    if (last !== undefined) {
      const skew = here - last.at;
      this.#skew = this.#skew === undefined ? skew : Math.min(this.#skew, skew);
    }
    this.#arrivals.push({ at: here, n: fresh.filter((e) => e.seq > 0).length });
    if (this.cursor.value === undefined) this.send(fresh);
  }

  /** Sends a drop along each edge that these events took. */
  send(list: readonly Brief[]): void {
    for (const e of list) {
      for (const edge of taken(this.trace.shape, e)) for (const drop of this.#drops) drop(edge.id);
    }
  }

  onDrop(drop: (edge: string) => void): void {
    this.#drops.push(drop);
  }

  tick(): void {
    const here = Date.now();
    this.#arrivals = this.#arrivals.filter((a) => here - a.at < 1_000);
    this.rate.value = this.#arrivals.reduce((sum, a) => sum + a.n, 0);
    if (!this.over.value) this.now.value = here - (this.#skew ?? 0);
  }

  // -- the span of time

  get started(): number {
    return this.trace.live.started || this.info.created;
  }

  /** The end of what is shown: the run's end, or now. */
  get end(): number {
    const { live } = this.trace;
    if (live.ended !== undefined) return live.ended;
    if (this.info.ended !== undefined) return Math.max(live.at, this.info.ended);
    return Math.max(live.at, this.now.value);
  }

  /** The moment that is shown. */
  get moment(): number {
    const cursor = this.cursor.value;
    return cursor === undefined ? this.end : this.trace.at(cursor).at || this.started;
  }

  /** How a step is called. */
  title(key: string | undefined): string {
    return key === undefined ? "" : (this.picture.byKey.get(key)?.title ?? key);
  }

  /** In how many containers a step stands. */
  depth(key: string): number {
    let node = this.graph.nodes.find((n) => n.key === key);
    let depth = 0;
    while (node?.in !== undefined && node.in !== "" && depth < 16) {
      const holder: string = node.in;
      node = this.graph.nodes.find((n) => n.id === holder);
      depth += 1;
    }
    return depth;
  }

  // -- time travel

  live(): void {
    this.playing.value = false;
    this.cursor.value = undefined;
  }

  goTo(seq: number): void {
    this.playing.value = false;
    this.cursor.value = Math.max(1, Math.min(seq, this.trace.last));
  }

  step(by: 1 | -1): void {
    const from = this.cursor.value ?? this.trace.last;
    if (by > 0 && from >= this.trace.last) this.live();
    else this.goTo(from + by);
  }

  /** To the next event that changes what a step or the run shows. */
  jump(by: 1 | -1): void {
    const from = this.cursor.value ?? this.trace.last;
    let state = this.trace.at(from);
    const was = picture(state);
    for (
      let seq = from + by, looked = 0;
      seq >= 1 && seq <= this.trace.last;
      seq += by, looked += 1
    ) {
      const e = this.trace.events[seq - 1];
      state = by > 0 && e !== undefined ? fold(this.trace.shape, state, [e]) : this.trace.at(seq);
      if (picture(state) !== was || looked === JUMP_MAX) {
        this.goTo(seq);
        return;
      }
    }
    if (by > 0) this.live();
    else this.goTo(1);
  }
}

/** A word that differs when a step or the run shows something else. */
function picture(state: RunState): string {
  let word: string = state.status;
  for (const node of state.nodes.values()) word += `,${node.status}`;
  return word;
}
