// The overview: all cards as small blocks and what the screen shows of them.

import { type Box, grow, type Point, union } from "../core/geometry.ts";
import type { Camera } from "./api.ts";
import { statusColor, tileColor } from "./paint-far.ts";
import type { Palette } from "./palette.ts";
import type { Stage } from "./stage.ts";

/** Changes of colors alone are shown this often. */
const LAZY_MS = 100;

type Scale = { readonly k: number; readonly x: number; readonly y: number };

export class Minimap {
  readonly #stage: Stage;
  readonly #canvas: HTMLCanvasElement;
  readonly #go: (camera: Camera) => void;
  readonly #gone = new AbortController();
  #size = { w: 0, h: 0 };
  #scale: Scale = { k: 1, x: 0, y: 0 };
  #held = false;
  readonly #blocks = document.createElement("canvas");
  #key = "";
  #version = -1;
  #palette: Palette | undefined;
  #painted = -Infinity;
  #later: ReturnType<typeof setTimeout> | undefined;
  #all: Box | undefined;
  #measured = -1;

  constructor(stage: Stage, canvas: HTMLCanvasElement, go: (camera: Camera) => void) {
    this.#stage = stage;
    this.#canvas = canvas;
    this.#go = go;
    const { signal } = this.#gone;
    const resized = new ResizeObserver(([entry]) => {
      if (entry === undefined) return;
      this.#size = { w: entry.contentRect.width, h: entry.contentRect.height };
      stage.request();
    });
    resized.observe(canvas);
    signal.addEventListener("abort", () => resized.disconnect());
    canvas.addEventListener("pointerdown", (e) => this.#down(e), { signal });
    canvas.addEventListener("pointermove", (e) => this.#held && this.#look(e), { signal });
    canvas.addEventListener("pointerup", () => this.#release(), { signal });
    canvas.addEventListener("pointercancel", () => this.#release(), { signal });
  }

  destroy(): void {
    this.#gone.abort();
    clearTimeout(this.#later);
  }

  paint(now: number): void {
    const ctx = this.#canvas.getContext("2d");
    const { w, h } = this.#size;
    if (ctx === null || w < 1 || h < 1) return;
    const ratio = devicePixelRatio || 1;
    const [pw, ph] = [Math.round(w * ratio), Math.round(h * ratio)];
    for (const canvas of [this.#canvas, this.#blocks]) {
      if (canvas.width !== pw) canvas.width = pw;
      if (canvas.height !== ph) canvas.height = ph;
    }
    // While it is dragged the scale must not change under the hand.
    const scale = this.#held ? this.#scale : this.#measure();
    this.#refresh(scale, ratio, now);
    const { k, x, y } = this.#scale;
    ctx.setTransform(1, 0, 0, 1, 0, 0);
    ctx.clearRect(0, 0, pw, ph);
    ctx.drawImage(this.#blocks, 0, 0);
    ctx.setTransform(k * ratio, 0, 0, k * ratio, x * ratio, y * ratio);
    const { palette, view } = this.#stage;
    const seen = view.world;
    ctx.fillStyle = palette.brand;
    ctx.globalAlpha = 0.06;
    ctx.fillRect(seen.x, seen.y, seen.w, seen.h);
    ctx.globalAlpha = 1;
    ctx.strokeStyle = palette.brand;
    ctx.lineWidth = 1.5 / k;
    ctx.beginPath();
    ctx.roundRect(seen.x, seen.y, seen.w, seen.h, 2 / k);
    ctx.stroke();
  }

  // The blocks are kept as a picture: most frames only move the frame over it,
  // and a storm of statuses is shown ten times a second.
  #refresh(scale: Scale, ratio: number, now: number): void {
    const { palette, scene, changes } = this.#stage;
    const key = `${this.#blocks.width} ${this.#blocks.height} ${scale.k} ${scale.x} ${scale.y}`;
    const version = scene.version + changes;
    if (key === this.#key && version === this.#version && palette === this.#palette) return;
    if (key === this.#key && now - this.#painted < LAZY_MS) {
      clearTimeout(this.#later);
      this.#later = setTimeout(() => this.#stage.requestCards(), LAZY_MS);
      return;
    }
    this.#scale = scale;
    this.#key = key;
    this.#version = version;
    this.#palette = palette;
    this.#painted = now;
    const ctx = this.#blocks.getContext("2d");
    if (ctx === null) return;
    ctx.setTransform(1, 0, 0, 1, 0, 0);
    ctx.clearRect(0, 0, this.#blocks.width, this.#blocks.height);
    const { k, x, y } = scale;
    ctx.setTransform(k * ratio, 0, 0, k * ratio, x * ratio, y * ratio);
    this.#draw(ctx, 1 / k);
  }

  #draw(ctx: CanvasRenderingContext2D, pixel: number): void {
    const { scene, palette, status, nodeIssues } = this.#stage;
    ctx.globalAlpha = 0.16;
    for (const [id, box] of scene.frames.entries()) {
      ctx.fillStyle = tileColor(palette, scene.faces.get(id)?.tile ?? "");
      ctx.fillRect(box.x, box.y, box.w, box.h);
    }
    for (const [id, box] of scene.cards.entries()) {
      const bad = (nodeIssues.get(id)?.errors ?? 0) > 0 ? palette.fail : undefined;
      const color = statusColor(palette, status.get(id)?.status) ?? bad;
      ctx.globalAlpha = 0.8;
      ctx.fillStyle = color ?? tileColor(palette, scene.faces.get(id)?.tile ?? "");
      ctx.fillRect(box.x, box.y, Math.max(box.w, 2 * pixel), Math.max(box.h, 2 * pixel));
    }
    ctx.globalAlpha = 1;
  }

  #measure(): Scale {
    const { scene, view } = this.#stage;
    if (scene.version !== this.#measured) {
      this.#measured = scene.version;
      const boxes = [...scene.cards.entries(), ...scene.frames.entries()];
      this.#all = union(boxes.map(([, box]) => box));
    }
    const all = grow(union([view.world, ...(this.#all ? [this.#all] : [])]) ?? view.world, 60);
    const k = Math.min(this.#size.w / all.w, this.#size.h / all.h);
    return {
      k,
      x: (this.#size.w - all.w * k) / 2 - all.x * k,
      y: (this.#size.h - all.h * k) / 2 - all.y * k,
    };
  }

  #down(event: PointerEvent): void {
    if (event.button !== 0) return;
    this.#canvas.setPointerCapture(event.pointerId);
    this.#held = true;
    this.#look(event);
  }

  #release(): void {
    this.#held = false;
    this.#stage.request();
  }

  #look(event: PointerEvent): void {
    const { k, x, y } = this.#scale;
    const at: Point = { x: (event.offsetX - x) / k, y: (event.offsetY - y) / k };
    const { camera, open } = this.#stage.view;
    const { z } = camera;
    this.#go({ x: open.x + open.w / 2 - at.x * z, y: open.y + open.h / 2 - at.y * z, z });
  }
}
