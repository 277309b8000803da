// The canvas with its legend and tools: the stage follows the store.

import type { Signal } from "@preact/signals";
import { effect, useComputed } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { NodeState, NodeStatus } from "../core/run-node.ts";
import type { Bodies } from "../core/run-scope.ts";
import { standing } from "../core/run-scope.ts";
import type { RunState } from "../core/run-state.ts";
import { countNodes } from "../core/run-state.ts";
import { t } from "../core/strings.ts";
import { Icon } from "./icon.tsx";
import type { EdgeState, Stage, StageEvents } from "./stage.ts";
import { NodeGlyph } from "./status.tsx";
import type { RunStore } from "./store.ts";
import { SvgStage } from "./svg-stage.ts";
import { toast } from "./toast.ts";
import { cardLabel, footOf } from "./words.ts";

export type CanvasView = {
  readonly follow: Signal<boolean>;
  readonly data: Signal<boolean> | undefined;
  /** Words on edges, by edge id; undefined: none. */
  readonly labels: Signal<ReadonlyMap<string, string> | undefined>;
};

type Props = {
  readonly store: RunStore;
  readonly view: CanvasView;
  /** A drawing without a run: no statuses. */
  readonly still?: boolean;
};

export function Canvas({ store, view, still = false }: Props) {
  const host = useRef<HTMLDivElement>(null);
  const stage = useRef<Stage | undefined>(undefined);
  useEffect(() => {
    if (host.current === null) return undefined;
    let wanted = true;
    let stop: () => void = () => undefined;
    const events = {
      select: (id: string | undefined) => choose(store, id),
      panned: () => {
        view.follow.value = false;
      },
    };
    makeStage(host.current, store, events).then(
      (made) => {
        if (!wanted) {
          made.destroy();
          return;
        }
        stage.current = made;
        stop = still ? stop : bind(made, store, view);
      },
      () => toast(t("shell.failed"), "fail"),
    );
    return () => {
      wanted = false;
      stop();
      stage.current?.destroy();
    };
  }, [store, view, still]);
  return (
    <section class="run-canvas" aria-label={t("run.canvas.region")} data-region tabindex={-1}>
      <div class="stage" ref={host} />
      {still ? undefined : <Legend store={store} />}
      <div class="stage-tools" role="toolbar" aria-label={t("run.tools")}>
        {still ? undefined : <FollowButton view={view} store={store} />}
        <button type="button" onClick={() => stage.current?.fit(true)}>
          <Icon name="maximize" />
          <span>{t("run.fit")}</span>
        </button>
        {view.data === undefined ? undefined : <DataButton on={view.data} />}
      </div>
    </section>
  );
}

/** Drawings with more steps than this, or with steps inside others, are drawn by the kernel. */
const SVG_MAX = 150;

export async function makeStage(
  host: HTMLElement,
  store: RunStore,
  events: StageEvents,
): Promise<Stage> {
  const nested = store.graph.nodes.some((n) => n.in !== undefined && n.in !== "");
  if (store.picture.cards.length <= SVG_MAX && !nested) {
    return new SvgStage(host, store.picture, t("run.canvas"), events);
  }
  const { KernelStage } = await import("./kernel-stage.ts");
  return new KernelStage(host, store.graph, store.specs, events);
}

function FollowButton({ view, store }: { readonly view: CanvasView; readonly store: RunStore }) {
  if (store.over.value && store.cursor.value === undefined) return null;
  const on = view.follow.value;
  return (
    <button type="button" aria-pressed={on} onClick={() => (view.follow.value = !on)}>
      <Icon name="locate-fixed" />
      <span>{on ? t("run.follow") : t("run.follow.resume")}</span>
    </button>
  );
}

function DataButton({ on }: { readonly on: Signal<boolean> }) {
  return (
    <button type="button" aria-pressed={on.value} onClick={() => (on.value = !on.value)}>
      <Icon name="eye" />
      <span>{t("run.data")}</span>
    </button>
  );
}

const LEGEND: readonly NodeStatus[] = [
  "done",
  "running",
  "queued",
  "waiting",
  "failed",
  "canceled",
  "undoing",
  "undone",
  "skipped",
];

function Legend({ store }: { readonly store: RunStore }) {
  const counts = useComputed(() => countNodes(store.drawn.value));
  const shown = LEGEND.filter((status) => counts.value[status] > 0);
  if (shown.length === 0) return null;
  return (
    <ul class="legend" aria-label={t("run.legend")}>
      {shown.map((status) => (
        <li key={status}>
          <NodeGlyph status={status} />
          {t(`run.count.${status}`, { n: counts.value[status] })}
        </li>
      ))}
    </ul>
  );
}

function choose(store: RunStore, id: string | undefined): void {
  const card = store.picture.cards.find((c) => c.id === id);
  store.selected.value = card?.key;
}

