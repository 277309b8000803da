// The drawing as it lies on the canvas: cards with their measures, edges with
// their curves, both findable by place. Follows the drawing's operations, and
// the preview of a drag, without touching the drawing.

import { CARD, type Card, type CardPort, cardOf, unknownSpec } from "../core/card.ts";
import { type Curve, curveBetween, curveBox } from "../core/curve.ts";
import { Drawing } from "../core/drawing.ts";
import { type Box, grow, type Point } from "../core/geometry.ts";
import type { Edge, Graph, GraphNode, NodeLayout, Spec } from "../core/graph.ts";
import type { Change } from "../core/touch.ts";
import { Places } from "./places.ts";

export type Line = { readonly edge: Edge; readonly curve: Curve; readonly end: Point };

/** Room for the arrow head before the card. */
const HEAD = 9;
/** Edges reach beyond their ends by arrow heads and strokes. */
const MARGIN = 8;

const nowhere: NodeLayout = { x: 0, y: 0 };

export class Scene {
  drawing = new Drawing();
  readonly cards = new Places();
  readonly notes = new Places();
  /** Kept apart from the boxes, which a drag changes all the time. */
  readonly faces = new Map<string, Card>();
  readonly lines = new Map<string, Line>();
  readonly #lineBoxes = new Places();
  /** Goes up when a card comes, goes, moves or looks different. */
  version = 0;
  #specs = new Map<string, Spec>();
  readonly #feet = new Set<string>();
  #shift: { ids: ReadonlySet<string>; dx: number; dy: number } | undefined;

  load(graph: Graph | Drawing, specs: readonly Spec[]): void {
    this.drawing = graph instanceof Drawing ? graph : new Drawing(graph);
    this.#specs = new Map(specs.map((s) => [s.name, s]));
    this.#feet.clear();
    this.#shift = undefined;
    this.#all();
  }

  spec(kind: string): Spec | undefined {
    return this.#specs.get(kind);
  }

  specOf(id: string): Spec | undefined {
    const node = this.drawing.nodes.get(id);
    return node === undefined ? undefined : this.#specs.get(node.kind);
  }

  /**
   * Follows operations that were applied; ends are nodes that lost edges by
   * them. Answers with the nodes that may look different now.
   */
  follow(ops: readonly Change[], ends: ReadonlySet<string>): ReadonlySet<string> {
    const nodes = new Set(ends);
    for (const op of ops) this.#touch(op, nodes);
    for (const id of nodes) this.#node(id);
    for (const id of nodes) this.#linesOf(id);
    for (const id of this.lines.keys()) if (!this.drawing.edges.has(id)) this.#dropLine(id);
    return nodes;
  }

