// The canvas as SVG: pans, zooms, shows statuses and lets drops run along the
// edges. It changes attributes of elements that it made itself.

import type { Box, Card, Line, Picture } from "../core/run-card.ts";
import { boxOf, roomAt } from "../core/run-card.ts";
import type { NodeStatus } from "../core/run-node.ts";
import { Drops } from "./drops.ts";
import type { EdgeState, Foot, Stage, StageEvents } from "./stage.ts";
import { element } from "./svg.ts";
import type { CardView } from "./svg-card.ts";
import { cardView, paintCard, setClass } from "./svg-card.ts";

const ZOOM_LEAST = 0.05;
const ZOOM_MOST = 2.5;
const MARGIN = 48;
/** From farther titles are larger, and from farther than the second larger still. */
const FAR = [0.74, 0.56] as const;
const GLIDE_MS = 200;
const SIGN = 6.7; // the width of a letter on a pill

type Camera = { readonly x: number; readonly y: number; readonly z: number };

type EdgeView = {
  readonly line: Line;
  readonly path: SVGPathElement;
  readonly head: SVGPathElement;
  label: SVGGElement | undefined;
};

const EDGE_CLASS: Readonly<Record<EdgeState, string>> = {
  idle: "",
  taken: " ok",
  active: " run",
  skipped: " skip",
};

export class SvgStage implements Stage {
  readonly #host: HTMLElement;
  readonly #events: StageEvents;
  readonly #picture: Picture;
  readonly #svg: SVGSVGElement;
  readonly #world: SVGGElement;
  readonly #labels: SVGGElement;
  readonly #cards = new Map<string, CardView>();
  readonly #edges = new Map<string, EdgeView>();
  readonly #drops: Drops;
  readonly #abort = new AbortController();
  readonly #sizes: ResizeObserver;
  readonly #order: readonly Card[];
  #camera: Camera = { x: 0, y: 0, z: 1 };
  #selected: string | undefined;
  #focused: string | undefined;
  #glide = 0;
  #moved = false;
  #size = { w: 0, h: 0 };
  #distance = 0;
  /** Where each finger that is down was last. */
  readonly #fingers = new Map<number, PointerEvent>();

