// Carries out what the gestures decide (core/tool.ts): previews while they
// last, an event when they end.

import { between, distance, grow, type Point, union } from "../core/geometry.ts";
import type { Effect, Fixed, Target } from "../core/gesture.ts";
import { caught, touches } from "../core/selection.ts";
import { loose, REACH, snap } from "../core/snap.ts";
import type { Camera, PortRef, Selection } from "./api.ts";
import { lineAt } from "./hit.ts";
import { refusal, sources, targets } from "./rules.ts";
import type { Stage } from "./stage.ts";

/** A loose end jumps to an entry this near, in screen pixels. */
const MAGNET = 36;
const LEAST_NOTE = { w: 96, h: 48 } as const;

type Of<D extends Effect["do"]> = Extract<Effect, { readonly do: D }>;

export class Gestures {
  readonly #stage: Stage;
  readonly #move: (camera: Camera) => void;
  #way = { dx: 0, dy: 0 };
  #before: Selection | undefined;
  #sized: string | undefined;

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
    stage.select({
      nodes: [...this.#before.nodes, ...nodes],
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
      stage.moving = new Set([...selected.nodes, ...selected.notes]);
      for (const id of stage.moving) stage.stale.add(id);
    }
    const { moving } = stage;
    // Where the selection starts from: its places in the drawing, not the preview's.
    const start = union([...moving].flatMap((id) => this.#home(id)));
    if (start === undefined) return undefined;
    const moved = { ...start, x: start.x + e.dx, y: start.y + e.dy };
    const near = scene.cards
      .within(grow(moved, 600))
      .filter((id) => !moving.has(id))
      .flatMap((id) => scene.cards.get(id) ?? []);
    const to = e.free
      ? loose(e.dx, e.dy)
      : snap(start, e.dx, e.dy, near, REACH / Math.max(0.3, view.camera.z));
    this.#way = { dx: to.dx, dy: to.dy };
    stage.left = e.copy
      ? [...moving].flatMap((id) => this.#home(id).map((box) => ({ id, box })))
      : [];
    stage.guides = e.free ? [] : to.guides;
    scene.shift(moving, to.dx, to.dy);
    stage.request();
    return e.copy ? undefined : this.#landing();
  }

  #home(id: string): { x: number; y: number; w: number; h: number }[] {
    const { scene } = this.#stage;
    const note = scene.drawing.notes.get(id);
    if (note !== undefined) return [note];
    const box = scene.cards.get(id);
    const place = scene.drawing.place(id);
    return box === undefined ? [] : [{ x: place.x, y: place.y, w: box.w, h: box.h }];
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
    return lineAt(this.#stage, m, 28 / Math.max(0.6, view.camera.z), new Set([id]));
  }

  dragEnd(e: Of<"dragEnd">): void {
    const stage = this.#stage;
    const { dx, dy } = this.#way;
    const nodes = [...stage.selected.nodes];
    const notes = [...stage.selected.notes];
    this.settle();
    if (dx === 0 && dy === 0) return;
    const [node] = nodes;
    if (e.copy) stage.emit({ type: "duplicate", nodes, notes, dx, dy });
    else if (e.edge !== undefined && node !== undefined) {
      stage.emit({ type: "insert", node, edge: e.edge, dx, dy });
    } else stage.emit({ type: "move", nodes, notes, dx, dy });
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
  #joint(
    fixed: Fixed,
    edge: string | undefined,
    over: Target,
    at: Point,
  ): { from: PortRef; to: string } | undefined {
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
    for (const id of scene.cards.within(grow({ ...at, w: 0, h: 0 }, reach))) {
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
    if (joint === undefined) this.#refuse(start, fixed, edge, over);
    else if (edge === undefined) {
      stage.emit({ type: "connect", from: joint.from.node, port: joint.from.port, to: joint.to });
    } else this.#reconnect(edge, joint);
  }

  #reconnect(id: string, joint: { from: PortRef; to: string }): void {
    const was = this.#stage.scene.drawing.edges.get(id);
    const { from, to } = joint;
    if (was?.from === from.node && was.port === from.port && was.to === to) return;
    this.#stage.emit({ type: "reconnect", edge: id, from: from.node, port: from.port, to });
  }

  #refuse(start: PortRef | undefined, fixed: Fixed, edge: string | undefined, over: Target): void {
    if (!("id" in over) || over.id === fixed.id) return;
    const from = start ?? (over.is === "port" ? { node: over.id, port: over.port } : undefined);
    const to = fixed.end === "to" ? fixed.id : over.id;
    const why = from === undefined ? undefined : refusal(this.#stage, from, to, edge);
    if (why !== undefined) this.#stage.emit({ type: "connectRefused", from, to, why });
  }

  resize(e: Of<"resize">): void {
    const { scene } = this.#stage;
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
    stage.clearPreview();
  }
}
