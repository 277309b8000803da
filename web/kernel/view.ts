// What part of the world the screen shows, and how it gets from one view to
// another.

import {
  blend,
  boxToScreen,
  boxToWorld,
  clampZoom,
  ease,
  fitBox,
  revealBox,
  toScreen,
  toWorld,
  zoomAt,
} from "../core/camera.ts";
import { type Box, grow, middle, type Point } from "../core/geometry.ts";
import type { Camera } from "./api.ts";

const GLIDE_MS = 280;
/** Room around what is fitted or revealed. */
const MARGIN = 48;

export class View {
  camera: Camera = { x: 0, y: 0, z: 1 };
  size = { w: 0, h: 0 };
  insets = { left: 0, right: 0, top: 0, bottom: 0 };
  #glide: { from: Camera; to: Camera; start: number | undefined } | undefined;

  toWorld(p: Point): Point {
    return toWorld(this.camera, p);
  }

  toScreen(p: Point): Point {
    return toScreen(this.camera, p);
  }

  boxToScreen(b: Box): Box {
    return boxToScreen(this.camera, b);
  }

  /** The part of the world on the screen. */
  get world(): Box {
    return boxToWorld(this.camera, { x: 0, y: 0, ...this.size });
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
    return zoomAt(this.camera, z, at);
  }

  /** The camera that shows a box as large as it goes, up to 100 %. */
  fitting(box: Box): Camera {
    return fitBox(box, grow(this.open, -MARGIN), 1);
  }

  /** The camera moved as little as needed to have a box in view. */
  revealing(box: Box): Camera {
    return revealBox(this.camera, box, grow(this.open, -MARGIN / 2));
  }
}