  constructor(host: HTMLElement, picture: Picture, name: string, events: StageEvents) {
    this.#host = host;
    this.#events = events;
    this.#picture = picture;
    this.#svg = element("svg", { class: "pic stage-svg" }, host);
    host.setAttribute("role", "application");
    host.setAttribute("aria-label", name);
    host.tabIndex = -1;
    this.#world = element("g", {}, this.#svg);
    for (const note of picture.notes) this.#note(note);
    const edges = element("g", {}, this.#world);
    const drops = element("g", { class: "drops" }, this.#world);
    this.#labels = element("g", {}, this.#world);
    const cards = element("g", {}, this.#world);
    for (const line of picture.lines) this.#edge(line, edges);
    this.#order = [...picture.cards].sort((a, b) => a.x - b.x || a.y - b.y);
    for (const card of this.#order) this.#cards.set(card.id, cardView(card, cards));
    this.#drops = new Drops(drops, lessMotion);
    const first = this.#order[0];
    if (first !== undefined) this.#rove(first.id);
    this.#listen();
    this.#sizes = new ResizeObserver(() => this.#resized());
    this.#sizes.observe(host);
  }

  setStatus(id: string, status: NodeStatus, foot: Foot, label: string): void {
    const view = this.#cards.get(id);
    if (view !== undefined) paintCard(view, status, foot, label);
  }

  setEdge(id: string, state: EdgeState): void {
    const edge = this.#edges.get(id);
    if (edge === undefined) return;
    edge.path.setAttribute("class", `e${EDGE_CLASS[state]}`);
    edge.head.setAttribute("class", `ah${EDGE_CLASS[state]}`);
  }

  setLabel(id: string, text: string | undefined): void {
    const edge = this.#edges.get(id);
    if (edge === undefined) return;
    edge.label?.remove();
    edge.label = text === undefined ? undefined : this.#pill(edge, text);
  }

  drop(id: string): void {
    const edge = this.#edges.get(id);
    if (edge !== undefined) this.#drops.send(id, edge.path);
  }

  select(id: string | undefined): void {
    if (this.#selected === id) return;
    for (const each of [this.#selected, id]) {
      const view = each === undefined ? undefined : this.#cards.get(each);
      if (view === undefined) continue;
      view.selected = each === id;
      setClass(view);
    }
    this.#selected = id;
    if (id !== undefined) this.#rove(id);
  }

  fit(animate: boolean): void {
    this.#moved = false;
    this.#to(this.#fitted(this.#picture.box, 1), animate);
  }

  zoom(factor: number): void {
    this.#zoomAt(this.#size.w / 2, this.#size.h / 2, factor);
  }

  reveal(ids: readonly string[]): void {
    const cards = ids.flatMap((id) => this.#cards.get(id)?.card ?? []);
    if (cards.length === 0 || this.#size.w === 0) return;
    const box = boxOf(cards);
    const { x, y, z } = this.#camera;
    const left = box.x * z + x;
    const top = box.y * z + y;
    const inside =
      left >= 16 &&
      top >= 56 &&
      left + box.w * z <= this.#size.w - 16 &&
      top + box.h * z <= this.#size.h - 56;
    if (inside) return;
    const wanted = this.#fitted(box, z);
    this.#to(wanted, true);
  }

  destroy(): void {
    this.#abort.abort();
    this.#sizes.disconnect();
    this.#drops.stop();
    cancelAnimationFrame(this.#glide);
    this.#svg.remove();
  }

  // -- drawing

  #edge(line: Line, parent: Element): void {
    const path = element("path", { class: "e", d: line.path }, parent);
    const head = element("path", { class: "ah", d: line.head }, parent);
    this.#edges.set(line.id, { line, path, head, label: undefined });
  }

  #note(note: {
    readonly x: number;
    readonly y: number;
    readonly w: number;
    readonly h: number;
    readonly text: string;
  }): void {
    const group = element(
      "g",
      { class: "pn", transform: `translate(${note.x} ${note.y})` },
      this.#world,
    );
    element("rect", { width: note.w, height: note.h, rx: 10 }, group);
    const perLine = Math.max(8, Math.floor((note.w - 24) / 6.4));
    const lines = note.text.split("\n").flatMap((l) => wrapped(l, perLine));
    for (const [i, line] of lines.slice(0, Math.max(1, Math.floor((note.h - 16) / 17))).entries()) {
      element("text", { class: "note", x: 12, y: 22 + i * 17 }, group).textContent = line;
    }
  }

  #pill(edge: EdgeView, text: string): SVGGElement {
    const length = edge.path.getTotalLength();
    const wanted = Math.min(24, wide(text)) * SIGN + 16;
    let room = 0;
    let place = new DOMPoint();
    // In its middle, or nearer to one of its ends: where no card is covered.
    for (const part of [0.5, 0.4, 0.6, 0.3, 0.7]) {
      const point = edge.path.getPointAtLength(length * part);
      const free = Math.min(wanted, roomAt(point.x, point.y, this.#order));
      if (free <= room) continue;
      room = free;
      place = point;
    }
    const most = Math.max(3, Math.floor((room - 15) / SIGN));
    const short = wide(text) > most ? `${cut(text, most - 1)}…` : text;
    const group = element(
      "g",
      { class: "pill", transform: `translate(${place.x} ${place.y})` },
      this.#labels,
    );
    const w = wide(short) * SIGN + 16;
    element("rect", { x: -w / 2, y: -10, width: w, height: 20, rx: 10 }, group);
    element("text", { y: 4 }, group).textContent = short;
    if (short !== text) element("title", {}, group).textContent = text;
    return group;
  }

  // -- camera

  #fitted(box: Box, most: number): Camera {
    const w = Math.max(1, this.#size.w - 2 * Math.min(MARGIN, this.#size.w / 25));
    const h = Math.max(1, this.#size.h - 2 * MARGIN - 24);
    const z = Math.max(ZOOM_LEAST, Math.min(most, w / Math.max(1, box.w), h / Math.max(1, box.h)));
    return {
      z,
      x: this.#size.w / 2 - (box.x + box.w / 2) * z,
      y: this.#size.h / 2 + 8 - (box.y + box.h / 2) * z,
    };
  }

  #to(camera: Camera, animate: boolean): void {
    cancelAnimationFrame(this.#glide);
    if (!animate || lessMotion()) {
      this.#set(camera);
      return;
    }
    const from = this.#camera;
    const began = performance.now();
    const frame = (now: number) => {
      const p = Math.min(1, (now - began) / GLIDE_MS);
      const ease = 1 - (1 - p) ** 3;
      const mix = (a: number, b: number) => a + (b - a) * ease;
      this.#set({ x: mix(from.x, camera.x), y: mix(from.y, camera.y), z: mix(from.z, camera.z) });
      if (p < 1) this.#glide = requestAnimationFrame(frame);
    };
    this.#glide = requestAnimationFrame(frame);
  }

  #set(camera: Camera): void {
    this.#camera = camera;
    this.#world.setAttribute("transform", `translate(${camera.x} ${camera.y}) scale(${camera.z})`);
    this.#host.style.backgroundPosition = `${camera.x}px ${camera.y}px`;
    const dots = 22 * Math.max(0.5, camera.z);
    this.#host.style.backgroundSize = `${dots}px ${dots}px`;
    const distance = FAR.filter((z) => camera.z < z).length;
    if (distance !== this.#distance) void this.#from(distance);
  }

  async #from(distance: number): Promise<void> {
    this.#distance = distance;
    const { seenFrom } = await import("./svg-far.ts");
    if (distance !== this.#distance) return; // it was zoomed again meanwhile
    this.#svg.dataset["from"] = String(distance);
    seenFrom(distance, this.#cards.values());
  }

  #resized(): void {
    this.#size = { w: this.#host.clientWidth, h: this.#host.clientHeight };
    if (!this.#moved && this.#size.w > 0) this.fit(false);
  }

  #zoomAt(x: number, y: number, factor: number): void {
    const { z } = this.#camera;
    const next = Math.max(ZOOM_LEAST, Math.min(ZOOM_MOST, z * factor));
    const wx = (x - this.#camera.x) / z;
    const wy = (y - this.#camera.y) / z;
    this.#moved = true;
    this.#to({ x: x - wx * next, y: y - wy * next, z: next }, false);
  }

  #pan(dx: number, dy: number): void {
    this.#moved = true;
    cancelAnimationFrame(this.#glide);
    this.#set({ ...this.#camera, x: this.#camera.x + dx, y: this.#camera.y + dy });
    this.#events.panned();
  }

  // -- input

  #listen(): void {
    const { signal } = this.#abort;
    this.#host.addEventListener("wheel", (e) => this.#wheel(e), { passive: false, signal });
    this.#host.addEventListener("pointerdown", (e) => this.#press(e), { signal });
    this.#host.addEventListener("keydown", (e) => this.#key(e), { signal });
    this.#host.addEventListener(
      "focusin",
      (e) => {
        const id = idOf(e.target);
        if (id !== undefined) this.#rove(id);
      },
      { signal },
    );
  }

  #wheel(e: WheelEvent): void {
    e.preventDefault();
    const box = this.#host.getBoundingClientRect();
    const lines =
      e.deltaMode !== WheelEvent.DOM_DELTA_PIXEL ||
      (e.deltaX === 0 && Math.abs(e.deltaY) >= 100 && Number.isInteger(e.deltaY));
    if (e.ctrlKey || e.metaKey || lines) {
      const delta = e.deltaMode === WheelEvent.DOM_DELTA_LINE ? e.deltaY * 33 : e.deltaY;
      this.#zoomAt(
        e.clientX - box.left,
        e.clientY - box.top,
        Math.exp(-Math.max(-240, Math.min(240, delta)) * 0.0022),
      );
      this.#events.panned();
    } else {
      this.#pan(-e.deltaX, -e.deltaY);
    }
  }

  #press(down: PointerEvent): void {
    if (
      down.button > 1 ||
      (down.target instanceof Element && down.target.closest("button") !== null)
    )
      return;
    const id = idOf(down.target);
    this.#fingers.set(down.pointerId, down);
    let dragging = false;
    const ended = new AbortController();
    const options = { signal: AbortSignal.any([ended.signal, this.#abort.signal]) };
    window.addEventListener(
      "pointermove",
      (e) => {
        if (e.pointerId !== down.pointerId) return;
        if (!dragging && Math.hypot(e.clientX - down.clientX, e.clientY - down.clientY) < 4) return;
        dragging = true;
        this.#host.dataset["dragging"] = "";
        this.#drag(e);
      },
      options,
    );
    const up = (e: PointerEvent) => {
      if (e.pointerId !== down.pointerId) return;
      ended.abort();
      this.#fingers.delete(e.pointerId);
      delete this.#host.dataset["dragging"];
      if (dragging || e.type === "pointercancel") return;
      this.#events.select(id);
      if (id !== undefined) this.#focus(id);
    };
    window.addEventListener("pointerup", up, options);
    window.addEventListener("pointercancel", up, options);
  }

  /** One finger, or a mouse, pans; each of two pans by half and zooms. */
  #drag(to: PointerEvent): void {
    const from = this.#fingers.get(to.pointerId) ?? to;
    const still = [...this.#fingers.values()].find((f) => f.pointerId !== to.pointerId);
    this.#fingers.set(to.pointerId, to);
    const share = still === undefined ? 1 : 0.5;
    this.#pan((to.clientX - from.clientX) * share, (to.clientY - from.clientY) * share);
    if (still === undefined) return;
    const apart = (e: PointerEvent) =>
      Math.max(1, Math.hypot(e.clientX - still.clientX, e.clientY - still.clientY));
    const { left, top } = this.#host.getBoundingClientRect();
    this.#zoomAt(
      (to.clientX + still.clientX) / 2 - left,
      (to.clientY + still.clientY) / 2 - top,
      apart(to) / apart(from),
    );
  }

  #key(e: KeyboardEvent): void {
    if (e.ctrlKey || e.metaKey || e.altKey || e.isComposing) return;
    const id = idOf(e.target);
    if (e.key === "Enter") this.#events.select(id);
    else if (e.key === "Escape") this.#events.select(undefined);
    else if (e.key === "+" || e.key === "=") this.zoom(1.25);
    else if (e.key === "-") this.zoom(0.8);
    else if (e.key === "!" && e.shiftKey) this.fit(true);
    else if (e.key.startsWith("Arrow") && id !== undefined) this.#nearest(id, e.key);
    else return;
    e.preventDefault();
    e.stopPropagation();
  }

  /** Focuses the nearest card in a direction. */
  #nearest(id: string, key: string): void {
    const from = this.#cards.get(id)?.card;
    if (from === undefined) return;
    let best: Card | undefined;
    let least = Number.POSITIVE_INFINITY;
    for (const card of this.#order) {
      const dx = card.x - from.x;
      const dy = card.y - from.y;
      const [ahead, aside] = key === "ArrowLeft" || key === "ArrowRight" ? [dx, dy] : [dy, dx];
      const forward = key === "ArrowRight" || key === "ArrowDown" ? ahead : -ahead;
      if (forward <= 4) continue;
      const distance = forward + Math.abs(aside) * 2;
      if (distance < least) {
        least = distance;
        best = card;
      }
    }
    if (best !== undefined) this.#focus(best.id);
  }

  #focus(id: string): void {
    this.#rove(id);
    this.#cards.get(id)?.root.focus({ preventScroll: true });
    this.reveal([id]);
  }

  /** One card at a time stands in the order of Tab. */
  #rove(id: string): void {
    if (this.#focused === id) return;
    if (this.#focused !== undefined)
      this.#cards.get(this.#focused)?.root.setAttribute("tabindex", "-1");
    this.#cards.get(id)?.root.setAttribute("tabindex", "0");
    this.#focused = id;
  }
}

function idOf(target: EventTarget | null): string | undefined {
  return target instanceof Element
    ? (target.closest("[data-id]")?.getAttribute("data-id") ?? undefined)
    : undefined;
}

function wrapped(line: string, most: number): readonly string[] {
  const out: string[] = [];
  let row = "";
  for (const piece of line.match(PIECE) ?? []) {
    if (row !== "" && wide(row) + wide(piece.trimEnd()) > most) {
      out.push(row.trimEnd());
      row = piece;
    } else {
      row += piece;
    }
  }
  out.push(row.trimEnd());
  return out;
}

// What stays on one line: a word, or one sign of a script that writes without
// spaces, with the marks that close it.
const PIECE =
  /(?:[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]|[^\s\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}，。、；：！？”）]+|[，。、；：！？”）])[，。、；：！？”）]*\s*/gu;

/** The beginning of a text that fits so much room. */
function cut(text: string, most: number): string {
  let fits = "";
  for (const sign of text) {
    if (wide(fits + sign) > most) break;
    fits += sign;
  }
  return fits;
}

/** The room of a text, in widths of a latin letter. */
function wide(text: string): number {
  return text.length + (text.match(/[\u2e80-\uffef]/g)?.length ?? 0);
}

/** Whether the person or the system asks for less movement. */
export function lessMotion(): boolean {
  return (
    document.documentElement.dataset["motion"] === "less" ||
    matchMedia("(prefers-reduced-motion: reduce)").matches
  );
}
