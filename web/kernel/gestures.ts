// Carries out what the gestures decide (core/tool.ts): previews while they
// last, an event when they end.

import { crossing, FRAME, fitting, outermost, withContent } from "../core/frame.ts";
import { type Box, between, distance, grow, type Point, union } from "../core/geometry.ts";
import type { Effect, Fixed, Target } from "../core/gesture.ts";
import { caught, touches } from "../core/selection.ts";
import { GRID, loose, REACH, snap } from "../core/snap.ts";
import type { Camera, PortRef, Selection } from "./api.ts";
import { frameAt, lineAt } from "./hit.ts";
import { refusal, sources, targets } from "./rules.ts";
import type { Stage } from "./stage.ts";
import { t } from "./words.ts";

/** A loose end jumps to an entry this near, in screen pixels. */
const MAGNET = 36;
const LEAST_HEIGHT = FRAME.top + FRAME.pad;
const LEAST_NOTE = { w: 96, h: 48 } as const;

type Of<D extends Effect["do"]> = Extract<Effect, { readonly do: D }>;

/** Both ends of an edge in the making. */
type Joint = { readonly from: PortRef; readonly to: string };

export class Gestures {
  readonly #stage: Stage;
  readonly #move: (camera: Camera) => void;
  #way = { dx: 0, dy: 0 };
  #before: Selection | undefined;
  #sized: string | undefined;
  #stretched: string | undefined;

  constructor(stage: Stage, move: (camera: Camera) => void) {
    this.#stage = stage;
    this.#move = move;
  }

  pan(dx: number, dy: number): void {
    const { x, y, z } = this.#stage.view.camera;
    this.#move({ x: x + dx, y: y + dy, z });
  }

  pinch(e: Of<"pinch">): void {
    const { view } = this.#stage;
    const to = view.zoomed(view.camera.z * e.factor, e.at);
    this.#move({ ...to, x: to.x + e.dx, y: to.y + e.dy });
  }

  select(e: Of<"select">): void {
    const { target, how } = e;
    const stage = this.#stage;
    if (how === "keep" && stage.isSelected(target)) return;
    if (how === "toggle") {
      stage.toggle(target);
      return;
    }
    if (target.is === "edge") stage.select({ edges: [target.id] });
    else if (target.is === "note") stage.select({ notes: [target.id] });
    else if (target.is === "ground") stage.select({});
    else stage.select({ nodes: [target.id] });
  }

