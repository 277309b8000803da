// Pointers, wheel, and what is dragged in from outside: turns the browser's
// events into the words of core/tool.ts and carries the answers out.

import type { Point } from "../core/geometry.ts";
import type { Effect, Input, Modifiers, Target, Tool, Touch } from "../core/gesture.ts";
import { IDLE, next, torn } from "../core/tool.ts";
import { meaningOf, type WheelMemory } from "../core/wheel.ts";
import type { Camera } from "./api.ts";
import { cursorOf } from "./cursor.ts";
import type { Gestures } from "./gestures.ts";
import { hit, spareOf, touchOf } from "./hit.ts";
import { edgeMiddle } from "./rules.ts";
import type { Stage } from "./stage.ts";

/** A finger rests this long until a card may be moved, and until the menu comes. */
const HOLD = { ripe: 250, menu: 550 } as const;
/** A dragged step rests this long on an edge until it would split it. */
const LAY_MS = 250;
/** A gesture this near to the border pans. */
const BORDER = 40;
const BORDER_SPEED = 12;

export type PointerHost = {
  readonly stage: Stage;
  readonly gestures: Gestures;
  readonly move: (camera: Camera) => void;
  readonly focus: (id: string | undefined) => void;
  /** Part of the kernel's own, not of what the owner put into the root. */
  readonly owns: (target: EventTarget | null) => boolean;
};

export class Pointer {
  /** Space is held: the pointer pans. */
  hand = false;
  /** The hand was used since Space went down. */
  panned = false;
  last: Point = { x: 0, y: 0 };
  #tool: Tool = IDLE;
  #mods: Modifiers = { shift: false, alt: false, mod: false };
  #wheel: WheelMemory | undefined;
  #rect = { left: 0, top: 0 };
  #timers: number[] = [];
  #told = false;
  #pointer = 0;
  #rest: string | undefined;
  #resting = 0;
  #moved = false;
  readonly #host: PointerHost;

