// The keyboard of the canvas. Keys work only while the canvas or one of its
// cards has the focus.

import { withContent } from "../core/frame.ts";
import { type Command, comboOf } from "../core/keymap.ts";
import { GRID } from "../core/snap.ts";
import {
  alongEdges,
  type Direction,
  downstream,
  nearestToward,
  readingOrder,
  upstream,
} from "../core/walk.ts";
import type { Pointer } from "./pointer.ts";
import type { Stage } from "./stage.ts";

const PUSH = 5 * GRID;
const ZOOM_STEP = 1.25;

export type KeyHost = {
  readonly stage: Stage;
  readonly pointer: Pointer;
  readonly owns: (target: EventTarget | null) => boolean;
  readonly focus: (id: string) => void;
  readonly fit: (ids?: Iterable<string>) => void;
  readonly zoomBy: (factor: number) => void;
  readonly zoomTo: (z: number) => void;
  readonly setTool: (tool: "select" | "hand") => void;
};

/** Commands that change the drawing: none of them in read-only mode. */
const edits: ReadonlySet<Command> = new Set<Command>([
  "delete",
  "deleteRejoin",
  "rename",
  "add",
  "connect",
  "undo",
  "redo",
  "duplicate",
  "group",
  "ungroup",
  "tidy",
  "disable",
  "pin",
  "note",
]);

const steps: Readonly<Record<string, readonly [number, number]>> = {
  Left: [-1, 0],
  Right: [1, 0],
  Up: [0, -1],
  Down: [0, 1],
};

export class Keys {
  readonly #host: KeyHost;
  #trail: { down: boolean; list: readonly string[]; at: number } | undefined;
  #shift = false;

