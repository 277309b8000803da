// The cards near enough to be elements: taken from a pool when they come into
// view and given back when they leave.

import { transactionOf } from "../core/frame.ts";
import type { Box } from "../core/geometry.ts";
import { grow } from "../core/geometry.ts";
import { COMPENSATE } from "../core/graph.ts";
import { CardView, type Look } from "./card.ts";
import { ghostSize } from "./rules.ts";
import { FAR, idle, type Stage } from "./stage.ts";

const none: ReadonlySet<string> = new Set();

/** Cards are kept this far beyond the screen, in the world. */
const BEYOND = 160;

export class Cards {
  readonly #stage: Stage;
  readonly #world: HTMLElement;
  readonly #live = new Map<string, CardView>();
  readonly #pool: CardView[] = [];
  #ghost: CardView | undefined;
  #order = new Map<string, number>();
  #tab: string | undefined;
  #first: string | undefined;

  constructor(stage: Stage, world: HTMLElement) {
    this.#stage = stage;
    this.#world = world;
  }

  element(id: string): HTMLElement | undefined {
    return this.#live.get(id)?.element;
  }

  /** The order in which cards are counted out to a screen reader. */
  setOrder(ids: readonly string[]): void {
    this.#first = ids[0];
    this.#order = new Map(ids.map((id, i) => [id, i + 1]));
    for (const id of this.#live.keys()) this.#stage.stale.add(id);
  }

  /** Gives every card back. */
  clear(): void {
    for (const id of [...this.#live.keys()]) this.#give(id);
  }

  /**
   * Brings the elements in line with what is in view, making at most so many.
   * The rest is left for the next frames; meanwhile the canvas paints them.
   */
  sync(most = Number.POSITIVE_INFINITY): void {
    const { scene, view, stale } = this.#stage;
    const focused = this.#stage.focused ?? this.#first;
    const wanted = new Set<string>();
    if (view.camera.z >= FAR) {
      const area = grow(view.world, BEYOND);
      for (const id of scene.frames.within(area)) wanted.add(id);
      for (const id of scene.cards.within(area)) wanted.add(id);
    }
    // The card that takes the keyboard stays wherever the camera goes.
    if (focused !== undefined) wanted.add(focused);
    for (const id of [...this.#live.keys()]) if (!wanted.has(id)) this.#give(id);
    this.#build(wanted, focused, most);
    stale.clear();
    this.#setTab(focused);
    this.#showGhost();
  }

  #build(wanted: ReadonlySet<string>, focused: string | undefined, most: number): void {
    const { scene, unbuilt } = this.#stage;
    unbuilt.clear();
    let left = most;
    for (const id of wanted) {
      const box = scene.box(id);
      const fresh = !this.#live.has(id);
      if (box === undefined) this.#give(id);
      else if (fresh && left <= 0 && id !== focused) unbuilt.add(id);
      else this.#show(id, box);
      if (fresh) left--;
    }
  }

  #show(id: string, box: Box): void {
    let view = this.#live.get(id);
    if (view === undefined) {
      view = this.#take();
      this.#live.set(id, view);
      this.#stage.stale.add(id);
    }
    view.place(box);
    const look = this.#stage.stale.has(id) ? this.#look(id) : undefined;
    if (look !== undefined) view.show(look);
  }

  #take(): CardView {
    const view = this.#pool.pop() ?? new CardView(this.#stage.icons);
    view.element.hidden = false;
    view.element.tabIndex = -1;
    if (!view.element.isConnected) this.#world.append(view.element);
    return view;
  }

  #give(id: string): void {
    const view = this.#live.get(id);
    if (view === undefined) return;
    this.#live.delete(id);
    // A card that goes leaves the keyboard with the canvas.
    if (view.element === document.activeElement) this.#stage.root.focus({ preventScroll: true });
    view.element.hidden = true;
    view.element.tabIndex = -1;
    view.id = "";
    delete view.element.dataset["id"];
    this.#pool.push(view);
  }

  #look(id: string): Look | undefined {
    const { scene, status, nodeIssues, readOnly, hover } = this.#stage;
    const face = scene.faces.get(id);
    const node = scene.drawing.nodes.get(id);
    if (face === undefined || node === undefined) return undefined;
    const open = readOnly
      ? []
      : face.ports.filter((p) => scene.drawing.outOf(id, p.name).length === 0);
    return {
      id,
      face,
      pinned: face.pinned && !readOnly,
      stops: this.#stage.breaks.has(id),
      status: status.get(id) ?? idle,
      issues: nodeIssues.get(id),
      classes: this.#classes(id, face.disabled),
      index: this.#order.get(id) ?? 1,
      count: this.#order.size,
      free: new Set(open.map((p) => p.name)),
      editable: !readOnly,
      undoable: !readOnly && this.#undoable(id),
      ...this.#trace(id),
      hot: hover.is === "port" && hover.id === id ? hover.port : undefined,
    };
  }

