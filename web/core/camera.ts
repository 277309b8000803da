// Where the person looks: screen = world * z + (x, y).

import type { Box, Point } from "./geometry.ts";
import { middle } from "./geometry.ts";

export type Camera = { readonly x: number; readonly y: number; readonly z: number };

/** Zoom limits, and below which zoom cards are drawn instead of built. */
export const ZOOM = { min: 0.05, max: 2.5, far: 0.45, titles: 0.2 } as const;

export function clampZoom(z: number): number {
  return Math.min(ZOOM.max, Math.max(ZOOM.min, z));
}

export function toWorld(c: Camera, p: Point): Point {
  return { x: (p.x - c.x) / c.z, y: (p.y - c.y) / c.z };
}

export function toScreen(c: Camera, p: Point): Point {
  return { x: p.x * c.z + c.x, y: p.y * c.z + c.y };
}

export function boxToScreen(c: Camera, b: Box): Box {
  return { x: b.x * c.z + c.x, y: b.y * c.z + c.y, w: b.w * c.z, h: b.h * c.z };
}

export function boxToWorld(c: Camera, b: Box): Box {
  return { x: (b.x - c.x) / c.z, y: (b.y - c.y) / c.z, w: b.w / c.z, h: b.h / c.z };
}

/** The zoom set so that the world stays put under a screen point. */
export function zoomAt(c: Camera, zoom: number, at: Point): Camera {
  const z = clampZoom(zoom);
  return { x: at.x - ((at.x - c.x) * z) / c.z, y: at.y - ((at.y - c.y) * z) / c.z, z };
}

/** Shows the whole box in the view, at most at the given zoom. */
export function fitBox(box: Box, view: Box, zoomMax: number): Camera {
  const z = clampZoom(Math.min(zoomMax, view.w / Math.max(1, box.w), view.h / Math.max(1, box.h)));
  const m = middle(box);
  const v = middle(view);
  return { x: v.x - m.x * z, y: v.y - m.y * z, z };
}

/** The least pan that brings the box into the view; its upper left corner wins. */
export function revealBox(c: Camera, box: Box, view: Box): Camera {
  const b = boxToScreen(c, box);
  return {
    x: c.x + shift(b.x, b.w, view.x, view.w),
    y: c.y + shift(b.y, b.h, view.y, view.h),
    z: c.z,
  };
}

function shift(at: number, size: number, from: number, room: number): number {
  if (at < from || size > room) return from - at;
  return Math.min(0, from + room - at - size);
}

/** Between two cameras, t from 0 to 1: the middle of the view moves evenly. */
export function blend(a: Camera, b: Camera, t: number, view: Box): Camera {
  if (t >= 1) return b;
  const z = a.z * (b.z / a.z) ** t;
  const v = middle(view);
  const from = toWorld(a, v);
  const to = toWorld(b, v);
  // With a change of zoom the way is measured in what is seen, not in the world.
  const s = Math.abs(a.z - b.z) < 1e-6 ? t : (1 / a.z - 1 / z) / (1 / a.z - 1 / b.z);
  const x = from.x + (to.x - from.x) * s;
  const y = from.y + (to.y - from.y) * s;
  return { x: v.x - x * z, y: v.y - y * z, z };
}

/** The style sheet's cubic-bezier(.2,.7,.2,1), near enough. */
export function ease(t: number): number {
  return 1 - (1 - t) ** 3.2;
}
