// The drawing as it lies on the canvas: cards with their measures, edges with
// their curves, both findable by place. Follows the drawing's operations, and
// the preview of a drag, without touching the drawing.

import { CARD, type Card, type CardPort, cardOf, unknownSpec } from "../core/card.ts";
import { type Curve, curveBetween, curveBox, curveDown } from "../core/curve.ts";
import { Drawing } from "../core/drawing.ts";
import { frameBox } from "../core/frame.ts";
import { type Box, grow, type Point, union } from "../core/geometry.ts";
import {
  COMPENSATE,
  type Edge,
  type Graph,
  type GraphNode,
  type NodeLayout,
  type Spec,
} from "../core/graph.ts";
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
  /** Containers that are open: they lie under the cards in them. */
  readonly frames = new Places();
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
  #sized: { id: string; box: Box } | undefined;

  load(graph: Graph | Drawing, specs: readonly Spec[]): void {
    this.drawing = graph instanceof Drawing ? graph : new Drawing(graph);
    this.#specs = new Map(specs.map((s) => [s.name, s]));
    this.#feet.clear();
    this.#shift = undefined;
    this.#sized = undefined;
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
    // Frames fit what is in them, the inner ones first.
    for (const id of this.#framesOf(nodes)) {
      nodes.add(id);
      this.#node(id);
    }
    for (const id of nodes) this.#linesOf(id);
    for (const id of this.lines.keys()) if (!this.drawing.edges.has(id)) this.#dropLine(id);
    return nodes;
  }

  // Notes are brought up to date here, nodes are gathered for later.
  #touch(op: Change, nodes: Set<string>): void {
    const id = op.id ?? "";
    if (op.op === "node.size") for (const one of this.drawing.inside(id)) nodes.add(one);
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

  /** Shows a frame in another size; undefined: in its own. */
  size(id: string, box: Box | undefined): void {
    this.#sized = box === undefined ? undefined : { id, box };
    for (const one of [id, ...this.drawing.around(id)]) {
      this.#place(one);
      this.#linesOf(one);
    }
  }

  /** The containers of these nodes and around them, from the inside out. */
  #framesOf(ids: Iterable<string>): string[] {
    const depth = new Map<string, number>();
    for (const id of ids) {
      const own = this.faces.get(id)?.held === undefined ? [] : [id];
      const all = [...own, ...this.drawing.around(id)];
      for (const [i, up] of all.entries()) depth.set(up, all.length - i);
    }
    return [...depth].sort((a, b) => b[1] - a[1]).map(([id]) => id);
  }

  /** Where a card or a frame lies; undefined: it is folded away. */
  box(id: string): Box | undefined {
    return this.cards.get(id) ?? this.frames.get(id);
  }

  /** The card, or the folded container that it is in. */
  seen(id: string): Box | undefined {
    const own = this.box(id);
    if (own !== undefined) return own;
    const up = this.drawing.around(id).find((one) => this.box(one) !== undefined);
    return up === undefined ? undefined : this.box(up);
  }

  /** The box around what stands in a container, where the drawing has it. */
  body(id: string): Box | undefined {
    return union([...this.drawing.held(id)].flatMap((one) => this.#home(one) ?? []));
  }

  /** Where a card or a frame lies in the drawing, whatever a gesture shows. */
  home(id: string): Box | undefined {
    return this.box(id) === undefined ? undefined : this.#home(id);
  }

  #home(id: string): Box | undefined {
    const face = this.faces.get(id);
    if (face === undefined) return undefined;
    const place = this.drawing.place(id);
    if (face.frame) return this.#sizedBox(id) ?? frameBox(place, this.body(id));
    const foot = this.#feet.has(id) ? CARD.foot : 0;
    return { x: place.x, y: place.y, w: face.width, h: face.height + foot };
  }

  #sizedBox(id: string): Box | undefined {
    return this.#sized?.id === id ? this.#sized.box : undefined;
  }

  /** A container around it is folded. */
  hidden(id: string): boolean {
    return this.drawing.around(id).some((up) => this.drawing.place(up).folded === true);
  }

  /** Whether a card has a line under it. */
  setFoot(id: string, has: boolean): void {
    if (this.#feet.has(id) === has) return;
    if (has) this.#feet.add(id);
    else this.#feet.delete(id);
    this.#node(id);
    for (const up of this.drawing.around(id)) {
      this.#place(up);
      this.#linesOf(up);
    }
  }

  clearFeet(): void {
    for (const id of [...this.#feet]) this.setFoot(id, false);
  }

  /** Where an edge leaves a card. */
  out(id: string, port: string): Point | undefined {
    const box = this.box(id);
    const way = this.way(id, port);
    if (box === undefined) return undefined;
    if (port === COMPENSATE) return { x: box.x + CARD.undo, y: box.y + box.h + 1 };
    // A spare port hangs below the card's right corner.
    if (way === undefined) return { x: box.x + box.w - 24, y: box.y + box.h + 12 };
    return { x: box.x + box.w + 1, y: box.y + way.y };
  }

  way(id: string, port: string): CardPort | undefined {
    return this.faces.get(id)?.ports.find((p) => p.name === port);
  }

  /** Where an edge enters a card. */
  in(id: string): Point | undefined {
    const box = this.box(id);
    return box === undefined ? undefined : { x: box.x - 1, y: box.y + CARD.middle };
  }

  linesWithin(area: Box): string[] {
    return this.#lineBoxes.within(area);
  }

  /** The curve to an entry, with room for the arrow head. */
  static curveTo(a: Point, b: Point, port = ""): Curve {
    const end = { x: b.x - HEAD, y: b.y };
    return port === COMPENSATE ? curveDown(a, end) : curveBetween(a, end);
  }

  #all(): void {
    this.version++;
    this.cards.clear();
    this.frames.clear();
    this.notes.clear();
    this.#lineBoxes.clear();
    this.faces.clear();
    this.lines.clear();
    for (const id of this.drawing.nodes.keys()) this.#node(id);
    for (const id of this.#framesOf(this.faces.keys())) this.#place(id);
    for (const id of this.drawing.notes.keys()) this.#note(id);
    for (const e of this.drawing.edges.values()) this.#line(e);
  }

  #node(id: string): void {
    this.version++;
    const node = this.drawing.nodes.get(id);
    if (node === undefined) {
      this.cards.drop(id);
      this.frames.drop(id);
      this.faces.delete(id);
      return;
    }
    this.faces.set(id, this.#face(node));
    this.#place(id);
  }

  #face(node: GraphNode): Card {
    const used = new Set([...this.drawing.out(node.id)].map((e) => e.port));
    const place = this.drawing.place(node.id);
    const spec = this.#specs.get(node.kind) ?? unknownSpec(node.kind);
    return cardOf(node, place, spec, used, this.drawing.held(node.id).size);
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
    const home = face === undefined || this.hidden(id) ? undefined : this.#home(id);
    const put = face?.frame === true ? this.frames : this.cards;
    (put === this.frames ? this.cards : this.frames).drop(id);
    if (home === undefined) put.drop(id);
    else put.put(id, { ...home, ...this.#shifted(id, home) });
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
    const curve = Scene.curveTo(a, b, edge.port);
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
  for (const op of ops) addEnds(drawing, op, ends);
  return ends;
}

function addEnds(drawing: Drawing, op: Change, ends: Set<string>): void {
  const id = op.id ?? "";
  const edge = op.op.startsWith("edge.") ? drawing.edges.get(id) : undefined;
  if (edge !== undefined) ends.add(edge.from).add(edge.to);
  const leaves = op.op === "node.del" || (op.op === "node.set" && op.path === "/in");
  if (leaves) for (const one of [...drawing.around(id), ...drawing.inside(id)]) ends.add(one);
  if (op.op !== "node.del") return;
  for (const e of drawing.out(id)) ends.add(e.to);
  for (const e of drawing.into(id)) ends.add(e.from);
}
