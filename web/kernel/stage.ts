// What the parts of the kernel share: the scene, the camera, what is selected
// and under the pointer, the state of a run, and what a gesture previews.

import type { Curve } from "../core/curve.ts";
import type { Box, Point } from "../core/geometry.ts";
import type { Target } from "../core/gesture.ts";
import type { Command } from "../core/keymap.ts";
import { sameSelection } from "../core/selection.ts";
import type { Guide } from "../core/snap.ts";
import type {
  Advise,
  EdgeState,
  Foot,
  Ghost,
  KernelEvent,
  NodeStatus,
  Peer,
  PortRef,
  Selection,
  SelectionIds,
  ToolName,
  Wheel,
} from "./api.ts";
import { Emitter } from "./emitter.ts";
import { type Palette, readPalette } from "./palette.ts";
import { Scene } from "./scene.ts";
import { View } from "./view.ts";

export type Status = {
  readonly status: NodeStatus;
  readonly foot: Foot | undefined;
  readonly progress: number | undefined;
};

/** An edge that is being drawn or put elsewhere. */
export type Loose = {
  readonly a: Point;
  readonly b: Point;
  /** The edge whose end it is; not drawn meanwhile. */
  readonly edge?: string | undefined;
  /** The port that it hangs on, when its start is fixed. */
  readonly from?: PortRef | undefined;
  /** The card that it leads to, when its end is fixed. */
  readonly to?: string | undefined;
  /** Both ends fit. */
  readonly joined: boolean;
};

export type Counts = { readonly errors: number; readonly warnings: number };

/** Cards nearer than this are elements, farther ones are painted. */
export const FAR = 0.45;

/** A refusal stays readable for so long. */
const EXPLAIN_MS = 3_500;

export const idle: Status = { status: "idle", foot: undefined, progress: undefined };

export class Stage {
  readonly scene = new Scene();
  readonly view = new View();
  readonly emitter = new Emitter();
  readonly selected = {
    nodes: new Set<string>(),
    edges: new Set<string>(),
    notes: new Set<string>(),
  };
  readonly status = new Map<string, Status>();
  readonly edgeStates = new Map<string, EdgeState>();
  readonly labels = new Map<string, string>();
  /** Tokens that wait at the ends of edges. */
  readonly tokens = new Map<string, number>();
  readonly nodeIssues = new Map<string, Counts>();
  readonly edgeIssues = new Map<string, Counts>();
  /** Counts changes of statuses and problems, for what is kept as a picture. */
  changes = 0;
  /** Cards whose elements must be written anew. */
  readonly stale = new Set<string>();
  marks: ReadonlyMap<string, "added" | "changed" | "removed"> = new Map();
  breaks: ReadonlySet<string> = new Set();
  peers: readonly Peer[] = [];
  hover: Target = { is: "ground" };
  focused: string | undefined;
  readOnly = false;
  tool: ToolName = "select";
  wheel: Wheel = "auto";
  keymap: Readonly<Record<string, Command>> = {};
  ghost: Ghost | undefined;
  loose: Loose | undefined;
  /** Where a loose edge may go; undefined: nothing is being connected. */
  targets: ReadonlySet<string> | undefined;
  /** Near cards that have no element yet: the canvas paints them. */
  readonly unbuilt = new Set<string>();
  /** Cards that stay while copies of them are dragged. */
  left: readonly { readonly id: string; readonly box: Box }[] = [];
  guides: readonly Guide[] = [];
  marquee: Box | undefined;
  /** The frame into which the dragged cards would go; "" is out of the one they are in. */
  into: string | undefined;
  advise: Advise | undefined;
  /** A sentence at a place: why something cannot be. */
  why: { readonly at: Point; readonly text: string } | undefined;
  /** Edge on which the dragged card would land. */
  landing: string | undefined;
  dragging = false;
  /** Cards and notes that a drag carries. */
  moving: ReadonlySet<string> | undefined;
  /** The card that a loose end would be put on. */
  aim: string | undefined;
  following = false;
  palette: Palette;
  /** Asks for a frame. */
  request: () => void = () => undefined;
  /** Asks for a frame in which the canvas stays as it is: only elements changed. */
  requestCards: () => void = () => undefined;

  readonly root: HTMLElement;
  readonly icons: string;
  readonly #still: boolean | undefined;
  readonly #calm = matchMedia("(prefers-reduced-motion: reduce)");

  constructor(root: HTMLElement, icons: string, still: boolean | undefined) {
    this.root = root;
    this.icons = icons;
    this.#still = still;
    this.palette = readPalette(root);
  }

  /** Nothing may move by itself. */
  get still(): boolean {
    const chosen = document.documentElement.dataset["motion"] === "less";
    return this.#still ?? (this.#calm.matches || chosen);
  }