  // Notes are brought up to date here, nodes are gathered for later.
  #touch(op: Change, nodes: Set<string>): void {
    const id = op.id ?? "";
    if (op.op.startsWith("node.")) nodes.add(id);
    else if (op.op.startsWith("note.")) this.#note(id);
    const e = op.op.startsWith("edge.") ? this.drawing.edges.get(id) : undefined;
    if (e !== undefined) nodes.add(e.from).add(e.to);
  }

  /** Shows some cards and notes at a distance; undefined: where they lie. */
  shift(ids: ReadonlySet<string> | undefined, dx = 0, dy = 0): void {
    const before = this.#shift?.ids;
    this.#shift = ids === undefined ? undefined : { ids, dx, dy };
    const moved = new Set([...(before ?? []), ...(ids ?? [])]);
    for (const id of moved) {
      if (this.drawing.notes.has(id)) this.#note(id);
      else this.#place(id);
    }
    for (const id of moved) this.#linesOf(id);
  }

  /** Whether a card has a line under it. */
  setFoot(id: string, has: boolean): void {
    if (this.#feet.has(id) === has) return;
    if (has) this.#feet.add(id);
    else this.#feet.delete(id);
    this.#node(id);
  }

  clearFeet(): void {
    for (const id of [...this.#feet]) this.setFoot(id, false);
  }

  /** Where an edge leaves a card. */
  out(id: string, port: string): Point | undefined {
    const box = this.cards.get(id);
    const way = this.way(id, port);
    if (box === undefined) return undefined;
    // A spare port hangs below the card's right corner.
    if (way === undefined) return { x: box.x + box.w - 24, y: box.y + box.h + 12 };
    return { x: box.x + box.w + 1, y: box.y + way.y };
  }

  way(id: string, port: string): CardPort | undefined {
    return this.faces.get(id)?.ports.find((p) => p.name === port);
  }

  /** Where an edge enters a card. */
  in(id: string): Point | undefined {
    const box = this.cards.get(id);
    return box === undefined ? undefined : { x: box.x - 1, y: box.y + CARD.middle };
  }

  linesWithin(area: Box): string[] {
    return this.#lineBoxes.within(area);
  }

  /** The curve to an entry, with room for the arrow head. */
  static curveTo(a: Point, b: Point): Curve {
    return curveBetween(a, { x: b.x - HEAD, y: b.y });
  }

  #all(): void {
    this.version++;
    this.cards.clear();
    this.notes.clear();
    this.#lineBoxes.clear();
    this.faces.clear();
    this.lines.clear();
    for (const id of this.drawing.nodes.keys()) this.#node(id);
    for (const id of this.drawing.notes.keys()) this.#note(id);
    for (const e of this.drawing.edges.values()) this.#line(e);
  }

  #node(id: string): void {
    this.version++;
    const node = this.drawing.nodes.get(id);
    if (node === undefined) {
      this.cards.drop(id);
      this.faces.delete(id);
      return;
    }
    this.faces.set(id, this.#face(node));
    this.#place(id);
  }

  #face(node: GraphNode): Card {
    const used = new Set([...this.drawing.out(node.id)].map((e) => e.port));
    const place = this.drawing.place(node.id);
    return cardOf(node, place, this.#specs.get(node.kind) ?? unknownSpec(node.kind), used);
  }

  /** The face of a step that is not in the drawing. */
  ghostFace(spec: Spec, title: string | undefined): Card {
    const node: GraphNode = { id: "ghost", key: spec.name, kind: spec.name, config: spec.example };
    const place = title === undefined ? nowhere : { ...nowhere, title };
    return cardOf(node, place, spec, new Set());
  }

  #place(id: string): void {
    this.version++;
    const face = this.faces.get(id);
    if (face === undefined) return;
    const { x, y } = this.#shifted(id, this.drawing.place(id));
    const foot = this.#feet.has(id) ? CARD.foot : 0;
    this.cards.put(id, { x, y, w: face.width, h: face.height + foot });
  }

  #note(id: string): void {
    const note = this.drawing.notes.get(id);
    if (note === undefined) this.notes.drop(id);
    else this.notes.put(id, { ...this.#shifted(id, note), w: note.w, h: note.h });
  }

  #shifted(id: string, at: Point): Point {
    const s = this.#shift;
    return s?.ids.has(id) ? { x: at.x + s.dx, y: at.y + s.dy } : { x: at.x, y: at.y };
  }

  #linesOf(id: string): void {
    for (const e of this.drawing.out(id)) this.#line(e);
    for (const e of this.drawing.into(id)) this.#line(e);
  }

  #line(edge: Edge): void {
    const a = this.out(edge.from, edge.port);
    const b = this.in(edge.to);
    if (a === undefined || b === undefined) {
      this.#dropLine(edge.id);
      return;
    }
    const curve = Scene.curveTo(a, b);
    this.lines.set(edge.id, { edge, curve, end: b });
    this.#lineBoxes.put(edge.id, grow(curveBox(curve), MARGIN));
  }

  #dropLine(id: string): void {
    this.lines.delete(id);
    this.#lineBoxes.drop(id);
  }
}

/** Nodes whose edges the operations are about to change. */
export function endsOf(drawing: Drawing, ops: readonly Change[]): ReadonlySet<string> {
  const ends = new Set<string>();
  for (const op of ops) {
    const id = op.id ?? "";
    const edge = op.op.startsWith("edge.") ? drawing.edges.get(id) : undefined;
    if (edge !== undefined) ends.add(edge.from).add(edge.to);
    if (op.op !== "node.del") continue;
    for (const e of drawing.out(id)) ends.add(e.to);
    for (const e of drawing.into(id)) ends.add(e.from);
  }
  return ends;
}