  marquee(e: Of<"marquee">): void {
    const stage = this.#stage;
    this.#before ??= e.add
      ? stage.selection
      : { nodes: new Set(), edges: new Set(), notes: new Set() };
    const box = between(e.from, e.to);
    const touch = touches(e.from, e.to);
    const { scene } = stage;
    const inside = (
      ids: readonly string[],
      get: (id: string) => ReturnType<typeof scene.cards.get>,
    ) =>
      ids.filter((id) => {
        const other = get(id);
        return other !== undefined && caught(box, touch, other);
      });
    const nodes = inside(scene.cards.within(box), (id) => scene.cards.get(id));
    const notes = inside(scene.notes.within(box), (id) => scene.notes.get(id));
    // A frame has to be enclosed whole, and then stands for what is in it.
    const frames = scene.frames.within(box).filter((id) => {
      const frame = scene.frames.get(id);
      return frame !== undefined && caught(box, false, frame);
    });
    stage.select({
      nodes: [...this.#before.nodes, ...outermost(scene.drawing, [...frames, ...nodes])],
      edges: this.#before.edges,
      notes: [...this.#before.notes, ...notes],
    });
    stage.marquee = e.end ? undefined : box;
    if (e.end) this.#before = undefined;
    stage.request();
  }

  /** Shows the selection where it would go; answers the edge that it lies on. */
  drag(e: Of<"drag">): string | undefined {
    const stage = this.#stage;
    const { scene, selected, view } = stage;
    if (stage.moving === undefined) {
      stage.moving = new Set([...withContent(scene.drawing, selected.nodes), ...selected.notes]);
      for (const id of stage.moving) stage.stale.add(id);
    }
    const { moving } = stage;
    // Where the selection starts from: its places in the drawing, not the preview's.
    const start = union([...moving].flatMap((id) => this.#home(id)));
    if (start === undefined) return undefined;
    const moved = { ...start, x: start.x + e.dx, y: start.y + e.dy };
    const around = grow(moved, 600);
    const near = [...scene.cards.within(around), ...scene.frames.within(around)]
      .filter((id) => !moving.has(id) && !this.#holds(id))
      .flatMap((id) => scene.box(id) ?? []);
    const to = e.free
      ? loose(e.dx, e.dy)
      : snap(start, e.dx, e.dy, near, REACH / Math.max(0.3, view.camera.z));
    this.#way = { dx: to.dx, dy: to.dy };
    stage.left = e.copy
      ? [...moving].flatMap((id) => this.#home(id).map((box) => ({ id, box })))
      : [];
    stage.guides = e.free ? [] : to.guides;
    scene.shift(moving, to.dx, to.dy);
    this.#enter(e.at, e.copy);
    stage.request();
    return e.copy ? undefined : this.#landing();
  }

  // What is dragged never snaps to the frame that it stands in.
  #holds(id: string): boolean {
    const { scene, selected } = this.#stage;
    return [...selected.nodes].some((one) => scene.drawing.around(one).includes(id));
  }

  /** Finds the frame that the dragged cards would go into, or leave. */
  #enter(at: Point, copy: boolean): void {
    const stage = this.#stage;
    const { drawing } = stage.scene;
    const roots = outermost(drawing, stage.selected.nodes);
    const frame = frameAt(stage, at, stage.moving) ?? "";
    const goes = roots.some((id) => (drawing.parent(id) ?? "") !== frame);
    for (const id of [stage.into, frame]) if (id !== undefined) stage.stale.add(id);
    stage.into = goes ? frame : undefined;
    stage.why = undefined;
    if (!goes || copy) return;
    const n = crossing(drawing, roots, frame).length;
    if (n > 0) stage.why = { at, text: t("kernel.frame.cut", { n }) };
  }

  #home(id: string): Box[] {
    const { scene } = this.#stage;
    const box = scene.drawing.notes.get(id) ?? scene.home(id);
    return box === undefined ? [] : [box];
  }

  // A step without edges can be laid on an edge.
  #landing(): string | undefined {
    const { scene, moving, view } = this.#stage;
    const [id, more] = moving ?? [];
    if (id === undefined || more !== undefined) return undefined;
    const face = scene.faces.get(id);
    const box = scene.cards.get(id);
    if (face === undefined || box === undefined || !face.input || face.ports.length === 0) {
      return undefined;
    }
    if (scene.drawing.into(id).size > 0 || scene.drawing.out(id).size > 0) return undefined;
    const m = { x: box.x + box.w / 2, y: box.y + 28 };
    // The line decides the scope; a frame's own border does not.
    return lineAt(this.#stage, m, 28 / Math.max(0.6, view.camera.z), new Set([id]));
  }

  dragEnd(e: Of<"dragEnd">): void {
    const stage = this.#stage;
    const { dx, dy } = this.#way;
    const nodes = [...stage.selected.nodes];
    const notes = [...stage.selected.notes];
    const { into } = stage;
    this.settle();
    if (dx === 0 && dy === 0) return;
    const [node] = nodes;
    if (e.copy) stage.emit({ type: "duplicate", nodes, notes, dx, dy, into });
    else if (e.edge !== undefined && node !== undefined) {
      stage.emit({ type: "insert", node, edge: e.edge, dx, dy });
    } else {
      const all = [...withContent(stage.scene.drawing, nodes)];
      stage.emit({ type: "move", nodes: all, notes, dx, dy, into });
    }
  }

  /** Leads the loose end of an edge to a point. */
  connecting(fixed: Fixed, edge: string | undefined, over: Target, at: Point): void {
    const stage = this.#stage;
    if (stage.targets === undefined) stage.setTargets(this.#fitting(fixed, edge));
    const joint = this.#joint(fixed, edge, over, at);
    const { scene } = stage;
    const from = fixed.end === "from" ? { node: fixed.id, port: fixed.port } : joint?.from;
    const to = fixed.end === "to" ? fixed.id : joint?.to;
    const a = from === undefined ? at : (scene.out(from.node, from.port) ?? at);
    const b = to === undefined ? at : (scene.in(to) ?? at);
    this.#aim(fixed.end === "from" ? joint?.to : joint?.from.node);
    this.#explain(joint, fixed, edge, over, at);
    stage.loose = {
      a,
      b,
      edge,
      from: fixed.end === "from" ? from : undefined,
      to: fixed.end === "to" ? to : undefined,
      joined: joint !== undefined,
    };
    stage.request();
  }

  /** Says beside the pointer why the card under it does not fit. */
  #explain(
    joint: Joint | undefined,
    fixed: Fixed,
    edge: string | undefined,
    over: Target,
    at: Point,
  ): void {
    const start = fixed.end === "from" ? { node: fixed.id, port: fixed.port } : undefined;
    const text = joint ? this.#advice(joint) : this.#reason(start, fixed, edge, over)?.why;
    this.#stage.why = text === undefined ? undefined : { at, text };
  }

  #advice({ from, to }: Joint): string | undefined {
    return this.#stage.advise?.(from, to);
  }

  #aim(id: string | undefined): void {
    const stage = this.#stage;
    if (stage.aim === id) return;
    for (const one of [stage.aim, id]) if (one !== undefined) stage.stale.add(one);
    stage.aim = id;
  }

  #fitting(fixed: Fixed, edge: string | undefined): ReadonlySet<string> {
    if (fixed.end === "to") return sources(this.#stage, fixed.id, edge);
    const from = { node: fixed.id, port: fixed.port };
    const own = edge === undefined ? undefined : this.#stage.scene.drawing.edges.get(edge)?.to;
    const found = new Set(targets(this.#stage, from).map((t) => t.id));
    return own === undefined ? found : found.add(own);
  }

  /** Both ends, when what is under the pointer may be joined. */
  #joint(fixed: Fixed, edge: string | undefined, over: Target, at: Point): Joint | undefined {
    const stage = this.#stage;
    if (fixed.end === "from") {
      const from = { node: fixed.id, port: fixed.port };
      const to = this.#entry(fixed, over, at);
      if (to === undefined || refusal(stage, from, to, edge) !== undefined) return undefined;
      return { from, to };
    }
    const from = this.#exit(fixed.id, edge, over);
    return from === undefined ? undefined : { from, to: fixed.id };
  }

  /** The card that a loose end would enter: the one below, or an entry near by. */
  #entry(fixed: Fixed, over: Target, at: Point): string | undefined {
    if (over.is === "input") return over.id;
    if (over.is === "node" || over.is === "port") {
      // Let go over its own card means never mind.
      return over.id === fixed.id ? undefined : over.id;
    }
    const { scene, view, targets: fit } = this.#stage;
    const reach = MAGNET / view.camera.z;
    let best: string | undefined;
    let least = reach;
    const area = grow({ ...at, w: 0, h: 0 }, reach);
    for (const id of [...scene.cards.within(area), ...scene.frames.within(area)]) {
      const d = distance(at, scene.in(id) ?? { x: Infinity, y: Infinity });
      if (d >= least || fit?.has(id) !== true) continue;
      least = d;
      best = id;
    }
    return best;
  }

  /** The port that a loose start would be put on. */
  #exit(to: string, edge: string | undefined, over: Target): PortRef | undefined {
    const { scene } = this.#stage;
    const fits = (from: PortRef): boolean => refusal(this.#stage, from, to, edge) === undefined;
    if (over.is === "port") {
      const from = { node: over.id, port: over.port };
      return fits(from) ? from : undefined;
    }
    if (over.is !== "node" || over.id === to) return undefined;
    const ports = scene.faces.get(over.id)?.ports ?? [];
    const refs = ports.map((p) => ({ node: over.id, port: p.name })).filter(fits);
    return refs.find((r) => scene.drawing.outOf(r.node, r.port).length === 0) ?? refs[0];
  }

  connectEnd(e: Of<"connectEnd">): void {
    const stage = this.#stage;
    const { fixed, edge, over, at } = e;
    const joint = this.#joint(fixed, edge, over, at);
    const start = fixed.end === "from" ? { node: fixed.id, port: fixed.port } : undefined;
    if (joint === undefined && (over.is === "ground" || over.is === "note" || over.is === "edge")) {
      stage.setTargets(undefined);
      const to = fixed.end === "to" ? fixed.id : undefined;
      stage.emit({ type: "connectDropped", at, from: start, to, edge });
      return;
    }
    this.settle();
    const advice = joint && this.#advice(joint);
    if (advice !== undefined) stage.explain(at, advice);
    if (joint === undefined) {
      const found = this.#reason(start, fixed, edge, over);
      if (found === undefined) return;
      stage.explain(at, found.why);
      stage.emit({ type: "connectRefused", ...found });
    } else if (edge === undefined) {
      stage.emit({ type: "connect", from: joint.from.node, port: joint.from.port, to: joint.to });
    } else this.#reconnect(edge, joint);
  }

  #reconnect(id: string, joint: Joint): void {
    const was = this.#stage.scene.drawing.edges.get(id);
    const { from, to } = joint;
    if (was?.from === from.node && was.port === from.port && was.to === to) return;
    this.#stage.emit({ type: "reconnect", edge: id, from: from.node, port: from.port, to });
  }