/** Keeps the stage as the store says; the result stops that. */
function bind(stage: Stage, store: RunStore, view: CanvasView): () => void {
  const painter = new Painter(stage, store);
  store.onDrop((edge) => stage.drop(edge));
  const stops = [
    effect(() => painter.paint(store.drawn.value, clockOf(store))),
    effect(() => {
      const key = store.selected.value;
      stage.select(key === undefined ? undefined : store.picture.byKey.get(key)?.id);
    }),
    effect(() => {
      if (!view.follow.value) return;
      const active = activeIds(store, store.shown.value);
      if (active.length > 0) stage.reveal(active);
    }),
    effect(() => painter.label(store.drawn.value, view.labels.value)),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

/** The time at which the shown moment is. */
function clockOf(store: RunStore): number {
  const moment = store.peek.value ?? store.cursor.value;
  return moment === undefined ? store.now.value : store.drawn.value.at;
}

function activeIds(store: RunStore, state: RunState): readonly string[] {
  const ids: string[] = [];
  let last: string | undefined;
  let newest = 0;
  for (const [key, node] of state.nodes) {
    const id = store.picture.byKey.get(key)?.id;
    if (id === undefined) continue;
    if (node.status === "running" || node.status === "queued") ids.push(id);
    if (node.last > newest) {
      newest = node.last;
      last = id;
    }
  }
  if (ids.length === 0 && last !== undefined && state.ended === undefined) ids.push(last);
  return ids;
}

/** Paints only what differs from the last time. */
class Painter {
  readonly #stage: Stage;
  readonly #store: RunStore;
  readonly #nodes = new Map<string, NodeState>();
  readonly #bodies = new Map<string, Bodies | undefined>();
  readonly #edges = new Map<string, EdgeState>();
  readonly #labels = new Map<string, string | undefined>();
  readonly #places: ReadonlyMap<string, number>;
  #second = 0;
  #held: string | undefined;

  constructor(stage: Stage, store: RunStore) {
    this.#stage = stage;
    this.#store = store;
    this.#places = new Map(store.picture.cards.map((c, i) => [c.key, i + 1]));
  }

  paint(state: RunState, now: number): void {
    const second = Math.floor(now / 1_000);
    const ticks = second !== this.#second;
    this.#second = second;
    const held = state.test?.held?.node;
    for (const [key, node] of state.nodes) {
      const bodies = state.bodies.get(key);
      const moved = held !== this.#held && (key === held || key === this.#held);
      const same =
        !moved && sameNode(this.#nodes.get(key), node) && this.#bodies.get(key) === bodies;
      if (same && !(ticks && node.open.length > 0)) continue;
      this.#nodes.set(key, node);
      this.#bodies.set(key, bodies);
      const card = this.#store.picture.byKey.get(key);
      if (card === undefined) continue;
      const label = cardLabel(this.#store, key, node, this.#places.get(key) ?? 0);
      this.#stage.setStatus(
        card.id,
        key === held ? "waiting" : node.status,
        footOf(node, now, bodies),
        label,
      );
    }
    this.#held = held;
    for (const line of this.#store.picture.lines) {
      const next = edgeState(state, line.id, line.to.key);
      if (this.#edges.get(line.id) === next) continue;
      this.#edges.set(line.id, next);
      this.#stage.setEdge(line.id, next);
    }
  }

  /**
   * Data on the edges; without it what people wrote there, with the tokens
   * that stand there, or how often one passed, when that is more than once.
   */
  label(state: RunState, labels: ReadonlyMap<string, string> | undefined): void {
    const waiting = standing(state.scopes);
    for (const line of this.#store.picture.lines) {
      const n = state.edges.get(line.id) ?? 0;
      const stand = waiting.get(line.id) ?? 0;
      const passed = n > 1 ? `×${n}` : undefined;
      const count = stand > 0 ? `● ${stand}` : passed;
      const own = line.label === "" ? count : `${line.label} ${count ?? ""}`.trimEnd();
      const word = labels?.get(line.id) ?? own;
      if (this.#labels.get(line.id) === word) continue;
      this.#labels.set(line.id, word);
      this.#stage.setLabel(line.id, word);
    }
  }
}

/** Whether a step looks the same: a moment folded anew has new objects. */
function sameNode(a: NodeState | undefined, b: NodeState): boolean {
  if (a === b) return true;
  return (
    a !== undefined &&
    a.last === b.last &&
    a.status === b.status &&
    a.open.length + b.open.length === 0
  );
}

function edgeState(state: RunState, edge: string, to: string): EdgeState {
  if ((state.edges.get(edge) ?? 0) === 0) return state.ended === undefined ? "idle" : "skipped";
  const node = state.nodes.get(to);
  return node?.status === "running" || node?.status === "queued" ? "active" : "taken";
}
