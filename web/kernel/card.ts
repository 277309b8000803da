// The element of one card. It is made once and then filled for one step after
// another, so only what differs is written.

import { CARD, type Card, type CardPort } from "../core/card.ts";
import type { Box } from "../core/geometry.ts";
import { COMPENSATE } from "../core/graph.ts";
import { type Counts, idle, type Status } from "./stage.ts";
import { glyph, icon, setIcon, signs } from "./svg.ts";
import { t } from "./words.ts";

/** What a card shows at the moment. */
export type Look = {
  readonly id: string;
  readonly pinned: boolean;
  /** A test run is held before it. */
  readonly stops: boolean;
  readonly face: Card;
  readonly status: Status;
  readonly issues: Counts | undefined;
  readonly classes: string;
  readonly index: number;
  readonly count: number;
  /** Ports with a plus beside them. */
  readonly free: ReadonlySet<string>;
  readonly editable: boolean;
  /** With a handle that leads to the step which undoes this one. */
  readonly undoable: boolean;
  /** Ports that a run left by, and those that it passed by. */
  readonly took: ReadonlySet<string>;
  readonly passed: ReadonlySet<string>;
  /** The port under the pointer. */
  readonly hot: string | undefined;
};

export class CardView {
  readonly element = el("div", "k-card");
  id = "";
  #box: Box | undefined;
  #face: Card | undefined;
  #free = "";
  #undoable = false;
  readonly #sprite: string;
  readonly #tile = el("span", "k-tile");
  readonly #icon: SVGElement;
  readonly #title = el("div", "k-title");
  readonly #sub = el("div", "k-sub");
  readonly #glyph = glyph();
  readonly #rows = el("ul", "k-rows");
  readonly #foot = el("div", "k-foot");
  readonly #left = el("span", "k-left");
  readonly #right = el("span", "k-right");
  readonly #bar = el("i", "k-bar");
  readonly #badges = el("div", "k-badges");
  readonly #ports = el("div", "k-ports");