  #reason(
    start: PortRef | undefined,
    fixed: Fixed,
    edge: string | undefined,
    over: Target,
  ): { readonly from: PortRef | undefined; readonly to: string; readonly why: string } | undefined {
    if (!("id" in over) || over.id === fixed.id || over.is === "edge" || over.is === "note") {
      return undefined;
    }
    const from = start ?? (over.is === "port" ? { node: over.id, port: over.port } : undefined);
    const to = fixed.end === "to" ? fixed.id : over.id;
    const why = from === undefined ? undefined : refusal(this.#stage, from, to, edge);
    return why === undefined ? undefined : { from, to, why };
  }

  resize(e: Of<"resize">): void {
    const { scene } = this.#stage;
    if (e.grip !== undefined) {
      this.#stretch(e, e.grip);
      return;
    }
    const note = scene.drawing.notes.get(e.id);
    if (note === undefined) return;
    const w = Math.max(LEAST_NOTE.w, Math.round(note.w + e.dx));
    const h = Math.max(LEAST_NOTE.h, Math.round(note.h + e.dy));
    const box = { x: note.x, y: note.y, w, h };
    this.#sized = e.end ? undefined : e.id;
    scene.notes.put(e.id, e.end ? note : box);
    this.#stage.request();
    if (e.end && (w !== note.w || h !== note.h)) {
      this.#stage.emit({ type: "resizeNote", id: e.id, box });
    }
  }

  // A frame gets another size, but never smaller than what is in it.
  #stretch(e: Of<"resize">, grip: string): void {
    const { scene } = this.#stage;
    scene.size(e.id, undefined);
    const was = scene.home(e.id);
    if (was === undefined) return;
    const body = scene.body(e.id);
    const least = body === undefined ? undefined : fitting(body);
    const box = stretched(was, grip, e, least);
    if (!e.end) {
      scene.size(e.id, box);
      this.#stretched = e.id;
    } else if (box.x !== was.x || box.y !== was.y || box.w !== was.w || box.h !== was.h) {
      this.#stage.emit({ type: "resizeFrame", id: e.id, box });
    }
    this.#stage.request();
  }

  /** Takes back what a gesture shows. */
  settle(): void {
    const stage = this.#stage;
    stage.scene.shift(undefined);
    for (const id of stage.moving ?? []) stage.stale.add(id);
    stage.moving = undefined;
    stage.guides = [];
    stage.left = [];
    stage.marquee = undefined;
    this.#before = undefined;
    this.#way = { dx: 0, dy: 0 };
    const note = stage.scene.drawing.notes.get(this.#sized ?? "");
    if (note !== undefined && this.#sized !== undefined) stage.scene.notes.put(this.#sized, note);
    this.#sized = undefined;
    if (this.#stretched !== undefined) stage.scene.size(this.#stretched, undefined);
    this.#stretched = undefined;
    stage.clearPreview();
  }
}

/** A box with the sides of the grip moved, on the grid, around what must stay inside. */
function stretched(
  was: Box,
  grip: string,
  by: { readonly dx: number; readonly dy: number },
  least: Box | undefined,
): Box {
  const on = (v: number): number => Math.round(v / GRID) * GRID;
  let left = was.x;
  let top = was.y;
  let right = was.x + was.w;
  let bottom = was.y + was.h;
  if (grip.includes("w")) left = Math.min(on(left + by.dx), least?.x ?? right - FRAME.least);
  if (grip.includes("n")) top = Math.min(on(top + by.dy), least?.y ?? bottom - LEAST_HEIGHT);
  if (grip.includes("e")) {
    right = Math.max(
      on(right + by.dx),
      least === undefined ? left + FRAME.least : least.x + least.w,
    );
  }
  if (grip.includes("s")) {
    bottom = Math.max(
      on(bottom + by.dy),
      least === undefined ? top + LEAST_HEIGHT : least.y + least.h,
    );
  }
  return { x: left, y: top, w: right - left, h: bottom - top };
}
