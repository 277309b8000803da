// The overview: all cards as small blocks and what the screen shows of them.

import { type Box, grow, type Point, union } from "../core/geometry.ts";
import type { Camera } from "./api.ts";
import { statusColor, tileColor } from "./paint-far.ts";
import type { Stage } from "./stage.ts";

type Scale = { readonly k: number; readonly x: number; readonly y: number };

export class Minimap {
  readonly #stage: Stage;
  readonly #canvas: HTMLCanvasElement;
  readonly #go: (camera: Camera) => void;
  readonly #gone = new AbortController();
  #size = { w: 0, h: 0 };
  #scale: Scale = { k: 1, x: 0, y: 0 };
  #held = false;

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
  }

  paint(): void {
    const ctx = this.#canvas.getContext("2d");
    const { w, h } = this.#size;
    if (ctx === null || w < 1 || h < 1) return;
    const ratio = devicePixelRatio || 1;
    const [pw, ph] = [Math.round(w * ratio), Math.round(h * ratio)];
    if (this.#canvas.width !== pw) this.#canvas.width = pw;
    if (this.#canvas.height !== ph) this.#canvas.height = ph;
    // While it is dragged the scale must not change under the hand.
    if (!this.#held) this.#scale = this.#measure();
    const { k, x, y } = this.#scale;
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    ctx.clearRect(0, 0, w, h);
    ctx.setTransform(k * ratio, 0, 0, k * ratio, x * ratio, y * ratio);
    this.#blocks(ctx, 1 / k);
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

  #blocks(ctx: CanvasRenderingContext2D, pixel: number): void {
    const { scene, palette, status } = this.#stage;
    ctx.globalAlpha = 0.8;
    for (const [id, box] of scene.cards.entries()) {
      const color = statusColor(palette, status.get(id)?.status);
      ctx.fillStyle = color ?? tileColor(palette, scene.faces.get(id)?.tile ?? "");
      ctx.fillRect(box.x, box.y, Math.max(box.w, 2 * pixel), Math.max(box.h, 2 * pixel));
    }
    ctx.globalAlpha = 1;
  }

  #measure(): Scale {
    const { scene, view } = this.#stage;
    const boxes: Box[] = [view.world];
    for (const [, box] of scene.cards.entries()) boxes.push(box);
    const all = grow(union(boxes) ?? view.world, 60);
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