  // In a transaction a step offers a handle to the one that undoes it.
  #undoable(id: string): boolean {
    const { drawing } = this.#stage.scene;
    if (transactionOf(drawing, id) === undefined) return false;
    if (drawing.outOf(id, COMPENSATE).length > 0) return false;
    // What undoes another one is itself never undone.
    return ![...drawing.into(id)].some((e) => e.port === COMPENSATE);
  }

  // The ports by what a run did with their edges.
  #trace(id: string): { took: ReadonlySet<string>; passed: ReadonlySet<string> } {
    const { edgeStates, scene } = this.#stage;
    if (edgeStates.size === 0) return { took: none, passed: none };
    const took = new Set<string>();
    const passed = new Set<string>();
    for (const edge of scene.drawing.out(id)) {
      const state = edgeStates.get(edge.id);
      if (state === "taken" || state === "active") took.add(edge.port);
      else if (state === "skipped") passed.add(edge.port);
    }
    for (const port of took) passed.delete(port);
    return { took, passed };
  }

  #classes(id: string, off: boolean): string {
    const s = this.#stage;
    const names: string[] = [];
    const put = (name: string, on: boolean): void => {
      if (on) names.push(name);
    };
    const { targets, loose } = s;
    put("sel", s.selected.nodes.has(id));
    put("off", off);
    put("frame", s.scene.faces.get(id)?.frame === true);
    put("into", s.into === id);
    put("hover", "id" in s.hover && s.hover.id === id && !s.dragging);
    put("moving", s.moving?.has(id) === true);
    put("faded", targets !== undefined && !targets.has(id) && loose?.from?.node !== id);
    put("target", targets?.has(id) === true && loose?.to === undefined);
    put("aim", s.aim === id);
    const mark = s.marks.get(id);
    put(`mark-${mark}`, mark !== undefined);
    return names.join(" ");
  }

  // One card takes the Tab key; from there the arrows go on.
  #setTab(id: string | undefined): void {
    if (id === this.#tab) return;
    if (this.#tab !== undefined) {
      const before = this.#live.get(this.#tab);
      if (before !== undefined) before.element.tabIndex = -1;
    }
    const now = id === undefined ? undefined : this.#live.get(id);
    if (now !== undefined) now.element.tabIndex = 0;
    this.#tab = now === undefined ? undefined : id;
  }

  #showGhost(): void {
    const { ghost, scene } = this.#stage;
    if (ghost === undefined) {
      this.#ghost?.element.remove();
      this.#ghost = undefined;
      return;
    }
    this.#ghost ??= new CardView(this.#stage.icons);
    const face = scene.ghostFace(ghost.spec, ghost.title);
    this.#ghost.place({ ...ghost.at, ...ghostSize(face) });
    this.#ghost.show({
      id: "",
      face,
      pinned: false,
      stops: false,
      status: idle,
      issues: undefined,
      classes: face.frame ? "ghost frame" : "ghost",
      index: 1,
      count: 1,
      free: new Set(),
      editable: false,
      undoable: false,
      took: none,
      passed: none,
      hot: undefined,
    });
    this.#ghost.element.setAttribute("aria-hidden", "true");
    if (!this.#ghost.element.isConnected) this.#world.append(this.#ghost.element);
  }
}
