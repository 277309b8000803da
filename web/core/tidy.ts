// Tidy: the layered layout as moves of the drawing's steps. Containers are laid
// out from the inside out: to their surroundings each is one large card.

import { CARD, cardOf, unknownSpec } from "./card.ts";
import type { Drawing } from "./drawing.ts";
import { frameBox, outermost } from "./frame.ts";
import type { Box, Point } from "./geometry.ts";
import { union } from "./geometry.ts";
import type { Op, Spec } from "./graph.ts";
import { COMPENSATE } from "./graph.ts";
import type { LayoutEdge } from "./layout.ts";
import { layered } from "./layout.ts";
import { GRID } from "./snap.ts";

/** Milliseconds that a layout may take; after that the best so far counts. */
export const TIDY_BUDGET = 300;

type SpecOf = (kind: string) => Spec | undefined;

/** A step as the layout sees it. */
type Part = { readonly box: Box; readonly out: (port: string) => number };

/**
 * Moves that arrange the steps, or these alone. The upper left corner stays
 * where it was. Left tells the milliseconds left.
 */
export function tidy(
  drawing: Drawing,
  spec: SpecOf,
  ids?: Iterable<string>,
  left: () => number = () => Infinity,
): readonly Op[] {
  const tidied = new Tidy(drawing, spec, left);
  if (ids === undefined) tidied.scope(undefined, true);
  else {
    // Steps of several scopes are arranged scope by scope.
    const scopes = new Map<string | undefined, string[]>();
    for (const id of outermost(drawing, ids)) {
      const up = drawing.parent(id);
      scopes.set(up, [...(scopes.get(up) ?? []), id]);
    }
    for (const some of scopes.values()) tidied.arrange(some);
  }
  return tidied.moves();
}

class Tidy {
  readonly #drawing: Drawing;
  readonly #spec: SpecOf;
  readonly #left: () => number;
  /** How far each step goes, without what the containers around it go. */
  readonly #to = new Map<string, Point>();

  constructor(drawing: Drawing, spec: SpecOf, left: () => number) {
    this.#drawing = drawing;
    this.#spec = spec;
    this.#left = left;
  }

  /** Arranges what stands in a container, and first what stands in that. */
  scope(up: string | undefined, top = false): void {
    const all = this.#drawing.nodes.keys();
    const ids = top ? outermost(this.#drawing, all) : [...this.#drawing.held(up ?? "")];
    for (const id of ids) if (this.#drawing.held(id).size > 0) this.scope(id);
    this.arrange(ids);
  }

  arrange(ids: readonly string[]): void {
    const parts = new Map<string, Part>();
    for (const id of ids) {
      const part = this.#part(id);
      if (part !== undefined) parts.set(id, part);
    }
    const sorted = [...parts].sort(([, a], [, b]) => a.box.y - b.box.y || a.box.x - b.box.x);
    // A card may carry a line under it during a run: the layout leaves room.
    const nodes = sorted.map(([id, { box }]) => ({ id, w: box.w, h: box.h + 12 }));
    const places = layered(nodes, this.#edges(parts), { left: this.#left });
    const corner = union([...parts.values()].map(({ box }) => ({ ...box, w: 0, h: 0 })));
    for (const [id, p] of places) {
      const { box } = parts.get(id) ?? { box: { x: 0, y: 0 } };
      this.#shift(
        id,
        onGrid((corner?.x ?? 0) + p.x) - box.x,
        onGrid((corner?.y ?? 0) + p.y) - box.y,
      );
    }
  }

  /** The moves that differ from where the steps are. */
  moves(): readonly Op[] {
    const ops: Op[] = [];
    for (const [id, { x, y }] of this.#to) {
      const was = this.#drawing.place(id);
      if (was.x !== x || was.y !== y) ops.push({ op: "node.move", id, value: { x, y } });
    }
    return ops;
  }

  #at(id: string): Point {
    const { x, y } = this.#to.get(id) ?? this.#drawing.place(id);
    return { x, y };
  }

  #shift(id: string, dx: number, dy: number): void {
    for (const one of [id, ...this.#drawing.inside(id)]) {
      const { x, y } = this.#at(one);
      this.#to.set(one, { x: x + dx, y: y + dy });
    }
  }

  #part(id: string): Part | undefined {
    const node = this.#drawing.nodes.get(id);
    if (node === undefined) return undefined;
    const used = new Set([...this.#drawing.out(id)].map((e) => e.port));
    const spec = this.#spec(node.kind) ?? unknownSpec(node.kind);
    const place = this.#drawing.place(id);
    const card = cardOf(node, place, spec, used, this.#drawing.held(id).size);
    const at = this.#at(id);
    const box = card.frame
      ? frameBox({ ...place, ...at }, this.#body(id))
      : { ...at, w: card.width, h: card.height };
    return { box, out: (port) => card.ports.find((p) => p.name === port)?.y ?? box.h };
  }

  #body(id: string): Box | undefined {
    return union([...this.#drawing.held(id)].flatMap((one) => this.#part(one)?.box ?? []));
  }

  #edges(parts: ReadonlyMap<string, Part>): LayoutEdge[] {
    const edges: LayoutEdge[] = [];
    for (const [id, part] of parts) {
      for (const e of this.#drawing.out(id)) {
        if (!parts.has(e.to)) continue;
        const out = e.port === COMPENSATE ? part.box.h : part.out(e.port);
        edges.push({ from: id, to: e.to, out, into: CARD.middle });
      }
    }
    return edges;
  }
}

function onGrid(v: number): number {
  return Math.round(v / GRID) * GRID;
}