  constructor(host: PointerHost, signal: AbortSignal) {
    this.#host = host;
    const { root } = host.stage;
    const on = <T extends keyof HTMLElementEventMap>(
      type: T,
      listener: (event: HTMLElementEventMap[T]) => void,
    ): void => {
      root.addEventListener(
        type,
        (event) => {
          if (host.owns(event.target)) listener(event);
        },
        { signal, passive: false },
      );
    };
    on("pointerdown", (e) => this.#down(e));
    // The focus is given by hand, below.
    on("mousedown", (e) => e.preventDefault());
    on("pointermove", (e) => this.#over(e));
    on("pointerup", (e) => this.#up(e));
    on("pointercancel", () => this.cancel());
    on("pointerleave", () => this.#leave());
    on("wheel", (e) => this.#turn(e));
    on("dblclick", (e) => this.#double(e));
    on("contextmenu", (e) => this.#menu(e));
    on("dragover", (e) => {
      if (!host.stage.readOnly) e.preventDefault();
    });
    on("drop", (e) => this.#drop(e));
  }

  get idle(): boolean {
    return this.#tool.is === "idle";
  }

  /** Where the root is; layout is never read while something moves. */
  setRect(rect: DOMRect): void {
    this.#rect = { left: rect.left, top: rect.top };
  }

  /** Ends the gesture without effect; true: there was one. */
  cancel(): boolean {
    const was = this.#tool.is !== "idle" || this.#host.stage.loose !== undefined;
    this.#feed({ is: "cancel" });
    this.#host.gestures.settle();
    return was;
  }

  /** Told every frame: pans when a gesture is at the border, tells the place. */
  tick(): void {
    const { stage, gestures } = this.#host;
    if (this.#moved) {
      this.#moved = false;
      stage.emit({ type: "pointer", at: stage.view.toWorld(this.last) });
    }
    if (!["drag", "connect", "marquee"].includes(this.#tool.is)) return;
    const { w, h } = stage.view.size;
    const dx = push(this.last.x, w);
    const dy = push(this.last.y, h);
    if (dx === 0 && dy === 0) return;
    gestures.pan(dx, dy);
    const tool = this.#tool;
    const pointer = "pointer" in tool ? tool.pointer : 0;
    this.#feed({ is: "move", pointer, ...this.#moment(this.last), target: this.#find("mouse") });
  }

  #find(touch: Touch): Target {
    return hit(this.#host.stage, this.#host.stage.view.toWorld(this.last), touch);
  }

  #moment(at: Point): { at: Point; world: Point; mods: Modifiers } {
    return { at, world: this.#host.stage.view.toWorld(at), mods: this.#mods };
  }

  #read(event: MouseEvent): Point {
    this.last = { x: event.clientX - this.#rect.left, y: event.clientY - this.#rect.top };
    this.#mods = {
      shift: event.shiftKey,
      alt: event.altKey,
      mod: event.ctrlKey || event.metaKey,
    };
    return this.last;
  }

  #down(event: PointerEvent): void {
    const { stage } = this.#host;
    if (this.idle) this.setRect(stage.root.getBoundingClientRect());
    const at = this.#read(event);
    const touch = touchOf(event);
    stage.root.classList.add("k-mouse");
    if (event.button === 0 && this.#plus(event)) return;
    if (event.button === 1) event.preventDefault();
    stage.root.setPointerCapture(event.pointerId);
    this.#pointer = event.pointerId;
    const target = spareOf(event.target) ?? this.#find(touch);
    const hand = this.hand || stage.tool === "hand";
    this.#host.focus("id" in target && target.is !== "edge" ? target.id : undefined);
    this.#feed({
      is: "down",
      pointer: event.pointerId,
      touch,
      button: event.button,
      target,
      selected: stage.isSelected(target),
      hand,
      area: stage.tool === "area",
      ...this.#moment(at),
    });
  }

  // The plus beside a port or on an edge.
  #plus(event: PointerEvent): boolean {
    const { stage } = this.#host;
    const plus =
      event.target instanceof Element
        ? event.target.closest(".k-plus,.k-between,.k-fold,.k-first")
        : null;
    if (!(plus instanceof HTMLElement)) return false;
    event.preventDefault();
    const at = stage.view.toWorld(this.last);
    const edge = plus.dataset["edge"];
    const port = plus.dataset["port"];
    const node = plus.closest<HTMLElement>(".k-card")?.dataset["id"];
    if (node !== undefined && plus.classList.contains("k-fold")) {
      const folded = stage.scene.faces.get(node)?.frame === true;
      stage.emit({ type: "fold", id: node, folded });
      return true;
    }
    if (node !== undefined && plus.classList.contains("k-first")) {
      stage.emit({ type: "quickAdd", at, within: node, by: "plus" });
      return true;
    }
    if (edge !== undefined) {
      stage.emit({ type: "quickAdd", at: edgeMiddle(stage, edge) ?? at, edge, by: "plus" });
    } else if (port !== undefined && node !== undefined) {
      stage.emit({ type: "quickAdd", at, from: { node, port }, by: "plus" });
    }
    return true;
  }

  #over(event: PointerEvent): void {
    const { stage } = this.#host;
    const at = this.#read(event);
    const touch = touchOf(event);
    this.#moved = true;
    stage.requestCards();
    const target = spareOf(event.target) ?? this.#find(touch);
    if (this.idle) {
      if (touch === "mouse") stage.setHover(target, at);
      this.#cursor(target);
      return;
    }
    this.#feed({ is: "move", pointer: event.pointerId, target, ...this.#moment(at) });
  }

  #up(event: PointerEvent): void {
    const at = this.#read(event);
    const target = this.#find(touchOf(event));
    this.#feed({ is: "up", pointer: event.pointerId, target, ...this.#moment(at) });
    this.#cursor(target);
  }

  #leave(): void {
    const { stage } = this.#host;
    if (!this.idle) return;
    stage.setHover({ is: "ground" }, this.last);
    stage.emit({ type: "pointer", at: undefined });
  }

  #feed(input: Input): void {
    const { stage } = this.#host;
    const { tool, effects } = next(this.#tool, input, { readOnly: stage.readOnly });
    this.#tool = tool;
    if (tool.is !== "press") this.#unhold();
    for (const effect of effects) this.#carry(effect);
    if (this.#tool.is !== "drag") {
      clearTimeout(this.#resting);
      this.#rest = undefined;
    }
    const busy = this.#tool.is !== "idle" && this.#tool.is !== "press";
    if (busy === this.#told) return;
    this.#told = busy;
    stage.dragging = busy;
    stage.root.toggleAttribute("data-dragging", busy);
    stage.emit({ type: "gesture", active: busy });
    this.#cursor({ is: "ground" });
  }

  #carry(effect: Effect): void {
    const { gestures, stage } = this.#host;
    switch (effect.do) {
      case "pan":
        this.panned = true;
        gestures.pan(effect.dx, effect.dy);
        return;
      case "pinch":
        gestures.pinch(effect);
        return;
      case "select":
        gestures.select(effect);
        return;
      case "clear":
        stage.clearPreview();
        stage.select({});
        return;
      case "marquee":
        gestures.marquee(effect);
        return;
      case "drag":
        this.#lay(gestures.drag(effect));
        return;
      case "dragEnd":
        gestures.dragEnd(effect);
        return;
      case "connecting":
        this.#connecting();
        return;
      case "connectEnd":
        gestures.connectEnd(effect);
        return;
      case "resize":
        gestures.resize(effect);
        return;
      case "menu":
        this.#tellMenu(effect.target, effect.at);
        return;
      case "tear":
        this.#tear(effect.edge, effect.end);
        return;
      case "revert":
        gestures.settle();
        return;
      case "hold":
        this.#timers = [
          window.setTimeout(() => this.#feed({ is: "held", long: false }), HOLD.ripe),
          window.setTimeout(() => this.#feed({ is: "held", long: true }), HOLD.menu),
        ];
    }
  }

  // A step that rests on an edge for a while would be put into it.
  #lay(edge: string | undefined): void {
    if (edge === this.#rest) return;
    this.#rest = edge;
    clearTimeout(this.#resting);
    this.#tellLay(undefined);
    if (edge === undefined) return;
    this.#resting = window.setTimeout(() => this.#tellLay(edge), LAY_MS);
  }

  #tellLay(edge: string | undefined): void {
    const { stage } = this.#host;
    if (this.#tool.is !== "drag") return;
    this.#feed({ is: "lay", edge });
    stage.landing = edge;
    stage.request();
  }

  #connecting(): void {
    const tool = this.#tool;
    if (tool.is !== "connect") return;
    this.#host.gestures.connecting(tool.fixed, tool.edge, tool.over, tool.to);
  }

  #tear(id: string, end: "from" | "to"): void {
    const { stage } = this.#host;
    const edge = stage.scene.drawing.edges.get(id);
    if (edge === undefined) return;
    const fixed =
      end === "to"
        ? ({ end: "from", id: edge.from, port: edge.port } as const)
        : ({ end: "to", id: edge.to } as const);
    this.#tool = torn(this.#pointer, id, fixed, stage.view.toWorld(this.last));
    this.#connecting();
  }

  #unhold(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers = [];
  }

  #turn(event: WheelEvent): void {
    const { stage, gestures, move } = this.#host;
    event.preventDefault();
    if (this.idle) this.setRect(stage.root.getBoundingClientRect());
    const at = this.#read(event);
    const { meaning, memory } = meaningOf(
      {
        deltaX: event.deltaX,
        deltaY: event.deltaY,
        deltaMode: event.deltaMode,
        notch: "wheelDeltaY" in event ? Number(event.wheelDeltaY) : 0,
        ctrl: event.ctrlKey || event.metaKey,
        shift: event.shiftKey,
        time: event.timeStamp,
      },
      stage.wheel,
      this.#wheel,
    );
    this.#wheel = memory;
    if (meaning.is === "pan") gestures.pan(meaning.dx, meaning.dy);
    else move(stage.view.zoomed(stage.view.camera.z * meaning.factor, at));
  }

  #double(event: MouseEvent): void {
    const { stage } = this.#host;
    const at = stage.view.toWorld(this.#read(event));
    const target = this.#find("mouse");
    // A frame's head lets the pointer through: there the place tells.
    const frame = target.is === "node" && stage.scene.faces.get(target.id)?.frame === true;
    const onTitle =
      frame || (event.target instanceof Element && event.target.closest(".k-title") !== null);
    if (
      event.target instanceof Element &&
      event.target.closest(".k-plus,.k-between,.k-fold,.k-first")
    )
      return;
    if (target.is === "node") {
      stage.emit({ type: onTitle && !stage.readOnly ? "rename" : "open", id: target.id });
    } else if (stage.readOnly) return;
    else if (target.is === "note") stage.emit({ type: "editNote", id: target.id });
    else if (target.is === "edge") {
      stage.emit({ type: "quickAdd", at, edge: target.id, by: "pointer" });
    } else if (target.is === "ground") stage.emit({ type: "quickAdd", at, by: "pointer" });
  }

  #menu(event: MouseEvent): void {
    event.preventDefault();
    // The menu key has no place of its own: keys.ts answers it.
    if (event.button !== 2) return;
    this.#tellMenu(this.#find("mouse"), this.#read(event));
  }

  #tellMenu(target: Target, screen: Point): void {
    const { stage } = this.#host;
    stage.emit({ type: "menu", target, at: stage.view.toWorld(screen), screen });
  }

  #drop(event: DragEvent): void {
    const { stage } = this.#host;
    if (stage.readOnly || event.dataTransfer === null) return;
    event.preventDefault();
    this.setRect(stage.root.getBoundingClientRect());
    const at = stage.view.toWorld(this.#read(event));
    stage.emit({ type: "drop", data: event.dataTransfer, at, target: this.#find("mouse") });
  }

  #cursor(target: Target): void {
    const { stage } = this.#host;
    const name = cursorOf(this.#tool, target, this.hand || stage.tool === "hand", stage.readOnly);
    if (stage.root.dataset["cursor"] !== name) stage.root.dataset["cursor"] = name;
  }

  /** Shows the right pointer after the hand was taken or put away. */
  refreshCursor(): void {
    this.#cursor(this.#find("mouse"));
  }
}

function push(at: number, size: number): number {
  if (at < BORDER) return Math.min(BORDER_SPEED, (BORDER - at) / 3);
  if (at > size - BORDER) return -Math.min(BORDER_SPEED, (at - size + BORDER) / 3);
  return 0;
}