  constructor(sprite: string) {
    this.#sprite = sprite;
    this.#icon = icon(sprite, "circle-help");
    this.#tile.append(this.#icon);
    const head = el("div", "k-head");
    const text = el("div", "k-text");
    text.append(this.#title, this.#sub);
    head.append(this.#tile, text, this.#glyph);
    this.#foot.append(this.#left, this.#right, this.#bar);
    this.#rows.setAttribute("aria-hidden", "true");
    this.#ports.setAttribute("aria-hidden", "true");
    this.element.append(head, this.#rows, this.#foot, this.#ports, this.#badges);
    this.element.setAttribute("role", "group");
  }

  place(box: Box): void {
    const was = this.#box;
    if (was?.x === box.x && was.y === box.y && was.w === box.w && was.h === box.h) return;
    this.#box = box;
    this.element.style.transform = `translate(${box.x}px,${box.y}px)`;
    if (was?.w !== box.w) this.element.style.width = `${box.w}px`;
    if (was?.h !== box.h) this.element.style.setProperty("--k-h", `${box.h}px`);
  }

  show(look: Look): void {
    const { face, status } = look;
    this.id = look.id;
    this.element.dataset["id"] = look.id;
    const classes = `k-card ${look.classes} st-${status.status}`;
    if (this.element.className !== classes) this.element.className = classes;
    const free = [...look.free].join(" ");
    const same = this.#free === free && this.#undoable === look.undoable;
    if (this.#face !== face || !same) this.#body(look);
    this.#face = face;
    this.#free = free;
    this.#undoable = look.undoable;
    this.#state(status);
    this.#badge(look);
    for (const port of this.#ports.children) {
      const hot = look.hot !== undefined && (port as HTMLElement).dataset["port"] === look.hot;
      port.classList.toggle("hot", hot);
    }
    this.#trace(look);
    const label = describe(look);
    if (this.element.getAttribute("aria-label") !== label)
      this.element.setAttribute("aria-label", label);
  }

  #body(look: Look): void {
    const { face } = look;
    this.#tile.className = `k-tile t-${tiles.has(face.tile) ? face.tile : "logic"}`;
    setIcon(this.#icon, this.#sprite, face.icon);
    write(this.#title, face.title);
    const role = face.held === undefined ? "kernel.step.role" : "kernel.frame.role";
    this.element.setAttribute("aria-roledescription", t(role));
    const count = face.held === undefined ? "" : t("kernel.frame.count", { n: face.held });
    write(this.#sub, face.held === undefined ? face.subtitle : `${face.kind} · ${count}`);
    this.#rows.hidden = !face.rows;
    this.#rows.replaceChildren(...(face.rows ? face.ports.map(row) : []));
    const ports: HTMLElement[] = [];
    if (face.input) ports.push(port("in", "", CARD.middle));
    for (const way of face.ports) {
      ports.push(port(way.failure ? "out bad" : "out", way.name, way.y));
      if (look.free.has(way.name)) ports.push(this.#plus(way));
    }
    if (look.editable) {
      for (const [i, p] of face.spare.entries()) ports.push(spare(p.name, p.title || p.name, i));
    }
    if (look.undoable) ports.push(this.#undo());
    if (face.held !== undefined) ports.push(...this.#frame(look, face));
    this.#ports.replaceChildren(...ports);
  }

  // What a container has besides.
  #frame(look: Look, face: Card): HTMLElement[] {
    const parts = face.frame && face.ports.length > 1 ? face.ports.map(way) : [];
    parts.push(this.#fold(face.frame));
    if (face.frame && face.held === 0 && look.editable) parts.push(this.#first());
    return parts;
  }

  // Which ways a run took.
  #trace(look: Look): void {
    for (const [i, way] of look.face.ports.entries()) {
      const row = this.#rows.children[i];
      row?.classList.toggle("took", look.took.has(way.name));
      row?.classList.toggle("passed", look.passed.has(way.name));
    }
  }

  #undo(): HTMLElement {
    const made = el("span", "k-undo");
    made.dataset["port"] = COMPENSATE;
    made.title = t("kernel.undo");
    made.append(icon(this.#sprite, "undo-2"));
    return made;
  }

  #fold(open: boolean): HTMLElement {
    const made = el("span", "k-fold");
    made.title = t(open ? "kernel.frame.fold" : "kernel.frame.unfold");
    made.append(icon(this.#sprite, open ? "chevrons-down-up" : "chevrons-up-down"));
    return made;
  }

  #first(): HTMLElement {
    const made = el("span", "k-first");
    made.append(icon(this.#sprite, "plus"), t("kernel.frame.empty"));
    return made;
  }

  #plus(way: CardPort): HTMLElement {
    const made = el("span", "k-plus");
    made.dataset["port"] = way.name;
    made.style.top = `${way.y}px`;
    made.title = t("kernel.add.after", { port: way.title });
    made.append(icon(this.#sprite, "plus"));
    return made;
  }

  #state(status: Status): void {
    const path = this.#glyph.lastElementChild;
    const sign = signs[status.status];
    if (path?.getAttribute("d") !== sign) path?.setAttribute("d", sign);
    const { foot } = status;
    this.#foot.hidden = foot === undefined;
    write(this.#left, foot?.left ?? "");
    write(this.#right, foot?.right ?? "");
    this.#foot.classList.toggle("tone", foot?.tone === "status");
    this.#bar.hidden = status.progress === undefined;
    const share = Math.min(1, Math.max(0, status.progress ?? 0));
    this.#bar.style.backgroundSize = `${Math.round(share * 100)}% 100%`;
  }

  #badge(look: Look): void {
    const badges: HTMLElement[] = [];
    const { errors, warnings } = look.issues ?? { errors: 0, warnings: 0 };
    if (look.face.disabled) badges.push(this.#pill("off", "power", t("kernel.badge.disabled")));
    if (look.face.pivot) badges.push(this.#pill("pivot", "flag", t("kernel.badge.pivot")));
    if (look.pinned) badges.push(this.#pill("pin", "pin", t("kernel.badge.pinned")));
    if (look.stops) badges.push(this.#pill("brk", "circle-pause", t("kernel.badge.break")));
    if (errors > 0) badges.push(this.#pill("err", "circle-x", String(errors)));
    else if (warnings > 0) badges.push(this.#pill("warn", "triangle-alert", String(warnings)));
    const text = badges.map((b) => b.className + b.textContent).join();
    if (this.#badges.dataset["is"] === text) return;
    this.#badges.dataset["is"] = text;
    this.#badges.replaceChildren(...badges);
  }

  #pill(name: string, sign: string, text: string): HTMLElement {
    const made = el("span", `k-badge ${name}`);
    made.append(icon(this.#sprite, sign), text);
    return made;
  }
}

const tiles = new Set(["trigger", "http", "logic", "ai", "queue", "saga", "human", "data"]);

/** What a screen reader says of a card. */
function describe(look: Look): string {
  const { face, issues, status } = look;
  const parts = [
    t("kernel.step", { title: face.title, kind: face.kind, at: look.index, of: look.count }),
    t("kernel.step.outputs", { n: face.ports.length }),
  ];
  if (face.held !== undefined) parts.push(t("kernel.frame.count", { n: face.held }));
  if (face.pivot) parts.push(t("kernel.step.pivot"));
  if (look.face.disabled) parts.push(t("kernel.step.disabled"));
  if (look.pinned) parts.push(t("kernel.step.pinned"));
  if (look.stops) parts.push(t("kernel.badge.break"));
  if (issues !== undefined && issues.errors > 0)
    parts.push(t("kernel.step.errors", { n: issues.errors }));
  if (issues !== undefined && issues.warnings > 0)
    parts.push(t("kernel.step.warnings", { n: issues.warnings }));
  if (status.status !== idle.status) parts.push(t(`kernel.status.${status.status}`));
  return parts.join(", ");
}

function row(way: CardPort): HTMLElement {
  const made = el("li", way.failure ? "bad" : "");
  if (way.label !== "") {
    const when = el("code", "");
    when.textContent = way.label;
    made.append(when);
  }
  const to = el("span", "to");
  to.textContent = way.title;
  made.append(to);
  return made;
}

function port(name: string, id: string, y: number): HTMLElement {
  const made = el("i", `k-port ${name}`);
  if (id !== "") made.dataset["port"] = id;
  made.style.top = `${y - 5.5}px`;
  return made;
}

/** The name beside a frame's port; cards name theirs in rows. */
function way(port: CardPort): HTMLElement {
  const made = el("span", port.failure ? "k-way bad" : "k-way");
  made.textContent = port.title;
  made.style.top = `${port.y - 8}px`;
  return made;
}

function spare(name: string, title: string, index: number): HTMLElement {
  const made = el("span", "k-spare");
  made.dataset["port"] = name;
  made.style.right = `${12 + index * 84}px`;
  made.append(el("i", "k-port"), title);
  return made;
}

function write(into: HTMLElement, text: string): void {
  if (into.textContent !== text) into.textContent = text;
}

export function el(name: string, classes: string): HTMLElement {
  const made = document.createElement(name);
  if (classes !== "") made.className = classes;
  return made;
}
