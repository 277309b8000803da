// One frame: whatever changed, everything is brought up to date at once, and
// nothing is painted while nothing changes.

import type { Camera } from "./api.ts";
import { el } from "./card.ts";
import { Cards } from "./cards.ts";
import { Drops } from "./drops.ts";
import { pillOf, textOf } from "./labels.ts";
import type { Minimap } from "./minimap.ts";
import { Notes } from "./notes.ts";
import { paint } from "./paint.ts";
import { paintOver } from "./paint-over.ts";
import type { Peers } from "./peers.ts";
import { edgeMiddle } from "./rules.ts";
import { FAR, type Stage } from "./stage.ts";
import { icon } from "./svg.ts";
import { t } from "./words.ts";

/** As wide as .k-why may get. */
const WHY_WIDTH = 280;
/** Cards that get an element in one frame; a zoom brings hundreds at once. */
const BUILT_MOST = 32;
/** From farther than this a card's title is larger and stands alone, then larger still. */
const MID = 0.74;
const SMALL = 0.56;
/** The camera rests when it has not moved for so long. */
const CALM_MS = 180;

export class Frame {
  readonly drops = new Drops();
  readonly cards: Cards;
  minimap: Minimap | undefined;
  peers: Peers | undefined;
  beforePaint: () => void = () => undefined;
  /** Set when the order of the cards has to be found anew. */
  reorder: (() => readonly string[]) | undefined;

  readonly #stage: Stage;
  readonly #under = document.createElement("canvas");
  readonly #over = document.createElement("canvas");
  readonly #world = el("div", "k-world");
  readonly #between = el("span", "k-between");
  readonly #why = el("div", "k-why");
  readonly #notes: Notes;
  #asked = 0;
  /** The canvas shows something else than it should. */
  #stale = true;
  #aimed: Camera | undefined;
  #calm: ReturnType<typeof setTimeout> | undefined;
  #shown = false;
  #ratio = 1;

