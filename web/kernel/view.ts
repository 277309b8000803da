// What part of the world the screen shows, and how it gets from one view to
// another.

import { type Box, grow, middle, type Point } from "../core/geometry.ts";
import type { Camera } from "./api.ts";

const ZOOM = { least: 0.05, most: 2.5 } as const;
const GLIDE_MS = 200;
/** Room around what is fitted or revealed. */
const MARGIN = 48;

export class View {
  camera: Camera = { x: 0, y: 0, z: 1 };
  size = { w: 0, h: 0 };
  insets = { left: 0, right: 0, top: 0, bottom: 0 };
  #glide: { from: Camera; to: Camera; start: number | undefined } | undefined;

  toWorld(p: Point): Point {
    return inWorld(this.camera, p);
  }

  toScreen(p: Point): Point {
    const { x, y, z } = this.camera;
    return { x: p.x * z + x, y: p.y * z + y };
  }

  boxToScreen(b: Box): Box {
    const { z } = this.camera;
    return { ...this.toScreen(b), w: b.w * z, h: b.h * z };
  }

  /** The part of the world on the screen. */
  get world(): Box {
    const { z } = this.camera;
    return { ...this.toWorld({ x: 0, y: 0 }), w: this.size.w / z, h: this.size.h / z };
  }

  /** The part of the screen that no panel covers. */
  get open(): Box {
    const { left, right, top, bottom } = this.insets;
    const w = Math.max(80, this.size.w - left - right);
    const h = Math.max(80, this.size.h - top - bottom);
    return { x: left, y: top, w, h };
  }

  center(): Point {
    return this.toWorld(middle(this.open));
  }

  /** Goes there at once, or by and by. */
  go(to: Camera, glide: boolean): void {
    const target = { x: to.x, y: to.y, z: clampZoom(to.z) };
    this.#glide = glide ? { from: this.camera, to: target, start: undefined } : undefined;
    if (!glide) this.camera = target;
  }

  get gliding(): boolean {
    return this.#glide !== undefined;
  }

  /** Where the camera is going, or is. */
  get goal(): Camera {
    return this.#glide?.to ?? this.camera;
  }

  /** Moves on in a glide; false: it stood still. */
  tick(now: number): boolean {
    const g = this.#glide;
    if (g === undefined) return false;
    g.start ??= now;
    const t = Math.min(1, (now - g.start) / GLIDE_MS);
    if (t < 1) {
      this.camera = blend(g.from, g.to, ease(t), this.open);
    } else {
      this.camera = g.to;
      this.#glide = undefined;
    }
    return true;
  }

  /** The camera with the zoom changed around a screen point. */
  zoomed(z: number, at: Point): Camera {
    const { camera } = this;
    const to = clampZoom(z);
    const k = to / camera.z;
    return { x: at.x - (at.x - camera.x) * k, y: at.y - (at.y - camera.y) * k, z: to };
  }

  /** The camera that shows a box as large as it goes, up to 100 %. */
  fitting(box: Box): Camera {
    const room = grow(this.open, -MARGIN);
    const z = clampZoom(Math.min(1, room.w / Math.max(1, box.w), room.h / Math.max(1, box.h)));
    return centered(middle(box), z, room);
  }

  /** The camera moved as little as needed to have a box in view. */
  revealing(box: Box): Camera {
    const room = grow(this.open, -MARGIN / 2);
    const b = this.boxToScreen(box);
    const { x, y, z } = this.camera;
    return { x: x + shift(b.x, b.w, room.x, room.w), y: y + shift(b.y, b.h, room.y, room.h), z };
  }
}

function clampZoom(z: number): number {
  return Math.min(ZOOM.most, Math.max(ZOOM.least, z));
}

function inWorld(c: Camera, p: Point): Point {
  return { x: (p.x - c.x) / c.z, y: (p.y - c.y) / c.z };
}

/** The camera with a world point in the middle of a part of the screen. */
function centered(p: Point, z: number, room: Box): Camera {
  const m = middle(room);
  return { x: m.x - p.x * z, y: m.y - p.y * z, z };
}

/** The least way that brings a span into the room; its start wins. */
function shift(at: number, size: number, from: number, room: number): number {
  if (at < from || size > room) return from - at;
  return Math.min(0, from + room - at - size);
}

/** Between two cameras, t from 0 to 1: the middle of the view moves evenly. */
function blend(a: Camera, b: Camera, t: number, room: Box): Camera {
  const z = a.z * (b.z / a.z) ** t;
  const from = inWorld(a, middle(room));
  const to = inWorld(b, middle(room));
  // With a change of zoom the way is measured in what is seen, not in the world.
  const s = a.z === b.z ? t : (1 / a.z - 1 / z) / (1 / a.z - 1 / b.z);
  return centered({ x: from.x + (to.x - from.x) * s, y: from.y + (to.y - from.y) * s }, z, room);
}

/** The curve of the style sheet's movements, near enough. */
function ease(t: number): number {
  return 1 - (1 - t) ** 3.2;
}