  emit(event: KernelEvent): void {
    this.emitter.emit(event);
  }

  get selection(): Selection {
    return {
      nodes: new Set(this.selected.nodes),
      edges: new Set(this.selected.edges),
      notes: new Set(this.selected.notes),
    };
  }

  /** Selects what exists of these; tells it when that is a change. */
  select(ids: SelectionIds, add = false): void {
    const { nodes, edges, notes } = this.selected;
    const before = this.selection;
    for (const id of nodes) this.stale.add(id);
    if (!add) for (const set of [nodes, edges, notes]) set.clear();
    const { drawing } = this.scene;
    fill(nodes, ids.nodes, drawing.nodes);
    fill(edges, ids.edges, drawing.edges);
    fill(notes, ids.notes, drawing.notes);
    for (const id of nodes) this.stale.add(id);
    this.request();
    const selection = this.selection;
    if (sameSelection(before, selection)) return;
    this.emit({ type: "selection", selection });
    const [only, more] = nodes;
    if (only !== undefined && more === undefined) this.setFocused(only);
  }

  /** The card that the keys speak to. */
  setFocused(id: string | undefined): void {
    if (this.focused === id) return;
    this.focused = id;
    this.request();
    this.emit({ type: "focus", id });
  }

  /** Takes one thing into the selection, or out of it. */
  toggle(target: Target): void {
    if (target.is !== "node" && target.is !== "edge" && target.is !== "note") return;
    const kind = `${target.is}s` as const;
    const next = this.selection;
    const ids = new Set(next[kind]);
    if (!ids.delete(target.id)) ids.add(target.id);
    this.select({ ...next, [kind]: ids });
  }

  isSelected(target: Target): boolean {
    if (target.is === "node") return this.selected.nodes.has(target.id);
    if (target.is === "edge") return this.selected.edges.has(target.id);
    return target.is === "note" && this.selected.notes.has(target.id);
  }

  /** Forgets what is not in the drawing any more. */
  prune(): void {
    const { nodes, edges, notes } = this.scene.drawing;
    const here = (ids: ReadonlySet<string>, all: ReadonlyMap<string, unknown>): string[] =>
      [...ids].filter((id) => all.has(id));
    this.select({
      nodes: here(this.selected.nodes, nodes),
      edges: here(this.selected.edges, edges),
      notes: here(this.selected.notes, notes),
    });
    for (const id of this.status.keys()) if (!nodes.has(id)) this.status.delete(id);
    for (const map of [this.edgeStates, this.labels, this.tokens]) {
      for (const id of map.keys()) if (!edges.has(id)) map.delete(id);
    }
    if (this.focused !== undefined && !nodes.has(this.focused)) this.focused = undefined;
  }

  setHover(target: Target, screen: Point): void {
    const was = this.hover;
    if (same(was, target)) return;
    this.hover = target;
    for (const t of [was, target]) if ("id" in t) this.stale.add(t.id);
    if (was.is === "edge" || target.is === "edge") this.request();
    else this.requestCards();
    this.emit({ type: "hover", target, screen });
  }

  /** The curve of the loose edge, of the ghost's edge, and so on. */
  static curve(a: Point, b: Point, port?: string): Curve {
    return Scene.curveTo(a, b, port);
  }

  /** Says a sentence beside a place, for a while. */
  explain(at: Point, text: string): void {
    const why = { at, text };
    this.why = why;
    this.request();
    setTimeout(() => {
      if (this.why !== why) return;
      this.why = undefined;
      this.request();
    }, EXPLAIN_MS);
  }

  /** Takes every preview away. */
  clearPreview(): void {
    this.ghost = undefined;
    this.loose = undefined;
    this.landing = undefined;
    this.aim = undefined;
    if (this.into !== undefined) this.stale.add(this.into);
    this.into = undefined;
    this.why = undefined;
    this.setTargets(undefined);
    this.request();
  }

  setTargets(targets: ReadonlySet<string> | undefined): void {
    if (targets === this.targets) return;
    this.targets = targets;
    for (const id of this.scene.drawing.nodes.keys()) this.stale.add(id);
    this.request();
  }

  refreshTheme(): void {
    this.palette = readPalette(this.root);
    this.request();
  }
}

/** Takes in those that exist. */
function fill(
  into: Set<string>,
  ids: Iterable<string> | undefined,
  all: ReadonlyMap<string, unknown>,
): void {
  for (const id of ids ?? []) if (all.has(id)) into.add(id);
}

export function same(a: Target, b: Target): boolean {
  if (a.is === "ground" || b.is === "ground") return a.is === b.is;
  if (a.is !== b.is || a.id !== b.id) return false;
  return a.is !== "port" || (b.is === "port" && a.port === b.port);
}