  constructor(stage: Stage) {
    this.#stage = stage;
    for (const canvas of [this.#under, this.#over]) canvas.setAttribute("aria-hidden", "true");
    this.#between.title = t("kernel.add.between");
    this.#between.setAttribute("aria-hidden", "true");
    this.#between.append(icon(stage.icons, "plus"));
    this.#between.hidden = true;
    this.#why.hidden = true;
    // Told to screen readers by the owner, with the refusal.
    this.#why.setAttribute("aria-hidden", "true");
    stage.root.append(this.#under, this.#world, this.#over, this.#between, this.#why);
    this.cards = new Cards(stage, this.#world);
    this.#notes = new Notes(stage, this.#world);
    stage.request = () => {
      this.#stale = true;
      this.#ask();
    };
    stage.requestCards = () => this.#ask();
  }

  destroy(): void {
    cancelAnimationFrame(this.#asked);
    clearTimeout(this.#calm);
    this.#stage.request = () => undefined;
    this.#stage.requestCards = () => undefined;
  }

  owns(target: EventTarget | null): boolean {
    if (!(target instanceof Node)) return false;
    return (
      target === this.#stage.root || this.#world.contains(target) || this.#between.contains(target)
    );
  }

  resize(w: number, h: number): void {
    this.#stage.view.size = { w, h };
    this.#ratio = devicePixelRatio || 1;
    for (const canvas of [this.#under, this.#over]) {
      canvas.width = Math.round(w * this.#ratio);
      canvas.height = Math.round(h * this.#ratio);
    }
    // A canvas that was resized is empty: paint before the browser shows it.
    this.#stale = true;
    this.#draw(performance.now());
  }

  /** Brings the elements up to date at once; for who needs them now. */
  now(): void {
    this.cards.sync();
  }

  #ask(): void {
    if (this.#asked !== 0) return;
    this.#asked = requestAnimationFrame((now) => {
      this.#asked = 0;
      this.#draw(now);
    });
  }

  #draw(now: number): void {
    const stage = this.#stage;
    const { view } = stage;
    this.beforePaint();
    if (view.tick(now)) {
      stage.emit({ type: "camera", camera: view.camera, manual: false });
      this.#ask();
    }
    if (this.reorder !== undefined) {
      this.cards.setOrder(this.reorder());
      this.reorder = undefined;
    }
    this.#aim();
    stage.root.classList.toggle("k-still", stage.still);
    stage.root.classList.toggle("k-far", view.camera.z < FAR);
    stage.root.classList.toggle("k-mid", view.camera.z < MID);
    stage.root.classList.toggle("k-small", view.camera.z < SMALL);
    stage.root.tabIndex = stage.scene.drawing.nodes.size === 0 ? 0 : -1;
    const waited = stage.unbuilt.size > 0;
    this.cards.sync(BUILT_MOST);
    const waits = stage.unbuilt.size > 0;
    this.#notes.sync();
    this.peers?.sync();
    this.#plus();
    this.#reason();
    if (this.#stale || this.drops.any || waited || waits) {
      const under = this.#under.getContext("2d", { alpha: false });
      if (under !== null) paint(stage, under, this.#ratio, this.drops, now);
      this.#previews();
    }
    this.#stale = view.gliding;
    this.minimap?.paint(now);
    if (this.drops.any || stage.dragging || waits) this.#ask();
  }

  // While the camera moves the cards are a layer of their own, which is only
  // shifted. At rest they are not: such a layer stays blurred after a zoom.
  #aim(): void {
    const { camera } = this.#stage.view;
    if (camera === this.#aimed) return;
    this.#aimed = camera;
    const { style } = this.#world;
    style.transform = `translate(${camera.x}px,${camera.y}px) scale(${camera.z})`;
    style.willChange = "transform";
    clearTimeout(this.#calm);
    this.#calm = setTimeout(() => {
      style.willChange = "auto";
    }, CALM_MS);
  }

  // The upper canvas is left alone as long as it is empty.
  #previews(): void {
    const stage = this.#stage;
    const any =
      stage.loose !== undefined ||
      stage.ghost !== undefined ||
      stage.marquee !== undefined ||
      stage.guides.length > 0;
    if (!any && !this.#shown) return;
    const over = this.#over.getContext("2d");
    if (over !== null) this.#shown = paintOver(stage, over, this.#ratio);
  }

  // A sentence beside the pointer: why something cannot be, or what it costs.
  #reason(): void {
    const { view } = this.#stage;
    const why = this.#stage.why ?? this.#said();
    this.#why.hidden = why === undefined;
    if (why === undefined) return;
    if (this.#why.textContent !== why.text) this.#why.textContent = why.text;
    const p = view.toScreen(why.at);
    const x = Math.max(8, Math.min(p.x + 14, view.size.w - WHY_WIDTH - 8));
    const y = p.y + 96 > view.size.h ? p.y - 72 : p.y + 18;
    this.#why.style.transform = `translate(${Math.round(x)}px,${Math.round(y)}px)`;
  }

  // The whole label of the line under the pointer, where it was cut. The owner
  // of an editor tells more of a line itself.
  #said(): Stage["why"] {
    const { hover, readOnly, scene } = this.#stage;
    const line = readOnly && hover.is === "edge" ? scene.lines.get(hover.id) : undefined;
    const pill = line && pillOf(this.#stage, line);
    if (line === undefined || pill?.cut !== true) return undefined;
    return { at: pill, text: textOf(this.#stage, line) ?? "" };
  }

  // The plus in the middle of the edge under the pointer.
  #plus(): void {
    const stage = this.#stage;
    const { hover } = stage;
    const shows = hover.is === "edge" && !stage.readOnly && !stage.dragging;
    const at =
      shows && stage.view.camera.z >= FAR && hover.end === undefined
        ? edgeMiddle(stage, hover.id)
        : undefined;
    this.#between.hidden = at === undefined;
    if (at === undefined || hover.is !== "edge") return;
    const p = stage.view.toScreen(at);
    this.#between.dataset["edge"] = hover.id;
    this.#between.style.transform = `translate(${p.x}px,${p.y}px)`;
  }
}