  constructor(host: KeyHost, signal: AbortSignal) {
    this.#host = host;
    const { owns } = host;
    const { root } = host.stage;
    root.addEventListener("keydown", (e) => this.#press(e), { signal });
    root.addEventListener("keyup", (e) => this.#release(e), { signal });
    root.addEventListener(
      "focusout",
      (e) => {
        if (owns(e.relatedTarget)) return;
        this.#drop();
        root.classList.remove("k-mouse");
      },
      { signal },
    );
    for (const action of ["cut", "copy", "paste"] as const) {
      root.addEventListener(action, (event) => this.#clipboard(action, event), { signal });
    }
  }

  #press(event: KeyboardEvent): void {
    const { stage, owns, pointer } = this.#host;
    this.#shift = event.shiftKey;
    // The ring around what has the keyboard shows to those who use it.
    stage.root.classList.remove("k-mouse");
    if (!owns(event.target) || event.isComposing) return;
    const command = stage.keymap[comboOf(event)];
    if (command === undefined) return;
    event.preventDefault();
    if (command === "toggle") {
      // Space held pans; Space alone selects, when it is let go.
      if (!event.repeat) {
        pointer.hand = true;
        pointer.panned = false;
        pointer.refreshCursor();
      }
      return;
    }
    this.run(command);
  }

  #release(event: KeyboardEvent): void {
    this.#shift = event.shiftKey;
    if (event.key !== " " || !this.#host.pointer.hand) return;
    const used = this.#host.pointer.panned;
    this.#drop();
    if (!used) this.run("toggle");
  }

  #drop(): void {
    const { pointer } = this.#host;
    if (!pointer.hand) return;
    pointer.hand = false;
    pointer.refreshCursor();
  }

  #clipboard(action: "cut" | "copy" | "paste", event: ClipboardEvent): void {
    const { stage, owns, pointer } = this.#host;
    if (!owns(event.target) || (stage.readOnly && action !== "copy")) return;
    const at = stage.view.toWorld(pointer.last);
    stage.emit({ type: "clipboard", action, event, at, keepLinks: this.#shift });
  }

  run(command: Command): void {
    const { stage, fit, zoomBy, zoomTo, setTool } = this.#host;
    if (stage.readOnly && edits.has(command)) return;
    const way = /^(focus|nudge|push)(Left|Right|Up|Down)$/.exec(command);
    if (way?.[1] !== undefined && way[2] !== undefined) {
      this.#go(way[1], way[2]);
      return;
    }
    const actions: Partial<Record<Command, () => void>> = {
      followDown: () => this.#follow(true),
      followUp: () => this.#follow(false),
      open: () => this.#open(),
      escape: () => this.#escape(),
      delete: () => this.#delete(false),
      deleteRejoin: () => this.#delete(true),
      selectAll: () => this.#all(),
      selectDownstream: () =>
        stage.select({ nodes: downstream(stage.scene.drawing, this.#base()) }),
      selectUpstream: () => stage.select({ nodes: upstream(stage.scene.drawing, this.#base()) }),
      rename: () => this.#rename(),
      menu: () => this.#menu(),
      add: () => this.#add(),
      fitAll: () => fit(),
      fitSelection: () => fit([...stage.selected.nodes, ...stage.selected.notes]),
      zoomActual: () => zoomTo(1),
      zoomIn: () => zoomBy(ZOOM_STEP),
      zoomOut: () => zoomBy(1 / ZOOM_STEP),
      toolSelect: () => setTool("select"),
      toolHand: () => setTool("hand"),
      toggle: () => this.#toggle(),
      fold: () => this.#fold(),
    };
    const action = actions[command];
    if (action !== undefined) action();
    else stage.emit({ type: "command", command, at: stage.view.toWorld(this.#host.pointer.last) });
  }

  #go(what: string, side: string): void {
    const { stage } = this.#host;
    const [x, y] = steps[side] ?? [0, 0];
    if (what === "focus") {
      this.#walk(side.toLowerCase() as Direction);
      return;
    }
    const by = what === "push" ? PUSH : GRID;
    const nodes = [...this.#base()];
    const notes = [...stage.selected.notes];
    if (stage.readOnly || nodes.length + notes.length === 0) return;
    const all = [...withContent(stage.scene.drawing, nodes)];
    stage.emit({ type: "move", nodes: all, notes, dx: x * by, dy: y * by });
  }

  /** The selected steps, else the focused one. */
  #base(): ReadonlySet<string> {
    const { selected, focused } = this.#host.stage;
    if (selected.nodes.size > 0 || selected.notes.size > 0 || focused === undefined) {
      return selected.nodes;
    }
    return new Set([focused]);
  }

  #walk(direction: Direction): void {
    const { stage, focus } = this.#host;
    const { scene, focused } = stage;
    this.#trail = undefined;
    const from = focused === undefined ? undefined : scene.box(focused);
    if (from === undefined) {
      const [first] = readingOrder(scene.drawing);
      if (first !== undefined) this.#arrive(first);
      return;
    }
    // Arrows stay in the scope: Enter leads into a container, Escape out.
    const scope = scene.drawing.parent(focused ?? "");
    const others = [...scene.cards.entries(), ...scene.frames.entries()].filter(
      ([id]) => id !== focused && scene.drawing.parent(id) === scope,
    );
    const to = nearestToward(from, direction, others);
    if (to !== undefined) this.#arrive(to);
    else if (focused !== undefined) focus(focused);
  }

  #arrive(id: string): void {
    this.#host.stage.select({ nodes: [id] });
    this.#host.focus(id);
  }

  // Pressed again, it goes on to the next neighbor of where it started.
  #follow(down: boolean): void {
    const { stage } = this.#host;
    const here = stage.focused;
    if (here === undefined) return;
    const trail = this.#trail;
    if (trail?.down === down && trail.list[trail.at] === here && trail.list.length > 1) {
      trail.at = (trail.at + 1) % trail.list.length;
    } else {
      this.#trail = { down, list: alongEdges(stage.scene.drawing, here, down), at: 0 };
    }
    const to = this.#trail?.list[this.#trail.at];
    if (to !== undefined) this.#arrive(to);
  }

  #open(): void {
    const { stage } = this.#host;
    const [note] = stage.selected.notes;
    const [first] = this.#base();
    if (note !== undefined && stage.selected.nodes.size === 0) {
      if (!stage.readOnly) stage.emit({ type: "editNote", id: note });
    } else if (this.#goInto(stage.focused ?? first)) return;
    else if (first !== undefined) stage.emit({ type: "open", id: stage.focused ?? first });
  }

  /** Enter on a container leads to what stands in it; into an empty one, to a first step. */
  #goInto(id: string | undefined): boolean {
    const { stage } = this.#host;
    const { scene } = stage;
    const face = id === undefined ? undefined : scene.faces.get(id);
    if (id === undefined || face?.held === undefined) return false;
    if (face.held === 0) {
      const at = stage.view.center();
      if (!stage.readOnly) stage.emit({ type: "quickAdd", at, within: id, by: "key" });
      return !stage.readOnly;
    }
    if (!face.frame) {
      stage.emit({ type: "fold", id, folded: false });
      if (scene.faces.get(id)?.frame !== true) return true;
    }
    const held = scene.drawing.held(id);
    const first = readingOrder(scene.drawing).find((one) => held.has(one));
    if (first !== undefined) this.#arrive(first);
    return true;
  }

  #escape(): void {
    const { stage, pointer } = this.#host;
    if (pointer.cancel()) return;
    stage.clearPreview();
    const [one, more] = this.#base();
    const up =
      one === undefined || more !== undefined ? undefined : stage.scene.drawing.parent(one);
    if (up !== undefined) this.#arrive(up);
    else stage.select({});
  }

  #delete(rejoin: boolean): void {
    const { stage } = this.#host;
    const { edges, notes } = stage.selected;
    const nodes = edges.size > 0 && stage.selected.nodes.size === 0 ? [] : [...this.#base()];
    if (nodes.length + edges.size + notes.size === 0) return;
    stage.emit({ type: "delete", nodes, edges: [...edges], notes: [...notes], rejoin });
  }

  #all(): void {
    const { stage } = this.#host;
    const { drawing } = stage.scene;
    stage.select({ nodes: drawing.nodes.keys(), notes: drawing.notes.keys() });
  }

  #rename(): void {
    const { stage } = this.#host;
    const [first] = this.#base();
    const id = stage.focused ?? first;
    if (id !== undefined) stage.emit({ type: "rename", id });
  }

  #menu(): void {
    const { stage } = this.#host;
    const [first] = this.#base();
    const id = stage.focused ?? first;
    const box = id === undefined ? undefined : stage.scene.box(id);
    const at = box === undefined ? stage.view.center() : { x: box.x + 24, y: box.y + 40 };
    const target = id === undefined ? ({ is: "ground" } as const) : ({ is: "node", id } as const);
    stage.emit({ type: "menu", target, at, screen: stage.view.toScreen(at) });
  }

  #add(): void {
    const { stage } = this.#host;
    const { scene } = stage;
    const [edge] = stage.selected.edges;
    const [first] = this.#base();
    const node = stage.focused ?? first;
    const ports = node === undefined ? [] : (scene.faces.get(node)?.ports ?? []);
    const port = (
      ports.find((p) => scene.drawing.outOf(node ?? "", p.name).length === 0) ?? ports[0]
    )?.name;
    const from = node !== undefined && port !== undefined ? { node, port } : undefined;
    const at = stage.view.center();
    if (edge !== undefined && stage.selected.nodes.size === 0) {
      stage.emit({ type: "quickAdd", at, edge, by: "key" });
    } else stage.emit({ type: "quickAdd", at, from, by: "key" });
  }

  #fold(): void {
    const { stage } = this.#host;
    for (const id of this.#base()) {
      const face = stage.scene.faces.get(id);
      if (face?.held !== undefined) stage.emit({ type: "fold", id, folded: face.frame });
    }
  }

  #toggle(): void {
    const { stage } = this.#host;
    if (stage.focused !== undefined) stage.toggle({ is: "node", id: stage.focused });
  }
}
